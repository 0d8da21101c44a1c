/**
 * Brings the index of a home up to date with its logs: the only place where log and index meet.
 *
 * Reads the home, writes the index, never the reverse. Each file's rows change in one transaction that checks the
 * watermark the work started from, so any number of processes may index at once, and one may be killed at any point.
 */
import type { ThreadId } from '../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { readHeadSync } from '../../rollout/head.js';
import { type WalkedFile, type WalkResult, walkRollouts } from '../../rollout/walk.js';
import type { FileHiddenReason, FileRecord, FileStamp, StateIndex, Watermark } from '../../state/index.js';
import type { IndexProgress, IndexState } from '../session-reader.js';
import { factsOf, headFileRecord, hiddenFileRecord, scannedFileRecord } from './file-record.js';
import type { ScanJob, ScanOutcome } from './scan-job.js';
import { scanFiles } from './scan-pool.js';
import { ThreadComposer } from './thread-composer.js';

export interface IndexerOptions {
  readonly home: string;
  readonly files: FileSystem;
  /** Milliseconds on a clock that only goes forward. */
  readonly clock: () => number;
}

export interface RefreshOptions {
  readonly signal?: AbortSignal | undefined;
  /** Stops reading bodies after so long; heads are always finished. Default: no limit. */
  readonly budgetMs?: number | undefined;
  /** Heads first, so that a list can answer; default true. */
  readonly headsFirst?: boolean | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

export interface RefreshResult extends IndexState {
  /** Bytes of all files on disk. */
  readonly bytes: number;
}

/** Less than this is read at once: its heads would not be there much sooner. */
const HEADS_PAY_BYTES = 48 * 1024 * 1024;
/** Files that one transaction writes: few enough that other writers do not wait, many enough that commits do not count. */
const FILES_A_COMMIT = 128;

interface Changed {
  readonly file: WalkedFile;
  readonly stamp: FileStamp | undefined;
}

export class Indexer {
  readonly #options: IndexerOptions;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Resolves when the index fits the files, or when the budget is used up. Rejects with the signal's reason. */
  async refresh(index: StateIndex, options: RefreshOptions = {}): Promise<RefreshResult> {
    const { files, home, clock } = this.#options;
    const { signal, budgetMs, onProgress } = options;
    const deadline = budgetMs === undefined ? Number.POSITIVE_INFINITY : clock() + budgetMs;
    const walk = await walkRollouts(home, { files, ...(signal !== undefined && { signal }) });
    const composer = new ThreadComposer({ home, files, index, ...(signal !== undefined && { signal }) });
    await composer.readNames();
    const { changed, vanished } = compare(walk, index.watermarks());
    const total = walk.files.length;
    onProgress?.({ phase: 'walk', done: total - changed.length, files: total });
    if (vanished.length > 0) this.#forget(index, composer, vanished);
    const hidden = changed.filter(({ file }) => file.hidden !== null);
    this.#write(
      index,
      composer,
      hidden.map(({ file }) => ({ file, record: hiddenFileRecord(file, file.hidden ?? 'unreadable') })),
    );
    const unread = changed.filter(({ file }) => file.hidden === null).sort(newestFirst);
    const bytes = unread.reduce((sum, { file }) => sum + file.sizeBytes, 0);
    if ((options.headsFirst ?? true) && bytes > HEADS_PAY_BYTES) {
      await this.#readHeads(
        index,
        composer,
        unread.filter(({ stamp }) => stamp === undefined),
        options,
      );
      await composer.finish();
    }
    await this.#readBodies(index, composer, unread, { ...options, bytes, deadline, total });
    await composer.finish();
    const counts = index.countFiles();
    return {
      state: counts.full >= total ? 'complete' : 'building',
      indexed: Math.min(counts.full, total),
      files: total,
      bytes: walk.files.reduce((sum, file) => sum + file.sizeBytes, 0),
    };
  }

  async #readHeads(
    index: StateIndex,
    composer: ThreadComposer,
    unread: readonly Changed[],
    options: RefreshOptions,
  ): Promise<void> {
    const { files } = this.#options;
    for (let from = 0; from < unread.length; from += FILES_A_COMMIT) {
      options.signal?.throwIfAborted();
      const batch = unread.slice(from, from + FILES_A_COMMIT);
      this.#write(
        index,
        composer,
        batch.map(({ file }) => ({ file, record: this.#head(file, files) })),
      );
      options.onProgress?.({
        phase: 'heads',
        done: Math.min(from + FILES_A_COMMIT, unread.length),
        files: unread.length,
      });
      await nextTurn();
    }
  }

  #head(file: WalkedFile, files: FileSystem): FileRecord {
    try {
      return headFileRecord(file, readHeadSync(file.path, files));
    } catch (error) {
      if (fileErrorCode(error) === undefined) throw error;
      return hiddenFileRecord(file, 'unreadable');
    }
  }

  async #readBodies(
    index: StateIndex,
    composer: ThreadComposer,
    unread: readonly Changed[],
    options: RefreshOptions & { readonly bytes: number; readonly deadline: number; readonly total: number },
  ): Promise<void> {
    if (unread.length === 0) return;
    const { files, clock } = this.#options;
    const { signal, deadline, bytes, total, onProgress } = options;
    const byPath = new Map(unread.map(({ file }) => [file.path, file]));
    const started = new Map<string, Watermark | null>();
    const jobs = unread.map(({ file, stamp }) => {
      const record = stamp === undefined ? undefined : index.file(file.path);
      started.set(file.path, record?.watermark ?? null);
      return scanJob(file, record);
    });
    const pending: { file: WalkedFile; record: FileRecord }[] = [];
    let done = total - unread.length;
    for await (const outcomes of scanFiles(jobs, { files, signal, bytes })) {
      for (const outcome of outcomes) {
        const file = byPath.get(outcome.path);
        if (file !== undefined) pending.push({ file, record: recordOf(file, outcome) });
      }
      done += outcomes.length;
      onProgress?.({ phase: 'full', done, files: total });
      if (pending.length >= FILES_A_COMMIT || clock() >= deadline)
        this.#write(index, composer, pending.splice(0), started);
      if (clock() >= deadline) break;
    }
    this.#write(index, composer, pending, started);
  }

  /** Writes files and the threads they belong to; a file that another process has moved on is left to it. */
  #write(
    index: StateIndex,
    composer: ThreadComposer,
    entries: readonly { readonly file: WalkedFile; readonly record: FileRecord }[],
    started?: ReadonlyMap<string, Watermark | null>,
  ): void {
    if (entries.length === 0) return;
    index.transaction(() => {
      const touched = new Set<ThreadId>();
      for (const { record } of entries) {
        const before = index.file(record.path);
        // A head that came first in this run is replaced by its own body.
        const expected =
          before?.watermark.stage === 'head'
            ? before.watermark
            : (started?.get(record.path) ?? before?.watermark ?? null);
        if (!index.putFile(record, { expected })) continue;
        if (before?.threadId != null && before.threadId !== record.threadId) touched.add(before.threadId);
        if (record.threadId !== null) touched.add(record.threadId);
        composer.noteChange(record, before);
      }
      for (const id of touched) composer.compose(id);
    });
  }

  #forget(index: StateIndex, composer: ThreadComposer, vanished: readonly string[]): void {
    for (let from = 0; from < vanished.length; from += FILES_A_COMMIT) {
      index.transaction(() => {
        const touched = new Set<ThreadId>();
        for (const path of vanished.slice(from, from + FILES_A_COMMIT)) {
          const before = index.file(path);
          if (before === undefined) continue;
          index.removeFile(path);
          if (before.threadId !== null) touched.add(before.threadId);
          composer.noteChange(undefined, before);
        }
        for (const id of touched) composer.compose(id);
      });
    }
  }
}

