/**
 * How records lie in SQL: column lists, row types, and the way between a row and a record.
 * A row comes from our own writes or from whatever stands in the file, so what has a closed set of values is checked.
 */
import { parseSegmentId, parseThreadId, type ThreadId } from '../base/ids.js';
import type { SqliteParameter } from '../platform/sqlite/index.js';
import { HIDDEN_REASONS } from '../projection/thread-row.js';
import type { Dialect } from '../protocol/rollout-line.js';
import type { HomePaths } from './home-paths.js';
import {
  clampInstant,
  type FileHiddenReason,
  type FileRecord,
  type FileStamp,
  type ThreadHiddenReason,
  type ThreadRecord,
  type Watermark,
} from './rows.js';

/** Codes of `threads.hidden`; 0 is a listed thread. Fixed by the format. */
export const HIDDEN_CODES: Readonly<Record<ThreadHiddenReason, number>> = { internal: 1, child: 2 };

const HIDDEN_BY_CODE: readonly (ThreadHiddenReason | null)[] = [null, 'internal', 'child'];

const DIALECTS: readonly string[] = ['bare', 'legacy', 'paginated'] satisfies readonly Dialect[];

/** Everything of a thread that is read and written; the generation comes beside it. */
export const THREAD_COLUMNS = [
  'id',
  'rollout_path',
  'hidden',
  'archived',
  'created_at_ms',
  'updated_at_ms',
  'archived_at_ms',
  'source',
  'model_provider',
  'cwd',
  'name',
  'model',
  'reasoning_effort',
  'cli_version',
  'approval_mode',
  'memory_mode',
  'tokens_used',
  'has_user_event',
  'has_git',
  'git_sha',
  'git_branch',
  'git_origin_url',
  'dialect',
  'size_bytes',
  'forked_from_id',
  'parent_thread_id',
  'title',
  'preview',
  'sandbox_policy',
] as const;

/** `threads`, as selected by THREAD_COLUMNS. */
export interface ThreadSqlRow {
  readonly id: string;
  readonly rollout_path: string;
  readonly hidden: number;
  readonly archived: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly archived_at_ms: number | null;
  readonly source: string;
  readonly model_provider: string | null;
  readonly cwd: string | null;
  readonly name: string | null;
  readonly model: string | null;
  readonly reasoning_effort: string | null;
  readonly cli_version: string | null;
  readonly approval_mode: string | null;
  readonly memory_mode: string | null;
  readonly tokens_used: number;
  readonly has_user_event: number;
  readonly has_git: number;
  readonly git_sha: string | null;
  readonly git_branch: string | null;
  readonly git_origin_url: string | null;
  readonly dialect: string | null;
  readonly size_bytes: number;
  readonly forked_from_id: string | null;
  readonly parent_thread_id: string | null;
  readonly title: string;
  readonly preview: string;
  readonly sandbox_policy: string | null;
}

/** Parameters for THREAD_COLUMNS, in that order. */
export function threadParameters(record: ThreadRecord, paths: HomePaths): readonly SqliteParameter[] {
  const row: Readonly<Record<(typeof THREAD_COLUMNS)[number], SqliteParameter>> = {
    id: record.id,
    rollout_path: paths.toStored(record.path),
    hidden: record.hidden === null ? 0 : HIDDEN_CODES[record.hidden],
    archived: Number(record.archived),
    created_at_ms: clampInstant(record.createdAtMs),
    updated_at_ms: clampInstant(record.updatedAtMs),
    archived_at_ms: record.archivedAtMs === null ? null : clampInstant(record.archivedAtMs),
    source: record.source,
    model_provider: record.modelProvider,
    cwd: record.cwd,
    name: record.name,
    model: record.model,
    reasoning_effort: record.reasoningEffort,
    cli_version: record.cliVersion,
    approval_mode: record.approvalMode,
    memory_mode: record.memoryMode,
    tokens_used: record.tokensUsed,
    has_user_event: Number(record.hasUserEvent),
    has_git: Number(record.git !== null),
    git_sha: record.git?.sha ?? null,
    git_branch: record.git?.branch ?? null,
    git_origin_url: record.git?.originUrl ?? null,
    dialect: record.dialect,
    size_bytes: record.sizeBytes,
    forked_from_id: record.forkedFromId,
    parent_thread_id: record.parentThreadId,
    title: record.title,
    preview: record.preview,
    sandbox_policy: record.sandboxPolicy,
  };
  return THREAD_COLUMNS.map((column) => visibleNul(row[column]));
}

/** The picture of NUL for NUL, which SQLite ends texts at; what a log says of itself may hold any character. */
function visibleNul(value: SqliteParameter): SqliteParameter {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : value;
}

/** The record of a selected row; undefined when its id is none. */
export function threadRecord(row: ThreadSqlRow, paths: HomePaths): ThreadRecord | undefined {
  const id = parseThreadId(row.id);
  if (id === undefined) return undefined;
  return {
    id,
    path: paths.fromStored(row.rollout_path),
    title: row.title,
    name: row.name,
    preview: row.preview,
    cwd: row.cwd,
    source: row.source,
    modelProvider: row.model_provider,
    model: row.model,
    reasoningEffort: row.reasoning_effort,
    cliVersion: row.cli_version,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    archived: row.archived !== 0,
    archivedAtMs: row.archived_at_ms,
    hasUserEvent: row.has_user_event !== 0,
    sandboxPolicy: row.sandbox_policy,
    approvalMode: row.approval_mode,
    memoryMode: row.memory_mode,
    tokensUsed: row.tokens_used,
    git: hasGit(row) ? { sha: row.git_sha, branch: row.git_branch, originUrl: row.git_origin_url } : null,
    dialect: dialect(row.dialect),
    sizeBytes: row.size_bytes,
    forkedFromId: threadId(row.forked_from_id),
    parentThreadId: threadId(row.parent_thread_id),
    hidden: HIDDEN_BY_CODE[row.hidden] ?? null,
  };
}

