/**
 * What every part of the state database works with: the connection, its prepared statements, the home's paths and
 * the generation in question.
 */
import type { SqliteDatabase, SqliteStatement } from '../platform/sqlite/index.js';
import { StateError } from './errors.js';
import type { HomePaths } from './home-paths.js';

/** Prepares each SQL text once. */
export class Statements {
  readonly database: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement<unknown>>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  prepare<Row>(sql: string): SqliteStatement<Row> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    // `Row` is what the caller says its SQL selects, as with SqliteDatabase.prepare().
    return statement as SqliteStatement<Row>;
  }
}

/** One generation of the index, or whichever is current at the time of each call. */
export class GenerationScope {
  readonly statements: Statements;
  readonly paths: HomePaths;
  readonly #pinned: number | undefined;
  /** The generation that the write transaction which is open goes to: nothing can take it away before its end. */
  #held: number | undefined;

  constructor(statements: Statements, paths: HomePaths, pinned?: number) {
    this.statements = statements;
    this.paths = paths;
    this.#pinned = pinned;
  }

  /** Runs `fn` on one snapshot of the database, or in the transaction that is open. */
  read<T>(fn: (generation: number) => T): T {
    if (this.#held !== undefined) return fn(this.#held);
    return this.#transaction('deferred', () => fn(this.#pinned ?? this.#current()));
  }

  /** Runs `fn` under the write lock, or in the transaction that is open. Throws StateError `state-generation-gone`. */
  write<T>(fn: (generation: number) => T): T {
    if (this.#held !== undefined) return fn(this.#held);
    return this.#transaction('immediate', () => {
      this.#held = this.#writable();
      try {
        return fn(this.#held);
      } finally {
        this.#held = undefined;
      }
    });
  }

  #transaction<T>(mode: 'deferred' | 'immediate', fn: () => T): T {
    const { database } = this.statements;
    return database.inTransaction ? fn() : database.transaction(mode, fn);
  }

  #current(): number {
    return currentGeneration(this.statements);
  }

  #writable(): number {
    if (this.#pinned === undefined) return this.#current();
    const row = this.statements
      .prepare<unknown>("SELECT 1 FROM generations WHERE generation = ? AND state <> 'old'")
      .get(this.#pinned);
    if (row === undefined) throw generationGone(this.statements.database.path, this.#pinned);
    return this.#pinned;
  }
}

/** The generation that readers see. */
export function currentGeneration(statements: Statements): number {
  const row = statements
    .prepare<{ readonly generation: number }>("SELECT generation FROM generations WHERE state = 'current'")
    .get();
  if (row === undefined) throw generationGone(statements.database.path, 'current');
  return row.generation;
}

export function generationGone(path: string, generation: number | 'current'): StateError {
  return new StateError('state-generation-gone', `Cannot use generation ${generation} of "${path}": it is gone`, {
    path,
    hint: 'Start the rebuild again.',
  });
}
