/**
 * The SQLite port: what the rest of the program may ask of a database, whichever driver stands behind it.
 * Synchronous by nature. Parameters are always bound; SQL text never carries a value.
 */

export type SqliteDriverName = 'better-sqlite3' | 'node:sqlite';

/**
 * What can be bound. A number is stored as an integer in a column of INTEGER affinity when it is a whole one.
 * A text may not hold U+0000: `node:sqlite` reads it back only up to there.
 */
export type SqliteParameter = string | number | bigint | Uint8Array | null;

/** What a column can hold; integers are numbers unless the statement was prepared with `bigints`. */
export type SqliteValue = string | number | bigint | Uint8Array | null;

/** Positional parameters, or one object for `:name` parameters. */
export type SqliteBindings = readonly SqliteParameter[] | readonly [Readonly<Record<string, SqliteParameter>>];

export interface SqliteRunResult {
  readonly changes: number;
  readonly lastInsertRowId: number;
}

export interface SqliteStatement<Row> {
  /** For statements that return no rows. */
  run(...bindings: SqliteBindings): SqliteRunResult;
  /** The first row, or undefined. */
  get(...bindings: SqliteBindings): Row | undefined;
  all(...bindings: SqliteBindings): Row[];
  /** Rows one by one. The connection may not write until the loop has ended. */
  iterate(...bindings: SqliteBindings): IterableIterator<Row>;
}

export interface PrepareOptions {
  /** Integers are read as bigint: for values beyond 2^53, such as nanoseconds and inodes. */
  readonly bigints?: boolean;
}

export type TransactionMode = 'deferred' | 'immediate' | 'exclusive';

export interface SqliteDatabase extends Disposable {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  readonly driver: SqliteDriverName;
  /** Such as `3.53.2`. */
  readonly version: string;
  readonly readOnly: boolean;
  readonly inTransaction: boolean;
  /** `Row` is the caller's promise about the columns that `sql` selects. */
  prepare<Row = unknown>(sql: string, options?: PrepareOptions): SqliteStatement<Row>;
  /** Runs one or more statements without parameters. */
  exec(sql: string): void;
  /**
   * Commits when `fn` returns, rolls back when it throws. Inside another transaction it is a savepoint.
   * One that begins `deferred` should only read: a write in it fails when another process wrote since.
   * `fn` may not be asynchronous: a promise is a TypeError, and rolls back.
   */
  transaction<T>(mode: TransactionMode, fn: () => T): T;
  /** The first column of the first row that `PRAGMA text` answers; null when there is none. */
  pragma(text: string): SqliteValue;
  /** Idempotent. Statements of a closed database throw. */
  close(): void;
}
