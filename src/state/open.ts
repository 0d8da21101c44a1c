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
import type { GenerationOwner } from './generations.js';
import { homePaths } from './home-paths.js';
import { STATE_MIGRATIONS } from './migrations/index.js';
import { migrate } from './migrations/migrate.js';
import { inodeOf, type SetAside, setAside } from './set-aside.js';
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
  // Twice at most: once for the damage, once when another process replaced the file in between.
  for (let attempt = 0; ; attempt += 1) {
    const inode = inodeOf(path);
    try {
      return openMigrated(path, options, now);
    } catch (error) {
      if (!isDamageError(error) || inode === undefined || attempt === 2) throw error;
      const event = setAside(path, { inode, cause: error, nowMs: now(), processId: process.pid });
      if (event !== undefined) options.onSetAside?.(event);
    }
  }
}

function openMigrated(path: string, options: StateOpenOptions, now: () => number): SqliteDatabase {
  const { readOnly = false, driver, busyTimeoutMs } = options;
  const database = openSqlite({
    path,
    applicationId: APPLICATION_ID,
    readOnly,
    ...(driver === undefined ? {} : { driver }),
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
  });
  try {
    if (options.check === true) requireSound(database);
    migrate(database, STATE_MIGRATIONS, now);
    return database;
  } catch (error) {
    database.close();
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

/** Signal 0 asks without sending; "not permitted" means that there is such a process. */
function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
