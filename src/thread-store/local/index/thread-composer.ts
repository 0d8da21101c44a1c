/**
 * Keeps the thread rows of an index in step with its file rows.
 *
 * A thread of one file that continues nothing is composed at once, in the transaction that wrote the file. A thread
 * that continues a prefix of other files is composed again when all files are known: its row needs the facts of those
 * prefixes, which may have to be read.
 */
import type { ThreadId } from '../../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import type { ThreadFacts } from '../../../projection/thread-facts.js';
import { maskSecrets } from '../../../redaction/index.js';
import { resolveLineage } from '../../../rollout/lineage.js';
import { readThreadNames } from '../../../rollout/names-file.js';
import type { FileRecord, StateIndex } from '../../../state/index.js';
import { Imports, readImports } from '../import/import-ledger.js';
import { scanFacts } from '../scan/facts-scan.js';
import { chooseHead, composeThread } from './compose-thread.js';
import { factsOf, withReason } from './file-record.js';
import { BASES_CHANGED, BASES_COMPOSED, counter, NAMES_STAMP, namesAreKnown, stampOfNames } from './index-notes.js';

export interface ComposerOptions {
  readonly home: string;
  /** The ledger of what was imported; undefined where there can be none. */
  readonly importsFile?: string | undefined;
  readonly files: FileSystem;
  readonly index: StateIndex;
  readonly signal?: AbortSignal;
  /**
   * True when the index was empty and nobody else writes it: then what was written here is all there is, and need not
   * be read again.
   */
  readonly alone?: boolean;
  /** Told the error code when the names are there but cannot be read. */
  readonly onNamesUnreadable?: ((code: string) => void) | undefined;
}

/** What NAMES_STAMP says when rows were written by processes that had read different names. */
const MIXED_NAMES = 'mixed';
/** A thread whose head changes again and again while it is composed is left to the next refresh. */
const MAX_ATTEMPTS = 5;

export class ThreadComposer {
  readonly #options: ComposerOptions;
  /** Threads whose head continues other files. */
  readonly #waiting = new Set<ThreadId>();
  /** Ids of files that came, went or were rewritten: what continues them may read differently. */
  readonly #changedBases = new Set<string>();
  /** What the threads that were known when a file had first grown continue. */
  #bases: readonly ThreadFacts['historyBase'][] | undefined;
  /** True when the transaction that is open must be noted in BASES_CHANGED. */
  #dirty = false;
  /** How much of BASES_CHANGED is ours since the last `finish`. */
  #ownChanges = 0;
  #names: ReadonlyMap<ThreadId, string> = new Map();
  #imports: Imports = Imports.none;
  #namesStamp = '';
  #hasNames = false;
  /** When alone: how many files each thread has, and those that the transaction which is open has written. */
  readonly #fileCounts = new Map<ThreadId, number>();
  readonly #justWritten = new Map<ThreadId, FileRecord>();

  constructor(options: ComposerOptions) {
    this.#options = options;
  }

