/**
 * Queries over threads. Every page is a walk over one index from the cursor on, whatever its depth; the filters on
 * source, provider and cwd have indexes of their own, so that a filter which fits nothing costs nothing.
 */
import { parseThreadId, type ThreadId } from '../base/ids.js';
import type { SqliteParameter } from '../platform/sqlite/index.js';
import type { ThreadRow } from '../projection/thread-row.js';
import { decodeCursor, encodeCursor, type ThreadSort } from './cursor.js';
import { THREAD_COLUMNS, type ThreadSqlRow, threadRecord } from './record-sql.js';
import { type ThreadRecord, toThreadRow } from './rows.js';
import type { GenerationScope } from './statements.js';

export const MAX_LIST_LIMIT = 100_000;
export const MIN_ID_END_DIGITS = 4;

/** All conditions must hold. Without any: every listed thread that is not archived. */
export interface ThreadFilter {
  readonly cwd?: string | undefined;
  readonly provider?: string | undefined;
  readonly source?: string | undefined;
  /** Archived threads instead of active ones. */
  readonly archived?: boolean | undefined;
  /** Which instant `sinceMs` and `untilMs` look at; default `updated`. */
  readonly sort?: ThreadSort | undefined;
  /** Inclusive. */
  readonly sinceMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
}

export interface ThreadPageQuery extends ThreadFilter {
  /** 1 to MAX_LIST_LIMIT. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Newest first by the sort key, then by id, descending. */
export interface RowPage {
  readonly threads: readonly ThreadRow[];
  readonly nextCursor: string | null;
}

const SELECT_THREADS = `SELECT ${THREAD_COLUMNS.join(', ')} FROM threads`;
const LISTED = 'generation = ? AND hidden = 0 AND archived = ?';

/** SQL conditions with their parameters. */
interface Conditions {
  readonly sql: string;
  readonly bindings: readonly SqliteParameter[];
}

/** One page, children included. Throws RangeError for a bad limit, StateError for a bad cursor. */
export function listThreads(scope: GenerationScope, query: ThreadPageQuery): RowPage {
  requireLimit(query.limit);
  const sort = query.sort ?? 'updated';
  const column = sortColumn(sort);
  const filter = joinConditions(attributeConditions(query), instantConditions(query, column));
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor, { sort, files: false });
  const after = cursor === undefined ? '' : ` AND (${column}, id) < (?, ?)`;
  return scope.read((generation) => {
    const rows = scope.statements
      .prepare<ThreadSqlRow>(
        `${SELECT_THREADS} WHERE ${LISTED}${filter.sql}${after} ORDER BY ${column} DESC, id DESC LIMIT ?`,
      )
      .all(
        generation,
        Number(query.archived ?? false),
        ...filter.bindings,
        ...(cursor === undefined ? [] : [cursor.valueMs, cursor.key]),
        query.limit + 1,
      );
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    const nextCursor =
      rows.length > query.limit && last !== undefined
        ? encodeCursor({ sort, files: false, valueMs: last[column], key: last.id })
        : null;
    return { threads: withChildren(scope, toRecords(scope, page)), nextCursor };
  });
}

/** How many threads listThreads() would give over all pages. */
export function countThreads(scope: GenerationScope, filter: ThreadFilter): number {
  const conditions = joinConditions(
    attributeConditions(filter),
    instantConditions(filter, sortColumn(filter.sort ?? 'updated')),
  );
  return scope.read((generation) => {
    const row = scope.statements
      .prepare<{ readonly n: number }>(`SELECT count(*) AS n FROM threads WHERE ${LISTED}${conditions.sql}`)
      .get(generation, Number(filter.archived ?? false), ...conditions.bindings);
    return row?.n ?? 0;
  });
}

/** The id of every thread that listThreads() would give over all pages, in that order. */
export function listedIds(scope: GenerationScope, filter: ThreadFilter): readonly ThreadId[] {
  const column = sortColumn(filter.sort ?? 'updated');
  const conditions = joinConditions(attributeConditions(filter), instantConditions(filter, column));
  return scope.read((generation) =>
    scope.statements
      .prepare<{ readonly id: string }>(
        `SELECT id FROM threads WHERE ${LISTED}${conditions.sql} ORDER BY ${column} DESC, id DESC`,
      )
      .all(generation, Number(filter.archived ?? false), ...conditions.bindings)
      .map((row) => parseThreadId(row.id))
      .filter((id) => id !== undefined),
  );
}

/** The newest thread that a list shows, in `cwd` when given. */
export function latestThread(
  scope: GenerationScope,
  filter: { readonly cwd?: string | undefined },
): ThreadRow | undefined {
  return listThreads(scope, { limit: 1, cwd: filter.cwd }).threads[0];
}

/** One thread, hidden or not. */
export function findThread(scope: GenerationScope, id: ThreadId): ThreadRecord | undefined {
  return scope.read((generation) => {
    const row = scope.statements
      .prepare<ThreadSqlRow>(`${SELECT_THREADS} WHERE generation = ? AND id = ?`)
      .get(generation, id);
    return row === undefined ? undefined : threadRecord(row, scope.paths);
  });
}

/**
 * Threads, hidden or not, whose id ends in `hexSuffix` (dashes do not count), newest first.
 * None when that is fewer than four hex digits.
 */
