/**
 * A thread on disk while this process, and no other one, writes to it: from the first to the last moment it holds the writer
 * lock. A rollback is a marker in either dialect; see `docs/decisions/0008-rollback-is-a-marker.md`.
 */
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import type { WrittenDialect } from '../../../protocol/persistence.js';
import type { RolloutItem } from '../../../protocol/rollout-line.js';
import type { RolloutRecorder } from '../../../rollout/recorder.js';
import type { WriterLock } from '../../../rollout/writer-lock.js';
import { checkTurn, closedError } from '../../checked.js';
import type { HistoryResult, ReadOptions, ThreadPart } from '../../session-reader.js';
import type { Appended, LiveThread, RolledBack } from '../../thread-store.js';
import { readHistory } from '../thread/thread-history.js';
import { readTurns } from './cut.js';

export interface LocalLiveThreadOptions {
  readonly id: ThreadId;
  readonly dialect: WrittenDialect;
  readonly recorder: RolloutRecorder;
  /** What a log that is continued consists of, oldest first; the last one is the recorder's. */
  readonly parts: readonly ThreadPart[];
  readonly lock: WriterLock;
  readonly files: FileSystem;
  readonly onClosed: () => void;
}

export class LocalLiveThread implements LiveThread {
  readonly id: ThreadId;
  readonly dialect: WrittenDialect;
  readonly #options: LocalLiveThreadOptions;
  readonly #recorder: RolloutRecorder;
  readonly #parts: readonly ThreadPart[];
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
    const { taken } = (await readTurns(this.#parts, this.#options)).rollbackOf(turns);
    if (taken === 0) return { turns: 0 };
    await recorder.append([{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: taken } }]);
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
}
