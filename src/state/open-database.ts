/**
 * Opens a database of ours: marks and migrates it, and sets a damaged one aside with every byte kept, for those that hold
 * nothing that cannot be had again. Knows no table; what a database must hold is said by whoever opens it.
 */
import { type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  isDamageError,
  isSqliteError,
  openSqlite,
  type SqliteDatabase,
  type SqliteDriverName,
  SqliteError,
} from '../platform/sqlite/index.js';
import { APPLICATION_ID } from './application-id.js';
import { type Migration, migrate } from './migrations/migrate.js';
import { copyDamaged, removeDatabase, type SetAside } from './set-aside.js';

/** How a derived database of one home is opened. */
export interface IndexOpenOptions {
  /** The database file; undefined keeps the index in memory. */
  readonly path?: string | undefined;
  /** Root of the home; paths are stored relative to it. */
  readonly homePath: string;
  /** Looks through the whole file first, and treats what it finds as damage: for a database that failed in use. */
  readonly check?: boolean;
  readonly now?: () => number;
  /** Told of a damaged database after its bytes were moved away. */
  readonly onSetAside?: ((event: SetAside) => void) | undefined;
  /** Only this driver; default is the first that works. */
  readonly driver?: SqliteDriverName;
  readonly busyTimeoutMs?: number;
}

export interface DatabaseOpenOptions {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  readonly migrations: readonly Migration[];
  /** What to do about a migration that was changed; default: move the database away. */
  readonly changedHint?: string | undefined;
  /** Never creates, migrates, repairs or sets aside. */
  readonly readOnly?: boolean | undefined;
  /** Looks through the whole file first, and treats what it finds as damage: for a database that failed in use. */
  readonly check?: boolean | undefined;
  /** Called by `check` on a migrated database; throws what `damagedDatabase` makes when something is missing. */
  readonly requireWhole?: ((database: SqliteDatabase) => void) | undefined;
  readonly now: () => number;
  /** Told of a damaged database after its bytes were moved away. */
  readonly onSetAside?: ((event: SetAside) => void) | undefined;
  /** Only this driver; default is the first that works. */
  readonly driver?: SqliteDriverName | undefined;
  readonly busyTimeoutMs?: number | undefined;
}

const MEMORY = ':memory:';

/** What `DatabaseOpenOptions.path` is for a path as a caller gives it; undefined stands for memory. */
export function databasePath(path: string | undefined): string {
  return path === undefined || path === MEMORY ? MEMORY : resolve(path);
}

export interface OpenedDatabase {
  readonly database: SqliteDatabase;
  /** Why it is in memory although a path was given; undefined when it is where it should be. */
  readonly memoryCause: Error | undefined;
}

/** As `openOrSetAside`; where nothing can be written, a database in memory. One that is only to be read is never replaced. */
export function openOrInMemory(options: DatabaseOpenOptions): OpenedDatabase {
  if (options.path === MEMORY || options.readOnly === true) {
    return { database: openMigrated(options), memoryCause: undefined };
  }
  try {
    return { database: openOrSetAside(options), memoryCause: undefined };
  } catch (error) {
    if (!isSqliteError(error, 'sqlite-cantopen', 'sqlite-readonly', 'sqlite-full')) throw error;
    const memoryCause = obstructedError(options.path, error) ?? error;
    return { database: openMigrated({ ...options, path: MEMORY }), memoryCause };
  }
}

/** What stands where a database, or a folder that it lies in, should be. */
export interface Obstacle {
  readonly path: string;
  /** With its article, as a sentence calls it. */
  readonly what: 'a folder' | 'a file' | 'a special file';
}

/** Undefined when a database is at `path`, or could be made there as far as names tell. Opens nothing. */
export function obstacleAt(path: string): Obstacle | undefined {
  const stat = statOrNone(path);
  if (stat !== undefined) {
    if (stat.isFile()) return undefined;
    return { path, what: stat.isDirectory() ? 'a folder' : 'a special file' };
  }
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const above = statOrNone(folder);
    if (above?.isDirectory() === true) return undefined;
    if (above !== undefined) return { path: folder, what: above.isFile() ? 'a file' : 'a special file' };
  }
  return undefined;
}

