/**
 * Steps over the members of one line of JSON, on its bytes, as far as reading a header takes it.
 *
 * Owns no rule of what a header is. Gives up at what it does not expect, an escape in a name above all; never throws,
 * never looks behind its limit, and never decides whether the line is sound.
 */
import { latin1 } from './bytes.js';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DASH,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';

/** A position in the bytes of one line. Every step says whether it found what it expected; after a no the position is void. */
export class HeaderWalk {
  #bytes: Uint8Array = new Uint8Array(0);
  #limit = 0;
  #at = 0;
  textStart = 0;
  textEnd = 0;

  /** Index of what comes next. */
  get position(): number {
    return this.#at;
  }

  begin(bytes: Uint8Array, start: number, limit: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#limit = limit;
  }

  enterObject(): boolean {
    this.#space();
    if (this.#byte() !== OPEN_BRACE) return false;
    this.#at += 1;
    return true;
  }

  /** Steps to the next member of the object and over its colon; false at the end or on a surprise. */
  nextKey(): boolean {
    this.#space();
    if (this.#byte() === COMMA) {
      this.#at += 1;
      this.#space();
    }
    if (!this.#string()) return false;
    const keyStart = this.textStart;
    const keyEnd = this.textEnd;
    this.#space();
    if (this.#byte() !== COLON) return false;
    this.#at += 1;
    this.#space();
    this.textStart = keyStart;
    this.textEnd = keyEnd;
    return true;
  }

  keyIs(key: Uint8Array): boolean {
    const start = this.textStart;
    if (this.textEnd - start !== key.length) return false;
    for (let index = 0; index < key.length; index += 1) {
      if (this.#bytes[start + index] !== key[index]) return false;
    }
    return true;
  }

  /** A string value without escapes: its range is in `textStart`, `textEnd`. */
  readString(): boolean {
    return this.#string();
  }

  /** The string that was read last, from a table of names that recur. */
  name(): string | undefined {
    return internName(this.#bytes, this.textStart, this.textEnd);
  }

  readUnsigned(): number | undefined {
    let value = 0;
    let at = this.#at;
    for (; at < this.#limit; at += 1) {
      const digit = (this.#bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const next = this.#bytes[at];
    const ended = next === COMMA || next === CLOSE_BRACE || next === 0x20;
    if (at === this.#at || at >= this.#limit || !ended || !Number.isSafeInteger(value)) return undefined;
    this.#at = at;
    return value;
  }

  /** Enters the object that comes and gives the text of its member `key`. */
  memberText(key: Uint8Array, within: number): string | undefined {
    return this.enterObject() ? this.laterText(key, within) : undefined;
  }

  /** The text of a member `key` further on in the object. */
  laterText(key: Uint8Array, within: number): string | undefined {
    this.#limit = Math.min(this.#limit, this.#at + within);
    while (this.nextKey()) {
      if (this.keyIs(key)) return this.#string() ? this.name() : undefined;
      if (!this.skipValue()) return undefined;
    }
    return undefined;
  }

  /** Steps to the value of a member `key` further on in the object. */
  laterObject(key: Uint8Array, within: number): boolean {
    this.#limit = Math.min(this.#limit, this.#at + within);
    while (this.nextKey()) {
      if (this.keyIs(key)) return true;
      if (!this.skipValue()) return false;
    }
    return false;
  }

  skipValue(): boolean {
    const bytes = this.#bytes;
    let depth = 0;
    while (this.#at < this.#limit) {
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        if (!this.#skipString()) return false;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth += 1;
        this.#at += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return true;
        depth -= 1;
        this.#at += 1;
      } else if (byte === COMMA && depth === 0) {
        return true;
      } else {
        this.#at += 1;
      }
    }
    return false;
  }

  #string(): boolean {
    if (this.#byte() !== QUOTE) return false;
    const start = this.#at + 1;
    const end = this.#fixedLengthEnd(start);
    if (end !== undefined) return this.#tookString(start, end);
    for (let at = start; at < this.#limit; at += 1) {
      const byte = this.#bytes[at];
      if (byte === BACKSLASH) return false;
      if (byte === QUOTE) return this.#tookString(start, at);
    }
    return false;
  }

  #tookString(start: number, end: number): true {
    this.textStart = start;
    this.textEnd = end;
    this.#at = end + 1;
    return true;
  }

  /** Timestamps and UUIDs are most of a header's bytes; their marks at fixed places save looking at each byte. */
  #fixedLengthEnd(start: number): number | undefined {
    const bytes = this.#bytes;
    if (start + 37 >= this.#limit) return undefined;
    if (bytes[start + 4] === DASH) {
      const marked = bytes[start + 10] === 0x54 && bytes[start + 23] === 0x5a && bytes[start + 19] === 0x2e;
      return marked && bytes[start + 24] === QUOTE ? start + 24 : undefined;
    }
    if (bytes[start + 8] !== DASH || bytes[start + 13] !== DASH) return undefined;
    const marked = bytes[start + 18] === DASH && bytes[start + 23] === DASH && bytes[start + 36] === QUOTE;
    return marked ? start + 36 : undefined;
  }

  #skipString(): boolean {
    for (let at = this.#at + 1; at < this.#limit; at += 1) {
      const byte = this.#bytes[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        this.#at = at + 1;
        return true;
      }
    }
    return false;
  }

  #space(): void {
    while (this.#at < this.#limit) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== 0x0a) return;
      this.#at += 1;
    }
  }

  #byte(): number | undefined {
    return this.#at < this.#limit ? this.#bytes[this.#at] : undefined;
  }
}

/** Type names recur in every line; making the string anew each time would cost more than the walk. */
const names = new Map<number, string[]>();
let nameCount = 0;
const MAX_NAMES = 1024;
const MAX_NAME_BYTES = 64;

function internName(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  const middle = bytes[start + (length >> 1)] ?? 0;
  const key = length | ((bytes[start] ?? 0) << 8) | (middle << 16) | ((bytes[end - 1] ?? 0) << 24);
  const bucket = names.get(key);
  if (bucket !== undefined) for (const known of bucket) if (equalsAscii(known, bytes, start, end)) return known;
  for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) >= 0x80) return undefined;
  const name = latin1(bytes, start, end);
  if (nameCount < MAX_NAMES && length <= MAX_NAME_BYTES) {
    nameCount += 1;
    if (bucket === undefined) names.set(key, [name]);
    else bucket.push(name);
  }
  return name;
}

function equalsAscii(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}
