/**
 * Turns one word of a text into the tokens of the index: the one place where that is decided, for documents,
 * queries and highlighting alike.
 *
 * - ASCII and folded Latin words: small letters, then the stem; an identifier with parts as a whole, then its parts.
 * - Hangul: each two neighbouring syllables; a word of one syllable is that syllable.
 * - Chinese, kana and other scripts without spaces: each two neighbours, and the last character by itself,
 *   so that every character begins a token.
 * - Other scripts: the folded word. Pictures: themselves.
 * A token has at most MAX_TERM_UNITS; of a longer word its beginning counts, without parts or stem.
 */
import { classAt, JAMO, MARK, unitsAt } from './char-class.js';
import { fold } from './fold.js';
import { findParts } from './identifier-parts.js';
import { stemEnglish } from './stem-english.js';
import type { TermSink } from './term-sink.js';
import {
  HAS_APOSTROPHE,
  HAS_DIGIT,
  HAS_INNER_UPPER,
  HAS_OTHER,
  IDEOGRAPHS,
  LETTERS,
  PICTURE,
  type WordScanner,
} from './word-scanner.js';

/** UTF-16 units of the longest token: a SHA-256 in hexadecimal fits, encoded data does not swell the index. */
export const MAX_TERM_UNITS = 64;

const SPACE = 0x20;
const NOT_ASCII = /[^\0-\x7f]/;
/** What is written together with the word before it: `user's`, `they'll`, `I'd`. It says nothing by itself. */
const CLITICS: ReadonlySet<string> = new Set(['s', 'll', 're', 've', 'd', 'm']);

export class TermWriter {
  /** When present, two numbers for each token written: where in the text its characters begin and end. */
  readonly spans: number[] | undefined;
  readonly #sink: TermSink;
  readonly #ends = new Int32Array(MAX_TERM_UNITS);

  constructor(sink: TermSink, spans?: number[]) {
    this.#sink = sink;
    this.spans = spans;
  }

  /** Writes the tokens of the scanner's current word, which lies in `text`. */
  write(text: string, word: WordScanner): void {
    const { start, end, shape } = word;
    if (word.kind === LETTERS) {
      if (shape === 0) this.#plain(text, start, end);
      else if (shape & HAS_APOSTROPHE) this.#pieces(text, start, end);
      else this.#letters(text, start, end, shape);
    } else if (word.kind === PICTURE) this.#symbol(text, start, end);
    else if (shape & HAS_OTHER) this.#unsettled(text, start, end, word.kind === IDEOGRAPHS);
    else this.#bigrams(text, start, end, word.kind === IDEOGRAPHS);
  }

