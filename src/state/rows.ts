/**
 * The records that the state database keeps, as its callers see them: ids branded, instants in epoch milliseconds,
 * paths absolute. How they lie in SQL is the business of record-sql.ts.
 */
import type { SegmentId, ThreadId } from '../base/ids.js';
import type { GitInfo, HiddenReason, ThreadRow } from '../projection/thread-row.js';
import type { Dialect } from '../protocol/rollout-line.js';

/** Reasons that belong to a whole thread; `archived` is a field of its own. */
export type ThreadHiddenReason = 'internal' | 'child';

/** Reasons that belong to one file. */
export type FileHiddenReason = Exclude<HiddenReason, ThreadHiddenReason | 'archived'>;

/** How far a file has been read: its first records only, or to its end. */
export type FileStage = 'head' | 'full';

/** What `stat` said of a file, and how far it was read then. Equal ones mean: nothing to do. */
export interface FileStamp {
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
  readonly device: bigint;
  readonly stage: FileStage;
}

/** Everything that tells a file that has grown from one that was rewritten. */
export interface Watermark extends FileStamp {
  readonly bytesRead: number;
  readonly lines: number;
  /** Of the file's first bytes; the caller's format. */
  readonly headHash: string;
  /** Of the bytes before `bytesRead`; the caller's format. */
  readonly tailHash: string;
}

/** One file below a home's session folders. */
export interface FileRecord {
  /** Absolute. */
  readonly path: string;
  readonly threadId: ThreadId | null;
  readonly segmentId: SegmentId | null;
  readonly location: 'active' | 'archived';
  readonly compressed: boolean;
  readonly watermark: Watermark;
  /** Null for the file that stands for its thread. */
  readonly hiddenReason: FileHiddenReason | null;
  readonly dialect: Dialect | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** JSON text of the caller's; only `facts.historyBase` in it is looked at, by filesWithBase(). */
  readonly facts: string | null;
}

/** One thread. `path` is its head: the file that a resume appends to. */
export interface ThreadRecord {
  readonly id: ThreadId;
  readonly path: string;
  readonly title: string;
  readonly name: string | null;
  readonly preview: string;
  readonly cwd: string | null;
  readonly source: string;
  readonly modelProvider: string | null;
  readonly model: string | null;
  readonly reasoningEffort: string | null;
  readonly cliVersion: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly archived: boolean;
  readonly archivedAtMs: number | null;
  readonly hasUserEvent: boolean;
  readonly sandboxPolicy: string | null;
  readonly approvalMode: string | null;
  readonly memoryMode: string | null;
  readonly tokensUsed: number;
  readonly git: GitInfo | null;
  readonly dialect: Dialect | null;
  /** Sum over all files of the thread. */
  readonly sizeBytes: number;
  readonly forkedFromId: ThreadId | null;
  readonly parentThreadId: ThreadId | null;
  readonly hidden: ThreadHiddenReason | null;
}

/** A child has one parent; null takes the edge away. */
export interface SpawnEdge {
  readonly child: ThreadId;
  readonly parent: ThreadId | null;
}

/** Why a thread is not in the default list; null when it is. */
export function threadHiddenReason(record: Pick<ThreadRecord, 'hidden' | 'archived'>): HiddenReason | null {
  return record.hidden ?? (record.archived ? 'archived' : null);
}

/** The row that a list shows for a thread of the home at `homePath`. */
export function toThreadRow(record: ThreadRecord, homePath: string, children: readonly ThreadId[] = []): ThreadRow {
  // Field by field: spreading costs more than reading the row from the database.
  return {
    id: record.id,
    path: record.path,
    home: homePath,
    title: record.title,
    name: record.name,
    preview: record.preview,
    cwd: record.cwd,
    source: record.source,
    modelProvider: record.modelProvider,
    model: record.model,
    reasoningEffort: record.reasoningEffort,
    cliVersion: record.cliVersion,
    createdAt: toIso(record.createdAtMs),
    updatedAt: toIso(record.updatedAtMs),
    archived: record.archived,
    archivedAt: record.archivedAtMs === null ? null : toIso(record.archivedAtMs),
    hasUserEvent: record.hasUserEvent,
    sandboxPolicy: record.sandboxPolicy,
    approvalMode: record.approvalMode,
    memoryMode: record.memoryMode,
    tokensUsed: record.tokensUsed,
    git: record.git,
    dialect: record.dialect,
    sizeBytes: record.sizeBytes,
    forkedFromId: record.forkedFromId,
    parentThreadId: record.parentThreadId,
    children,
    hiddenReason: threadHiddenReason(record),
  };
}

/** The row that `list --all` shows for a file that stands for no thread: what its own columns say. */
export function toFileRow(file: FileRecord, homePath: string): ThreadRow {
  const archived = file.location === 'archived';
  return {
    id: file.threadId,
    path: file.path,
    home: homePath,
    title: '',
    name: null,
    preview: '',
    cwd: null,
    source: '',
    modelProvider: null,
    model: null,
    reasoningEffort: null,
    cliVersion: null,
    createdAt: toIso(file.createdAtMs),
    updatedAt: toIso(file.updatedAtMs),
    archived,
    archivedAt: null,
    hasUserEvent: false,
    sandboxPolicy: null,
    approvalMode: null,
    memoryMode: null,
    tokensUsed: 0,
    git: null,
    dialect: file.dialect,
    sizeBytes: file.watermark.sizeBytes,
    forkedFromId: null,
    parentThreadId: null,
    children: [],
    hiddenReason: file.hiddenReason,
  };
}

/** The farthest instant that a Date can hold, either way. */
const MAX_INSTANT_MS = 8.64e15;

/** A file's time may be any number of its file system's; the nearest instant that can be written stands for it. */
export function clampInstant(instantMs: number): number {
  return Math.trunc(Math.min(MAX_INSTANT_MS, Math.max(-MAX_INSTANT_MS, instantMs)));
}

function toIso(instantMs: number): string {
  return new Date(clampInstant(instantMs)).toISOString();
}