/** What changed on disk since the index was written; files of a folder that could not be read count as unchanged. */
function compare(
  walk: WalkResult,
  known: ReadonlyMap<string, FileStamp>,
): { readonly changed: readonly Changed[]; readonly vanished: readonly string[] } {
  const present = new Set<string>();
  const changed: Changed[] = [];
  for (const file of walk.files) {
    present.add(file.path);
    const stamp = known.get(file.path);
    if (stamp === undefined || stamp.stage === 'head' || !isSameStamp(file, stamp)) changed.push({ file, stamp });
  }
  const vanished = [...known.keys()].filter(
    (path) => !present.has(path) && !walk.problems.some((problem) => isBelow(path, problem.path)),
  );
  return { changed, vanished };
}

function isSameStamp(file: WalkedFile, stamp: FileStamp): boolean {
  return (
    file.sizeBytes === stamp.sizeBytes &&
    file.mtimeNs === stamp.mtimeNs &&
    file.ctimeNs === stamp.ctimeNs &&
    file.inode === stamp.inode &&
    file.device === stamp.device
  );
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path[folder.length] === '/' || path[folder.length] === '\\');
}

function newestFirst(a: Changed, b: Changed): number {
  return a.file.mtimeNs < b.file.mtimeNs ? 1 : a.file.mtimeNs > b.file.mtimeNs ? -1 : 0;
}

/** A file that grew is read on from where it was; one that has become something else from its start. */
function scanJob(file: WalkedFile, record: FileRecord | undefined): ScanJob {
  if (record === undefined || record.facts === null || record.compressed) return { path: file.path };
  const { stage, bytesRead, lines, headHash, tailHash, sizeBytes, inode, device } = record.watermark;
  const mayHaveGrown = stage === 'full' && file.sizeBytes > sizeBytes && file.inode === inode && file.device === device;
  if (!mayHaveGrown || bytesRead === 0) return { path: file.path };
  return { path: file.path, from: { byteOffset: bytesRead, lines, facts: factsOf(record), headHash, tailHash } };
}

function recordOf(file: WalkedFile, outcome: ScanOutcome): FileRecord {
  const reason: FileHiddenReason = 'unreadable';
  return 'error' in outcome ? hiddenFileRecord(file, reason) : scannedFileRecord(file, outcome);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
