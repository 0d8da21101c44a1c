/**
 * Opens the state database of a home: migrates it, sets a damaged one aside, and falls back to memory where nothing
 * can be written, since everything in it can be had from the logs again.
 */
import type { SqliteDatabase } from '../platform/sqlite/index.js';
import { GENERATION_TABLES, thisProcess } from './generations.js';
import { homePaths } from './home-paths.js';
import { STATE_MIGRATIONS } from './migrations/index.js';
import {
  damagedDatabase,
  databasePath,
  type IndexOpenOptions,
  openOrInMemory,
  requireTables,
} from './open-database.js';
import { StateDatabase } from './state-database.js';

export const STATE_DATABASE_NAME = 'state_5.sqlite';

export interface StateOpenOptions extends IndexOpenOptions {
  /** Never creates, migrates, repairs or sets aside. */
  readonly readOnly?: boolean;
}

/**
 * Throws SqliteError (`sqlite-foreign`: another program's database; `sqlite-no-driver`; `sqlite-busy`) and StateError
 * (`state-migration-changed`; read-only: `state-schema-old`).
 */
export function openStateDatabase(options: StateOpenOptions): StateDatabase {
  const now = options.now ?? Date.now;
  const path = databasePath(options.path);
  const { database, memoryCause } = openOrInMemory({
    ...options,
    path,
    now,
    migrations: STATE_MIGRATIONS,
    requireWhole,
  });
  const paths = homePaths(options.homePath);
  return new StateDatabase(database, { paths, owner: () => thisProcess(now()), memoryCause });
}

/** Pages may be sound and tables or rows missing all the same. */
function requireWhole(database: SqliteDatabase): void {
  requireTables(database, ['generations', ...GENERATION_TABLES.map(([table]) => table)]);
  const current = database
    .prepare<{ readonly n: number }>("SELECT count(*) AS n FROM generations WHERE state = 'current'")
    .get();
  if (current?.n !== 1) throw damagedDatabase(database, 'it has no current generation');
}
