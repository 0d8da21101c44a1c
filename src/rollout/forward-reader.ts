/**
 * Reads a rollout from an offset on, batch by batch: records, damage and unknown types in file order.
 *
 * One core for reading with and without awaiting. Lines that the caller does not want are not parsed, only counted.
 * Memory is one window and the records of one window; a log of any size can be read. Nothing is dropped unreported:
 * what is neither a record nor blank nor unwanted is in `damage` or `unknown`.
 */
import { type FramedLine, isBlank, LineFramer } from '../base/jsonl.js';
import type { FileSystem } from '../platform/files/file-system.js';
import type { LineShape } from '../protocol/decode-line.js';
import type { Dialect } from '../protocol/rollout-line.js';
import { allocateWindow, type FeedRange, openFeed, openFeedSync } from './byte-feed.js';
import type { Damage, UnknownType } from './damage.js';
import { GluedLines } from './glued-lines.js';
import { type LineHeader, readHeader } from './header.js';
import { loadBytes, loadBytesSync } from './load-line.js';
import {
  emptyContents,
  FileTraits,
  MAX_PARSED_BYTES,
  notePadding,
  type RolloutRecord,
  readLine,
  tooLong,
  type ValueObserver,
} from './records.js';

const WINDOW_BYTES = 1024 * 1024;
const LEAST_WINDOW_BYTES = 16 * 1024;

export interface ReadRecordsOptions {
  readonly files: FileSystem;
  /** Where to begin: the start of a line; default 0. */
  readonly startByteOffset?: number;
  /** Number of the line that begins there; default 1. */
  readonly startLineNumber?: number;
  /** Where to end; default (and null): the end that the file had when it was opened. */
  readonly endByteOffset?: number | null;
  /** What is already known when reading does not begin at the start of the file. */
  readonly dialect?: Dialect;
  /** Which lines are parsed. Lines whose header cannot be read without parsing are always given. */
  readonly want?: (header: LineHeader) => boolean;
  /** Sees every value that was parsed, in file order. */
  readonly observe?: ValueObserver;
  /** Bytes on disk: read so far, and how many there are. */
  readonly onProgress?: (readBytes: number, sizeBytes: number) => void;
  readonly signal?: AbortSignal;
}

/** What one window held. The last batch describes the whole file; an empty file gives one empty batch. */
export interface RecordBatch {
  readonly records: readonly RolloutRecord[];
  readonly damage: readonly Damage[];
  readonly unknown: readonly UnknownType[];
  /** Number of the last physical line so far. */
  readonly lines: number;
  /** Where the next line begins. */
  readonly nextByteOffset: number;
  /** Undefined until the first value was seen. */
  readonly shape: LineShape | undefined;
  /** Undefined until the first record was seen. */
  readonly dialect: Dialect | undefined;
  /** Only meaningful in the last batch: the last line is cut and does not parse. */
  readonly tornTail: boolean;
  /** Only meaningful in the last batch: false when the file does not end with a line feed (nor is empty). */
  readonly terminated: boolean;
  readonly last: boolean;
}

/** Yields batches; the last one has `last` true. Rejects when the file cannot be opened or read. */
export async function* readRecords(path: string, options: ReadRecordsOptions): AsyncGenerator<RecordBatch, void> {
  const { files, signal } = options;
  signal?.throwIfAborted();
  const feed = await openFeed(path, files, feedRange(options), options);
  try {
    const scan = new RecordScan(options, feed.sizeBytes);
    for (let more = true; more; ) {
      signal?.throwIfAborted();
      more = await feed.fill(scan.framer);
      if (!more) scan.finish(feed.problem);
      for (let pause = scan.drain(); pause !== undefined; pause = scan.drain()) {
        if (pause === 'full') yield scan.batch(false);
        else scan.readLong(await loadBytes(path, pause, options));
      }
      options.onProgress?.(feed.readBytes, feed.sizeBytes);
      if (scan.hasNews || !more) yield scan.batch(!more);
    }
  } finally {
    await feed.close();
  }
}

/** As `readRecords`, without awaiting, for worker threads. */
export function* readRecordsSync(
  path: string,
  options: Omit<ReadRecordsOptions, 'signal'>,
): Generator<RecordBatch, void> {
  const feed = openFeedSync(path, options.files, feedRange(options));
  try {
    const scan = new RecordScan(options, feed.sizeBytes);
    for (let more = true; more; ) {
      more = feed.fillSync(scan.framer);
      if (!more) scan.finish(feed.problem);
      for (let pause = scan.drain(); pause !== undefined; pause = scan.drain()) {
        if (pause === 'full') yield scan.batch(false);
        else scan.readLong(loadBytesSync(path, pause, options.files));
      }
      options.onProgress?.(feed.readBytes, feed.sizeBytes);
      if (scan.hasNews || !more) yield scan.batch(!more);
    }
  } finally {
    feed.closeSync();
  }
}

function feedRange(options: ReadRecordsOptions): FeedRange {
  return { start: options.startByteOffset ?? 0, end: options.endByteOffset ?? undefined };
}

/** Entries of a batch, about: one line may add more. */
const MAX_BATCH_ENTRIES = 8_192;