export function findThreadsByIdEnd(scope: GenerationScope, hexSuffix: string): readonly ThreadRow[] {
  const digits = hexSuffix.toLowerCase().replaceAll('-', '');
  if (digits.length < MIN_ID_END_DIGITS || !/^[0-9a-f]{1,32}$/.test(digits)) return [];
  return select(
    scope,
    'id IN (SELECT id FROM threads WHERE generation = ? AND substr(replace(id, ?, ?), ?) = ?)',
    (generation) => [generation, '-', '', -digits.length, digits],
  );
}

/** Threads, hidden or not, with exactly this name, newest first. */
export function findThreadsByName(scope: GenerationScope, name: string): readonly ThreadRow[] {
  return select(scope, 'name = ?', () => [name]);
}

/** Threads, hidden or not, by id; those that do not exist are left out. */
export function findThreadsById(scope: GenerationScope, ids: readonly ThreadId[]): readonly ThreadRow[] {
  return select(scope, 'id IN (SELECT value FROM json_each(?))', () => [JSON.stringify(ids)]);
}

/** The children of each of `ids` that has any, each list in the order of the ids. */
export function childrenOf(
  scope: GenerationScope,
  ids: readonly ThreadId[],
): ReadonlyMap<ThreadId, readonly ThreadId[]> {
  const children = new Map<ThreadId, ThreadId[]>();
  if (ids.length === 0) return children;
  const rows = scope.read((generation) =>
    scope.statements
      .prepare<{ readonly parent: string; readonly child: string }>(
        `SELECT parent, child FROM thread_spawn_edges
         WHERE generation = ? AND parent IN (SELECT value FROM json_each(?)) ORDER BY parent, child`,
      )
      .all(generation, JSON.stringify(ids)),
  );
  for (const row of rows) {
    const parent = parseThreadId(row.parent);
    const child = parseThreadId(row.child);
    if (parent === undefined || child === undefined) continue;
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [child]);
    else known.push(child);
  }
  return children;
}

/** How many threads the generation has, hidden and archived ones too. */
export function countAllThreads(scope: GenerationScope): number {
  const row = scope.read((generation) =>
    scope.statements
      .prepare<{ readonly n: number }>('SELECT count(*) AS n FROM threads WHERE generation = ?')
      .get(generation),
  );
  return row?.n ?? 0;
}

/** Every thread of the generation in the order of the ids. */
export function allThreads(scope: GenerationScope): readonly ThreadRecord[] {
  return scope.read((generation) =>
    toRecords(
      scope,
      scope.statements.prepare<ThreadSqlRow>(`${SELECT_THREADS} WHERE generation = ? ORDER BY id`).all(generation),
    ),
  );
}

/** ` AND …` over the columns of `threads` that a user filters by. */
export function attributeConditions(filter: ThreadFilter): Conditions {
  const parts: [string, string | undefined][] = [
    ['cwd', filter.cwd],
    ['model_provider', filter.provider],
    ['source', filter.source],
  ];
  const used = parts.filter((part): part is [string, string] => part[1] !== undefined);
  return { sql: used.map(([column]) => ` AND ${column} = ?`).join(''), bindings: used.map(([, value]) => value) };
}

/** ` AND …` over the sort key. */
export function instantConditions(filter: ThreadFilter, column: string): Conditions {
  const parts: [string, number | undefined][] = [
    [` AND ${column} >= ?`, filter.sinceMs],
    [` AND ${column} < ?`, filter.untilMs],
  ];
  const used = parts.filter((part): part is [string, number] => part[1] !== undefined);
  for (const [, value] of used) {
    if (Number.isNaN(value)) throw new RangeError('Cannot filter by an instant that is not a number');
  }
  return { sql: used.map(([sql]) => sql).join(''), bindings: used.map(([, value]) => value) };
}

export function joinConditions(...conditions: readonly Conditions[]): Conditions {
  return {
    sql: conditions.map(({ sql }) => sql).join(''),
    bindings: conditions.flatMap(({ bindings }) => bindings),
  };
}

export function sortColumn(sort: ThreadSort): 'updated_at_ms' | 'created_at_ms' {
  return sort === 'created' ? 'created_at_ms' : 'updated_at_ms';
}

export function requireLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIST_LIMIT) {
    throw new RangeError(`Cannot list ${limit} rows: the limit is a whole number from 1 to ${MAX_LIST_LIMIT}`);
  }
}

function select(
  scope: GenerationScope,
  condition: string,
  bindings: (generation: number) => readonly SqliteParameter[],
): readonly ThreadRow[] {
  return scope.read((generation) => {
    const rows = scope.statements
      .prepare<ThreadSqlRow>(
        `${SELECT_THREADS} WHERE generation = ? AND ${condition} ORDER BY updated_at_ms DESC, id DESC`,
      )
      .all(generation, ...bindings(generation));
    return withChildren(scope, toRecords(scope, rows));
  });
}

function toRecords(scope: GenerationScope, rows: readonly ThreadSqlRow[]): readonly ThreadRecord[] {
  return rows.map((row) => threadRecord(row, scope.paths)).filter((record) => record !== undefined);
}

function withChildren(scope: GenerationScope, records: readonly ThreadRecord[]): readonly ThreadRow[] {
  const children = childrenOf(
    scope,
    records.map((record) => record.id),
  );
  return records.map((record) => toThreadRow(record, scope.paths.home, children.get(record.id)));
}
