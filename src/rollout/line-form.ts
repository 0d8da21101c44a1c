/**
 * The form of a line of JSON: all its bytes but for the values that may differ from line to line. A line that fits the
 * form of one that was parsed decodes as that one did, so that of many lines of one form only the first has to be parsed.
 *
 * What differs are strings, numbers and truth values, checked by the grammar of JSON. Keys stay, and so do the texts under
 * keys that say what a record is. Never looks at whether bytes are UTF-8.
 */
import { BytePattern, plainTextEnd } from './byte-words.js';
import { ascii, startsWith } from './bytes.js';
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

/** A line nested deeper has no form. */
const MAX_DEPTH = 32;
/** A form is kept: one with more in it is no form that many lines have. */
const MAX_VALUES = 512;
const MAX_KEPT_BYTES = 16 * 1024;

/** Keys whose texts stay, those in an array too. */
const TELLING_KEYS: readonly Uint8Array[] = ['type', 'role', 'content_item_kinds'].map(ascii);

/** Whole numbers that are exact are a kind of their own: an ordinal must be one. */
type ValueKind = 'string' | 'whole' | 'number' | 'truth';

/** Index range of the inside of a string. */
export interface StringRange {
  readonly start: number;
  readonly end: number;
}

export class LineForm {
  /** What stands before each value, and behind the last. */
  readonly #fixed: readonly BytePattern[];
  readonly #kinds: readonly ValueKind[];
  /** Which of the values is the text that was marked; -1 without one. */
  readonly #textAt: number;
  #textStart = 0;
  #textEnd = 0;

  private constructor({ fixed, kinds, textAt }: FormReader) {
    this.#fixed = fixed;
    this.#kinds = kinds;
    this.#textAt = textAt;
  }

  /** Equal for equal forms. */
  get key(): string {
    const parts = this.#fixed.map((fixed) => String.fromCharCode(...fixed.bytes));
    return JSON.stringify([parts, this.#kinds, this.#textAt]);
  }

  /** Where the text stands in the line that fitted last. */
  get text(): StringRange {
    return { start: this.#textStart, end: this.#textEnd };
  }

  /**
   * The form of the line at `start` to `end`; undefined for what is no JSON, nested too deep, or too large to keep.
   * `text`: a string in it, to be found again in other lines of the form.
   */
  static of(bytes: Uint8Array, start: number, end: number, text?: StringRange): LineForm | undefined {
    const reader = new FormReader(bytes, start, end, text?.start);
    if (!reader.read() || (text !== undefined && reader.textAt === -1)) return undefined;
    return new LineForm(reader);
  }

  /** True when a line is JSON of this form. */
  fits(bytes: Uint8Array, start: number, end: number): boolean {
    const kinds = this.#kinds;
    let at = start;
    for (let index = 0; ; index += 1) {
      const fixed = this.#fixed[index];
      if (fixed === undefined || !fixed.standsAt(bytes, at, end)) return false;
      at += fixed.length;
      const kind = kinds[index];
      if (kind === undefined) return at === end;
      if (index === this.#textAt) this.#textStart = at;
      if (kind === 'string') at = stringEnd(bytes, at, end);
      else if (kind === 'truth') at = truthEnd(bytes, at, end);
      else at = numberEnd(bytes, at, end, kind);
      if (at === -1) return false;
      if (index === this.#textAt) this.#textEnd = at;
    }
  }
}

/** Index of the quote that ends the string whose inside begins at `at`; -1 when it is no sound string. */
function stringEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let at = plainTextEnd(bytes, from, end); at < end; at = plainTextEnd(bytes, at, end)) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] !== BACKSLASH) return -1;
    const escaped = bytes[at + 1] ?? 0;
    if (escaped === 0x75) {
      for (let digit = 2; digit <= 5; digit += 1) if (!isHex(bytes[at + digit] ?? 0)) return -1;
      at += 6;
    } else if (isEscape(escaped)) at += 2;
    else return -1;
  }
  return -1;
}

/** Index behind `true` or `false`; -1 for anything else. */
function truthEnd(bytes: Uint8Array, at: number, end: number): number {
  for (const literal of [TRUE, FALSE]) if (startsWith(bytes, at, end, literal)) return at + literal.length;
  return -1;
}

/** Index behind a number of this kind; -1 for anything else. */
function numberEnd(bytes: Uint8Array, from: number, end: number, kind: 'whole' | 'number'): number {
  const found = readNumber(bytes, from, end);
  return found.end === -1 || found.kind !== kind ? -1 : found.end;
}

const MAX_WHOLE_DIGITS = 15;

