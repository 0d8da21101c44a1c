/**
 * Line framing of JSON-lines files, on bytes, in one reused window.
 *
 * Owns what a line is: it ends at LF only (U+2028 is text); one CR before it, NULs around the content and a UTF-8 BOM
 * at offset 0 do not belong to the content. Never decodes, never parses, never reads a file.
 * Invariant: for any split of the input into chunks the lines are the same; memory is one line plus one window.
 */

/** A longer line is not kept: it is reported as a byte range with its beginning. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** How much of a line over the limit is kept, so that its header can be read. */
export const OVERSIZE_HEAD_BYTES = 64 * 1024;
const WINDOW_BYTES = 1024 * 1024;
/** A window that had to grow past this is given back as soon as the long line is done. */
const KEPT_WINDOW_BYTES = 8 * WINDOW_BYTES;
const LEAST_ROOM_BYTES = 64 * 1024;
export const LF = 10;
export const CR = 13;

/** One line as it stands in the window. The framer reuses the object and the bytes: both are valid until its next call. */
export interface FramedLine {
  /** Holds the content at `start` to `end`; when `oversize`, only its beginning. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** 1-based, of the physical line. */
  readonly lineNumber: number;
  /** Where the physical line begins: BOM and NULs included. */
  readonly lineOffset: number;
  /** Where the content begins. */
  readonly byteOffset: number;
  /** Length of the content; more than `end - start` only when `oversize`, and then with a CR or NULs at its end. */
  readonly byteLength: number;
  /** Where the next physical line begins. */
  readonly nextOffset: number;
  /** False for a last line without LF. */
  readonly terminated: boolean;
  readonly bom: boolean;
  /** NUL bytes that were left out around the content. */
  readonly nulBytes: number;
  readonly oversize: boolean;
}

/** The line that is all of `bytes`: a record that was read by itself, at its offset. `byteOffset`: where it stands in the file. */
export function wholeLine(bytes: Uint8Array, lineNumber: number, byteOffset: number): FramedLine {
  return {
    bytes,
    start: 0,
    end: bytes.length,
    lineNumber,
    lineOffset: byteOffset,
    byteOffset,
    byteLength: bytes.length,
    nextOffset: byteOffset + bytes.length,
    terminated: true,
    bom: false,
    nulBytes: 0,
    oversize: false,
  };
}

export interface LineFramerOptions {
  /** File offset of the first byte that will be given; default 0. */
  readonly byteOffset?: number;
  /** Number of the first line; default 1. */
  readonly lineNumber?: number;
  readonly maxLineBytes?: number;
  readonly windowBytes?: number;
  /** Makes the window; a caller with a faster `indexOf` than Uint8Array's passes its own kind. */
  readonly allocate?: (size: number) => Uint8Array;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Frames lines out of chunks: write into `reserve()`, `commit()`, then call `next()` until it has no more. */
export class LineFramer {
  readonly #allocate: (size: number) => Uint8Array;
  readonly #windowBytes: number;
  readonly #maxLineBytes: number;
  readonly #line: Mutable<FramedLine>;
  #buffer: Uint8Array;
  /** The filled part of the window. */
  #view: Uint8Array;
  /** File offset of index 0 of the window. */
  #base: number;
  /** Index of the first content byte of the current line. */
  #content = 0;
  /** Index from which no LF has been looked for yet. */
  #scan = 0;
  #fill = 0;
  #lineOffset: number;
  #lineNumber: number;
  #bom = false;
  #nulBytes = 0;
  /** Content of the current line that was let go because it is too long. */
  #droppedBytes = 0;
  #head: Uint8Array | undefined;
  #finished = false;

  constructor(options: LineFramerOptions = {}) {
    this.#allocate = options.allocate ?? ((size) => new Uint8Array(size));
    this.#windowBytes = options.windowBytes ?? WINDOW_BYTES;
    this.#maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
    this.#buffer = this.#allocate(this.#windowBytes);
    this.#view = this.#buffer.subarray(0, 0);
    this.#base = options.byteOffset ?? 0;
    this.#lineOffset = this.#base;
    this.#lineNumber = options.lineNumber ?? 1;
    this.#line = {
      bytes: this.#view,
      start: 0,
      end: 0,
      lineNumber: 0,
      lineOffset: 0,
      byteOffset: 0,
      byteLength: 0,
      nextOffset: 0,
      terminated: false,
      bom: false,
      nulBytes: 0,
      oversize: false,
    };
  }

  /** File offset behind the last committed byte. */
  get offset(): number {
    return this.#base + this.#fill;
  }

  /** The bytes of a range of the file that the window still holds, until the next `reserve()`; undefined for others. */
  held(byteOffset: number, byteLength: number): Uint8Array | undefined {
    const start = byteOffset - this.#base;
    const end = start + byteLength;
    return start >= 0 && end <= this.#fill ? this.#buffer.subarray(start, end) : undefined;
  }

