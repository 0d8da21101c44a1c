/**
 * What an import would do to a home, thread by thread, before it does anything: which logs are there already, byte for byte,
 * which are to be placed, and which threads stay out since their id is taken by other bytes. Only reads.
 */
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { headOfThread } from '../../../rollout/lineage.js';
import type { BundleFile, BundleThread } from '../../bundle/format.js';
import { UnsupportedError } from '../../errors.js';
import { type NamedFile, ThreadFiles } from '../thread/thread-files.js';
import { compareLogs, logOfFile } from './compare-logs.js';
import type { ImportSource } from './import-source.js';

export interface PlannedThread {
  readonly thread: BundleThread;
  /** Logs to be placed; what others continue comes first. Empty when all are there, or none may be placed. */
  readonly absent: readonly BundleFile[];
  /** Absolute: the files of the thread that have the bytes of a log already. */
  readonly present: readonly string[];
  /** Why nothing of the thread may be placed. */
  readonly conflict: string | undefined;
  /** Absolute: the file that a resume appends to once all is placed. */
  readonly path: string;
}

export interface PlanOptions {
  readonly home: string;
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** Plans for all threads of the source; bases come before what continues them. */
export async function planImport(source: ImportSource, options: PlanOptions): Promise<readonly PlannedThread[]> {
  const { home, files, signal } = options;
  const target = await ThreadFiles.walk(home, { files, signal });
  const [unread] = target.problems;
  // What cannot be seen may hold the same ids.
  if (unread !== undefined)
    throw new UnsupportedError(`Cannot import into ${JSON.stringify(home)}: ${unread.path} cannot be read`, {
      path: unread.path,
      hint: 'Nothing was imported. Make the folder readable, and import again.',
    });
  const needs = prefixesNeeded(source.logs);
  const judged = new Map<ThreadId, Judged>();
  for (const thread of inOrderOfLogs(source)) {
    const logs = source.logs.filter(({ threadId }) => threadId === thread.id);
    judged.set(thread.id, await judgeThread(thread, logs, { ...options, source, target, needs }));
  }
  const byPath = new Map(source.logs.map((log) => [log.path, log]));
  // A thread whose base stays out would be without its beginning.
  for (let changed = true; changed; ) {
    changed = false;
    for (const [id, thread] of judged) {
      if (thread.conflict !== undefined) continue;
      const lost = thread.logs.map(({ base }) => base && byPath.get(base.path)?.threadId).find(isOut(judged));
      if (lost === undefined || lost === null) continue;
      judged.set(id, { ...thread, absent: [], conflict: `it continues thread ${lost}, which stays out` });
      changed = true;
    }
  }
  return [...judged.values()];
}

interface Judged extends PlannedThread {
  readonly logs: readonly BundleFile[];
}

function isOut(judged: ReadonlyMap<ThreadId, Judged>) {
  return (id: ThreadId | null | undefined): boolean => id != null && judged.get(id)?.conflict !== undefined;
}

/** How much of each log the others continue. */
function prefixesNeeded(logs: readonly BundleFile[]): ReadonlyMap<string, number> {
  const needs = new Map<string, number>();
  for (const { base } of logs) {
    if (base !== null) needs.set(base.path, Math.max(base.endByteOffset, needs.get(base.path) ?? 0));
  }
  return needs;
}

function inOrderOfLogs({ threads, logs }: ImportSource): readonly BundleThread[] {
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  const ids = new Set(logs.map(({ threadId }) => threadId));
  return [...ids].map((id) => byId.get(id)).filter((thread) => thread !== undefined);
}

async function judgeThread(
  thread: BundleThread,
  logs: readonly BundleFile[],
  {
    home,
    files,
    signal,
    source,
    target,
    needs,
  }: PlanOptions & {
    readonly source: ImportSource;
    readonly target: ThreadFiles;
    readonly needs: ReadonlyMap<string, number>;
  },
): Promise<Judged> {
  const there = target.withId(thread.id).filter(({ threadId }) => threadId === thread.id);
  const absent: BundleFile[] = [];
  const matched = new Set<NamedFile>();
  let conflict: string | undefined;
  let hasWhatIsContinued = true;
  for (const log of logs) {
    const place = files.join(home, log.path);
    const same = there.filter(({ segmentId }) => (segmentId ?? null) === log.segmentId);
    let common = 0;
    let isThere = false;
    for (const file of same) {
      const mine = {
        compressed: log.path.endsWith('.zst'),
        bytes: log.bytes,
        chunks: () => source.chunks(log, signal),
      };
      const found = await compareLogs(mine, logOfFile(file.path, file.walked.sizeBytes, files, signal));
      common = Math.max(common, found.common);
      if (!found.equal) continue;
      matched.add(file);
      isThere = true;
    }
    if (isThere) continue;
    if (same[0] !== undefined) {
      conflict ??= `${same[0].path} has the same id and other bytes, from byte ${common} on`;
      hasWhatIsContinued &&= common >= (needs.get(log.path) ?? 0);
    } else if (target.byPath(place) !== undefined) {
      conflict ??= `${place} is there and is no log of this thread`;
      hasWhatIsContinued = false;
    } else {
      absent.push(log);
      hasWhatIsContinued &&= !needs.has(log.path);
    }
  }
  const others = there.filter((file) => !matched.has(file));
  if (conflict === undefined && absent.length > 0 && others[0] !== undefined)
    conflict = `it went on here in another way, in ${others[0].path}`;
  const path = headPath(home, logs, there, { files, planned: conflict === undefined });
  const present = [...matched].map((file) => file.path);
  // Of a thread that is here only for those that continue it, what they continue is enough.
  if (conflict !== undefined && !thread.requested && hasWhatIsContinued)
    return { thread, logs, absent: [], present, conflict: undefined, path };
  return { thread, logs, absent: conflict === undefined ? absent : [], present, conflict, path };
}

function headPath(
  home: string,
  logs: readonly BundleFile[],
  there: readonly NamedFile[],
  { files, planned }: { readonly files: FileSystem; readonly planned: boolean },
): string {
  const own = logs.map(({ path, threadId, segmentId }) => ({
    path: files.join(home, path),
    threadId,
    segmentId: segmentId ?? undefined,
  }));
  const known = new Set(there.map(({ segmentId }) => segmentId));
  const coming = own.filter(({ segmentId }) => planned && !known.has(segmentId));
  return headOfThread([...there, ...coming])?.path ?? own[0]?.path ?? home;
}
