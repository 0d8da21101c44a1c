/**
 * Reads the lines of a plain rollout from its end backwards, newest first.
 *
 * Blocks of 256 KiB; a line over many blocks is joined once. Where a whole block is NULs (a hole that a crash left), the
 * line behind it ends there, so that a hole of any size in front of the wanted line costs nothing.
 * Lines are not counted from this side: only offsets are known. Compressed rollouts can only be read forwards.
 */
import { CodicilError } from '../base/errors.js';
import { CR, type FramedLine, LF, MAX_LINE_BYTES, OVERSIZE_HEAD_BYTES } from '../base/jsonl.js';
import type { FileSystem, RegularFile } from '../platform/files/file-system.js';
import { isCompressed } from './byte-feed.js';

const BLOCK_BYTES = 256 * 1024;

/** A line read backwards: as framed forwards, but `lineNumber` is 0. Its bytes are valid until the next line is asked for. */
export type ReverseLine = FramedLine;

export interface ReverseOptions {
  readonly files: FileSystem;
  /** Lines that end behind this are not given; default (and null): the end of the file. */
  readonly endByteOffset?: number | null;
  readonly blockBytes?: number;
  readonly maxLineBytes?: number;
  readonly signal?: AbortSignal;
}

/** Yields lines newest first; empty physical lines are left out. Rejects for a compressed file. */
export async function* readLinesReverse(path: string, options: ReverseOptions): AsyncGenerator<ReverseLine, void> {
  for await (const lines of readBlocksReverse(path, options)) yield* lines;
}

/**
 * As `readLinesReverse`, the lines of one block at a time, so that a consumer waits once a block and not once a line.
 * The lines of a block must be taken before the next block is asked for.
 */
export async function* readBlocksReverse(
  path: string,
  options: ReverseOptions,
): AsyncGenerator<Iterable<ReverseLine>, void> {
  options.signal?.throwIfAborted();
  mustBePlain(path);
  const file = await options.files.openRegular(path, options);
  try {
    const framer = new ReverseFramer(path, file, options);
    for (;;) {
      yield framer.lines();
      const block = framer.wanted();
      if (block === undefined) return;
      options.signal?.throwIfAborted();
      framer.take(block.bytes.subarray(0, await file.read(block.bytes, block.position)));
    }
  } finally {
    await file.close();
  }
}

/** As `readLinesReverse`, without awaiting. Only for files in a folder that has just answered. */
export function* readLinesReverseSync(
  path: string,
  options: Omit<ReverseOptions, 'signal'>,
): Generator<ReverseLine, void> {
  mustBePlain(path);
  const file = options.files.openRegularSync(path);
  try {
    const framer = new ReverseFramer(path, file, options);
    for (;;) {
      yield* framer.lines();
      const block = framer.wanted();
      if (block === undefined) return;
      framer.take(block.bytes.subarray(0, file.readSync(block.bytes, block.position)));
    }
  } finally {
    file.closeSync();
  }
}

function mustBePlain(path: string): void {
  if (isCompressed(path)) throw new TypeError(`Cannot read ${JSON.stringify(path)} backwards: it is compressed`);
}

/** Finds line ends from the right. `lines` gives those of the block at hand, `wanted` says which block comes next. */
class ReverseFramer {
  readonly #blockBytes: number;
  /** One for all blocks: what a line needs of an older one is copied. */
  readonly #buffer: Buffer;
  readonly #maxLineBytes: number;
  readonly #zeros: Buffer;
  readonly #path: string;
  /** File offset where the block at hand begins. */
  #position: number;
  #block: Buffer = Buffer.alloc(0);
  /** End of what has not been looked at in the block. */
  #edge = 0;
  /** What is already known of the line that the block ends in, newest part first. */
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** Bytes of that line that were let go because it is too long. */
  #droppedBytes = 0;
  /** Whether that line has a line feed behind it. */
  #terminated = false;
  /** Where the next line forwards begins. */
  #nextOffset: number;

  constructor(path: string, file: RegularFile, options: Omit<ReverseOptions, 'signal' | 'files'>) {
    this.#path = path;
    this.#blockBytes = options.blockBytes ?? BLOCK_BYTES;
    this.#maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
    this.#zeros = Buffer.alloc(this.#blockBytes);
    this.#buffer = Buffer.allocUnsafeSlow(this.#blockBytes);
    this.#position = Math.min(options.endByteOffset ?? file.stat.sizeBytes, file.stat.sizeBytes);
    this.#nextOffset = this.#position;
  }

