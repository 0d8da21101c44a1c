/**
 * From what the walk and the scan found of one file to the record that the index keeps of it.
 */
import type { SegmentId, ThreadId } from '../../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { FactsFold } from '../../../projection/thread-facts.js';
import { type RolloutHead, readHeadSync } from '../../../rollout/head.js';
import { guessStartedAtMs } from '../../../rollout/paths.js';
import type { WalkedFile } from '../../../rollout/walk.js';
import type { FileHiddenReason, FileRecord, FileStage, Watermark } from '../../../state/index.js';
import { type FileFacts, NO_FILE_FACTS } from '../scan/file-facts.js';
import type { FactsOutcome } from '../scan/scan-job.js';

/** A file that can be no rollout. */
export function hiddenFileRecord(file: WalkedFile, reason: FileHiddenReason): FileRecord {
  return fileRecord(file, NO_FILE_FACTS, reason, watermarkOf(file, 'full', NOTHING_READ));
}

/** Until such a file changes there is no reason to try again; any other error may pass by itself. */
const LASTING_ERRORS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'not-a-regular-file']);

/** Whether a file whose reading failed with this code is done with, or to be tried again. */
export function stageOfUnread(code: string): FileStage {
  return LASTING_ERRORS.has(code) ? 'full' : 'head';
}

/** A file whose reading failed with this code. */
export function unreadFileRecord(file: WalkedFile, code: string): FileRecord {
  return fileRecord(file, NO_FILE_FACTS, 'unreadable', watermarkOf(file, stageOfUnread(code), NOTHING_READ));
}

/** A file that was read to its end. Its place among the files of its thread is not known yet. */
export function scannedFileRecord(file: WalkedFile, outcome: FactsOutcome): FileRecord {
  return fileRecord(file, outcome.facts, ownReason(outcome.facts), watermarkOf(file, 'full', outcome));
}

/** Reads the beginning and the last record of a file; one that cannot be read is a record too. */
export function readHeadRecord(file: WalkedFile, files: FileSystem): FileRecord {
  try {
    return headFileRecord(file, readHeadSync(file.path, files));
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === undefined) throw error;
    return unreadFileRecord(file, code);
  }
}

/** A file of which only the beginning and the last record were read. */
function headFileRecord(file: WalkedFile, head: RolloutHead): FileRecord {
  const fold = new FactsFold();
  const records = [head.meta, head.turnContext, head.userEvent, ...head.userItems].filter(
    (record) => record !== undefined,
  );
  for (const record of records.toSorted((a, b) => a.byteOffset - b.byteOffset)) fold.apply(record.line, record);
  if (head.lastRecord !== undefined) fold.touch(head.lastRecord.line.timestamp, head.lastRecord.line.ordinal);
  const found = fold.finish();
  const facts: FileFacts = {
    ...NO_FILE_FACTS,
    // Without the last record, the time of the file is nearer to it than that of any record at its beginning.
    facts: head.lastRecord === undefined ? { ...found, updatedAtMs: null, lastOrdinal: null } : found,
    // Records further down are not seen: a head never says that there are none.
    hasRecords: true,
    hasLines: !head.empty,
    dialect: head.dialect ?? null,
  };
  return fileRecord(file, facts, head.empty ? 'empty' : null, watermarkOf(file, 'head', NOTHING_READ));
}

/** The facts of records that were met: composing a thread asks for those of its head again and again. */
const parsed = new WeakMap<FileRecord, FileFacts>();

/** The facts of a record that this module made; none for a file that was never read. */
export function factsOf(record: FileRecord): FileFacts {
  if (record.facts === null) return NO_FILE_FACTS;
  let facts = parsed.get(record);
  if (facts === undefined) {
    // Written by fileRecord() below, in a database that is ours alone.
    facts = JSON.parse(record.facts) as FileFacts;
    parsed.set(record, facts);
  }
  return facts;
}

/** The same record, in another place among the files of its thread. */
export function withReason(record: FileRecord, hiddenReason: FileHiddenReason | null): FileRecord {
  return { ...record, hiddenReason };
}

/** Reasons that a file has by itself; those that come from its siblings are decided by `chooseHead`. */
export function ownReasonOf(record: FileRecord): FileHiddenReason | null {
  switch (record.hiddenReason) {
    case 'compressed-twin':
    case 'segment':
    case 'duplicate':
    case null:
      return null;
    default:
      return record.hiddenReason;
  }
}

function ownReason(facts: FileFacts): FileHiddenReason | null {
  if (!facts.hasLines) return 'empty';
  return facts.hasRecords || facts.facts.hasMeta ? null : 'no-session-meta';
}

function fileRecord(
  file: WalkedFile,
  facts: FileFacts,
  hiddenReason: FileHiddenReason | null,
  watermark: Watermark,
): FileRecord {
  const { threadId, segmentId } = identityOf(file, facts);
  const mtimeMs = Number(file.mtimeNs / 1_000_000n);
  const named = file.name === undefined ? undefined : guessStartedAtMs(file.name.startedAtText);
  const record: FileRecord = {
    path: file.path,
    threadId,
    segmentId,
    location: file.location === 'sessions' ? 'active' : 'archived',
    compressed: file.name?.compressed ?? false,
    watermark,
    hiddenReason,
    dialect: facts.dialect,
    createdAtMs: facts.facts.startedAtMs ?? named ?? mtimeMs,
    updatedAtMs: facts.facts.updatedAtMs ?? mtimeMs,
    facts: file.hidden === null ? JSON.stringify(facts) : null,
  };
  if (record.facts !== null) parsed.set(record, facts);
  return record;
}

/**
 * The id of the first session_meta, else of the name. A name with two ids is a segment of the first one, but only when
 * the file continues another: some releases named a fork that way and copied everything into it.
 */
export function identityOf(
  { name }: Pick<WalkedFile, 'name'>,
  { facts }: FileFacts,
): { readonly threadId: ThreadId | null; readonly segmentId: SegmentId | null } {
  const segmentId = name?.segmentId ?? null;
  const threadId = facts.threadId ?? name?.threadId ?? null;
  if (segmentId === null || facts.historyBase !== null || !facts.hasMeta) return { threadId, segmentId };
  // Both kinds of id are UUIDs; here the second one names the thread.
  return { threadId: segmentId as string as ThreadId, segmentId: null };
}

const NOTHING_READ = { bytesRead: 0, lines: 0, headHash: '', tailHash: '' } as const;

/** What is kept of a file to know whether it changed, and where to read on. */
export function watermarkOf(
  file: WalkedFile,
  stage: FileStage,
  read: Pick<Watermark, 'bytesRead' | 'lines' | 'headHash' | 'tailHash'>,
): Watermark {
  const { sizeBytes, mtimeNs, ctimeNs, inode, device } = file;
  const { bytesRead, lines, headHash, tailHash } = read;
  return { sizeBytes, mtimeNs, ctimeNs, inode, device, stage, bytesRead, lines, headHash, tailHash };
}