/** What to do about an obstacle. */
export function obstacleHint({ path }: Obstacle): string {
  return `Move ${path} away; the next command makes what belongs there.`;
}

function obstructedError(path: string, cause: SqliteError): SqliteError | undefined {
  const obstacle = obstacleAt(path);
  if (obstacle === undefined) return undefined;
  const place = obstacle.path === path ? 'its place' : `the place of its folder (${obstacle.path})`;
  return new SqliteError(cause.code, `Cannot open "${path}": ${obstacle.what} is in ${place}`, {
    cause,
    path,
    hint: obstacleHint(obstacle),
  });
}

/** Undefined also for what cannot be looked at: opening it says why. */
function statOrNone(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, or behind a folder that is closed to us
  }
}

/** As `openMigrated`; a damaged database is set aside, and a fresh one opened in its place. */
export function openOrSetAside(options: DatabaseOpenOptions): SqliteDatabase {
  const { path, now } = options;
  const copies: SetAside[] = [];
  try {
    return openMigrated(options, (cause) => {
      copies.push(copyDamaged(path, { cause, nowMs: now(), processId: process.pid }));
    });
  } catch (error) {
    const copy = copies[0];
    if (copy === undefined) throw error;
    return replaceDamaged(copy, options);
  }
}

/** One process at a time, and only if no other one has done it already; a killed one gives the lock back. */
function replaceDamaged(copy: SetAside, options: DatabaseOpenOptions): SqliteDatabase {
  const { path } = copy;
  const lock = openSqlite({ path: `${path}.set-aside-lock`, applicationId: APPLICATION_ID });
  try {
    return lock.transaction('immediate', () => {
      try {
        const database = openMigrated(options);
        removeDatabase(copy.movedTo);
        return database;
      } catch (error) {
        if (!isDamageError(error)) throw error;
        removeDatabase(path);
        options.onSetAside?.(copy);
        return openMigrated(options);
      }
    });
  } finally {
    lock.close();
  }
}

/** Opens a database and brings it to the last migration. Throws SqliteError, StateError. */
export function openMigrated(options: DatabaseOpenOptions, onDamage?: (error: SqliteError) => void): SqliteDatabase {
  const { path, migrations, readOnly = false, driver, busyTimeoutMs, check = false, now, changedHint } = options;
  const database = openSqlite({
    path,
    applicationId: APPLICATION_ID,
    readOnly,
    ...(driver === undefined ? {} : { driver }),
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
    ...(onDamage === undefined ? {} : { onDamage }),
  });
  try {
    if (check) requireSound(database);
    migrate(database, migrations, now, { changedHint });
    if (check) options.requireWhole?.(database);
    return database;
  } catch (error) {
    try {
      if (isDamageError(error)) onDamage?.(error);
    } finally {
      database.close();
    }
    throw error;
  }
}

/** The error for a database whose pages may be sound and whose content is not. */
export function damagedDatabase({ path }: SqliteDatabase, what: string): SqliteError {
  return new SqliteError('sqlite-corrupt', `The database "${path}" is damaged: ${what}`, { path });
}

/** Throws `damagedDatabase` when one of `names` is no table of the database. */
export function requireTables(database: SqliteDatabase, names: readonly string[]): void {
  const tables = database
    .prepare<{ readonly name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  const present = new Set(tables.map(({ name }) => name));
  const missing = names.filter((name) => !present.has(name));
  if (missing.length > 0) throw damagedDatabase(database, `it has no table ${missing.join(', ')}`);
}

function requireSound(database: SqliteDatabase): void {
  const finding = database.pragma('quick_check(1)');
  if (finding !== 'ok') throw damagedDatabase(database, String(finding));
}
