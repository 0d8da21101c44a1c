/**
 * Reads what changed in a home since its index was written, and writes it there: the only place where log and index meet.
 *
 * Reads the home, writes the index, never the reverse. Each file's rows change in one transaction that checks the
 * watermark the work started from, so any number of processes may index at once, and one may be killed at any point.
 */
import type { ThreadId } from '../../../base/ids.js';
import { nextTurn } from '../../../platform/next-turn.js';
import { NAMES_FILE } from '../../../rollout/names-file.js';
import type { WalkedFile, WalkResult } from '../../../rollout/walk.js';
import type { FileRecord, StateIndex, Watermark } from '../../../state/index.js';
import type { ScanJob, ScanOutcome } from '../scan/scan-job.js';
import { scanFiles } from '../scan/scan-pool.js';
import { type ChangedFile, changedFiles, isSameStamp, newestFirst } from './file-changes.js';
import { factsOf, hiddenFileRecord, readHeadRecord, scannedFileRecord, unreadFileRecord } from './file-record.js';
import { isMaskedAsNow, REDACTION, RULES_NOW } from './index-notes.js';
import type { IndexerOptions, IndexTarget, RefreshOptions, RefreshResult } from './indexer.js';
import { mayHaveGrown } from './search-record.js';
import { SearchWriter } from './search-writer.js';
import { ThreadComposer } from './thread-composer.js';

/** Less than this is read at once: its heads would not be there much sooner. */
const HEADS_PAY_BYTES = 48 * 1024 * 1024;
/** Files that one transaction writes: few enough that other writers do not wait, many enough that commits do not count. */
const FILES_A_COMMIT = 256;
/** Where no other writer waits. */
const FILES_A_COMMIT_ALONE = 1024;

/** A row to write. `appended`: what was known of the file still holds. */
interface Entry {
  readonly record: FileRecord;
  readonly appended: boolean;
}

/** Heads come fast, and an index page that several commits change is written as often. */
const HEADS_A_COMMIT = 512;

interface Writers {
  readonly state: StateIndex;
  readonly composer: ThreadComposer;
  readonly search: SearchWriter | undefined;
}

interface WriteOptions {
  /** The watermarks that the work started from; a file that is not in it had whatever row is there. */
  readonly started?: ReadonlyMap<string, Watermark | null>;
  /** True when no file has a row yet, and nobody else writes one. */
  readonly alone?: boolean;
}

/** What the check for changes found, which came before. */
export interface FoundChanges {
  readonly walk: WalkResult;
  /** What the index had of each file. */
  readonly stamps: ReadonlyMap<string, string>;
}

