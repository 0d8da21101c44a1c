/**
 * Opens SQLite databases: picks a driver, checks its version, marks new files as ours and sets what every
 * connection needs. Never opens for writing a database that is not empty and does not carry the wanted application id.
 *
 * A new file is marked before it enters WAL mode, so the mark is always in the main file, where
 * `readSqliteHeader` can see it without opening the database.
 */
import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolderSync } from '../files/make-folder.js';
import { loadBetterSqlite3 } from './better-sqlite3.js';
import { SqliteConnection, type SqliteDriver } from './connection.js';
import type { SqliteDatabase, SqliteDriverName } from './database.js';
import { isDamageError, isSqliteError, SqliteError } from './errors.js';
import { readSqliteHeader } from './header.js';
import { loadNodeSqlite } from './node-sqlite.js';

/** The first release whose WAL cannot be reset under a reader. */
export const MINIMUM_SQLITE_VERSION = '3.51.3';

export interface SqliteOpenOptions {
  /** A file, or `:memory:`. Missing folders are made (0700), a missing file too (0600), unless `readOnly`. */
  readonly path: string;
  /** Written into an empty database; one that is not empty must carry it. */
  readonly applicationId: number;
  readonly readOnly?: boolean;
  /** How long a statement waits for another process's lock; default 10,000. */
  readonly busyTimeoutMs?: number;
  /** Only this driver; default is the first that works, better-sqlite3 before `node:sqlite`. */
  readonly driver?: SqliteDriverName;
  /**
   * Called when the file turns out to be damaged, before the connection closes: closing moves the write-ahead log
   * into the file, so this is the last moment at which the bytes are as they were.
   */
  readonly onDamage?: (error: SqliteError) => void;
}

const LOADERS: readonly (readonly [SqliteDriverName, () => SqliteDriver])[] = [
  ['better-sqlite3', loadBetterSqlite3],
  ['node:sqlite', loadNodeSqlite],
];

/**
 * Databases that this process has open. Their headers are not read again: closing any handle of a file gives up
 * every POSIX lock that the process has on it, those of SQLite too.
 */
const openPaths = new Map<string, number>();

/** Loading is tried once a process: the answer cannot change. */
const loaded = new Map<SqliteDriverName, SqliteDriver | Error>();

