/**
 * One row for one thread, out of all files that belong to it: which one stands for it, why the others do not, and what
 * the row says.
 *
 * Pure: the facts of the prefix that the head continues are given by the caller.
 */
import type { ThreadId } from '../../../base/ids.js';
import { inheritFacts, type ThreadFacts } from '../../../projection/thread-facts.js';
import { threadRow } from '../../../projection/thread-row.js';
import { headOfThread } from '../../../rollout/lineage.js';
import type { FileHiddenReason, FileRecord, ThreadRecord } from '../../../state/index.js';
import type { Imports } from '../import/import-ledger.js';
import { factsOf, ownReasonOf } from './file-record.js';

export interface ComposedThread {
  /** Undefined when no file can stand for the thread. */
  readonly head: FileRecord | undefined;
  /** Every file with the reason why it is not the head; null for the head. */
  readonly reasons: ReadonlyMap<string, FileHiddenReason | null>;
}

/** Chooses the file that a resume appends to, and says what the others are. */
export function chooseHead(files: readonly FileRecord[]): ComposedThread {
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0) return onlyFile(only);
  const reasons = new Map<string, FileHiddenReason | null>();
  const paths = new Set(files.map(({ path }) => path));
  const candidates: FileRecord[] = [];
  for (const file of files) {
    const own =
      ownReasonOf(file) ??
      (file.compressed && paths.has(file.path.slice(0, -'.zst'.length)) ? 'compressed-twin' : null);
    reasons.set(file.path, own);
    if (own === null) candidates.push(file);
  }
  const active = candidates.filter(({ location }) => location === 'active');
  const head = newestHead(active.length > 0 ? active : candidates);
  for (const file of candidates) {
    if (file === head) continue;
    const segmented = file.segmentId !== head?.segmentId;
    reasons.set(file.path, segmented ? 'segment' : 'duplicate');
  }
  return { head, reasons };
}

/** Among equals in lineage the one that was written last stands for the thread. */
function newestHead(files: readonly FileRecord[]): FileRecord | undefined {
  const oldestFirst = files.toSorted((a, b) => a.updatedAtMs - b.updatedAtMs || (a.path < b.path ? -1 : 1));
  const named = oldestFirst.flatMap((file) =>
    file.threadId === null
      ? []
      : [{ path: file.path, threadId: file.threadId, segmentId: file.segmentId ?? undefined, file }],
  );
  return headOfThread(named)?.file;
}

/** As chooseHead() for a thread of one file, which nearly all are. */
function onlyFile(file: FileRecord): ComposedThread {
  const own = ownReasonOf(file);
  return { head: own === null ? file : undefined, reasons: new Map([[file.path, own]]) };
}

export interface ThreadSurroundings {
  readonly home: string;
  /** Facts of the prefixes that the head continues, oldest first. */
  readonly inherited: readonly ThreadFacts[];
  /** The last name that `session_index.jsonl` gives the thread. */
  readonly name: string | null;
  /** What came from elsewhere: a thread of another machine has its folder elsewhere here. */
  readonly imports: Imports;
}

/** The thread's record. `files` are all its files, `head` one of them. */
export function composeThread(
  id: ThreadId,
  head: FileRecord,
  files: readonly FileRecord[],
  around: ThreadSurroundings,
): ThreadRecord {
  const own = factsOf(head);
  const [oldest, ...later] = [...around.inherited, own.facts];
  const facts = later.reduce((base, next) => inheritFacts(base, next), oldest ?? own.facts);
  const mtimeMs = Number(head.watermark.mtimeNs / 1_000_000n);
  const archived = head.location === 'archived';
  const row = threadRow(facts, {
    path: head.path,
    home: around.home,
    idFromName: id,
    createdAtMs: head.createdAtMs,
    sizeBytes: files.reduce((sum, file) => sum + file.watermark.sizeBytes, 0),
    mtimeMs,
    archived,
    archivedAtMs: archived ? mtimeMs : null,
    dialect: head.dialect,
    name: around.name,
  });
  const {
    home: _home,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    archivedAt: _archivedAt,
    hiddenReason,
    ...same
  } = row;
  return {
    ...same,
    id,
    cwd: around.imports.folderOf(id, row.cwd),
    createdAtMs: files
      .filter((file) => ownReasonOf(file) === null)
      .reduce((oldest, file) => Math.min(oldest, file.createdAtMs), head.createdAtMs),
    updatedAtMs: head.updatedAtMs,
    archivedAtMs: archived ? mtimeMs : null,
    forkedFromId: row.forkedFromId ?? copiedFrom(id, own.facts),
    hidden: hiddenReason === 'internal' || hiddenReason === 'child' ? hiddenReason : null,
  };
}

/** A fork that was named by two ids keeps the id of its source in its first meta. */
function copiedFrom(id: ThreadId, facts: ThreadFacts): ThreadId | null {
  return facts.threadId !== null && facts.threadId !== id && facts.historyBase === null ? facts.threadId : null;
}
