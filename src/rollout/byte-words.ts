/**
 * Bytes looked at four at a time, where each of them alone would be felt: a year of logs is compared and checked in loops.
 *
 * Owns no meaning of the bytes. Never reads behind the limit it is given.
 */
import { BACKSLASH, QUOTE } from './json-bytes.js';

/** The view that was asked for last: nearly always the one of the window in which all lines stand. */
let viewed: Uint8Array | undefined;
let view: DataView = new DataView(new ArrayBuffer(0));

function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== viewed) {
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    viewed = bytes;
  }
  return view;
}

/** Bytes that are looked for at one place after the other. */
export class BytePattern {
  readonly length: number;
  readonly #view: DataView;

  /** Keeps a copy of the bytes. */
  constructor(bytes: Uint8Array) {
    const copy = Uint8Array.from(bytes);
    this.length = copy.length;
    this.#view = new DataView(copy.buffer);
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#view.buffer);
  }

  /** True when they stand at `at`, all of them before `limit`, which is no more than the length of `bytes`. */
  standsAt(bytes: Uint8Array, at: number, limit: number): boolean {
    const wanted = this.#view;
    const { length } = this;
    if (at + length > limit) return false;
    const given = viewOf(bytes);
    let index = 0;
    for (; index + 4 <= length; index += 4) {
      if (given.getInt32(at + index, true) !== wanted.getInt32(index, true)) return false;
    }
    for (; index < length; index += 1) if (given.getUint8(at + index) !== wanted.getUint8(index)) return false;
    return true;
  }
}

/** Each byte of a word. */
const ONES = 0x01010101;
const HIGH_BITS = 0x80808080;
const SPACES = 0x20 * ONES;
const QUOTES = QUOTE * ONES;
const BACKSLASHES = BACKSLASH * ONES;

/**
 * Index of the first byte at `from` or behind it that is a quote, a backslash or a control character: all that a string of
 * JSON cannot hold as it is. `limit`, no more than the length of `bytes`, when there is none before it.
 */
export function plainTextEnd(bytes: Uint8Array, from: number, limit: number): number {
  const given = viewOf(bytes);
  let at = from;
  for (; at + 4 <= limit; at += 4) {
    const word = given.getInt32(at, true);
    const quote = word ^ QUOTES;
    const backslash = word ^ BACKSLASHES;
    // A byte below n, and no other, sets its high bit in (word - n of each byte) & ~word; zero is below one.
    const found =
      (((word - SPACES) | 0) & ~word) | (((quote - ONES) | 0) & ~quote) | (((backslash - ONES) | 0) & ~backslash);
    // A borrow may set the bit of a byte behind the one that was found, so which one it is is looked up below.
    if ((found & HIGH_BITS) !== 0) break;
  }
  for (; at < limit; at += 1) {
    const byte = given.getUint8(at);
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return at;
  }
  return limit;
}
