/**
 * What an open database says of itself: whose it is, whether it is sound, and the rows of its threads.
 *
 * Reads only what Codex's first migration made (five columns of `threads`), so every schema since then will do; a schema
 * without them is an answer, no failure. Never writes. Texts and rows are bounded, since the file may be anybody's.
 */
import type { SqliteDatabase } from '../../platform/sqlite/index.js';
import { APPLICATION_ID } from '../application-id.js';

export type DatabaseOwner = 'codex' | 'codicil' | 'unknown';

/** A row of Codex's `threads`, as it stands there. */
export interface AuditRow {
  readonly id: string;
  readonly rolloutPath: string;
  readonly archived: boolean;
  readonly source: string;
  readonly modelProvider: string;
}

/** `no-table`: nothing was made in the database yet. `other-schema`: it has tables, but not these columns. */
export type ThreadRows = readonly AuditRow[] | 'no-table' | 'other-schema';

export interface DatabaseFindings {
  /** By its marks alone; undefined when there are none. */
  readonly owner: DatabaseOwner | undefined;
  /** What `quick_check` found, at most 20 texts; empty when the database is sound. */
  readonly faults: readonly string[];
  /** Undefined unless they were asked for. */
  readonly threads: ThreadRows | undefined;
}

const MAX_FAULTS = 20;
const MAX_ROWS = 1_000_000;
const MAX_TEXT = 8_192;

const COLUMNS = ['id', 'rollout_path', 'archived', 'source', 'model_provider'] as const;

/** Throws SqliteError, as on a file that is damaged or no database. */
export function inspectDatabase(
  database: SqliteDatabase,
  { wantThreads }: { readonly wantThreads: boolean },
): DatabaseFindings {
  const tables = tableNames(database);
  return {
    owner: ownerOf(database, tables),
    faults: quickCheck(database),
    threads: wantThreads ? threadRows(database, tables) : undefined,
  };
}

/** The owner that marks tell; a database without any has none. */
function ownerOf(database: SqliteDatabase, tables: ReadonlySet<string>): DatabaseOwner | undefined {
  if (Number(database.pragma('application_id')) === APPLICATION_ID || tables.has('_codicil_migrations')) {
    return 'codicil';
  }
  return tables.has('_sqlx_migrations') ? 'codex' : undefined;
}

function quickCheck(database: SqliteDatabase): readonly string[] {
  const rows = database.prepare<{ readonly quick_check: string }>(`PRAGMA quick_check(${MAX_FAULTS})`).all();
  return rows.map((row) => String(row.quick_check)).filter((text) => text !== 'ok');
}

/** Tables that hold rows themselves: what a view or a virtual table of a foreign schema would run, nobody knows. */
function tableNames(database: SqliteDatabase): ReadonlySet<string> {
  const rows = database
    .prepare<{ readonly name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .all();
  return new Set(rows.map(({ name }) => name));
}

interface StoredRow {
  readonly id: string;
  readonly rollout_path: string;
  readonly archived: number;
  readonly source: string;
  readonly model_provider: string;
}

function threadRows(database: SqliteDatabase, tables: ReadonlySet<string>): ThreadRows {
  if (!tables.has('threads')) return tables.size === 0 ? 'no-table' : 'other-schema';
  const columns = database.prepare<{ readonly name: string; readonly hidden: number }>('PRAGMA table_xinfo(threads)');
  // A hidden column is computed by the schema.
  const plain = new Set(columns.all().flatMap(({ name, hidden }) => (hidden === 0 ? [name] : [])));
  if (!COLUMNS.every((name) => plain.has(name))) return 'other-schema';
  const text = (column: string): string => `CAST(substr(coalesce(${column}, ''), 1, ${MAX_TEXT}) AS TEXT) AS ${column}`;
  const found = database
    .prepare<StoredRow>(
      `SELECT ${text('id')}, ${text('rollout_path')}, archived IS NOT NULL AND archived <> 0 AS archived,
              ${text('source')}, ${text('model_provider')}
         FROM threads LIMIT ${MAX_ROWS}`,
    )
    .all();
  return found
    .map((row) => ({
      id: row.id,
      rolloutPath: row.rollout_path,
      archived: row.archived !== 0,
      source: row.source,
      modelProvider: row.model_provider,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
