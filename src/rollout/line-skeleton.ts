/**
 * The shape of a line of JSON as one number: its keys, the kinds of its values and the texts under keys that say what a
 * record is, but no other text. Two lines with the same skeleton decode alike, so that of many lines of one form only the
 * first has to be parsed to know that the others are sound.
 *
 * Checks the whole grammar of JSON on the way: what has a skeleton can be parsed. Never looks at whether bytes are UTF-8.
 */
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

/** A line nested deeper has no skeleton. */
const MAX_DEPTH = 32;

/** Keys whose texts count, those in an array too. */
const TELLING_KEYS: readonly Uint8Array[] = ['type', 'role', 'content_item_kinds'].map((key) =>
  Uint8Array.from(key, (letter) => letter.charCodeAt(0)),
);

/**
 * The skeleton of the line at `start` to `end`; undefined for what is no JSON, or too deep. Safe integers below 2^53.
 * `known`: the inside of a string of which the caller knows that it is sound; it is stepped over.
 */
export function lineSkeleton(
  bytes: Uint8Array,
  start: number,
  end: number,
  known?: { readonly start: number; readonly end: number },
): number | undefined {
  theWalk.begin(bytes, start, end, known);
  return theWalk.run();
}

class SkeletonWalk {
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;
  #low = 0;
  #high = 0;
  #knownStart = -1;
  #knownEnd = -1;

  begin(
    bytes: Uint8Array,
    start: number,
    end: number,
    known: { readonly start: number; readonly end: number } | undefined,
  ): void {
    this.#bytes = bytes;
    this.#knownStart = known?.start ?? -1;
    this.#knownEnd = known?.end ?? -1;
    this.#at = start;
    this.#end = end;
    this.#low = 0x811c_9dc5 | 0;
    this.#high = 0x2c1b_3c6d;
  }