  /** A part of the window to write into, at least `least` bytes. Lines given before are void. */
  reserve(least = Math.min(LEAST_ROOM_BYTES, this.#windowBytes)): Uint8Array {
    if (this.#content > 0) this.#moveToFront();
    if (this.#buffer.length - this.#fill < least) this.#grow(least);
    return this.#buffer.subarray(this.#fill);
  }

  /** Says that the first `count` bytes of what `reserve()` gave are data. */
  commit(count: number): void {
    this.#fill += count;
    this.#view = this.#buffer.subarray(0, this.#fill);
  }

  /** Copies `chunk` in. For sources that own their chunks. */
  push(chunk: Uint8Array): void {
    this.reserve(chunk.length).set(chunk);
    this.commit(chunk.length);
  }

  /** Says that no more bytes come: the next `next()` may give a line without LF. */
  finish(): void {
    this.#finished = true;
  }

  /** The next line, or undefined when more bytes are needed (after `finish()`: when there is none). */
  next(): FramedLine | undefined {
    if (!this.#skipPadding()) return undefined;
    const lineFeed = this.#view.indexOf(LF, this.#scan);
    if (lineFeed !== -1) return this.#emit(lineFeed, true);
    this.#scan = this.#fill;
    if (this.#finished) {
      return this.offset === this.#lineOffset ? undefined : this.#emit(this.#fill, false);
    }
    this.#letGoOfTooLong();
    return undefined;
  }

  /** Steps over BOM and NULs before the content, so that a hole of any size costs no memory; false: wait for more bytes. */
  #skipPadding(): boolean {
    if (this.#droppedBytes > 0 || this.#scan > this.#content) return true;
    const view = this.#view;
    if (this.#base + this.#content === 0 && view[0] === 0xef) {
      if (this.#fill < 3 && !this.#finished) return false;
      if (view[1] === 0xbb && view[2] === 0xbf) {
        this.#bom = true;
        this.#content = 3;
      }
    }
    let at = this.#content;
    while (at < this.#fill && view[at] === 0) at += 1;
    this.#nulBytes += at - this.#content;
    this.#content = at;
    this.#scan = at;
    return true;
  }

  #emit(lineFeed: number, terminated: boolean): FramedLine {
    const view = this.#view;
    if (this.#head === undefined && lineFeed - this.#content > this.#maxLineBytes) this.#keepHead();
    const head = this.#head;
    let end = lineFeed;
    let withNuls = end;
    // What a long line ends with may have been let go already, so it is never trimmed.
    if (head === undefined) {
      if (end > this.#content && view[end - 1] === CR) end -= 1;
      withNuls = end;
      while (end > this.#content && view[end - 1] === 0) end -= 1;
    }
    const line = this.#line;
    line.nulBytes = this.#nulBytes + withNuls - end;
    line.bytes = head ?? view;
    line.start = head === undefined ? this.#content : 0;
    line.end = head === undefined ? end : head.length;
    line.lineNumber = this.#lineNumber;
    line.lineOffset = this.#lineOffset;
    line.byteOffset = this.#base + this.#content - this.#droppedBytes;
    line.byteLength = this.#droppedBytes + end - this.#content;
    line.terminated = terminated;
    line.bom = this.#bom;
    line.oversize = head !== undefined;
    this.#content = this.#scan = terminated ? lineFeed + 1 : lineFeed;
    this.#lineOffset = line.nextOffset = this.#base + this.#content;
    this.#lineNumber += 1;
    this.#bom = false;
    this.#nulBytes = 0;
    this.#droppedBytes = 0;
    this.#head = undefined;
    return line;
  }

  #letGoOfTooLong(): void {
    const held = this.#fill - this.#content;
    if (this.#droppedBytes === 0) {
      if (held <= this.#maxLineBytes) return;
      this.#keepHead();
    }
    this.#droppedBytes += held;
    this.#content = this.#scan = this.#fill;
  }

  #keepHead(): void {
    // No longer than the limit, so that it does not depend on how much of the line is at hand.
    const length = Math.min(OVERSIZE_HEAD_BYTES, this.#maxLineBytes);
    // A copy: `slice` of a window that is a Buffer would be a view of bytes that change.
    this.#head = Uint8Array.from(this.#view.subarray(this.#content, this.#content + length));
  }

  #moveToFront(): void {
    const held = this.#fill - this.#content;
    if (this.#buffer.length > KEPT_WINDOW_BYTES && held < this.#windowBytes / 2) {
      const smaller = this.#allocate(this.#windowBytes);
      smaller.set(this.#view.subarray(this.#content));
      this.#buffer = smaller;
    } else {
      this.#buffer.copyWithin(0, this.#content, this.#fill);
    }
    this.#base += this.#content;
    this.#scan -= this.#content;
    this.#content = 0;
    this.#fill = held;
    this.#view = this.#buffer.subarray(0, held);
  }

  #grow(least: number): void {
    const enough = this.#fill + least;
    const size = Math.max(enough, Math.min(this.#buffer.length * 2, this.#maxLineBytes + this.#windowBytes));
    const larger = this.#allocate(size);
    larger.set(this.#view);
    this.#buffer = larger;
    this.#view = larger.subarray(0, this.#fill);
  }
}

/** True when the range holds nothing but white space of JSON. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== CR && byte !== LF) return false;
  }
  return true;
}
