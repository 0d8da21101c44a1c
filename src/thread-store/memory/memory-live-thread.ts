/**
 * A thread in memory while somebody writes to it.
 */
import type { ThreadId } from '../../base/ids.js';
import { isPersisted, type WrittenDialect } from '../../protocol/persistence.js';
import type { RolloutItem } from '../../protocol/rollout-line.js';
import { checkTurn, closedError } from '../checked.js';
import type { HistoryResult, ReadOptions } from '../session-reader.js';
import type { Appended, LiveThread, RolledBack } from '../thread-store.js';
import { historyOf, type MemoryLog, turnsOf } from './memory-log.js';
import type { MemoryThread } from './memory-thread-store.js';

export interface MemoryLiveThreadOptions {
  /** ISO 8601 of now. */
  readonly timestamp: () => string;
  readonly onClosed: () => void;
}

export class MemoryLiveThread implements LiveThread {
  readonly id: ThreadId;
  readonly dialect: WrittenDialect;
  readonly path = undefined;
  readonly #thread: MemoryThread;
  readonly #options: MemoryLiveThreadOptions;
  #closed = false;

  constructor(thread: MemoryThread, options: MemoryLiveThreadOptions) {
    this.#thread = thread;
    this.#options = options;
    this.id = thread.id;
    this.dialect = this.#head.dialect;
  }

  async append(items: readonly RolloutItem[]): Promise<Appended> {
    const head = this.#openHead();
    if (items.length === 0) return { records: 0 };
    const kept = head.lines.length > 0 || items.some((item) => isPersisted(item, head.dialect));
    return { records: kept ? head.append(items, this.#options.timestamp()) : 0 };
  }

  async persist(): Promise<void> {
    const head = this.#openHead();
    if (head.lines.length === 0) head.append([], this.#options.timestamp());
  }

  async flush(): Promise<void> {
    this.#openHead();
  }

  async history({ signal }: ReadOptions = {}): Promise<HistoryResult> {
    signal?.throwIfAborted();
    return { threadId: this.id, items: historyOf(this.#openHead()).items, damage: [] };
  }

  async rollback(turns: number): Promise<RolledBack> {
    checkTurn(turns);
    const head = this.#openHead();
    const { taken } = turnsOf(head).rollbackOf(turns);
    if (taken === 0) return { turns: 0 };
    const marker = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: taken } } as const;
    head.append([marker], this.#options.timestamp());
    return { turns: taken };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onClosed();
  }

  discard(): Promise<void> {
    return this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #head(): MemoryLog {
    const head = this.#thread.logs.at(-1);
    if (head === undefined) throw new TypeError('A thread has at least one log');
    return head;
  }

  #openHead(): MemoryLog {
    if (this.#closed) throw closedError(this.id);
    return this.#head;
  }
}