  #letters(text: string, start: number, end: number, shape: number): void {
    if (shape & HAS_OTHER) this.#folded(text.slice(start, end), start, end);
    else if (shape & (HAS_INNER_UPPER | HAS_DIGIT)) this.writeIdentifier(text, start, end);
    else this.#plain(text, start, end);
  }

  /** Small letters, but perhaps the first; the stem of them. */
  #plain(text: string, start: number, end: number): void {
    const sink = this.#sink;
    const length = Math.min(end - start, MAX_TERM_UNITS);
    sink.reserve(length + 1);
    const bytes = sink.bytes;
    const from = sink.length;
    for (let index = 0; index < length; index++) bytes[from + index] = text.charCodeAt(start + index) | 0x20;
    let to = from + length;
    if (length === end - start) to = stemEnglish(bytes, from, to);
    bytes[to] = SPACE;
    sink.length = to + 1;
    this.spans?.push(start, end);
  }

  /** Writes the word of ASCII letters and digits at `[start, end)` of `text`, whole and by part. */
  writeIdentifier(text: string, start: number, end: number): void {
    this.#lowered(text, start, end, start, end);
    if (end - start > MAX_TERM_UNITS) return;
    const count = findParts(text, start, end, this.#ends);
    if (count === 0) return;
    let from = start;
    for (let part = 0; part <= count; part++) {
      const to = part === count ? end : this.#ends[part]!;
      this.#lowered(text, from, to, from, to);
      from = to;
    }
  }

  /** Letters and digits of `text` in `[start, end)`; a word with digits has no stem. The span may lie elsewhere. */
  #lowered(text: string, start: number, end: number, spanStart: number, spanEnd: number): void {
    const sink = this.#sink;
    const length = Math.min(end - start, MAX_TERM_UNITS);
    sink.reserve(length + 1);
    const bytes = sink.bytes;
    const from = sink.length;
    let digits = length < end - start;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(start + index);
      if (unit < 0x40) digits = true;
      // Sets the bit that small letters have; digits have it.
      bytes[from + index] = unit | 0x20;
    }
    const to = digits ? from + length : stemEnglish(bytes, from, from + length);
    bytes[to] = SPACE;
    sink.length = to + 1;
    this.spans?.push(spanStart, spanEnd);
  }

  #folded(word: string, start: number, end: number): void {
    const folded = fold(word);
    if (folded === '') return;
    if (NOT_ASCII.test(folded)) {
      this.#sink.writeTerm(clipped(folded));
      this.spans?.push(start, end);
      return;
    }
    this.#lowered(folded, 0, folded.length, start, end);
    if (folded.length > MAX_TERM_UNITS || findParts(folded, 0, folded.length, this.#ends) === 0) return;
    const digits = this.#ends[0]!;
    this.#lowered(folded, 0, digits, start, end);
    this.#lowered(folded, digits, folded.length, start, end);
  }

  /** `don't` is one word; `user's` is user; `l'heure` and `O'Brien` are two. */
  #pieces(text: string, start: number, end: number): void {
    let from = start;
    while (from < end) {
      const to = endOfPiece(text, from, end);
      const next = to + 1;
      const tail = next < end ? text.slice(next, Math.min(endOfPiece(text, next, end), next + 3)).toLowerCase() : '';
      const isLast = next + tail.length === end;
      if (isLast && tail === 't') {
        this.#folded(`${text.slice(from, to)}t`, start, end);
        return;
      }
      this.#piece(text, from, to);
      if (isLast && CLITICS.has(tail)) return;
      from = next;
    }
  }

  #piece(text: string, start: number, end: number): void {
    const piece = text.slice(start, end);
    this.#letters(text, start, end, NOT_ASCII.test(piece) ? HAS_OTHER : HAS_INNER_UPPER);
  }

  #symbol(text: string, start: number, end: number): void {
    this.#sink.writeTerm(text.slice(start, end));
    this.spans?.push(start, end);
  }

  /** Units of the basic plane above U+0800, three bytes each. */
  #bigrams(text: string, start: number, end: number, withLast: boolean): void {
    const sink = this.#sink;
    sink.reserve((end - start) * 7 + 8);
    const bytes = sink.bytes;
    let at = sink.length;
    let unit = text.charCodeAt(start);
    for (let index = start + 1; index < end; index++) {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[at++] = 0x80 | (unit & 0x3f);
      unit = text.charCodeAt(index);
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[at++] = 0x80 | (unit & 0x3f);
      bytes[at++] = SPACE;
      this.spans?.push(index - 1, index + 1);
    }
    if (withLast || end - start === 1) {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[at++] = 0x80 | (unit & 0x3f);
      bytes[at++] = SPACE;
      this.spans?.push(end - 1, end);
    }
    sink.length = at;
  }

  /** As `#bigrams`, for what has to be composed first or lies beyond the basic plane. */
  #unsettled(text: string, start: number, end: number, withLast: boolean): void {
    const folded = fold(text.slice(start, end));
    const sink = this.#sink;
    const origins = this.spans && originsOf(text, start, end, folded);
    sink.reserve(folded.length * 9 + 16);
    for (let index = 0; index < folded.length; ) {
      const code = folded.codePointAt(index)!;
      const next = index + (code > 0xffff ? 2 : 1);
      const second = next < folded.length ? folded.codePointAt(next)! : undefined;
      if (second === undefined && !withLast && index > 0) break;
      sink.writeCode(code);
      if (second !== undefined) sink.writeCode(second);
      sink.bytes[sink.length++] = SPACE;
      if (origins) this.spans?.push(origins[index]!, origins[(second === undefined ? index : next) + folded.length]!);
      index = next;
    }
  }
}

function clipped(word: string): string {
  if (word.length <= MAX_TERM_UNITS) return word;
  const last = word.charCodeAt(MAX_TERM_UNITS - 1);
  return word.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TERM_UNITS - 1 : MAX_TERM_UNITS);
}

function endOfPiece(text: string, start: number, end: number): number {
  let index = start;
  while (index < end && text.charCodeAt(index) !== 0x27 && text.charCodeAt(index) !== 0x2019) index++;
  return index;
}

/** For unit i of `folded`: at [i] where its character begins in `text`, at [i + folded.length] where it ends. */
function originsOf(text: string, start: number, end: number, folded: string): Int32Array {
  const origins = new Int32Array(folded.length * 2).fill(start, 0, folded.length).fill(end, folded.length);
  let unit = 0;
  for (let from = start; from < end; ) {
    const to = endOfCharacter(text, from, end);
    const size = fold(text.slice(from, to)).length;
    origins
      .fill(from, unit, unit + size)
      .fill(to, folded.length + unit, folded.length + Math.min(unit + size, folded.length));
    unit += size;
    from = to;
  }
  return origins;
}

/** The end of the character at `start`, with the marks and jamo that belong to it; at most `end`. */
export function endOfCharacter(text: string, start: number, end: number): number {
  let to = start + unitsAt(text, start, text.charCodeAt(start));
  while (to < end && continuesCharacter(text, to)) to += unitsAt(text, to, text.charCodeAt(to));
  return to;
}

/** Marks, the vowels and finals of a Hangul syllable, half-width voice signs. */
function continuesCharacter(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  const found = classAt(text, index, unit);
  return found === MARK || (found === JAMO && isVowelOrFinal(unit)) || unit === 0xff9e || unit === 0xff9f;
}

function isVowelOrFinal(unit: number): boolean {
  return (unit >= 0x1160 && unit <= 0x11ff) || unit >= 0xd7b0;
}