interface LongLine {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** The core: takes bytes through its framer, gives batches. Asks its driver to load lines that are too long for the window. */
class RecordScan {
  readonly framer: LineFramer;
  readonly #traits: FileTraits;
  readonly #glued = new GluedLines();
  readonly #want: ((header: LineHeader) => boolean) | undefined;
  readonly #observe: ValueObserver | undefined;
  #contents = emptyContents();
  #lines: number;
  #nextByteOffset: number;
  #terminated = true;
  #tornTail = false;
  #long: FramedLine | undefined;
  #problem: string | undefined;

  constructor(options: Omit<ReadRecordsOptions, 'files' | 'signal'>, sizeBytes: number) {
    const { startByteOffset = 0, startLineNumber = 1, dialect } = options;
    this.framer = new LineFramer({
      byteOffset: startByteOffset,
      lineNumber: startLineNumber,
      // A home is thousands of small files: a full window for each would cost more than reading it.
      windowBytes: Math.max(LEAST_WINDOW_BYTES, Math.min(WINDOW_BYTES, sizeBytes)),
      allocate: allocateWindow,
    });
    this.#traits = new FileTraits(dialect === undefined ? {} : { dialect });
    this.#want = options.want;
    this.#observe = options.observe;
    this.#lines = startLineNumber - 1;
    this.#nextByteOffset = startByteOffset;
  }

  finish(problem: string | undefined): void {
    this.framer.finish();
    this.#problem = problem;
  }

  /**
   * Reads what the window holds. Returns before its end for a line that must be loaded and given to `readLong`, and
   * with `full` when a batch should be taken first.
   */
  drain(): LongLine | 'full' | undefined {
    for (;;) {
      if (this.#isFull) return 'full';
      const line = this.framer.next();
      if (line === undefined) return undefined;
      this.#lines = line.lineNumber;
      this.#nextByteOffset = line.nextOffset;
      this.#terminated = line.terminated;
      const interest = this.#interest(line);
      if (interest === 'unwanted') {
        notePadding(line, this.#contents);
      } else if (!line.oversize) {
        this.#read(line, interest === 'to-be-checked');
      } else if (line.byteLength > MAX_PARSED_BYTES) {
        this.#contents.damage.push(tooLong(line));
      } else {
        this.#long = line;
        return { byteOffset: line.byteOffset, byteLength: line.byteLength };
      }
    }
  }

  /** A window of the shortest lines would hold more findings than any other has records. */
  get #isFull(): boolean {
    const { records, damage, unknown } = this.#contents;
    return records.length + damage.length + unknown.length >= MAX_BATCH_ENTRIES;
  }

  readLong(bytes: Buffer): void {
    const line = this.#long;
    if (line === undefined) return;
    this.#long = undefined;
    this.#read({ ...line, bytes, start: 0, end: bytes.length, oversize: false }, true);
  }

  get hasNews(): boolean {
    const { records, damage, unknown } = this.#contents;
    return records.length + damage.length + unknown.length > 0;
  }

  batch(last: boolean): RecordBatch {
    const { records, damage, unknown } = this.#contents;
    if (last && this.#problem !== undefined) {
      const message = `Compressed data is damaged: ${this.#problem}`;
      damage.push({ line: this.#lines, byteOffset: this.framer.offset, kind: 'zstd', message, lost: true });
    }
    this.#contents = emptyContents();
    return {
      records,
      damage,
      unknown,
      lines: this.#lines,
      nextByteOffset: this.#nextByteOffset,
      shape: this.#traits.shape,
      dialect: this.#traits.dialect,
      tornTail: this.#tornTail,
      terminated: this.#terminated,
      last,
    };
  }

  /** Until the dialect is known, every line is parsed: the first record tells it. */
  #interest(line: FramedLine): 'wanted' | 'to-be-checked' | 'unwanted' {
    if (this.#want === undefined) return 'wanted';
    const shape = this.#traits.shape;
    if (shape === undefined || this.#traits.dialect === undefined) return 'to-be-checked';
    const header = readHeader(line.bytes, line.start, line.end, shape);
    if (header === undefined) return isBlank(line.bytes, line.start, line.end) ? 'unwanted' : 'wanted';
    if (this.#want(header)) return 'wanted';
    // An unfinished line must be parsed to tell whether it is cut.
    return !line.terminated || this.#glued.mayHoldMore(line, shape) ? 'to-be-checked' : 'unwanted';
  }

  #read(line: FramedLine, check: boolean): void {
    const contents = this.#contents;
    const damageBefore = contents.damage.length;
    const recordsBefore = contents.records.length;
    readLine(line, this.#traits, contents, this.#observe);
    if (!line.terminated) {
      this.#tornTail = contents.damage.slice(damageBefore).some((damage) => damage.kind === 'torn-tail');
    }
    const want = this.#want;
    if (want === undefined || (!check && contents.records.length - recordsBefore < 2)) return;
    // A header speaks for one record: those that were parsed along with a wanted one are asked for one by one.
    for (const record of contents.records.splice(recordsBefore)) {
      const start = line.start + record.byteOffset - line.byteOffset;
      const header = readHeader(line.bytes, start, start + record.byteLength, this.#traits.shape ?? 'envelope');
      if (header === undefined || want(header)) contents.records.push(record);
    }
  }
}
