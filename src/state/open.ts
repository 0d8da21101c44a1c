/**
 * Opens the state database of a home: migrates it, sets a damaged one aside, and falls back to memory where nothing
 * can be written, since everything in it can be had from the logs again.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  isDamageError,
  isSqliteError,
  openSqlite,
  type SqliteDatabase,
  type SqliteDriverName,
  SqliteError,
} from '../platform/sqlite/index.js';
import { APPLICATION_ID } from './application-id.js';
import { GENERATION_TABLES, type GenerationOwner } from './generations.js';
import { homePaths } from './home-paths.js';
import { STATE_MIGRATIONS } from './migrations/index.js';
import { migrate } from './migrations/migrate.js';
import { copyDamaged, removeDatabase, type SetAside } from './set-aside.js';
import { StateDatabase } from './state-database.js';

export const STATE_DATABASE_NAME = 'state_5.sqlite';

const MEMORY = ':memory:';

export interface StateOpenOptions {
  /** The database file; undefined keeps the index in memory. */
  readonly path?: string | undefined;
  /** Root of the home; paths are stored relative to it. */
  readonly homePath: string;
  /** Never creates, migrates, repairs or sets aside. */
  readonly readOnly?: boolean;
  /** Looks through the whole file first, and treats what it finds as damage: for a database that failed in use. */
  readonly check?: boolean;
  readonly now?: () => number;
  /** Told of a damaged database after its bytes were moved away. */
  readonly onSetAside?: (event: SetAside) => void;
  /** Only this driver; default is the first that works. */
  readonly driver?: SqliteDriverName;
  readonly busyTimeoutMs?: number;
}

/**
 * Throws SqliteError (`sqlite-foreign`: another program's database; `sqlite-no-driver`; `sqlite-busy`) and StateError
 * (`state-migration-changed`; read-only: `state-schema-old`).
 */
export function openStateDatabase(options: StateOpenOptions): StateDatabase {
  const now = options.now ?? Date.now;
  const { database, memoryCause } = open(options, now);
  const owner = (): GenerationOwner => ({
    host: hostname(),
    processId: process.pid,
    nowMs: now(),
    isRunning,
  });
  return new StateDatabase(database, { paths: homePaths(options.homePath), owner, memoryCause });
}

interface Opened {
  readonly database: SqliteDatabase;
  readonly memoryCause: Error | undefined;
}

function open(options: StateOpenOptions, now: () => number): Opened {
  const path = options.path === undefined || options.path === MEMORY ? MEMORY : resolve(options.path);
  if (path === MEMORY || options.readOnly === true) {
    return { database: openMigrated(path, options, now), memoryCause: undefined };
  }
  try {
    return { database: openOrSetAside(path, options, now), memoryCause: undefined };
  } catch (error) {
    if (!isSqliteError(error, 'sqlite-cantopen', 'sqlite-readonly', 'sqlite-full')) throw error;
    return { database: openMigrated(MEMORY, options, now), memoryCause: error };
  }
}

function openOrSetAside(path: string, options: StateOpenOptions, now: () => number): SqliteDatabase {
  const copies: SetAside[] = [];
  try {
    return openMigrated(path, options, now, (cause) => {
      copies.push(copyDamaged(path, { cause, nowMs: now(), processId: process.pid }));
    });
  } catch (error) {
    const copy = copies[0];
    if (copy === undefined) throw error;
    return replaceDamaged(copy, options, now);
  }
}

/** One process at a time, and only if no other one has done it already; a killed one gives the lock back. */
function replaceDamaged(copy: SetAside, options: StateOpenOptions, now: () => number): SqliteDatabase {
  const { path } = copy;
  const lock = openSqlite({ path: `${path}.set-aside-lock`, applicationId: APPLICATION_ID });
  try {
    return lock.transaction('immediate', () => {
      try {
        const database = openMigrated(path, options, now);
        removeDatabase(copy.movedTo);
        return database;
      } catch (error) {
        if (!isDamageError(error)) throw error;
        removeDatabase(path);
        options.onSetAside?.(copy);
        return openMigrated(path, options, now);
      }
    });
  } finally {
    lock.close();
  }
}

function openMigrated(
  path: string,
  options: StateOpenOptions,
  now: () => number,
  onDamage?: (error: SqliteError) => void,
): SqliteDatabase {
  const { readOnly = false, driver, busyTimeoutMs, check = false } = options;
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
    migrate(database, STATE_MIGRATIONS, now);
    if (check) requireWhole(database);
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

function requireSound(database: SqliteDatabase): void {
  const finding = database.pragma('quick_check(1)');
  if (finding === 'ok') return;
  throw new SqliteError('sqlite-corrupt', `The database "${database.path}" is damaged: ${String(finding)}`, {
    path: database.path,
  });
}

/** Pages may be sound and tables or rows missing all the same. */
function requireWhole(database: SqliteDatabase): void {
  const damaged = (what: string): SqliteError =>
    new SqliteError('sqlite-corrupt', `The database "${database.path}" is damaged: ${what}`, { path: database.path });
  const tables = database
    .prepare<{ readonly name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  const names = new Set(tables.map(({ name }) => name));
  const wanted = ['generations', ...GENERATION_TABLES.map(([table]) => table)];
  const missing = wanted.filter((name) => !names.has(name));
  if (missing.length > 0) throw damaged(`it has no table ${missing.join(', ')}`);
  const current = database
    .prepare<{ readonly n: number }>("SELECT count(*) AS n FROM generations WHERE state = 'current'")
    .get();
  if (current?.n !== 1) throw damaged('it has no current generation');
}

/** Signal 0 asks without sending; "not permitted" means that there is such a process. */
function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
