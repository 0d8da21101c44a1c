/**
 * A text as it reads: without what is not seen (controls, colour codes, joiners, soft hyphens, marks, tags of emphasis
 * within a word), full-width letters as their usual ones, Hangul composed. What the analyser folds together is one
 * here too, so that no secret comes to light in an index that was hidden from the rules. Keeps capitals.
 *
 * Made only of texts that hold such characters; every other costs one look at each character. Linear.
 */
import { foldSpelling } from '../base/analyse/fold.js';
import type { Span } from './secret-rule.js';

export interface FoldedView {
  readonly text: string;
  /** The stretch of the original text that `[start, end)` of the view was made of. Bounds: `start` < `end`. */
  readonly toOriginal: (start: number, end: number) => Span;
}

/** Neither printable ASCII, white space, a composed Hangul syllable nor a common ideograph. */
const UNUSUAL = /[^\t\n\r -~\uac00-\ud7a3\u4e00-\u9fff]/g;

const SAME = 0;
/** Is not seen, or alters the character before it. */
const GONE = 1;
/** Reads as something else, alone or with what follows. */
const OTHER = 2;
const UNKNOWN = 255;
const classes = new Uint8Array(0x10000).fill(UNKNOWN);

/** Marks and everything else that belongs to the character before it. */
const UNSEEN = /^[\p{Cc}\p{Default_Ignorable_Code_Point}\p{M}]/u;
const MARK = /^\p{M}/u;
const COLOUR =
  /\u001b(?:\[[0-9;:?]{0,40}[A-Za-z]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)|[()][A-Z0-9])|\u009b[0-9;:?]{0,40}[A-Za-z]/y;
/** Emphasis between two characters of one word. */
const TAG =
  /(?<=[\w-])(?:<\/?(?:a|b|i|u|s|em|strong|mark|span|font|code|kbd|tt|var|wbr|hl)(?: [^<>]{0,80})?\/?>){1,8}(?=[\w-])/iy;
/** As many as `foldSpelling` keeps. */
const MAX_MARKS = 32;

function classify(text: string, at: number, unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) {
    // Variation selectors and the tags of a language lie beyond the basic plane; of a pair both halves are gone.
    return UNSEEN.test(String.fromCodePoint(text.codePointAt(at)!)) ? GONE : SAME;
  }
  const known = classes[unit]!;
  if (known !== UNKNOWN) return known;
  const char = String.fromCharCode(unit);
  const isJamo = unit >= 0x1100 && unit <= 0x11ff;
  const found = UNSEEN.test(char) && !isBlank(unit) ? GONE : isJamo || foldSpelling(char) !== char ? OTHER : SAME;
  classes[unit] = found;
  return found;
}

function isBlank(unit: number): boolean {
  return unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** The view of `text`; undefined when it would be the same. */
export function foldedView(text: string): FoldedView | undefined {
  const first = firstChange(text);
  return first === undefined ? undefined : new ViewBuilder(text).build(first);
}

function firstChange(text: string): number | undefined {
  const tag = firstTag(text);
  UNUSUAL.lastIndex = 0;
  if (!UNUSUAL.test(text)) return tag;
  for (let at = UNUSUAL.lastIndex - 1; at < text.length && (tag === undefined || at < tag); at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x1f && unit < 0x7f) continue;
    // The character before a mark may become another with it.
    if (classify(text, at, unit) !== SAME) return Math.max(0, at - 1);
  }
  return tag;
}

function firstTag(text: string): number | undefined {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    TAG.lastIndex = at;
    if (TAG.test(text)) return at;
  }
  return undefined;
}

/** Runs that stay and characters that do not, by where they begin in the view and in the text. */
class ViewBuilder {
  readonly #text: string;
  readonly #viewStarts: number[] = [];
  readonly #textStarts: number[] = [];
  /** Where each piece ends in the text. */
  readonly #textEnds: number[] = [];
  /** Whether the last piece is as long as what it was made of, so that one more of this kind goes on with it. */
  #isSameSize = false;
  #view = '';

  constructor(text: string) {
    this.#text = text;
  }