  /**
   * Reads `session_index.jsonl`, and brings rows up to date when it is another than the one they fit.
   * When it cannot be read, no thread has a name from it.
   */
  async readNames({ needed }: { readonly needed: boolean }): Promise<void> {
    const { index } = this.#options;
    // The file may be large: it is read when it changed, or when rows are to be composed.
    if (!needed && (await namesAreKnown(this.#options.index, this.#options, this.#options.files))) return;
    const { stamp, names, imports } = await this.#loadNames();
    this.#hasNames = true;
    this.#names = names;
    this.#imports = imports;
    this.#namesStamp = stamp;
    if (index.note(NAMES_STAMP) === stamp) return;
    index.transaction(() => {
      index.putNote(NAMES_STAMP, stamp);
      const moved = new Set(imports.movedThreads);
      const isStale = ({ id, name }: { readonly id: ThreadId; readonly name: string | null }): boolean =>
        (names.get(id) ?? null) !== name || moved.has(id);
      this.compose(index.allThreads().flatMap((thread) => (isStale(thread) ? [thread.id] : [])));
    });
  }

  /** Notes that a file's row was written (`after`) or taken away. `appended`: what was read before still holds. */
  noteChange(
    after: FileRecord | undefined,
    before: FileRecord | undefined,
    { appended }: { readonly appended: boolean },
  ): void {
    if (this.#options.alone && after !== undefined) this.#noteOwn(after, before);
    if (appended && after !== undefined && before !== undefined && !this.#wasShortBase(before, after)) return;
    this.#dirty = true;
    for (const record of [after, before]) {
      for (const id of record === undefined ? [] : idsOf(record)) this.#changedBases.add(id);
    }
  }

  /** Composes threads from their files' rows as they are. Call it at the end of the transaction that wrote those. */
  compose(ids: Iterable<ThreadId>): void {
    const { index } = this.#options;
    for (const id of ids) this.#put(id, []);
    this.#justWritten.clear();
    // Another process reads other names than this one: whoever comes next compares them all.
    if (index.note(NAMES_STAMP) !== this.#namesStamp) index.putNote(NAMES_STAMP, MIXED_NAMES);
    if (!this.#dirty) return;
    this.#dirty = false;
    this.#ownChanges += 1;
    index.putNote(BASES_CHANGED, String(counter(index, BASES_CHANGED) + 1));
  }

  /** Composes what had to wait for other files, also what a process that was killed has left. */
  async finish(): Promise<void> {
    const { index } = this.#options;
    const changed = counter(index, BASES_CHANGED);
    const open = changed - counter(index, BASES_COMPOSED);
    if (open > 0) {
      if (!this.#hasNames) await this.readNames({ needed: true });
      const bases = index.filesWithBase();
      const onlyOwn = open === this.#ownChanges;
      const ids = onlyOwn ? new Set([...this.#waiting, ...dependents(bases, this.#changedBases)]) : threadsOf(bases);
      let all = true;
      for (const id of ids) all = (await this.#composeWithBases(id)) && all;
      if (all) {
        index.transaction(() => {
          if (counter(index, BASES_COMPOSED) < changed) index.putNote(BASES_COMPOSED, String(changed));
        });
      }
    }
    this.#ownChanges = 0;
    this.#waiting.clear();
    this.#changedBases.clear();
  }

  /** True when a thread continues more than there was of this file, so that what was added to it counts. */
  #wasShortBase(file: FileRecord, grown: FileRecord): boolean {
    this.#bases ??= this.#options.index.filesWithBase().map((continued) => factsOf(continued).facts.historyBase);
    if (this.#bases.length === 0) return false;
    const ids = idsOf(file);
    const known = factsOf(file).facts.lastOrdinal ?? -1;
    // Ordinals that begin again may name any record.
    const lastOrdinal = (factsOf(grown).facts.lastOrdinal ?? -1) > known ? known : -1;
    return this.#bases.some(
      (base) =>
        base !== null &&
        ids.includes(base.thread_id.toLowerCase()) &&
        (base.end_byte_offset > file.watermark.bytesRead || base.end_ordinal_exclusive - 1 > lastOrdinal),
    );
  }

  #noteOwn(after: FileRecord, before: FileRecord | undefined): void {
    const { threadId } = after;
    if (threadId === null) return;
    // A file that is written again may have been another thread's: then both are read.
    const more = before === undefined ? 1 : 2;
    this.#fileCounts.set(threadId, (this.#fileCounts.get(threadId) ?? 0) + more);
    this.#justWritten.set(threadId, after);
  }

  #put(id: ThreadId, inherited: readonly ThreadFacts[]): void {
    const { index, home } = this.#options;
    const only = this.#fileCounts.get(id) === 1 ? this.#justWritten.get(id) : undefined;
    const files = only === undefined ? index.filesOfThread(id) : [only];
    const { head, reasons } = chooseHead(files);
    for (const file of files) {
      const reason = reasons.get(file.path) ?? null;
      if (reason !== file.hiddenReason)
        index.putFile(withReason(file, reason), { expected: file.watermark, current: file });
    }
    if (head === undefined) {
      index.removeThread(id);
      return;
    }
    if (inherited.length === 0 && factsOf(head).facts.historyBase !== null) {
      this.#waiting.add(id);
      this.#dirty = true;
    }
    const record = composeThread(id, head, files, {
      home,
      inherited,
      name: this.#names.get(id) ?? null,
      imports: this.#imports,
    });
    // A file that was just written is listed under its own instants, and its thread has no edge yet.
    index.putThread(record, { listed: only });
    if (only === undefined || record.parentThreadId !== null)
      index.putEdges([{ child: id, parent: record.parentThreadId }]);
  }

  /** False when the thread's head kept changing meanwhile. */
  async #composeWithBases(id: ThreadId): Promise<boolean> {
    const { index, signal } = this.#options;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      signal?.throwIfAborted();
      const head = chooseHead(index.filesOfThread(id)).head;
      if (head === undefined || factsOf(head).facts.historyBase === null) return true;
      const inherited = await this.#inheritedFacts(head);
      const done = index.transaction(() => {
        if (chooseHead(index.filesOfThread(id)).head?.path !== head.path) return false;
        this.#put(id, inherited);
        // A head of which no base is left has nothing to wait for.
        this.#dirty = false;
        return true;
      });
      if (done) return true;
    }
    return false;
  }

  /** Facts of the prefixes that a head continues, oldest first; what is missing is left out. */
  async #inheritedFacts(head: FileRecord): Promise<readonly ThreadFacts[]> {
    const { files, index, signal } = this.#options;
    const lookup = (id: string) =>
      index
        .filesByUuid(id as ThreadId)
        .flatMap((file) =>
          file.threadId === null || file.facts === null
            ? []
            : [{ path: file.path, threadId: file.threadId, segmentId: file.segmentId ?? undefined }],
        );
    try {
      const { parts } = await resolveLineage(head.path, lookup, { files, ...(signal !== undefined && { signal }) });
      return parts.slice(0, -1).map(({ path, endByteOffset }) => {
        const record = index.file(path);
        if (record !== undefined && isWhole(record, endByteOffset)) return factsOf(record).facts;
        return scanFacts(path, { files, endByteOffset: endByteOffset ?? undefined }).facts.facts;
      });
    } catch (error) {
      // A base that went away meanwhile is a change on disk, and the next refresh sees it.
      if (fileErrorCode(error) === undefined) throw error;
      return [];
    }
  }

  async #loadNames(): Promise<{
    readonly stamp: string;
    readonly names: ReadonlyMap<ThreadId, string>;
    readonly imports: Imports;
  }> {
    const { files, home, importsFile, signal } = this.#options;
    try {
      // Before the names: a stamp that is too old is compared again, one that is too new never.
      const stamp = await stampOfNames(this.#options, files);
      const { names } = await readThreadNames(home, { files, ...(signal !== undefined && { signal }) });
      const imports = importsFile === undefined ? Imports.none : await readImports(importsFile, { files, signal });
      return { stamp, names: new Map([...names].map(([id, { name }]) => [id, maskSecrets(name)])), imports };
    } catch (error) {
      const code = fileErrorCode(error);
      if (code === undefined || signal?.aborted) throw error;
      this.#options.onNamesUnreadable?.(code);
      return { stamp: `unreadable:${code}`, names: new Map(), imports: Imports.none };
    }
  }
}

/** True when the facts of a file are those of its part up to `endByteOffset`: an unfinished line counts in them, too. */
function isWhole({ watermark, compressed }: FileRecord, endByteOffset: number | null): boolean {
  const { bytesRead, sizeBytes, stage } = watermark;
  return (
    stage === 'full' &&
    !compressed &&
    bytesRead === sizeBytes &&
    (endByteOffset === null || endByteOffset === bytesRead)
  );
}

/** What another file may name it by. */
function idsOf({ threadId, segmentId }: FileRecord): readonly string[] {
  return [threadId, segmentId].filter((id) => id !== null);
}

function threadsOf(files: readonly FileRecord[]): ReadonlySet<ThreadId> {
  return new Set(files.flatMap(({ threadId }) => (threadId === null ? [] : [threadId])));
}

/** Threads with a file that continues one of `changed`, directly or through others. */
function dependents(files: readonly FileRecord[], changed: ReadonlySet<string>): ReadonlySet<ThreadId> {
  const ids = new Set(changed);
  let rest = files;
  const found = new Set<ThreadId>();
  for (let before = -1; before !== rest.length; ) {
    before = rest.length;
    rest = rest.filter((file) => {
      const base = factsOf(file).facts.historyBase?.thread_id.toLowerCase();
      if (base === undefined || !ids.has(base)) return true;
      if (file.threadId !== null) found.add(file.threadId);
      for (const id of idsOf(file)) ids.add(id);
      return false;
    });
  }
  return found;
}
