/**
 * `search_1.sqlite`: the full text of one home. Derived from the logs; it can be thrown away at any time.
 * Its own queries and writes go to the current generation; a rebuild fills another one.
 */
import type { SqliteDatabase } from '../../platform/sqlite/index.js';
import { type GenerationOwner, Generations, thisProcess } from '../generations.js';
import { type HomePaths, homePaths } from '../home-paths.js';
import {
  damagedDatabase,
  databasePath,
  type IndexOpenOptions,
  openOrInMemory,
  requireTables,
} from '../open-database.js';
import { GenerationScope, Statements } from '../statements.js';
import { FullText } from './full-text.js';
import { SEARCH_MIGRATIONS, SEARCH_TABLES } from './migrations.js';
import { SearchIndex } from './search-index.js';

export const SEARCH_DATABASE_NAME = 'search_1.sqlite';

export type SearchOpenOptions = IndexOpenOptions;

/** Throws as `openStateDatabase` does. */
export function openSearchDatabase(options: SearchOpenOptions): SearchDatabase {
  const now = options.now ?? Date.now;
  const path = databasePath(options.path);
  const { database, memoryCause } = openOrInMemory({
    ...options,
    path,
    now,
    migrations: SEARCH_MIGRATIONS,
    requireWhole,
  });
  const paths = homePaths(options.homePath);
  return new SearchDatabase(database, { paths, owner: () => thisProcess(now()), memoryCause });
}

export class SearchDatabase extends SearchIndex implements Disposable {
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
    this.#generations = new Generations(statements, options.owner, {
      tables: SEARCH_TABLES,
      onBegun: (generation) => new FullText(statements, generation).create(),
      onSwept: (generation) => new FullText(statements, generation).drop(),
    });
    this.#makeFirstGeneration();
  }

  /** The generation that readers see. */
  currentGeneration(): number {
    return this.#generations.current();
  }

  /** Starts an empty generation; what died before it is swept first. */
  beginGeneration(): number {
    return this.#generations.begin();
  }

  inGeneration(generation: number): SearchIndex {
    return new SearchIndex(new GenerationScope(this.#statements, this.#paths, generation));
  }

  /** Makes a built generation the current one, at once for all readers; then drops the old one. */
  flipGeneration(generation: number): void {
    this.#generations.flip(generation);
  }

  abandonGeneration(generation: number): void {
    this.#generations.abandon(generation);
  }

  /** Writes the whole file anew, so that nothing is left of rows that were deleted. */
  vacuum(): void {
    new FullText(this.#statements, this.currentGeneration()).optimize();
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

  /** A new database has no generation yet; its number is not known before there is one. */
  #makeFirstGeneration(): void {
    if (this.#hasGeneration()) return;
    this.#database.transaction('immediate', () => {
      if (this.#hasGeneration()) return;
      const { lastInsertRowId } = this.#statements
        .prepare("INSERT INTO generations (state, started_at_ms, host, process_id) VALUES ('current', 0, '', 0)")
        .run();
      new FullText(this.#statements, lastInsertRowId).create();
    });
  }

  #hasGeneration(): boolean {
    return this.#statements.prepare<unknown>("SELECT 1 FROM generations WHERE state = 'current'").get() !== undefined;
  }
}

function requireWhole(database: SqliteDatabase): void {
  requireTables(database, ['generations', ...SEARCH_TABLES.map(([table]) => table)]);
  const statements = new Statements(database);
  const current = statements
    .prepare<{ readonly generation: number }>("SELECT generation FROM generations WHERE state = 'current'")
    .all();
  const [only] = current;
  if (current.length > 1) throw damagedDatabase(database, 'it has several current generations');
  if (only === undefined) return; // one that was never used
  const text = new FullText(statements, only.generation);
  if (!text.exists()) throw damagedDatabase(database, 'it has no full text');
  text.check();
}