/** Opens `path`, in WAL mode with synchronous NORMAL and foreign keys on. Throws SqliteError. */
export function openSqlite(options: SqliteOpenOptions): SqliteDatabase {
  const { applicationId, readOnly = false, busyTimeoutMs = 10_000 } = options;
  const path = options.path === ':memory:' ? options.path : resolve(options.path);
  const driver = findDriver(options.driver);
  try {
    if (path !== ':memory:' && !openPaths.has(path)) checkFile(path, applicationId, readOnly);
  } catch (error) {
    if (isDamageError(error)) options.onDamage?.(error);
    throw error;
  }
  const database = connect(driver, path, readOnly);
  try {
    database.pragma(`busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
    database.pragma('foreign_keys = ON');
    if (!readOnly) {
      mark(database, applicationId);
      enterWal(database, busyTimeoutMs);
      database.pragma('synchronous = NORMAL');
    }
    return database;
  } catch (error) {
    try {
      if (isDamageError(error)) options.onDamage?.(error);
    } finally {
      database.close();
    }
    throw error;
  }
}

function connect(driver: SqliteDriver, path: string, readOnly: boolean): SqliteConnection {
  const onClose = track(path);
  try {
    return new SqliteConnection(driver, path, { readOnly, onClose });
  } catch (error) {
    onClose();
    throw error;
  }
}

/** Notes that `path` is open, until the returned function is called: see openPaths. */
function track(path: string): () => void {
  openPaths.set(path, (openPaths.get(path) ?? 0) + 1);
  return () => {
    const left = (openPaths.get(path) ?? 1) - 1;
    if (left > 0) openPaths.set(path, left);
    else openPaths.delete(path);
  };
}

/** Each driver as it is here: its version, or why it cannot be used. */
export interface SqliteDriverState {
  readonly name: SqliteDriverName;
  readonly version: string | undefined;
  readonly problem: string | undefined;
}

/** Every driver, in the order in which they are tried. */
export function sqliteDriverStates(): readonly SqliteDriverState[] {
  return LOADERS.map(([name]) => {
    const driver = loadDriver(name);
    return driver instanceof Error
      ? { name, version: undefined, problem: driver.message.split('\n')[0] ?? 'it does not load' }
      : { name, version: driver.version, problem: undefined };
  });
}

/** Whether `name` can be used here; false where it is not installed, does not load or is too old. */
export function hasSqliteDriver(name: SqliteDriverName): boolean {
  return !(loadDriver(name) instanceof Error);
}

/** The driver to use. Throws SqliteError `sqlite-no-driver`. */
export function findDriver(only: SqliteDriverName | undefined): SqliteDriver {
  const problems: string[] = [];
  for (const [name] of LOADERS) {
    if (only !== undefined && only !== name) continue;
    const driver = loadDriver(name);
    if (!(driver instanceof Error)) return driver;
    problems.push(`${name}: ${driver.message.split('\n')[0]}`);
  }
  throw new SqliteError('sqlite-no-driver', `Cannot use SQLite: ${problems.join('; ')}`, {
    hint: 'Run "npm install better-sqlite3@12" beside this package, or use Node 22.23 or later.',
  });
}

function loadDriver(name: SqliteDriverName): SqliteDriver | Error {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const result = tryLoad(name);
  loaded.set(name, result);
  return result;
}

function tryLoad(name: SqliteDriverName): SqliteDriver | Error {
  const load = LOADERS.find(([candidate]) => candidate === name)?.[1];
  if (load === undefined) return new TypeError(`Unknown SQLite driver: ${name}`);
  try {
    const driver = load();
    if (isAtLeast(driver.version, MINIMUM_SQLITE_VERSION)) return driver;
    return new Error(`SQLite ${driver.version} -> ${MINIMUM_SQLITE_VERSION} or later`);
  } catch (error) {
    // Not hidden: findDriver() names it when no driver is left.
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Compares dotted versions by their numbers. */
export function isAtLeast(version: string, minimum: string): boolean {
  const have = version.split('.').map(Number);
  const want = minimum.split('.').map(Number);
  for (const [index, wanted] of want.entries()) {
    const part = have[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

function checkFile(path: string, applicationId: number, readOnly: boolean): void {
  const file = inspect(path);
  // SQLite opens a file that it may not write as read-only without a word, and fails at the first write.
  if (!readOnly && file.kind !== 'absent') requireWritable(path);
  switch (file.kind) {
    case 'absent':
      if (readOnly) throw new SqliteError('sqlite-cantopen', `Cannot open "${path}": it does not exist`, { path });
      create(path);
      return;
    case 'empty':
      return;
    case 'not-a-file':
      throw new SqliteError('sqlite-cantopen', `Cannot open "${path}": not a regular file`, { path });
    case 'not-a-database':
      throw new SqliteError('sqlite-notadb', `Cannot open "${path}": not a SQLite database`, { path });
    case 'database':
      if (file.applicationId !== applicationId) throw foreign(path, file.applicationId, applicationId);
  }
}

function inspect(path: string): ReturnType<typeof readSqliteHeader> {
  try {
    return readSqliteHeader(path);
  } catch (error) {
    throw new SqliteError('sqlite-cantopen', `Cannot read "${path}"`, { path, cause: error });
  }
}

function requireWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new SqliteError('sqlite-readonly', `Cannot write "${path}"`, { path, cause: error });
  }
}

function create(path: string): void {
  try {
    makeFolderSync(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new SqliteError('sqlite-cantopen', `Cannot create "${path}"`, { path, cause: error });
  }
}

/** Marks an empty database; the check is repeated under the write lock, where no other process can be half-way. */
function mark(database: SqliteDatabase, applicationId: number): void {
  if (database.pragma('application_id') === applicationId) return;
  // Has an effect only before the first page is written; lets deleted generations be given back to the disk.
  database.pragma('auto_vacuum = INCREMENTAL');
  database.transaction('immediate', () => {
    const current = Number(database.pragma('application_id'));
    if (current === applicationId) return;
    if (current !== 0 || database.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined) {
      throw foreign(database.path, current, applicationId);
    }
    database.pragma(`application_id = ${applicationId}`);
  });
}

/** The switch needs the file alone and does not wait for that by itself, so the wait is here. */
function enterWal(database: SqliteDatabase, busyTimeoutMs: number): void {
  const deadline = performance.now() + busyTimeoutMs;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
    try {
      // Where WAL is not possible (memory, some network file systems) SQLite keeps another mode, which is as correct.
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isSqliteError(error, 'sqlite-busy', 'sqlite-locked') || performance.now() > deadline) throw error;
      Atomics.wait(cell, 0, 0, waitMs);
    }
  }
}

function foreign(path: string, current: number, wanted: number): SqliteError {
  return new SqliteError(
    'sqlite-foreign',
    `Cannot open "${path}": it belongs to another program (application id ${current} -> ${wanted})`,
    { path, hint: 'Move the file away, or set CODICIL_SQLITE_HOME to another folder.' },
  );
}
