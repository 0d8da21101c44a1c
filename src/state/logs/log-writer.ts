/**
 * Takes log entries off the hot path: `log` only puts one into a bounded queue, and what writes it runs later, in batches.
 * Never throws into its caller and never makes it wait. What does not fit, or cannot be written, is dropped, and the log
 * says how much.
 *
 * Invariant: a message is masked, then cut, then stored; one that cannot be masked is not stored.
 */
import { type LogEntry, type LogLevel, type LogRecord, type LogThreshold, levelsFrom } from './log-entry.js';
import type { LogStore } from './log-store.js';

/** Runs `work` after `delayMs`; the answer takes that back. */
export type LogTimer = (work: () => void, delayMs: number) => () => void;

export interface LogWriterOptions {
  readonly store: LogStore;
  readonly level: LogThreshold;
  /** Takes the secrets out of a message; asked when a batch is written. */
  readonly mask: (text: string) => string | Promise<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** As in `LogRecord`. */
  readonly processId: string;
  readonly timer: LogTimer;
}

/** Entries that wait; one more is dropped. */
const LOG_QUEUE_ENTRIES = 512;
/** Entries that one transaction writes. */
const LOG_BATCH_ENTRIES = 128;
/** How long an entry waits for others. */
const LOG_FLUSH_INTERVAL_MS = 2_000;
/** UTF-16 units of a message; what is over is cut. */
export const LOG_MESSAGE_CHARS = 64 * 1024;

interface Dropped {
  /** The queue was full. */
  readonly overflow: number;
  /** The store did not take them. */
  readonly unwritten: number;
}

const NONE: Dropped = { overflow: 0, unwritten: 0 };

export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #levels: ReadonlySet<LogLevel>;
  readonly #queue: LogRecord[] = [];
  /** Dropped and not yet told. */
  #dropped: Dropped = NONE;
  #droppedTotal = 0;
  #scheduled: { readonly delayMs: number; readonly cancel: () => void } | undefined;
  #draining: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#levels = new Set(levelsFrom(options.level));
  }

  /** Entries that were dropped so far, for whatever reason. */
  get droppedTotal(): number {
    return this.#droppedTotal;
  }

  /** Whether an entry of this level would be kept: for a message that is costly to make. */
  enabled(level: LogLevel): boolean {
    return this.#closing === undefined && this.#levels.has(level);
  }

  /** Queues an entry; one below the level, and any after close, is left out without being counted. */
  log(entry: LogEntry): void {
    if (!this.enabled(entry.level)) return;
    if (this.#queue.length >= LOG_QUEUE_ENTRIES) {
      this.#countDropped({ overflow: 1, unwritten: 0 });
      return;
    }
    this.#queue.push(this.#record(entry));
    this.#schedule(this.#queue.length >= LOG_BATCH_ENTRIES ? 0 : LOG_FLUSH_INTERVAL_MS);
  }

  /** Resolves when every entry accepted before it was written, or dropped because it could not be. Never rejects. */
  async flush(): Promise<void> {
    // A drain that runs took its last look at the queue perhaps before these entries came.
    await this.#draining;
    await this.#drain();
  }

  /** Takes nothing more, flushes and closes the store. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.flush();
    try {
      await this.#options.store.close();
    } catch {
      // Whatever closing a log meets: the work that it tells of is done.
    }
  }

  #schedule(delayMs: number): void {
    if (this.#scheduled !== undefined) {
      if (this.#scheduled.delayMs <= delayMs) return;
      this.#scheduled.cancel();
    }
    const cancel = this.#options.timer(() => {
      this.#scheduled = undefined;
      // Never rejects, and close() waits for it.
      void this.#drain();
    }, delayMs);
    this.#scheduled = { delayMs, cancel };
  }

  #drain(): Promise<void> {
    this.#scheduled?.cancel();
    this.#scheduled = undefined;
    this.#draining ??= this.#writeAll().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  /** Empties the queue, batch by batch; then tells what was dropped. */
  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0 || this.#dropped !== NONE) {
      const batch = this.#queue.splice(0, LOG_BATCH_ENTRIES);
      const told = this.#dropped;
      this.#dropped = NONE;
      const report = told === NONE ? [] : [this.#record({ level: 'warn', target: 'log', message: droppedText(told) })];
      if (await this.#write([...batch, ...report])) continue;
      // What the lost report would have told is still to be told.
      this.#droppedTotal -= told.overflow + told.unwritten;
      this.#countDropped({ ...told, unwritten: told.unwritten + batch.length });
      // With nothing left but the report, another try would end the same way.
      if (this.#queue.length === 0) return;
    }
  }

  async #write(records: readonly LogRecord[]): Promise<boolean> {
    try {
      const masked: LogRecord[] = [];
      for (const record of records) masked.push(await this.#masked(record));
      return await this.#options.store.write(masked);
    } catch {
      return false; // whatever the store met: the entries are counted as dropped
    }
  }

  #countDropped({ overflow, unwritten }: Dropped): void {
    this.#droppedTotal += overflow + unwritten;
    this.#dropped = {
      overflow: this.#dropped.overflow + overflow,
      unwritten: this.#dropped.unwritten + unwritten,
    };
  }

  #record(entry: LogEntry): LogRecord {
    return { ...entry, atMs: this.#options.now(), processId: this.#options.processId };
  }

  async #masked(record: LogRecord): Promise<LogRecord> {
    return { ...record, message: clip(await this.#maskedText(record.message)) };
  }

  async #maskedText(text: string): Promise<string> {
    try {
      return await this.#options.mask(text);
    } catch {
      return '(a message that could not be masked)';
    }
  }
}

function droppedText({ overflow, unwritten }: Dropped): string {
  const reasons = [
    ...(overflow > 0 ? [`${overflow} because the queue was full`] : []),
    ...(unwritten > 0 ? [`${unwritten} because they could not be written`] : []),
  ];
  return `Log entries were dropped: ${reasons.join(', ')}`;
}

function clip(text: string): string {
  if (text.length <= LOG_MESSAGE_CHARS) return text;
  const end = isHighSurrogate(text.charCodeAt(LOG_MESSAGE_CHARS - 1)) ? LOG_MESSAGE_CHARS - 1 : LOG_MESSAGE_CHARS;
  return `${text.slice(0, end)}… (cut from ${text.length} characters)`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