/** A column that is filled counts too: what should not be there must show where rows are compared. */
function hasGit(row: Pick<ThreadSqlRow, 'has_git' | 'git_sha' | 'git_branch' | 'git_origin_url'>): boolean {
  return row.has_git !== 0 || [row.git_sha, row.git_branch, row.git_origin_url].some((value) => value !== null);
}

/** `size:mtime:ctime:inode:device:stage`: one text, because thousands are loaded at each start. */
export function stampText(stamp: Omit<FileStamp, 'stage'>, stage: FileStamp['stage']): string {
  return `${stamp.sizeBytes}:${stamp.mtimeNs}:${stamp.ctimeNs}:${stamp.inode}:${stamp.device}:${stage}`;
}

const STAMP = /^(\d+):(-?\d+):(-?\d+):(\d+):(\d+):(head|full)$/;

/** Reverse of stampText(); text of another form gives a stamp that no file has. */
export function parseStamp(text: string): FileStamp {
  const [, size, mtime, ctime, inode, device, stage] = STAMP.exec(text) ?? [];
  return {
    sizeBytes: Number(size ?? -1),
    mtimeNs: BigInt(mtime ?? 0),
    ctimeNs: BigInt(ctime ?? 0),
    inode: BigInt(inode ?? 0),
    device: BigInt(device ?? 0),
    stage: stage === 'full' ? 'full' : 'head',
  };
}

export const FILE_COLUMNS = [
  'path',
  'thread_id',
  'segment_id',
  'location',
  'compressed',
  'stage',
  'bytes_read',
  'lines',
  'head_hash',
  'tail_hash',
  'hidden_reason',
  'dialect',
  'created_at_ms',
  'updated_at_ms',
  'facts',
] as const;

/** Parameters for FILE_COLUMNS, in that order. */
export function fileParameters(record: FileRecord, paths: HomePaths): readonly SqliteParameter[] {
  const row: Readonly<Record<(typeof FILE_COLUMNS)[number], SqliteParameter>> = {
    path: paths.toStored(record.path),
    thread_id: record.threadId,
    segment_id: record.segmentId,
    location: record.location,
    compressed: Number(record.compressed),
    stage: record.watermark.stage,
    bytes_read: record.watermark.bytesRead,
    lines: record.watermark.lines,
    head_hash: record.watermark.headHash,
    tail_hash: record.watermark.tailHash,
    hidden_reason: record.hiddenReason,
    dialect: record.dialect,
    created_at_ms: clampInstant(record.createdAtMs),
    updated_at_ms: clampInstant(record.updatedAtMs),
    facts: record.facts,
  };
  return FILE_COLUMNS.map((column) => row[column]);
}

/** What tells whether a file changed, and where to read on: columns of its row, and its stamp. */
export interface WatermarkColumns {
  readonly bytes_read: number;
  readonly lines: number;
  readonly head_hash: string;
  readonly tail_hash: string;
  readonly stamp: string;
}

/** A whole file: FILE_COLUMNS of `rollout_files`, and its stamp. */
export interface FileSqlRow extends WatermarkColumns {
  readonly path: string;
  readonly thread_id: string | null;
  readonly segment_id: string | null;
  readonly location: string;
  readonly compressed: number;
  readonly stage: string;
  readonly hidden_reason: string | null;
  readonly dialect: string | null;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly facts: string | null;
}

/** What FileSqlRow selects; `f` is `rollout_files`, `s` is `rollout_stamps`. */
export const FILE_SELECT = [...FILE_COLUMNS.map((column) => `f.${column}`), 's.stamp'].join(', ');

/** The watermark of a row that has the stamp of its file beside it. */
export function watermarkOfRow(row: WatermarkColumns): Watermark {
  return {
    ...parseStamp(row.stamp),
    bytesRead: row.bytes_read,
    lines: row.lines,
    headHash: row.head_hash,
    tailHash: row.tail_hash,
  };
}

export function fileRecord(row: FileSqlRow, paths: HomePaths): FileRecord {
  return {
    path: paths.fromStored(row.path),
    threadId: threadId(row.thread_id),
    segmentId: parseSegmentId(row.segment_id) ?? null,
    location: row.location === 'archived' ? 'archived' : 'active',
    compressed: row.compressed !== 0,
    watermark: watermarkOfRow(row),
    hiddenReason: fileHiddenReason(row.hidden_reason),
    dialect: dialect(row.dialect),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    facts: row.facts,
  };
}

export function fileHiddenReason(text: string | null): FileHiddenReason | null {
  // Membership is what makes the cast true; the three reasons of threads are never written to this column.
  return HIDDEN_REASONS.some((reason) => reason === text) ? (text as FileHiddenReason) : null;
}

function threadId(text: string | null): ThreadId | null {
  return parseThreadId(text) ?? null;
}

function dialect(text: string | null): Dialect | null {
  // Membership is what makes the cast true.
  return text !== null && DIALECTS.includes(text) ? (text as Dialect) : null;
}

/** `INSERT … ON CONFLICT DO UPDATE` for a table keyed by (generation, first column). */
export function upsertSql(table: string, columns: readonly string[]): string {
  const [key, ...rest] = columns;
  const updates = rest.map((column) => `${column} = excluded.${column}`).join(', ');
  const marks = columns.map(() => '?').join(', ');
  return (
    `INSERT INTO ${table} (generation, ${columns.join(', ')}) VALUES (?, ${marks}) ` +
    `ON CONFLICT (generation, ${key}) DO UPDATE SET ${updates}`
  );
}
