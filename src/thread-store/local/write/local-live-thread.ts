/**
 * A thread on disk while this process, and no other one, writes to it.
 *
 * Holds the writer lock from the first to the last moment. A revert of a paginated thread begins a new file, which is there
 * whole before anything is appended to it.
 */
import type { SegmentId, ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { writeNewFile } from '../../../platform/files/new-file.js';
import { formatInstant } from '../../../projection/instant.js';
import { encodeLine } from '../../../protocol/decode-line.js';
import type { WrittenDialect } from '../../../protocol/persistence.js';
import type { RolloutItem } from '../../../protocol/rollout-line.js';
import { readFirstMeta } from '../../../rollout/lineage.js';
import type { RolloutRecorder } from '../../../rollout/recorder.js';
import type { WriterLock } from '../../../rollout/writer-lock.js';
import { checkTurn, closedError } from '../../checked.js';
import { DamagedError } from '../../errors.js';
import { segmentMeta } from '../../first-record.js';
import type { HistoryResult, ReadOptions, ThreadPart } from '../../session-reader.js';
import type { Appended, LiveThread, RolledBack } from '../../thread-store.js';
import { readHistory } from '../thread/thread-history.js';
import { baseAt, readTurns } from './cut.js';
import { newSegmentPath } from './new-log-place.js';

export interface LocalLiveThreadOptions {
  readonly id: ThreadId;
  readonly home: string;
  readonly dialect: WrittenDialect;
  readonly recorder: RolloutRecorder;
  /** What a log that is continued consists of, oldest first; the last one is the recorder's. */
  readonly parts: readonly ThreadPart[];
  readonly lock: WriterLock;
  readonly files: FileSystem;
  /** Permission bits of new files; undefined leaves them to the umask. */
  readonly mode: number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly newSegmentId: () => SegmentId;
  /** Opens the log that a revert began. */
  readonly openLog: (path: string) => Promise<RolloutRecorder>;
  readonly onClosed: () => void;
}

export class LocalLiveThread implements LiveThread {
  readonly id: ThreadId;
  readonly dialect: WrittenDialect;
  readonly #options: LocalLiveThreadOptions;
  #recorder: RolloutRecorder;
  #parts: readonly ThreadPart[];
  #state: 'open' | 'closing' | 'closed' = 'open';

  constructor(options: LocalLiveThreadOptions) {
    this.#options = options;
    this.id = options.id;
    this.dialect = options.dialect;
    this.#recorder = options.recorder;
    this.#parts = options.parts;
  }

  get path(): string {
    return this.#recorder.path;
  }

  async append(items: readonly RolloutItem[]): Promise<Appended> {
    return this.#open().append(items);
  }

  async persist(): Promise<void> {
    return this.#open().persist();
  }

  async flush(): Promise<void> {
    return this.#open().flush();
  }

  async history({ signal }: ReadOptions = {}): Promise<HistoryResult> {
    const recorder = this.#open();
    if (!recorder.exists) return { threadId: this.id, items: [], damage: [] };
    const { items, damage } = await readHistory(this.#parts, { files: this.#options.files, signal });
    return { threadId: this.id, items, damage };
  }

  async rollback(turns: number): Promise<RolledBack> {
    checkTurn(turns);
    const recorder = this.#open();
    // Nothing was said in a log that is not there.
    if (!recorder.exists) return { turns: 0 };
    const all = await readTurns(this.#parts, this.#options);
    const { taken, left } = all.rollbackOf(turns);
    if (taken === 0) return { turns: 0 };
    if (this.dialect === 'legacy') {
      await recorder.append([{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: taken } }]);
      return { turns: taken };
    }
    await this.#beginSegment(all.cutAfter(left));
    return { turns: taken };
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    await this.#recorder.close();
    await this.#letGo();
  }

  async discard(): Promise<void> {
    if (this.#state === 'closed') return;
    await this.#recorder.discard();
    await this.#letGo();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #letGo(): Promise<void> {
    this.#state = 'closed';
    try {
      await this.#options.lock.release();
    } finally {
      this.#options.onClosed();
    }
  }

  #open(): RolloutRecorder {
    if (this.#state !== 'open') throw closedError(this.id);
    return this.#recorder;
  }

  async #beginSegment(cut: Parameters<typeof baseAt>[1]): Promise<void> {
    const { files, home, mode, newSegmentId, now, openLog } = this.#options;
    const head = this.#recorder.path;
    const meta = await readFirstMeta(head, { files });
    if (meta === undefined)
      throw new DamagedError(`Cannot revert thread ${this.id}: its log has no meta`, { path: head });
    const startedAtMs = now();
    const timestamp = formatInstant(startedAtMs);
    const base = await baseAt(this.#parts, cut, { files });
    const path = newSegmentPath(home, head, { threadId: this.id, segmentId: newSegmentId(), startedAtMs });
    const first = encodeLine({
      timestamp,
      ordinal: base.end_ordinal_exclusive,
      item: { type: 'session_meta', payload: segmentMeta(meta, { timestamp, base }) },
      metadata: undefined,
    });
    await writeNewFile(path, (sink) => sink(`${first}\n`), { mode });
    const next = await openLog(path);
    const before = this.#recorder;
    this.#recorder = next;
    const kept = this.#parts
      .slice(0, cut.part + 1)
      .map((part, index) => (index === cut.part ? { ...part, endByteOffset: base.end_byte_offset } : part));
    this.#parts = [...kept, { path, endByteOffset: null }];
    await before.close();
  }
}
