/**
 * Queries over files: what the check for changes loads, what belongs to a thread, and the list of everything
 * with the reason why it is not in the default list.
 */
import type { SegmentId, ThreadId } from '../base/ids.js';
import type { SqliteParameter } from '../platform/sqlite/index.js';
import type { HiddenReason, ThreadRow } from '../projection/thread-row.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { FILE_SELECT, type FileSqlRow, fileHiddenReason, fileRecord, HIDDEN_CODES, parseStamp } from './record-sql.js';
import { type FileRecord, type FileStamp, toFileRow, type Watermark } from './rows.js';
import type { GenerationScope } from './statements.js';
import {
  attributeConditions,
  findThreadsById,
  instantConditions,
  joinConditions,
  type RowPage,
  requireLimit,
  sortColumn,
  type ThreadFilter,
  type ThreadPageQuery,
} from './thread-queries.js';

const SELECT_FILES = `SELECT ${FILE_SELECT} FROM rollout_files f
  JOIN rollout_stamps s ON s.generation = f.generation AND s.path = f.path`;

const SELECT_LISTED = SELECT_FILES.replace('SELECT ', 'SELECT f.listed_created_at_ms, f.listed_updated_at_ms, ');

/** A file and the instants it is listed under: those of its thread for a head. */
interface ListedFileRow extends FileSqlRow {
  readonly listed_created_at_ms: number;
  readonly listed_updated_at_ms: number;
}

/** As the partial index has it; text that is no JSON has no base. */
const HAS_BASE = "CASE WHEN json_valid(facts) THEN json_extract(facts, '$.facts.historyBase') END IS NOT NULL";

/**
 * The stamp of every file of `table`, as stampText() writes it, by absolute path: made to be loaded at each start.
 * One row with two long texts is faster than a row a file.
 */
export function stampTexts(
  scope: GenerationScope,
  table: 'rollout_stamps' | 'search_stamps' = 'rollout_stamps',
): ReadonlyMap<string, string> {
  const row = scope.read((generation) =>
    scope.statements
      .prepare<{ readonly paths: string; readonly stamps: string | null }>(
        `SELECT json_group_array(path) AS paths, group_concat(stamp, ' ') AS stamps
         FROM ${table} WHERE generation = ?`,
      )
      .get(generation),
  );
  const stamps = row?.stamps?.split(' ') ?? [];
  // json_group_array() over a column of texts is an array of texts.
  const paths = JSON.parse(row?.paths ?? '[]') as readonly string[];
  return new Map(stamps.map((stamp, index) => [scope.paths.fromStored(paths[index] ?? ''), stamp]));
}

/** The stamp of every file by absolute path. */
export function watermarks(scope: GenerationScope): ReadonlyMap<string, FileStamp> {
  return new Map([...stampTexts(scope)].map(([path, stamp]) => [path, parseStamp(stamp)]));
}

/** One file, or undefined. */
export function findFile(scope: GenerationScope, path: string): FileRecord | undefined {
  return selectFiles(scope, 'f.path = ?', '', [scope.paths.toStored(path)])[0];
}

/** The whole watermark of one file, or undefined. */
export function watermark(scope: GenerationScope, path: string): Watermark | undefined {
  return findFile(scope, path)?.watermark;
}

/** The plus keeps the planner from walking every path in order, where an index finds the few rows at once. */
const BY_PATH = 'ORDER BY +f.path';

/** Every file of a thread, segments, twins and duplicates included, by path. */
export function filesOfThread(scope: GenerationScope, id: ThreadId): readonly FileRecord[] {
  return selectFiles(scope, 'f.thread_id = ?', BY_PATH, [id]);
}

/** Files of which `uuid` is the thread's or the segment's id, by path. */
export function filesByUuid(scope: GenerationScope, uuid: ThreadId | SegmentId): readonly FileRecord[] {
  const condition = `f.path IN (
    SELECT path FROM rollout_files WHERE generation = f.generation AND thread_id = ?
    UNION ALL
    SELECT path FROM rollout_files WHERE generation = f.generation AND segment_id = ?)`;
  return selectFiles(scope, condition, BY_PATH, [uuid, uuid]);
}

/** Files of which only the head was read, newest first. */
export function pendingFiles(scope: GenerationScope, limit: number): readonly FileRecord[] {
  requireLimit(limit);
  return selectFiles(scope, "f.stage = 'head'", 'ORDER BY f.updated_at_ms DESC LIMIT ?', [limit]);
}

