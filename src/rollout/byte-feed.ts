/**
 * The bytes of a rollout, plain or compressed, from one offset to another, handed on window by window.
 *
 * Offsets are those of the decompressed file. Never holds more than one chunk. A compressed file that is damaged ends early
 * and says why; it does not throw.
 */
import type { DirectoryOptions, FileSystem, RegularFile } from '../platform/files/file-system.js';
import { decompressZstd, decompressZstdSync, type ZstdEnd } from '../platform/zstd/decompress.js';

export interface FeedRange {
  readonly start: number;
  /** Undefined: to the end, as it was when the file was opened. */
  readonly end: number | undefined;
}

/** What takes the bytes: a line framer, or anything that collects. */
export interface ByteSink {
  /** Room to write into, at least `least` bytes. */
  reserve(least: number): Uint8Array;
  /** Says how many bytes of it were written. */
  commit(count: number): void;
  /** Copies bytes in. */
  push(chunk: Uint8Array): void;
}

interface FeedState {
  /** Bytes read from disk so far, and how many there are: for progress. */
  readonly readBytes: number;
  readonly sizeBytes: number;
  /** Why compressed data ended early. */
  readonly problem: string | undefined;
}

/** `fill` writes the next bytes into the sink and resolves false when there are none. */
export interface ByteFeed extends FeedState {
  fill(sink: ByteSink): Promise<boolean>;
  close(): Promise<void>;
}

export interface SyncByteFeed extends FeedState {
  fillSync(sink: ByteSink): boolean;
  closeSync(): void;
}

const COMPRESSED_CHUNK_BYTES = 64 * 1024;
const LEAST_READ_BYTES = 64 * 1024;

/** By name, as Codex does. */
export function isCompressed(path: string): boolean {
  return path.endsWith('.zst');
}

/** A window whose `indexOf` is the fast one. */
export function allocateWindow(size: number): Uint8Array {
  return Buffer.allocUnsafeSlow(size);
}

export async function openFeed(
  path: string,
  files: FileSystem,
  range: FeedRange,
  options: DirectoryOptions = {},
): Promise<ByteFeed> {
  const file = await files.openRegular(path, options);
  return isCompressed(path) ? new ZstdFeed(file, range, options.signal) : new PlainFeed(file, range);
}

export function openFeedSync(path: string, files: FileSystem, range: FeedRange): SyncByteFeed {
  const file = files.openRegularSync(path);
  return isCompressed(path) ? new ZstdFeedSync(file, range) : new PlainFeed(file, range);
}

class PlainFeed implements ByteFeed, SyncByteFeed {
  readonly #file: RegularFile;
  readonly #end: number;
  readonly #start: number;
  #position: number;

  constructor(file: RegularFile, range: FeedRange) {
    this.#file = file;
    this.#start = range.start;
    this.#position = range.start;
    this.#end = Math.min(range.end ?? file.stat.sizeBytes, file.stat.sizeBytes);
  }

  get readBytes(): number {
    return this.#position - this.#start;
  }

  get sizeBytes(): number {
    return Math.max(0, this.#end - this.#start);
  }

  get problem(): undefined {
    return undefined;
  }

  async fill(sink: ByteSink): Promise<boolean> {
    const target = this.#target(sink);
    return this.#took(sink, target.length === 0 ? 0 : await this.#file.read(target, this.#position));
  }

  fillSync(sink: ByteSink): boolean {
    const target = this.#target(sink);
    return this.#took(sink, target.length === 0 ? 0 : this.#file.readSync(target, this.#position));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  closeSync(): void {
    this.#file.closeSync();
  }

  #target(sink: ByteSink): Uint8Array {
    const left = this.#end - this.#position;
    if (left <= 0) return new Uint8Array(0);
    return sink.reserve(Math.min(left, LEAST_READ_BYTES)).subarray(0, left);
  }

  #took(sink: ByteSink, count: number): boolean {
    if (count === 0) return false;
    sink.commit(count);
    this.#position += count;
    return true;
  }
}

/** Keeps the part of decompressed chunks that lies in a range. */
class RangeCut {
  readonly #range: FeedRange;
  #position = 0;

  constructor(range: FeedRange) {
    this.#range = range;
  }

  get done(): boolean {
    return this.#range.end !== undefined && this.#position >= this.#range.end;
  }

  cut(chunk: Uint8Array): Uint8Array {
    const from = Math.max(0, this.#range.start - this.#position);
    const to = this.#range.end === undefined ? chunk.length : Math.min(chunk.length, this.#range.end - this.#position);
    this.#position += chunk.length;
    return chunk.subarray(from, Math.max(from, to));
  }
}

class ZstdFeed implements ByteFeed {
  readonly #file: RegularFile;
  readonly #cut: RangeCut;
  readonly #output: AsyncGenerator<Uint8Array, ZstdEnd>;
  readBytes = 0;
  problem: string | undefined;

  constructor(file: RegularFile, range: FeedRange, signal: AbortSignal | undefined) {
    this.#file = file;
    this.#cut = new RangeCut(range);
    const inputBytes = file.stat.sizeBytes;
    this.#output = decompressZstd(this.#input(), { inputBytes, ...(signal !== undefined && { signal }) });
  }

  get sizeBytes(): number {
    return this.#file.stat.sizeBytes;
  }

  async fill(sink: ByteSink): Promise<boolean> {
    while (!this.#cut.done) {
      const step = await this.#output.next();
      if (step.done) {
        this.problem = step.value?.problem;
        return false;
      }
      const wanted = this.#cut.cut(step.value);
      if (wanted.length === 0) continue;
      sink.push(wanted);
      return true;
    }
    return false;
  }

  async close(): Promise<void> {
    // The generator never fails on return: it only closes its decoder.
    await this.#output.return({ outputBytes: 0, problem: undefined });
    await this.#file.close();
  }

  async *#input(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = new Uint8Array(COMPRESSED_CHUNK_BYTES);
      const count = await this.#file.read(chunk, this.readBytes);
      if (count === 0) return;
      this.readBytes += count;
      yield chunk.subarray(0, count);
    }
  }
}

class ZstdFeedSync implements SyncByteFeed {
  readonly #file: RegularFile;
  readonly #cut: RangeCut;
  readonly #output: Generator<Uint8Array, ZstdEnd>;
  readBytes = 0;
  problem: string | undefined;

  constructor(file: RegularFile, range: FeedRange) {
    this.#file = file;
    this.#cut = new RangeCut(range);
    this.#output = decompressZstdSync(this.#input(), { inputBytes: file.stat.sizeBytes });
  }

  get sizeBytes(): number {
    return this.#file.stat.sizeBytes;
  }

  fillSync(sink: ByteSink): boolean {
    while (!this.#cut.done) {
      const step = this.#output.next();
      if (step.done) {
        this.problem = step.value?.problem;
        return false;
      }
      const wanted = this.#cut.cut(step.value);
      if (wanted.length === 0) continue;
      sink.push(wanted);
      return true;
    }
    return false;
  }

  closeSync(): void {
    this.#output.return({ outputBytes: 0, problem: undefined });
    this.#file.closeSync();
  }

  *#input(): Generator<Uint8Array> {
    for (;;) {
      const chunk = new Uint8Array(COMPRESSED_CHUNK_BYTES);
      const count = this.#file.readSync(chunk, this.readBytes);
      if (count === 0) return;
      this.readBytes += count;
      yield chunk.subarray(0, count);
    }
  }
}
