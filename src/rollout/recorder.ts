/**
 * Writes one log: what the policy keeps, a line at a time, behind what is there.
 *
 * Queued (in memory), written (handed to the system in one write, line feed included; survives this process), synced
 * (survives a power cut). Laws: what was acknowledged is on disk and stays; a line is whole or is finished by the next try;
 * the first line is the session_meta; nothing is written behind what somebody else did. A log is made only when there is
 * something to write. Calls are served in order. Whoever makes a recorder holds the writer lock of the thread.
 */
import { CodicilError } from '../base/errors.js';
import { parseThreadId, type ThreadId } from '../base/ids.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import { nodeAppendFiles } from '../platform/files/node-append-file.js';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import { withCappedOutput } from '../protocol/persisted-output.js';
import { isPersisted, type WrittenDialect } from '../protocol/persistence.js';
import type { RolloutItem } from '../protocol/rollout-line.js';
import { isCompressed } from './byte-feed.js';
import {
  AppendFailedError,
  LogChangedError,
  OrdinalOverflowError,
  SyncFailedError,
  UnsupportedError,
} from './errors.js';
import { LineEncoder, type PendingRecord, pendingRecord } from './line-encoder.js';
import { LogFile } from './log-file.js';
import { readBeginning, readTail } from './log-tail.js';
import type { Appended, CreateRecorder, RecorderOptions, ResumeRecorder } from './recorder-options.js';
import { SyncGroup } from './sync-group.js';

export type { Appended, CreateRecorder, Durability, RecorderOptions, ResumeRecorder } from './recorder-options.js';

/** Calls whose records wait for a disk that takes them; later ones are refused. As many as the real client queues. */
export const MAX_WAITING_CALLS = 256;

export class RolloutRecorder implements AsyncDisposable {
  readonly #options: RecorderOptions;
  readonly #files: FileSystem;
  readonly #threadId: ThreadId | undefined;
  readonly #encoder: LineEncoder;
  readonly #log: LogFile;
  readonly #group: SyncGroup;
  #dialect: WrittenDialect;
  /** Of the record that comes next; only in `paginated`. */
  #nextOrdinal: number | undefined;
  /** Physical lines before those that the log file counts; undefined: not known. */
  #linesBefore: number | undefined;
  /** Taken, not written: first those of calls that failed. */
  #pending: PendingRecord[] = [];
  #waitingCalls = 0;
  /** Nothing but the first record waits. */
  #deferred: boolean;
  /** Somebody else wrote, and the end could not be read again yet. */
  #stale = false;
  #state: 'open' | 'closing' | 'closed' = 'open';

