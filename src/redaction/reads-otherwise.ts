/**
 * Which characters read otherwise than they are written: what is not seen, what alters its neighbour, what has a plainer
 * form, and tags of emphasis within a word. Owns the classes; makes no view.
 *
 * The table of the basic plane fills itself as characters are met.
 */
import { foldSpelling } from '../base/analyse/fold.js';
import { isIn, NAME_OF_TAG, WORD } from './characters.js';

export const SAME = 0;
/** Is not seen. */
export const GONE = 1;
/** Reads as something else, alone or with what follows. */
export const OTHER = 2;
/** Is not seen by itself, and may make another character of the one before it. */
export const MARK = 3;
const UNKNOWN = 255;
const classes = new Uint8Array(0x10000).fill(UNKNOWN);

/** Marks and everything else that belongs to the character before it. */
const UNSEEN = /^[\p{Cc}\p{Default_Ignorable_Code_Point}\p{M}]/u;
const IS_MARK = /^\p{M}/u;
/** Emphasis between two characters of one word. */
const TAG =
  /(?<=[\w-])(?:<\/?(?:a|b|i|u|s|em|strong|mark|span|font|code|kbd|tt|var|wbr|hl)(?: [^<>]{0,80})?\/?>){1,8}(?=[\w-])/iy;
const LESS_THAN = 0x3c;

/** First and last of what may read otherwise: all but printable ASCII, white space, Hangul syllables and ideographs. */
export const ALL_OTHERWISE: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [LESS_THAN, LESS_THAN],
  [0x7f, 0x4dff],
  [0xa000, 0xabff],
  [0xd7a4, 0xffff],
];

/** The class of the character at `at`, whose first code unit is `unit`. The second half of a pair is `SAME`. */
export function classify(text: string, at: number, unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return classOfPair(text, at, unit);
  const known = classes[unit]!;
  if (known !== UNKNOWN) return known;
  const char = String.fromCharCode(unit);
  const isJamo = unit >= 0x1100 && unit <= 0x11ff;
  const isGone = UNSEEN.test(char) && !isBlank(unit);
  const shown = isJamo || foldSpelling(char) !== char ? OTHER : SAME;
  return (classes[unit] = isGone ? (IS_MARK.test(char) ? MARK : GONE) : shown);
}

/** Variation selectors and the tags of a language lie beyond the basic plane; of a pair both halves are gone. */
function classOfPair(text: string, at: number, unit: number): number {
  // Emoji: none of them is unseen.
  if (unit >= 0xdc00 || (unit >= 0xd83c && unit <= 0xd83e)) return SAME;
  const code = text.codePointAt(at)!;
  return code > 0xffff && UNSEEN.test(String.fromCodePoint(code)) ? GONE : SAME;
}

export function isBlank(unit: number): boolean {
  return unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** Where the tags end that begin at `at` within a word; undefined when none do. */
export function endOfTags(text: string, at: number): number | undefined {
  if (at === 0 || !isIn(WORD, text.charCodeAt(at - 1)) || !isIn(NAME_OF_TAG, text.charCodeAt(at + 1))) return undefined;
  TAG.lastIndex = at;
  return TAG.test(text) ? TAG.lastIndex : undefined;
}

/** Whether what begins at `at` with `unit` reads otherwise than it is written. */
export function readsOtherwiseAt(text: string, at: number, unit: number): boolean {
  if (unit === LESS_THAN) return endOfTags(text, at) !== undefined;
  return !isPrintable(unit) && classify(text, at, unit) !== SAME;
}

/** Whether `unit` does so somewhere; for a character that was classified. */
export function mayReadOtherwise(unit: number): boolean {
  return unit === LESS_THAN || (unit >= 0xd800 && unit <= 0xdfff) || (!isPrintable(unit) && classes[unit] !== SAME);
}

export function isPrintable(unit: number): boolean {
  return unit > 0x1f && unit < 0x7f;
}
