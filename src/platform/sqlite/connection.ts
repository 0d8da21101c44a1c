/**
 * The part of the SQLite port that is the same for all drivers: transactions, error mapping, closing.
 * A driver hands in the few raw calls that differ.
 */
import type {
  PrepareOptions,
  SqliteBindings,
  SqliteDatabase,
  SqliteDriverName,
  SqliteRunResult,
  SqliteStatement,
  SqliteValue,
  TransactionMode,
} from './database.js';
import { toSqliteError } from './errors.js';

/** A prepared statement as a driver has it. Named parameters come as the only argument. */
export interface RawStatement {
  run(...bindings: SqliteBindings): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...bindings: SqliteBindings): unknown;
  all(...bindings: SqliteBindings): unknown[];
  iterate(...bindings: SqliteBindings): IterableIterator<unknown>;
}

/** An open connection as a driver has it. */
export interface RawConnection {
  readonly inTransaction: boolean;
  prepare(sql: string, options: PrepareOptions): RawStatement;
  exec(sql: string): void;
  /** The first column of the first row, undefined or null when there is none. */
  pragma(text: string): unknown;
  close(): void;
}

/** One way to reach SQLite, loaded and found fit. */
export interface SqliteDriver {
  readonly name: SqliteDriverName;
  readonly version: string;
  open(path: string, options: { readonly readOnly: boolean }): RawConnection;
}

/** `SqliteDatabase` over a raw connection, which it owns from here on. */
export class SqliteConnection implements SqliteDatabase {
  readonly path: string;
  readonly driver: SqliteDriverName;
  readonly version: string;
  readonly readOnly: boolean;
  readonly #raw: RawConnection;
  readonly #onClose: () => void;
  #open = true;
  #depth = 0;

  constructor(
    driver: SqliteDriver,
    path: string,
    options: { readonly readOnly: boolean; readonly onClose: () => void },
  ) {
    this.path = path;
    this.driver = driver.name;
    this.version = driver.version;
    this.readOnly = options.readOnly;
    this.#onClose = options.onClose;
    this.#raw = guard(path, () => driver.open(path, options));
  }

  get inTransaction(): boolean {
    return this.#open && this.#raw.inTransaction;
  }

  prepare<Row = unknown>(sql: string, options: PrepareOptions = {}): SqliteStatement<Row> {
    return new ConnectionStatement<Row>(
      this.path,
      guard(this.path, () => this.#raw.prepare(sql, options)),
    );
  }

  exec(sql: string): void {
    guard(this.path, () => this.#raw.exec(sql));
  }

  transaction<T>(mode: TransactionMode, fn: () => T): T {
    const savepoint = this.#depth > 0 ? `nested_${this.#depth}` : undefined;
    this.exec(savepoint === undefined ? `BEGIN ${mode.toUpperCase()}` : `SAVEPOINT ${savepoint}`);
    this.#depth += 1;
    try {
      const result = fn();
      if (isThenable(result)) throw new TypeError('Cannot run an asynchronous function in a SQLite transaction');
      this.exec(savepoint === undefined ? 'COMMIT' : `RELEASE ${savepoint}`);
      return result;
    } catch (error) {
      // After some failures (disk full, input/output) SQLite has rolled back by itself.
      if (this.inTransaction) {
        this.exec(savepoint === undefined ? 'ROLLBACK' : `ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`);
      }
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  pragma(text: string): SqliteValue {
    // A column of a row can hold nothing else.
    return (guard(this.path, () => this.#raw.pragma(text)) ?? null) as SqliteValue;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      guard(this.path, () => this.#raw.close());
    } finally {
      this.#onClose();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

class ConnectionStatement<Row> implements SqliteStatement<Row> {
  readonly #path: string;
  readonly #raw: RawStatement;

  constructor(path: string, raw: RawStatement) {
    this.#path = path;
    this.#raw = raw;
  }

  run(...bindings: SqliteBindings): SqliteRunResult {
    // As guard() does, which would make a function for each of the many thousand rows of an index.
    try {
      const result = this.#raw.run(...bindings);
      return { changes: Number(result.changes), lastInsertRowId: Number(result.lastInsertRowid) };
    } catch (error) {
      throw toSqliteError(error, this.#path);
    }
  }

  get(...bindings: SqliteBindings): Row | undefined {
    // The caller of prepare() states what its SQL selects.
    return guard(this.#path, () => this.#raw.get(...bindings)) as Row | undefined;
  }

  all(...bindings: SqliteBindings): Row[] {
    // As in get().
    return guard(this.#path, () => this.#raw.all(...bindings)) as Row[];
  }

  *iterate(...bindings: SqliteBindings): IterableIterator<Row> {
    const rows = guard(this.#path, () => this.#raw.iterate(...bindings));
    let ended = false;
    try {
      for (;;) {
        const step = guard(this.#path, () => rows.next());
        ended = step.done === true;
        if (step.done === true) return;
        // As in get().
        yield step.value as Row;
      }
    } finally {
      // A loop that is left early must free the statement, or the connection stays busy.
      if (!ended) rows.return?.();
    }
  }
}

function guard<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toSqliteError(error, path);
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