  run(): number | undefined {
    if (!this.#value(0, false)) return undefined;
    this.#space();
    if (this.#at !== this.#end) return undefined;
    return (this.#high >>> 11) * 2 ** 32 + (this.#low >>> 0);
  }

  #value(depth: number, counts: boolean): boolean {
    this.#space();
    const byte = this.#peek();
    switch (byte) {
      case OPEN_BRACE:
        return depth < MAX_DEPTH && this.#object(depth + 1);
      case OPEN_BRACKET:
        return depth < MAX_DEPTH && this.#array(depth + 1, counts);
      case QUOTE:
        return counts ? this.#hashedString() : this.#string();
      case 0x74:
        return this.#literal(TRUE);
      case 0x66:
        return this.#literal(FALSE);
      case 0x6e:
        return this.#literal(NULL);
      default:
        return this.#number();
    }
  }

  #object(depth: number): boolean {
    this.#mix(OPEN_BRACE);
    this.#at += 1;
    this.#space();
    if (this.#peek() === CLOSE_BRACE) return this.#close(CLOSE_BRACE);
    for (;;) {
      this.#space();
      if (this.#peek() !== QUOTE) return false;
      const from = this.#at + 1;
      if (!this.#hashedString()) return false;
      const counts = this.#isTelling(from, this.#at - 1);
      this.#space();
      if (this.#peek() !== COLON) return false;
      this.#at += 1;
      if (!this.#value(depth, counts)) return false;
      this.#space();
      const byte = this.#peek();
      if (byte === CLOSE_BRACE) return this.#close(CLOSE_BRACE);
      if (byte !== COMMA) return false;
      this.#at += 1;
    }
  }

  #array(depth: number, counts: boolean): boolean {
    this.#mix(OPEN_BRACKET);
    this.#at += 1;
    this.#space();
    if (this.#peek() === CLOSE_BRACKET) return this.#close(CLOSE_BRACKET);
    for (;;) {
      if (!this.#value(depth, counts)) return false;
      this.#space();
      const byte = this.#peek();
      if (byte === CLOSE_BRACKET) return this.#close(CLOSE_BRACKET);
      if (byte !== COMMA) return false;
      this.#at += 1;
    }
  }

  #close(byte: number): true {
    this.#mix(byte);
    this.#at += 1;
    return true;
  }

  /** A string whose bytes count: a key, or the text under a key that tells. */
  #hashedString(): boolean {
    const from = this.#at + 1;
    if (!this.#string()) return false;
    for (let at = from; at < this.#at; at += 1) this.#mix(this.#bytes[at] ?? 0);
    return true;
  }

  #string(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at + 1;
    if (at === this.#knownStart) at = this.#knownEnd;
    for (; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#at = at + 1;
        this.#mix(0x73);
        return true;
      }
      if (byte < 0x20) return false;
      if (byte === BACKSLASH) {
        at += 1;
        const escaped = bytes[at] ?? 0;
        if (escaped === 0x75) {
          for (let digit = 1; digit <= 4; digit += 1) if (!isHex(bytes[at + digit] ?? 0)) return false;
          at += 4;
        } else if (!isEscape(escaped)) return false;
      }
    }
    return false;
  }

  #literal(text: Uint8Array): boolean {
    for (let index = 0; index < text.length; index += 1)
      if (this.#bytes[this.#at + index] !== text[index]) return false;
    this.#at += text.length;
    // `true` and `false` are the same kind of value.
    this.#mix(text === NULL ? 0x30 : 0x62);
    return true;
  }

  /** Whole numbers that are exact are a kind of their own: an ordinal must be one. */
  #number(): boolean {
    const from = this.#at;
    let isWhole = true;
    if (this.#peek() === DASH) {
      isWhole = false;
      this.#at += 1;
    }
    const digits = this.#digits();
    if (digits === 0 || (digits > 1 && this.#bytes[this.#at - digits] === 0x30)) return false;
    if (this.#peek() === 0x2e) {
      isWhole = false;
      this.#at += 1;
      if (this.#digits() === 0) return false;
    }
    const byte = this.#peek();
    if (byte === 0x65 || byte === 0x45) {
      isWhole = false;
      this.#at += 1;
      const sign = this.#peek();
      if (sign === 0x2b || sign === DASH) this.#at += 1;
      if (this.#digits() === 0) return false;
    }
    this.#mix(isWhole && this.#at - from <= 15 ? 0x69 : 0x6e);
    return true;
  }

  #digits(): number {
    const from = this.#at;
    for (;;) {
      const byte = this.#peek();
      if (byte === undefined || byte < 0x30 || byte > 0x39) return this.#at - from;
      this.#at += 1;
    }
  }

  #isTelling(from: number, to: number): boolean {
    for (const key of TELLING_KEYS) {
      if (to - from !== key.length) continue;
      let at = 0;
      while (at < key.length && this.#bytes[from + at] === key[at]) at += 1;
      if (at === key.length) return true;
    }
    return false;
  }

  #space(): void {
    for (;;) {
      const byte = this.#peek();
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return;
      this.#at += 1;
    }
  }

  #peek(): number | undefined {
    return this.#at < this.#end ? this.#bytes[this.#at] : undefined;
  }

  /** FNV-1a twice, with different beginnings and multipliers: 53 bits are more than any two forms will share. */
  #mix(byte: number): void {
    this.#low = Math.imul(this.#low ^ byte, 0x0100_0193);
    this.#high = Math.imul(this.#high ^ byte, 0x85eb_ca6b) ^ (this.#high >>> 15);
  }
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** What may stand behind a backslash, `u` aside: `"`, `\`, `/`, b, f, n, r, t. */
function isEscape(byte: number): boolean {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

const TRUE = Uint8Array.of(0x74, 0x72, 0x75, 0x65);
const FALSE = Uint8Array.of(0x66, 0x61, 0x6c, 0x73, 0x65);
const NULL = Uint8Array.of(0x6e, 0x75, 0x6c, 0x6c);

/** One object for all lines; no walk outlives its call. */
const theWalk = new SkeletonWalk();