/** These files as listFiles() shows them, in the order given; those without a row are left out. */
export function rowsOfFiles(scope: GenerationScope, paths: readonly string[]): readonly ThreadRow[] {
  return scope.read(() =>
    toRows(
      scope,
      paths.map((path) => findFile(scope, path)).filter((file) => file !== undefined),
    ),
  );
}

/** Files whose facts name a file that they continue (`facts.historyBase`), by path. */
export function filesWithBase(scope: GenerationScope): readonly FileRecord[] {
  return selectFiles(scope, HAS_BASE, BY_PATH, []);
}

/** Files that are no part of a thread, and threads that are the program's own: nothing of them is an answer. */
export function withheld(scope: GenerationScope): {
  readonly paths: readonly string[];
  readonly threads: readonly string[];
} {
  return scope.read((generation) => ({
    paths: scope.statements
      .prepare<{ readonly path: string }>(
        `SELECT path FROM rollout_files
         WHERE generation = ? AND hidden_reason IS NOT NULL AND hidden_reason <> 'segment'`,
      )
      .all(generation)
      .map(({ path }) => scope.paths.fromStored(path)),
    threads: scope.statements
      .prepare<{ readonly id: string }>('SELECT id FROM threads WHERE generation = ? AND hidden = ?')
      .all(generation, HIDDEN_CODES.internal)
      .map(({ id }) => id),
  }));
}

/** The ids of every thread of a folder, hidden and archived ones too. */
export function threadsInFolder(scope: GenerationScope, cwd: string): readonly string[] {
  return scope.read((generation) =>
    scope.statements
      .prepare<{ readonly id: string }>(
        'SELECT id FROM threads WHERE generation = ? AND hidden IN (0, 1, 2) AND archived IN (0, 1) AND cwd = ?',
      )
      .all(generation, cwd)
      .map(({ id }) => id),
  );
}

/** A text that putNote() kept with the generation. */
export function note(scope: GenerationScope, key: string): string | undefined {
  const row = scope.read((generation) =>
    scope.statements
      .prepare<{ readonly value: string }>('SELECT value FROM index_notes WHERE generation = ? AND key = ?')
      .get(generation, key),
  );
  return row?.value;
}

/** Every file of the generation by path. */
export function allFiles(scope: GenerationScope): readonly FileRecord[] {
  return selectFiles(scope, 'TRUE', 'ORDER BY f.path', []);
}

export interface FileCounts {
  readonly files: number;
  /** How many of them were read to their end. */
  readonly full: number;
}

export function countFiles(scope: GenerationScope): FileCounts {
  const row = scope.read((generation) =>
    scope.statements
      .prepare<{ readonly files: number; readonly pending: number }>(
        `SELECT (SELECT count(*) FROM rollout_files WHERE generation = ?) AS files,
           (SELECT count(*) FROM rollout_files WHERE generation = ? AND stage = 'head') AS pending`,
      )
      .get(generation, generation),
  );
  const { files, pending } = row ?? { files: 0, pending: 0 };
  return { files, full: files - pending };
}

/** A file without a byte of a record has nothing that a row could show: it is counted as hidden, whatever the list. */
const SHOWS_SOMETHING = " AND f.hidden_reason IS NOT 'empty'";

/**
 * One page of every file as a row, newest first by the instant that the row shows, then by path. The head of a thread shows
 * the thread, any other file its own columns and its reason. `archived` narrows to one location; the other filters
 * ask the thread that a file belongs to.
 */
export function listFiles(scope: GenerationScope, query: ThreadPageQuery): RowPage {
  requireLimit(query.limit);
  const sort = query.sort ?? 'updated';
  const column = `listed_${sortColumn(sort)}` as const;
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor, { sort, files: true });
  const after = cursor === undefined ? '' : ` AND f.${column} <= ? AND (f.${column} < ? OR f.path > ?)`;
  return scope.read((generation) => {
    const filter = fileConditions(query, generation);
    const rows = scope.statements
      .prepare<ListedFileRow>(
        `${SELECT_LISTED} WHERE f.generation = ?${SHOWS_SOMETHING}${filter.sql}${after} ORDER BY f.${column} DESC, f.path LIMIT ?`,
      )
      .all(
        generation,
        ...filter.bindings,
        ...(cursor === undefined ? [] : [cursor.valueMs, cursor.valueMs, cursor.key]),
        query.limit + 1,
      );
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    const nextCursor =
      rows.length > query.limit && last !== undefined
        ? encodeCursor({ sort, files: true, valueMs: last[column], key: last.path })
        : null;
    const records = page.map((row) => fileRecord(row, scope.paths));
    return { threads: toRows(scope, records), nextCursor };
  });
}