function readNumber(
  bytes: Uint8Array,
  from: number,
  end: number,
): { readonly end: number; readonly kind: 'whole' | 'number' } {
  let at = from;
  let isWhole = true;
  const digits = (): number => {
    const first = at;
    while (at < end && isDigit(bytes[at] ?? 0)) at += 1;
    return at - first;
  };
  if (bytes[at] === DASH) {
    isWhole = false;
    at += 1;
  }
  const first = bytes[at];
  const count = digits();
  if (count === 0 || (count > 1 && first === 0x30)) return NO_NUMBER;
  if (at < end && bytes[at] === 0x2e) {
    isWhole = false;
    at += 1;
    if (digits() === 0) return NO_NUMBER;
  }
  if (at < end && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    isWhole = false;
    at += 1;
    if (bytes[at] === 0x2b || bytes[at] === DASH) at += 1;
    if (digits() === 0) return NO_NUMBER;
  }
  return { end: at, kind: isWhole && count <= MAX_WHOLE_DIGITS ? 'whole' : 'number' };
}

const NO_NUMBER = { end: -1, kind: 'number' } as const;

/** Reads a line once, with the whole grammar, and keeps what stays of it. */
class FormReader {
  readonly fixed: BytePattern[] = [];
  readonly kinds: ValueKind[] = [];
  textAt = -1;
  readonly #textStart: number | undefined;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  #fixedFrom: number;
  #kept = 0;

  constructor(bytes: Uint8Array, start: number, end: number, textStart: number | undefined) {
    this.#textStart = textStart;
    this.#bytes = bytes;
    this.#at = start;
    this.#fixedFrom = start;
    this.#end = end;
  }

  read(): boolean {
    if (!this.#value(0, false)) return false;
    this.#space();
    if (this.#at !== this.#end) return false;
    return this.#keepFixed();
  }

  #value(depth: number, stays: boolean): boolean {
    this.#space();
    if (this.#at >= this.#end) return false;
    switch (this.#bytes[this.#at]) {
      case OPEN_BRACE:
        return depth < MAX_DEPTH && this.#object(depth + 1);
      case OPEN_BRACKET:
        return depth < MAX_DEPTH && this.#array(depth + 1, stays);
      case QUOTE:
        return this.#string(stays);
      case 0x74:
      case 0x66:
        return this.#differs('truth', truthEnd(this.#bytes, this.#at, this.#end));
      case 0x6e:
        if (!startsWith(this.#bytes, this.#at, this.#end, NULL)) return false;
        this.#at += NULL.length;
        return true;
      default: {
        const { end, kind } = readNumber(this.#bytes, this.#at, this.#end);
        return this.#differs(kind, end);
      }
    }
  }

  #object(depth: number): boolean {
    this.#at += 1;
    this.#space();
    if (this.#took(CLOSE_BRACE)) return true;
    for (;;) {
      this.#space();
      const from = this.#at + 1;
      if (!this.#took(QUOTE)) return false;
      const to = stringEnd(this.#bytes, from, this.#end);
      if (to === -1) return false;
      this.#at = to + 1;
      this.#space();
      if (!this.#took(COLON) || !this.#value(depth, this.#isTelling(from, to))) return false;
      this.#space();
      if (this.#took(CLOSE_BRACE)) return true;
      if (!this.#took(COMMA)) return false;
    }
  }

  #array(depth: number, stays: boolean): boolean {
    this.#at += 1;
    this.#space();
    if (this.#took(CLOSE_BRACKET)) return true;
    for (;;) {
      if (!this.#value(depth, stays)) return false;
      this.#space();
      if (this.#took(CLOSE_BRACKET)) return true;
      if (!this.#took(COMMA)) return false;
    }
  }

  #string(stays: boolean): boolean {
    const to = stringEnd(this.#bytes, this.#at + 1, this.#end);
    if (to === -1) return false;
    this.#at += 1;
    if (!stays && !this.#differs('string', to)) return false;
    this.#at = to + 1;
    return true;
  }

  /** Keeps what stands before a value that ends at `end`, and steps over it. */
  #differs(kind: ValueKind, end: number): boolean {
    if (end === -1 || this.kinds.length >= MAX_VALUES || !this.#keepFixed()) return false;
    if (kind === 'string' && this.#at === this.#textStart) this.textAt = this.kinds.length;
    this.kinds.push(kind);
    this.#at = end;
    this.#fixedFrom = end;
    return true;
  }

  #keepFixed(): boolean {
    const fixed = new BytePattern(this.#bytes.subarray(this.#fixedFrom, this.#at));
    this.#kept += fixed.length;
    this.fixed.push(fixed);
    return this.#kept <= MAX_KEPT_BYTES;
  }

  #isTelling(from: number, to: number): boolean {
    return TELLING_KEYS.some((key) => to - from === key.length && startsWith(this.#bytes, from, to, key));
  }

  #took(byte: number): boolean {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    for (; this.#at < this.#end; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return;
    }
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
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

const TRUE = ascii('true');
const FALSE = ascii('false');
const NULL = ascii('null');
