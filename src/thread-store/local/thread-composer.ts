/**
 * Keeps the thread rows of an index in step with its file rows.
 *
 * A thread of one file that continues nothing is composed at once, in the transaction that wrote the file. A thread
 * that continues a prefix of other files is composed again when all files are known: its row needs the facts of those
 * prefixes, which may have to be read.
 */
import type { ThreadId } from '../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import type { ThreadFacts } from '../../projection/thread-facts.js';
import { resolveLineage } from '../../rollout/lineage.js';
import { NAMES_FILE, readThreadNames } from '../../rollout/names-file.js';
import type { FileRecord, StateIndex } from '../../state/index.js';
import { chooseHead, composeThread } from './compose-thread.js';
import { scanFacts } from './facts-scan.js';
import { factsOf, withReason } from './file-record.js';

export interface ComposerOptions {
  readonly home: string;
  readonly files: FileSystem;
  readonly index: StateIndex;
  readonly signal?: AbortSignal;
}

/** What is kept of the names file: when it changes, names are compared with the rows. */
const NAMES_STAMP = 'names-stamp';

export class ThreadComposer {
  readonly #options: ComposerOptions;
  /** Threads whose head continues other files. */
  readonly #waiting = new Set<ThreadId>();
  /** True when a file came, went or was rewritten: what continues it may read differently. */
  #basesChanged = false;
  #names: ReadonlyMap<ThreadId, string> = new Map();
  #namesStamp: string | undefined;

  constructor(options: ComposerOptions) {
    this.#options = options;
  }

  /** Reads `session_index.jsonl`, and brings rows up to date when it is another than last time. */
  async readNames(): Promise<void> {
    const { files, home, index, signal } = this.#options;
    const stamp = await this.#stampOfNames();
    const names = await readThreadNames(home, { files, ...(signal !== undefined && { signal }) });
    this.#names = new Map([...names.names].map(([id, { name }]) => [id, name]));
    if (stamp === (index.note(NAMES_STAMP) ?? '')) return;
    this.#namesStamp = stamp;
    const renamed = index.allThreads().filter(({ id, name }) => (this.#names.get(id) ?? null) !== name);
    if (renamed.length > 0) {
      index.transaction(() => {
        for (const { id } of renamed) this.compose(id);
      });
    }
  }

  /** Notes that a file's row was written (`after`) or taken away. */
  noteChange(after: FileRecord | undefined, before: FileRecord | undefined): void {
    if (after === undefined || before === undefined || after.watermark.bytesRead < before.watermark.bytesRead)
      this.#basesChanged = true;
  }

  /** Composes a thread from its files' rows as they are. Call it inside a transaction. */
  compose(id: ThreadId): void {
    this.#put(id, []);
  }

  /** Composes what had to wait for other files. */
  async finish(): Promise<void> {
    const { index } = this.#options;
    if (this.#basesChanged) {
      for (const { threadId } of index.filesWithBase()) if (threadId !== null) this.#waiting.add(threadId);
      this.#basesChanged = false;
    }
    for (const id of this.#waiting) await this.#composeWithBases(id);
    this.#waiting.clear();
    if (this.#namesStamp !== undefined) index.putNote(NAMES_STAMP, this.#namesStamp);
    this.#namesStamp = undefined;
  }

  #put(id: ThreadId, inherited: readonly ThreadFacts[]): void {
    const { index, home } = this.#options;
    const files = index.filesOfThread(id);
    const { head, reasons } = chooseHead(files);
    for (const file of files) {
      const reason = reasons.get(file.path) ?? null;
      if (reason !== file.hiddenReason) index.putFile(withReason(file, reason), { expected: file.watermark });
    }
    if (head === undefined) {
      index.removeThread(id);
      return;
    }
    if (inherited.length === 0 && factsOf(head).facts.historyBase !== null) this.#waiting.add(id);
    const record = composeThread(id, head, files, { home, inherited, name: this.#names.get(id) ?? null });
    index.putThread(record);
    index.putEdges([{ child: id, parent: record.parentThreadId }]);
  }

  async #composeWithBases(id: ThreadId): Promise<void> {
    const { index } = this.#options;
    const head = chooseHead(index.filesOfThread(id)).head;
    if (head === undefined || factsOf(head).facts.historyBase === null) return;
    const inherited = await this.#inheritedFacts(head);
    index.transaction(() => {
      // Another process may have found a newer head meanwhile; whoever wrote it composes it.
      if (chooseHead(index.filesOfThread(id)).head?.path === head.path) this.#put(id, inherited);
    });
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
        const whole = record !== undefined && (endByteOffset === null || endByteOffset === record.watermark.bytesRead);
        return whole
          ? factsOf(record).facts
          : scanFacts(path, { files, endByteOffset: endByteOffset ?? undefined }).facts.facts;
      });
    } catch (error) {
      // A base that went away meanwhile is a change on disk, and the next refresh sees it.
      if (fileErrorCode(error) === undefined) throw error;
      return [];
    }
  }

  async #stampOfNames(): Promise<string> {
    const { files, home } = this.#options;
    try {
      const { sizeBytes, mtimeNs, inode } = await files.lstat(files.join(home, NAMES_FILE));
      return `${sizeBytes}:${mtimeNs}:${inode}`;
    } catch (error) {
      if (fileErrorCode(error) === undefined) throw error;
      return '';
    }
  }
}
