/**
 * Brings the index of a home up to date with its logs: the only place where log and index meet.
 *
 * Reads the home, writes the index, never the reverse. Each file's rows change in one transaction that checks the
 * watermark the work started from, so any number of processes may index at once, and one may be killed at any point.
 */
import type { ThreadId } from '../../base/ids.js';
import type { FileSystem } from '../../platform/files/file-system.js';
import { NAMES_FILE } from '../../rollout/names-file.js';
import { type WalkedFile, type WalkResult, walkRollouts } from '../../rollout/walk.js';
import type { FileRecord, FileStamp, StateIndex, Watermark } from '../../state/index.js';
import type { IndexProgress, IndexState } from '../session-reader.js';
import { factsOf, hiddenFileRecord, readHeadRecord, scannedFileRecord, unreadFileRecord } from './file-record.js';
import type { ScanJob, ScanOutcome } from './scan-job.js';
import { scanFiles } from './scan-pool.js';
import { ThreadComposer } from './thread-composer.js';

export interface IndexerOptions {
  readonly home: string;
  readonly files: FileSystem;
  /** Milliseconds on a clock that only goes forward. */
  readonly clock: () => number;
  /** Told, once each, what could not be read and is missing from every answer. */
  readonly onNotice?: ((message: string) => void) | undefined;
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

/** A row to write. `appended`: what was known of the file still holds. */
interface Entry {
  readonly record: FileRecord;
  readonly appended: boolean;
}

/** Heads come fast, and an index page that several commits change is written as often. */
const HEADS_A_COMMIT = 512;

interface Changed {
  readonly file: WalkedFile;
  readonly stamp: FileStamp | undefined;
}

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #noticed = new Set<string>();

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Resolves when the index fits the files, or when the budget is used up. Rejects with the signal's reason. */
  async refresh(index: StateIndex, options: RefreshOptions = {}): Promise<RefreshResult> {
    const { files, home, clock } = this.#options;
    const { signal, budgetMs, onProgress } = options;
    const deadline = budgetMs === undefined ? Number.POSITIVE_INFINITY : clock() + budgetMs;
    const walk = await walkRollouts(home, { files, ...(signal !== undefined && { signal }) });
    for (const { path, code } of walk.problems)
      this.#notice(`Cannot read ${path} (${code}): what it holds is not listed`);
    const composer = new ThreadComposer({
      home,
      files,
      index,
      ...(signal !== undefined && { signal }),
      onNamesUnreadable: (code) =>
        this.#notice(`Cannot read ${files.join(home, NAMES_FILE)} (${code}): names are missing`),
    });
    const { changed, vanished } = compare(walk, index.watermarks());
    await composer.readNames({ needed: changed.length + vanished.length > 0 });
    const total = walk.files.length;
    onProgress?.({ phase: 'walk', done: total - changed.length, files: total });
    if (vanished.length > 0) this.#forget(index, composer, vanished);
    const hidden = changed.filter(({ file }) => file.hidden !== null);
    this.#write(
      index,
      composer,
      hidden.map(({ file }) => ({ record: hiddenFileRecord(file, file.hidden ?? 'unreadable'), appended: false })),
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
    }
    const unfinished = await this.#readBodies(index, composer, unread, { ...options, bytes, deadline, total });
    await composer.finish();
    return {
      state: unfinished === 0 ? 'complete' : 'building',
      indexed: total - unfinished,
      files: total,
      bytes: walk.files.reduce((sum, file) => sum + file.sizeBytes, 0),
      ...(walk.problems.length > 0 && { unreadableFolders: walk.problems.length }),
    };
  }

  #notice(message: string): void {
    if (this.#noticed.has(message)) return;
    this.#noticed.add(message);
    this.#options.onNotice?.(message);
  }

  async #readHeads(
    index: StateIndex,
    composer: ThreadComposer,
    unread: readonly Changed[],
    options: RefreshOptions,
  ): Promise<void> {
    const { files } = this.#options;
    for (let from = 0; from < unread.length; from += HEADS_A_COMMIT) {
      options.signal?.throwIfAborted();
      const batch = unread.slice(from, from + HEADS_A_COMMIT);
      this.#write(
        index,
        composer,
        batch.map(({ file }) => ({ record: readHeadRecord(file, files), appended: false })),
      );
      options.onProgress?.({
        phase: 'heads',
        done: Math.min(from + HEADS_A_COMMIT, unread.length),
        files: unread.length,
      });
      await nextTurn();
    }
  }

  /** Resolves with the number of files that are left for another time. */
  async #readBodies(
    index: StateIndex,
    composer: ThreadComposer,
    unread: readonly Changed[],
    options: RefreshOptions & { readonly bytes: number; readonly deadline: number; readonly total: number },
  ): Promise<number> {
    if (unread.length === 0) return 0;
    const { files, clock } = this.#options;
    const { signal, deadline, bytes, total, onProgress } = options;
    const byPath = new Map(unread.map(({ file }) => [file.path, file]));
    const started = new Map<string, Watermark | null>();
    const jobs = unread.map(({ file, stamp }) => {
      const record = stamp === undefined ? undefined : index.file(file.path);
      started.set(file.path, record?.watermark ?? null);
      return scanJob(file, record);
    });
    const pending: Entry[] = [];
    let left = jobs.length;
    for await (const outcomes of scanFiles(jobs, { files, clock, deadline, signal, bytes })) {
      for (const outcome of outcomes) {
        const file = byPath.get(outcome.path);
        const entry = file === undefined ? undefined : entryOf(file, outcome);
        if (entry !== undefined) pending.push(entry);
      }
      left -= outcomes.length;
      onProgress?.({ phase: 'full', done: total - left, files: total });
      if (pending.length >= FILES_A_COMMIT) this.#write(index, composer, pending.splice(0), started);
    }
    this.#write(index, composer, pending, started);
    return left;
  }

  /** Writes files and the threads they belong to; a file that another process has moved on is left to it. */
  #write(
    index: StateIndex,
    composer: ThreadComposer,
    entries: readonly Entry[],
    started?: ReadonlyMap<string, Watermark | null>,
  ): void {
    if (entries.length === 0) return;
    index.transaction(() => {
      const touched = new Set<ThreadId>();
      for (const { record, appended } of entries) {
        const before = index.file(record.path);
        const startedFrom = started?.get(record.path);
        // A head that came first, in this run or in another, is replaced by the body. Else the row must be the one from
        // which the work started; work that read nothing started from whatever is there.
        const isHead = before?.watermark.stage === 'head';
        const expected = isHead || startedFrom === undefined ? (before?.watermark ?? null) : startedFrom;
        if (!index.putFile(record, { expected })) continue;
        if (before?.threadId != null && before.threadId !== record.threadId) touched.add(before.threadId);
        if (record.threadId !== null) touched.add(record.threadId);
        composer.noteChange(record, before, {
          appended: appended || (isHead && isSameStamp(record.watermark, before.watermark)),
        });
      }
      composer.compose(touched);
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
          composer.noteChange(undefined, before, { appended: false });
        }
        composer.compose(touched);
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

function isSameStamp(file: Omit<FileStamp, 'stage'>, stamp: FileStamp): boolean {
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
  const facts = factsOf(record);
  // What the unfinished line told cannot be taken back.
  if (facts.isUnfinished) return { path: file.path };
  return { path: file.path, from: { byteOffset: bytesRead, lines, facts, headHash, tailHash } };
}

/** Undefined for a file that has gone since its folder was read: the next walk does not find it. */
function entryOf(file: WalkedFile, outcome: ScanOutcome): Entry | undefined {
  if (!('error' in outcome)) return { record: scannedFileRecord(file, outcome), appended: outcome.appended };
  return outcome.error === 'ENOENT' ? undefined : { record: unreadFileRecord(file, outcome.error), appended: false };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