/** How many files listFiles() would give over all pages. */
export function countListedFiles(scope: GenerationScope, query: ThreadFilter): number {
  return scope.read((generation) => {
    const filter = fileConditions(query, generation);
    const row = scope.statements
      .prepare<{ readonly n: number }>(
        `SELECT count(*) AS n FROM rollout_files f WHERE f.generation = ?${SHOWS_SOMETHING}${filter.sql}`,
      )
      .get(generation, ...filter.bindings);
    return row?.n ?? 0;
  });
}

/**
 * How many files stand for no row of the default list, by reason: file-level reasons, then those of threads.
 * Without filters, countThreads() plus these is the number of files.
 */
export function hiddenCounts(
  scope: GenerationScope,
  filter: ThreadFilter,
): Readonly<Partial<Record<HiddenReason, number>>> {
  const column = sortColumn(filter.sort ?? 'updated');
  const ofThread = joinConditions(attributeConditions(filter), instantConditions(filter, column));
  return scope.read((generation) => {
    const counts: Partial<Record<HiddenReason, number>> = {};
    const ofFile = fileConditions({ ...filter, archived: undefined }, generation);
    const files = scope.statements
      .prepare<{ readonly reason: string; readonly n: number }>(
        `SELECT f.hidden_reason AS reason, count(*) AS n FROM rollout_files f
         WHERE f.generation = ? AND f.hidden_reason IS NOT NULL${ofFile.sql} GROUP BY f.hidden_reason`,
      )
      .all(generation, ...ofFile.bindings);
    for (const { reason, n } of files) {
      const known = fileHiddenReason(reason);
      if (known !== null) counts[known] = n;
    }
    const count = scope.statements.prepare<{ readonly n: number }>(
      `SELECT count(*) AS n FROM threads WHERE generation = ? AND hidden = ? AND archived = ?${ofThread.sql}`,
    );
    const countOf = (hidden: number, archived: 0 | 1): number =>
      count.get(generation, hidden, archived, ...ofThread.bindings)?.n ?? 0;
    const threads: [HiddenReason, number][] = [
      ['internal', countOf(HIDDEN_CODES.internal, 0) + countOf(HIDDEN_CODES.internal, 1)],
      ['child', countOf(HIDDEN_CODES.child, 0) + countOf(HIDDEN_CODES.child, 1)],
      ['archived', filter.archived === true ? 0 : countOf(0, 1)],
    ];
    for (const [reason, n] of threads) if (n > 0) counts[reason] = n;
    return counts;
  });
}

function fileConditions(
  filter: ThreadFilter,
  generation: number,
): { readonly sql: string; readonly bindings: readonly SqliteParameter[] } {
  const instants = instantConditions(filter, `f.listed_${sortColumn(filter.sort ?? 'updated')}`);
  const location =
    filter.archived === undefined
      ? { sql: '', bindings: [] }
      : { sql: ' AND f.location = ?', bindings: [filter.archived ? 'archived' : 'active'] };
  const ofThread = attributeConditions(filter);
  if (ofThread.sql === '') return joinConditions(instants, location);
  // Naming every value of the two leading columns lets the attribute's own index be used.
  const thread = {
    sql: ` AND f.thread_id IN (SELECT id FROM threads
      WHERE generation = ? AND hidden IN (0, 1, 2) AND archived IN (0, 1)${ofThread.sql})`,
    bindings: [generation, ...ofThread.bindings],
  };
  return joinConditions(instants, location, thread);
}

function selectFiles(
  scope: GenerationScope,
  condition: string,
  tail: string,
  bindings: readonly SqliteParameter[],
): readonly FileRecord[] {
  return scope.read((generation) =>
    scope.statements
      .prepare<FileSqlRow>(`${SELECT_FILES} WHERE f.generation = ? AND ${condition} ${tail}`)
      .all(generation, ...bindings)
      .map((row) => fileRecord(row, scope.paths)),
  );
}

function toRows(scope: GenerationScope, files: readonly FileRecord[]): readonly ThreadRow[] {
  const heads = files.filter((file) => file.hiddenReason === null).map((file) => file.threadId);
  const threads = new Map(
    findThreadsById(
      scope,
      heads.filter((id) => id !== null),
    ).map((row) => [row.path, row]),
  );
  return files.map((file) => threads.get(file.path) ?? toFileRow(file, scope.paths.home));
}