  build(first: number): FoldedView {
    const text = this.#text;
    let kept = 0;
    for (let at = first; at < text.length; ) {
      const end = this.#endOfChange(at);
      if (end === at) {
        at += 1;
        continue;
      }
      const gone = this.#isGone(at);
      this.#piece(kept, at, text.slice(kept, at));
      if (!gone) this.#piece(at, end, spellingOf(text.slice(at, end)));
      at = kept = end;
    }
    this.#piece(kept, text.length, text.slice(kept));
    return { text: this.#view, toOriginal: (start, end) => this.#toOriginal(start, end) };
  }

  #piece(start: number, end: number, read: string): void {
    if (read === '') return;
    const last = this.#textEnds.length - 1;
    if (read.length === end - start && this.#isSameSize && this.#textEnds[last] === start) {
      this.#textEnds[last] = end;
      this.#view += read;
      return;
    }
    this.#isSameSize = read.length === end - start;
    this.#viewStarts.push(this.#view.length);
    this.#textStarts.push(start);
    this.#textEnds.push(end);
    this.#view += read;
  }

  /** Where what begins at `at` and reads otherwise ends; `at` when it reads as it stands. */
  #endOfChange(at: number): number {
    const text = this.#text;
    const unit = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    if (unit < 0x80) {
      if (unit === 0x3c) return endOf(TAG, text, at) ?? at;
      if (unit === 0x1b) return endOf(COLOUR, text, at) ?? at + 1;
      if ((unit < 0x20 && !isBlank(unit)) || unit === 0x7f) return at + 1;
      return next >= 0x300 && isMarkAt(text, at + 1) ? this.#endOfMarks(at + 1) : at;
    }
    const found = classify(text, at, unit);
    if (found === GONE) return unit === 0x9b ? (endOf(COLOUR, text, at) ?? at + 1) : at + unitsOf(text, at);
    if (found === OTHER) return this.#endOfMarks(this.#endOfJamo(at));
    return isMarkAt(text, at + 1) ? this.#endOfMarks(at + 1) : at;
  }

  #isGone(at: number): boolean {
    const unit = this.#text.charCodeAt(at);
    return unit === 0x3c || unit < 0x20 || unit === 0x7f || (unit >= 0x80 && classify(this.#text, at, unit) === GONE);
  }

  /** Behind the syllable that begins at `at`: a consonant, a vowel, a final. */
  #endOfJamo(at: number): number {
    let end = at + 1;
    if (isWithin(this.#text.charCodeAt(at), 0x1100, 0x1112)) {
      if (isWithin(this.#text.charCodeAt(end), 0x1161, 0x1175)) end += 1;
      if (isWithin(this.#text.charCodeAt(end), 0x11a8, 0x11c2)) end += 1;
    }
    return end;
  }

  #endOfMarks(from: number): number {
    let end = from;
    while (end - from < MAX_MARKS && isMarkAt(this.#text, end)) end += 1;
    return end;
  }

  #toOriginal(start: number, end: number): Span {
    return { start: this.#originOf(start).start, end: this.#originOf(end - 1).end };
  }

  /** Where the unit of the view at `offset` comes from. */
  #originOf(offset: number): Span {
    const starts = this.#viewStarts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    const [start, end] = [this.#textStarts[low]!, this.#textEnds[low]!];
    const size = (starts[low + 1] ?? this.#view.length) - starts[low]!;
    if (size !== end - start) return { start, end };
    return { start: start + offset - starts[low]!, end: start + offset - starts[low]! + 1 };
  }
}

const MAX_KEPT = 4096;
const kept = new Map<string, string>();

/** Characters of a text repeat. */
function spellingOf(character: string): string {
  const known = kept.get(character);
  if (known !== undefined) return known;
  const read = foldSpelling(character);
  if (kept.size === MAX_KEPT) kept.clear();
  if (character.length <= 4) kept.set(character, read);
  return read;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function unitsOf(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}

/** A mark of the basic plane, which may make another character of the one before it. */
function isMarkAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x300 || isWithin(unit, 0x2e80, 0x3098) || isWithin(unit, 0x309b, 0xfdff) || unit > 0xfe2f) return false;
  return classify(text, at, unit) === GONE && MARK.test(text.charAt(at));
}

function isWithin(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}
