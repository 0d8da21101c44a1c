/** The SQLite port: one interface, two drivers. */
export type {
  PrepareOptions,
  SqliteBindings,
  SqliteDatabase,
  SqliteDriverName,
  SqliteParameter,
  SqliteRunResult,
  SqliteStatement,
  SqliteValue,
  TransactionMode,
} from './database.js';
export { isDamageError, isSqliteError, SqliteError, type SqliteErrorCode } from './errors.js';
export { readSqliteHeader, type SqliteFileKind } from './header.js';
export {
  hasSqliteDriver,
  isAtLeast,
  MINIMUM_SQLITE_VERSION,
  openSqlite,
  type SqliteDriverState,
  type SqliteOpenOptions,
  sqliteDriverStates,
} from './open.js';
export { openSqliteCopy } from './open-copy.js';