  private constructor(
    options: RecorderOptions,
    start: {
      readonly dialect: WrittenDialect;
      readonly nextOrdinal: number | undefined;
      readonly end: { readonly sizeBytes: number; readonly endsLine: boolean } | undefined;
      readonly lines: number | undefined;
      readonly threadId: ThreadId | undefined;
      readonly meta?: PendingRecord;
    },
  ) {
    this.#options = options;
    this.#files = options.files ?? nodeFileSystem;
    this.#encoder = new LineEncoder(options.nowMs);
    this.#dialect = start.dialect;
    this.#nextOrdinal = start.nextOrdinal;
    this.#linesBefore = start.lines;
    this.#threadId = start.threadId;
    this.#deferred = start.meta !== undefined;
    if (start.meta !== undefined) this.#pending.push(start.meta);
    this.#log = new LogFile(options.path, start.end, {
      files: this.#files,
      appendFiles: options.appendFiles ?? nodeAppendFiles,
      access: options.foreign === true ? 'shared' : 'private',
    });
    this.#group = new SyncGroup(
      () => this.#log.sync(),
      (cause) => new SyncFailedError(options.path, cause),
    );
  }

  /** A new log, of which nothing is on disk before there is something to write. Throws TypeError for a meta that contradicts. */
  static create(options: CreateRecorder): RolloutRecorder {
    const { meta, dialect, firstOrdinal = 0 } = options;
    if ((meta.history_mode ?? 'legacy') !== dialect) {
      throw new TypeError(`A ${dialect} log cannot begin with the history mode ${JSON.stringify(meta.history_mode)}`);
    }
    return new RolloutRecorder(options, {
      dialect,
      nextOrdinal: dialect === 'paginated' ? firstOrdinal : undefined,
      end: undefined,
      lines: 0,
      threadId: parseThreadId(meta.id),
      meta: pendingRecord({ type: 'session_meta', payload: meta }),
    });
  }

  /**
   * Goes on with a log in its own dialect. Changes nothing yet but a compressed log, which becomes plain. Rejects with
   * DamagedError (it does not begin with the session_meta of this thread; its newest record lacks an ordinal),
   * UnsupportedError (a bare log, an unknown history mode), and the system's error when it cannot be read and written.
   */
  static async resume(options: ResumeRecorder): Promise<RolloutRecorder> {
    let { path } = options;
    if (isCompressed(path)) {
      if (options.decompress === undefined) {
        throw new UnsupportedError(`Cannot append to ${JSON.stringify(path)}: it is compressed`, { path });
      }
      path = await options.decompress(path);
    }
    const files = options.files ?? nodeFileSystem;
    const { dialect } = readBeginning(path, options.threadId, files);
    const tail = readTail(path, dialect, files);
    const recorder = new RolloutRecorder(
      { ...options, path },
      { dialect, nextOrdinal: tail.nextOrdinal, end: tail, lines: options.lines, threadId: options.threadId },
    );
    recorder.#log.open();
    return recorder;
  }

  /** Absolute path of the log, which may not exist yet. */
  get path(): string {
    return this.#log.path;
  }

  get dialect(): WrittenDialect {
    return this.#dialect;
  }

  /** False as long as nothing of a new log is on disk. */
  get exists(): boolean {
    return this.#log.sizeBytes > 0;
  }

  /** Bytes of the log, as far as this writer knows. */
  get sizeBytes(): number {
    return this.#log.sizeBytes;
  }

  /**
   * Writes what the dialect keeps of the items, in order, and resolves when it is as durable as `durability` says. With
   * `written` it is written when the call returns. Rejects with AppendFailedError (its records wait, and the next call, a
   * flush or a close tries them first, so they are not to be given again; `kept` false: they do not), LogChangedError (they
   * do not wait), SyncFailedError (for good), OrdinalOverflowError, TypeError for what is no JSON (nothing was taken).
   */
  append(items: readonly RolloutItem[]): Promise<Appended> {
    try {
      this.#mustBeOpen();
      const records: PendingRecord[] = [];
      for (const item of items)
        if (isPersisted(item, this.#dialect)) records.push(pendingRecord(withCappedOutput(item)));
      if (records.length === 0) return Promise.resolve(this.#nothing());
      if (this.#options.durability === 'synced') return this.#group.commit(() => this.#write(records));
      return Promise.resolve(this.#write(records));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Makes the log exist, with its first record at least, as durable as `durability` says. Safe to repeat. */
  async persist(): Promise<void> {
    this.#mustBeOpen();
    if (this.#options.durability === 'synced') await this.#group.commit(() => this.#write([]));
    else this.#write([]);
  }

  /** Resolves when everything that was taken survives a power cut. A new log without a record stays unwritten. */
  async flush(): Promise<void> {
    this.#mustBeOpen();
    if (this.#deferred) return;
    await this.#group.commit(() => this.#write([]));
  }

  /**
   * Writes what waits and lets go of the file; a new log without a record stays unwritten. Rejects when that fails: then the
   * recorder stays open, and may be closed again or discarded. Safe to repeat.
   */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#mustBeOpen();
    this.#state = 'closing';
    try {
      if (!this.#deferred) {
        if (this.#options.durability === 'synced') await this.#group.commit(() => this.#write([]));
        else if (this.#pending.length > 0) this.#write([]);
      }
    } catch (error) {
      this.#state = 'open';
      throw error;
    }
    await this.discard();
  }

  /** Lets go of the file; what was not written is given up, what was written stays. Safe to repeat. */
  async discard(): Promise<void> {
    this.#state = 'closed';
    this.#pending = [];
    await this.#group.idle();
    this.#log.drop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #nothing(): Appended {
    return { records: 0, byteOffset: this.#log.sizeBytes, bytes: 0, firstLine: undefined };
  }

  #mustBeOpen(): void {
    if (this.#group.failure !== undefined && this.#state !== 'closed') throw this.#group.failure;
    if (this.#state === 'open') return;
    throw new CodicilError('recorder-closed', `Cannot write to ${JSON.stringify(this.path)}: its writer was closed`, {
      path: this.path,
      hint: 'Resume the thread to write to it again.',
    });
  }

  /** Writes what waits, then these. */
  #write(records: readonly PendingRecord[]): Appended {
    if (this.#stale) this.#readAgain();
    this.#deferred = false;
    const ownFrom = this.#pending.length;
    for (const record of records) this.#pending.push(record);
    let place: Place | undefined;
    try {
      place = this.#drain(ownFrom);
    } catch (error) {
      throw this.#failed(error, Math.min(records.length, this.#pending.length));
    }
    this.#waitingCalls = 0;
    if (place === undefined) return this.#nothing();
    return {
      records: records.length,
      byteOffset: place.byteOffset,
      bytes: this.#log.sizeBytes - place.byteOffset,
      firstLine: this.#linesBefore === undefined ? undefined : this.#linesBefore + place.line,
    };
  }

  /** Writes all that waits; a refused write is tried once more on a log that was opened anew. Returns where record `ownFrom` is. */
  #drain(ownFrom: number): Place | undefined {
    let place: Place | undefined;
    let written = 0;
    const note = (): void => {
      written += 1;
      if (this.#nextOrdinal !== undefined) this.#nextOrdinal += 1;
    };
    const writeAll = (): void => {
      if (this.#log.prepare()) note();
      for (let record = this.#pending[written]; record !== undefined; record = this.#pending[written]) {
        if (this.#nextOrdinal !== undefined && this.#nextOrdinal >= Number.MAX_SAFE_INTEGER) {
          throw new OrdinalOverflowError(this.path);
        }
        if (written === ownFrom) place ??= { byteOffset: this.#log.sizeBytes, line: this.#log.linesEnded + 1 };
        const { bytes, length } = this.#encoder.encode(record, this.#nextOrdinal);
        this.#log.writeLine(bytes, length);
        note();
      }
    };
    try {
      try {
        writeAll();
      } catch (error) {
        if (error instanceof CodicilError) throw error;
        this.#log.drop();
        writeAll();
      }
    } finally {
      if (written === this.#pending.length) this.#pending = [];
      else this.#pending.splice(0, written);
    }
    return place;
  }

  /** What a failed call is told; decides what becomes of the last `own` records that wait, which are its own. */
  #failed(cause: unknown, own: number): unknown {
    if (cause instanceof CodicilError) {
      this.#pending.splice(this.#pending.length - own, own);
      if (cause instanceof LogChangedError) this.#noticeChange(cause);
      return cause;
    }
    this.#log.drop();
    const kept = this.#waitingCalls < MAX_WAITING_CALLS;
    if (!kept) this.#pending.splice(this.#pending.length - own, own);
    else if (own > 0) this.#waitingCalls += 1;
    return new AppendFailedError(this.path, { waiting: this.#pending.length, kept, cause });
  }

  #noticeChange(change: LogChangedError): void {
    this.#stale = true;
    this.#options.onLogChanged?.(change);
    try {
      this.#readAgain();
    } catch {
      // It cannot be gone on with as it is: the next call reads it again, and says why.
    }
  }

  /** Takes the log as somebody else left it: another size, other records, another dialect. */
  #readAgain(): void {
    try {
      const { dialect } = readBeginning(this.path, this.#threadId, this.#files);
      const tail = readTail(this.path, dialect, this.#files);
      this.#dialect = dialect;
      this.#nextOrdinal = tail.nextOrdinal;
      this.#linesBefore = undefined;
      this.#log.accept(tail);
      this.#stale = false;
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT') throw error;
      throw new LogChangedError(this.path, this.#log.sizeBytes, undefined);
    }
  }
}

/** Where the first record of a call is. */
interface Place {
  readonly byteOffset: number;
  /** Counted from what this writer added. */
  readonly line: number;
}