  /** The next block to read; undefined at the beginning of the file. */
  wanted(): { readonly bytes: Buffer; readonly position: number } | undefined {
    if (this.#position === 0) return undefined;
    const size = Math.min(this.#blockBytes, this.#position);
    return { bytes: this.#buffer.subarray(0, size), position: this.#position - size };
  }

  take(block: Buffer): void {
    const expected = Math.min(this.#blockBytes, this.#position);
    if (block.length < expected) {
      // The file was cut while it was read: what is behind the cut is gone.
      throw new CodicilError('rollout-shrank', 'Cannot read on backwards: the file became shorter', {
        path: this.#path,
      });
    }
    this.#position -= expected;
    this.#block = block;
    this.#edge = block.length;
  }

  *lines(): Generator<ReverseLine, void> {
    for (let line = this.#next(); line !== undefined; line = this.#next()) yield line;
  }

  #next(): ReverseLine | undefined {
    while (this.#edge > 0) {
      if (this.#isHole()) {
        const line = this.#finish(this.#edge);
        this.#edge = 0;
        this.#nextOffset = this.#position;
        this.#terminated = false;
        if (line !== undefined) return line;
        break;
      }
      const lineFeed = this.#block.lastIndexOf(LF, this.#edge - 1);
      if (lineFeed === -1) {
        this.#keep(Buffer.from(this.#block.subarray(0, this.#edge)));
        this.#edge = 0;
        break;
      }
      const whole = this.#tailBytes + this.#droppedBytes === 0;
      const line = whole ? this.#lineInBlock(lineFeed + 1) : this.#finish(lineFeed + 1);
      this.#edge = lineFeed;
      this.#terminated = true;
      this.#nextOffset = this.#position + lineFeed + 1;
      if (line !== undefined) return line;
    }
    return this.#position === 0 ? this.#finish(0) : undefined;
  }

  #isHole(): boolean {
    const block = this.#block;
    if (this.#edge !== block.length || block.length !== this.#blockBytes) return false;
    return block[0] === 0 && block[block.length - 1] === 0 && block.equals(this.#zeros);
  }

  /** Puts a part in front of the line that is being collected. */
  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#tail.push(part);
    this.#tailBytes += part.length;
    if (this.#tailBytes + this.#droppedBytes <= this.#maxLineBytes) return;
    // Only the part that holds the beginning can be of use: it is the newest one kept.
    this.#droppedBytes += this.#tailBytes - part.length;
    this.#tail = [part];
    this.#tailBytes = part.length;
  }

  /** The line whose first part begins at index `from` of the block and ends at the edge, plus what was kept. */
  #finish(from: number): ReverseLine | undefined {
    if (this.#edge > from) this.#keep(Buffer.from(this.#block.subarray(from, this.#edge)));
    const parts = this.#tail;
    const dropped = this.#droppedBytes;
    const total = this.#tailBytes + dropped;
    this.#tail = [];
    this.#tailBytes = 0;
    this.#droppedBytes = 0;
    if (total === 0) return undefined;
    const bytes = parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts.reverse());
    return dropped > 0 ? this.#long(bytes, total) : this.#framed(bytes, 0, bytes.length, total);
  }

  /** A line that lies in the block as a whole, which nearly all do. */
  #lineInBlock(from: number): ReverseLine | undefined {
    const total = this.#edge - from;
    return total === 0 ? undefined : this.#framed(this.#block, from, this.#edge, total);
  }

  #long(part: Buffer, total: number): ReverseLine {
    const lineOffset = this.#lineOffset(total);
    return {
      bytes: part,
      start: 0,
      end: Math.min(part.length, OVERSIZE_HEAD_BYTES),
      lineNumber: 0,
      lineOffset,
      byteOffset: lineOffset,
      byteLength: total,
      nextOffset: this.#nextOffset,
      terminated: this.#terminated,
      bom: false,
      nulBytes: 0,
      oversize: true,
    };
  }

  #lineOffset(total: number): number {
    return this.#nextOffset - (this.#terminated ? 1 : 0) - total;
  }

  /** The line whose `total` bytes stand at `from` to `to`, without what does not belong to its content. */
  #framed(bytes: Buffer, from: number, to: number, total: number): ReverseLine {
    const lineOffset = this.#lineOffset(total);
    let start = from;
    const bom = lineOffset === 0 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf;
    if (bom) start += 3;
    let end = to;
    if (end > start && bytes[end - 1] === CR) end -= 1;
    let nulBytes = 0;
    for (; start < end && bytes[start] === 0; start += 1) nulBytes += 1;
    for (; end > start && bytes[end - 1] === 0; end -= 1) nulBytes += 1;
    return {
      bytes,
      start,
      end,
      lineNumber: 0,
      lineOffset,
      byteOffset: lineOffset + start - from,
      byteLength: end - start,
      nextOffset: this.#nextOffset,
      terminated: this.#terminated,
      bom,
      nulBytes,
      oversize: false,
    };
  }
}