export class IndexUpdate {
  readonly #options: IndexerOptions;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Resolves when the index fits the files, or when the budget is used up. Rejects with the signal's reason. */
  async run(target: IndexTarget, { walk, stamps }: FoundChanges, options: RefreshOptions): Promise<RefreshResult> {
    const { clock } = this.#options;
    const { signal, budgetMs, onProgress } = options;
    const { state } = target;
    const deadline = budgetMs === undefined ? Number.POSITIVE_INFINITY : clock() + budgetMs;
    const alone = (options.alone ?? false) && stamps.size === 0;
    const composer = this.#composer(state, { signal, alone });
    const isOutdated = stamps.size > 0 && !isMaskedAsNow(state);
    if (stamps.size === 0) state.putNote(REDACTION, RULES_NOW);
    const { changed, vanished } = changedFiles(walk, isOutdated ? new Map() : stamps);
    const gone = isOutdated ? changedFiles(walk, stamps).vanished : vanished;
    await composer.readNames({ needed: changed.length + gone.length > 0 });
    const total = walk.files.length;
    onProgress?.({ phase: 'walk', done: total - changed.length, files: total });
    if (gone.length > 0) this.#forget(state, composer, gone);
    const hidden = changed.filter(({ file }) => file.hidden !== null);
    this.#write(
      state,
      composer,
      hidden.map(({ file }) => ({ record: hiddenFileRecord(file, file.hidden ?? 'unreadable'), appended: false })),
      { alone },
    );
    const unread = changed.filter(({ file }) => file.hidden === null).sort((a, b) => newestFirst(a.file, b.file));
    const bytes = unread.reduce((sum, { file }) => sum + file.sizeBytes, 0);
    if ((options.headsFirst ?? true) && bytes > HEADS_PAY_BYTES) {
      const fresh = unread.filter(({ isNew }) => isNew);
      await this.#readHeads(state, composer, isOutdated ? [] : fresh, options);
    }
    const search = await this.#searchWriter(target, walk, {
      alone: options.alone ?? false,
      needed: options.fullText === 'complete' || changed.length + gone.length > 0,
    });
    // Texts masked by older rules are replaced in one go: a part would be begun anew by every look.
    const inOneGo = isOutdated || (options.fullText === 'complete' && search?.isOutdated === true);
    const unfinished = await this.#readBodies({ state, composer, search }, unread, {
      ...options,
      alone,
      restart: isOutdated,
      deadline: inOneGo ? Number.POSITIVE_INFINITY : deadline,
      total,
    });
    await composer.finish();
    const isComplete = unfinished === 0;
    if (isComplete && isOutdated) state.putNote(REDACTION, RULES_NOW);
    return {
      state: isComplete ? 'complete' : 'building',
      indexed: total - unfinished,
      files: total,
      bytes: walk.files.reduce((sum, file) => sum + file.sizeBytes, 0),
      ...(isComplete && inOneGo && { remasked: true as const }),
      ...(walk.problems.length > 0 && { unreadableFolders: walk.problems.length }),
    };
  }

  #composer(
    index: StateIndex,
    { signal, alone }: { readonly signal: AbortSignal | undefined; readonly alone: boolean },
  ): ThreadComposer {
    const { home, importsFile, files } = this.#options;
    return new ThreadComposer({
      home,
      importsFile,
      files,
      index,
      alone,
      ...(signal !== undefined && { signal }),
      onNamesUnreadable: (code) =>
        this.#options.onNotice?.(`Cannot read ${files.join(home, NAMES_FILE)} (${code}): names are missing`),
    });
  }

  async #searchWriter(
    target: IndexTarget,
    walk: WalkResult,
    { needed, alone }: { readonly needed: boolean; readonly alone: boolean },
  ): Promise<SearchWriter | undefined> {
    if (!needed) return undefined;
    const writer = new SearchWriter(await target.search(), walk, { tools: this.#options.searchTools ?? false, alone });
    writer.begin();
    return writer;
  }

  async #readHeads(
    index: StateIndex,
    composer: ThreadComposer,
    unread: readonly ChangedFile[],
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
    { state, composer, search }: Writers,
    unread: readonly ChangedFile[],
    options: RefreshOptions & {
      readonly alone: boolean;
      readonly restart: boolean;
      readonly deadline: number;
      readonly total: number;
    },
  ): Promise<number> {
    const { files, clock } = this.#options;
    const { signal, deadline, total, alone, onProgress } = options;
    const forFacts = new Map(unread.map(({ file, isNew }) => [file.path, isNew]));
    const forText = options.fullText === 'complete' ? (search?.unread ?? []) : [];
    const rest = forText.filter(({ path }) => !forFacts.has(path)).sort(newestFirst);
    const all = [...unread.map(({ file }) => file), ...rest];
    if (all.length === 0) return 0;
    const byPath = new Map(all.map((file) => [file.path, file]));
    const started = new Map<string, Watermark | null>();
    const jobs = all.map((file): ScanJob => {
      const documents = search?.wanted(file);
      if (!forFacts.has(file.path)) return { path: file.path, facts: undefined, documents };
      const isNew = !options.restart && forFacts.get(file.path) === true;
      const record = isNew ? undefined : state.file(file.path);
      started.set(file.path, record?.watermark ?? null);
      const from = options.restart ? undefined : factsStart(file, record);
      return { path: file.path, facts: { from }, documents };
    });
    const bytes = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const pending: Entry[] = [];
    let left = jobs.length;
    const workers = options.ahead?.workers;
    for await (const outcomes of scanFiles(jobs, { files, clock, deadline, signal, bytes, workers })) {
      for (const outcome of outcomes) {
        const file = byPath.get(outcome.path);
        if (file === undefined) continue;
        const entry = entryOf(file, outcome);
        if (entry !== undefined && forFacts.has(file.path)) pending.push(entry);
        search?.take(file, outcome);
      }
      left -= outcomes.length;
      onProgress?.({ phase: 'full', done: total - left, files: total });
      if (pending.length >= (alone ? FILES_A_COMMIT_ALONE : FILES_A_COMMIT))
        this.#write(state, composer, pending.splice(0), { started, alone });
    }
    this.#write(state, composer, pending, { started, alone });
    search?.finish();
    return left;
  }

  /** Writes files and the threads they belong to; a file that another process has moved on is left to it. */
  #write(
    index: StateIndex,
    composer: ThreadComposer,
    entries: readonly Entry[],
    { started, alone = false }: WriteOptions = {},
  ): void {
    if (entries.length === 0) return;
    index.transaction(() => {
      const touched = new Set<ThreadId>();
      for (const { record, appended } of entries) {
        const before = alone ? undefined : index.file(record.path);
        const startedFrom = started?.get(record.path);
        // A head that came first, in this run or in another, is replaced by the body. Else the row must be the one from
        // which the work started; work that read nothing started from whatever is there.
        const isHead = before?.watermark.stage === 'head';
        const expected = isHead || startedFrom === undefined ? (before?.watermark ?? null) : startedFrom;
        if (!index.putFile(record, { expected, current: before ?? null })) continue;
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

/** A file that grew is read on from where it was; one that has become something else from its start. */
function factsStart(file: WalkedFile, record: FileRecord | undefined): NonNullable<ScanJob['facts']>['from'] {
  if (record === undefined || record.facts === null || record.compressed) return undefined;
  if (!mayHaveGrown(file, record.watermark)) return undefined;
  const { bytesRead, lines, headHash, tailHash } = record.watermark;
  const facts = factsOf(record);
  // What the unfinished line told cannot be taken back.
  return facts.isUnfinished ? undefined : { byteOffset: bytesRead, lines, facts, headHash, tailHash };
}

/** Undefined for a file that has gone since its folder was read: the next walk does not find it. */
function entryOf(file: WalkedFile, outcome: ScanOutcome): Entry | undefined {
  if (!('error' in outcome)) {
    return outcome.facts && { record: scannedFileRecord(file, outcome.facts), appended: outcome.facts.appended };
  }
  return outcome.error === 'ENOENT' ? undefined : { record: unreadFileRecord(file, outcome.error), appended: false };
}
