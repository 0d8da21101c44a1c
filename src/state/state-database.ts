/**
 * `state_5.sqlite`: the index of one home's threads. Derived from the logs, and never ahead of them; it can be thrown
 * away at any time. Its own queries and writes go to the current generation; a rebuild fills another one.
 */
import type { SqliteDatabase } from '../platform/sqlite/index.js';
import { GENERATION_TABLES, type GenerationOwner, Generations } from './generations.js';
import type { HomePaths } from './home-paths.js';
import { StateIndex } from './state-index.js';
import { GenerationScope, Statements } from './statements.js';

export class StateDatabase extends StateIndex implements Disposable {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  /** Why the index is in memory although a path was given; undefined when it is where it should be. */
  readonly memoryCause: Error | undefined;
  readonly #database: SqliteDatabase;
  readonly #statements: Statements;
  readonly #paths: HomePaths;
  readonly #generations: Generations;

  constructor(
    database: SqliteDatabase,
    options: {
      readonly paths: HomePaths;
      readonly owner: () => GenerationOwner;
      readonly memoryCause: Error | undefined;
    },
  ) {
    const statements = new Statements(database);
    super(new GenerationScope(statements, options.paths));
    this.path = database.path;
    this.memoryCause = options.memoryCause;
    this.#database = database;
    this.#statements = statements;
    this.#paths = options.paths;
    this.#generations = new Generations(statements, options.owner, { tables: GENERATION_TABLES });
  }

  /** The generation that readers see. */
  currentGeneration(): number {
    return this.#generations.current();
  }

  /** Starts an empty generation; what died before it is swept first. */
  beginGeneration(): number {
    return this.#generations.begin();
  }

  /** Queries and writes of one generation. Writes throw StateError `state-generation-gone` once it is no longer there. */
  inGeneration(generation: number): StateIndex {
    return new StateIndex(new GenerationScope(this.#statements, this.#paths, generation));
  }

  /** Makes a built generation the current one, at once for all readers; then deletes the old one in batches. */
  flipGeneration(generation: number): void {
    this.#generations.flip(generation);
  }

  /** Gives a generation up and deletes it in batches. */
  abandonGeneration(generation: number): void {
    this.#generations.abandon(generation);
  }

  /** Bytes that the index takes on disk, its write-ahead log not counted. */
  sizeBytes(): number {
    return Number(this.#database.pragma('page_count')) * Number(this.#database.pragma('page_size'));
  }

  /** What `PRAGMA quick_check` finds wrong, one text a finding; empty when the database is sound. */
  quickCheck(): readonly string[] {
    const rows = this.#database.prepare<{ readonly quick_check: string }>('PRAGMA quick_check').all();
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok');
  }

  /** Writes the whole file anew, so that nothing is left of rows that were deleted or changed. */
  vacuum(): void {
    this.#database.exec('VACUUM');
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Idempotent. */
  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
