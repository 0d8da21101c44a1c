/**
 * Classes of characters, as the word scanner needs them: one small number a character.
 *
 * Owns which characters make words, which make bigrams and which separate. Never looks at neighbours.
 * The table of the basic plane fills itself as characters are met, so that loading this file costs nothing.
 */

/** Ends a word: spaces, punctuation, symbols, controls, lone surrogates. Zero, so that tables start as separators. */
export const SEPARATOR = 0;
/** `a` to `z`. */
export const LOWER = 1;
/** `A` to `Z`. */
export const UPPER = 2;
/** `0` to `9`. */
export const DIGIT = 3;
/** `'` and `’`: inside a word when a word character stands on both sides. */
export const APOSTROPHE = 4;
/** A letter or number of any other script that puts spaces between words. */
export const LETTER = 5;
/** Belongs to the character before it, and means nothing at the start of a word: marks, joiners, soft hyphens. */
export const MARK = 6;
/** A composed Hangul syllable, or a jamo that stands by itself as in `ㅋㅋ`. */
export const HANGUL = 7;
/** A conjoining jamo: Hangul that has to be composed first. */
export const JAMO = 8;
/** A Chinese character or kana, in its composed form. */
export const IDEOGRAPH = 9;
/** A character of a script without spaces that has to be normalised first, or lies beyond the basic plane. */
export const IDEOGRAPH_UNSETTLED = 10;
/** A picture: a word by itself. */
export const SYMBOL = 11;

const UNKNOWN = 255;

const IS_MARK = /^\p{M}/u;
const IS_WORD = /^[\p{L}\p{N}]/u;
const IS_PICTURE = /^[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;

/** Code unit to class, for units below 128. */
export const ASCII_CLASSES: Uint8Array = asciiClasses();

const basicPlane = new Uint8Array(0x10000).fill(UNKNOWN);

/** The class of the character that begins with code unit `unit` at `index` of `text`. Bounds: `index` < text.length. */
export function classAt(text: string, index: number, unit: number): number {
  if (unit < 0x80) return ASCII_CLASSES[unit]!;
  if (unit >= 0xac00 && unit <= 0xd7a3) return HANGUL;
  if (unit >= 0xd800 && unit <= 0xdfff) return classOfPair(text.codePointAt(index)!);
  const known = basicPlane[unit]!;
  return known === UNKNOWN ? (basicPlane[unit] = classify(unit)) : known;
}

/** Code units that the character at `index` takes: 2 for a surrogate pair, else 1. */
export function unitsAt(text: string, index: number, unit: number): number {
  return unit >= 0xd800 && unit <= 0xdbff && text.codePointAt(index)! > 0xffff ? 2 : 1;
}

function asciiClasses(): Uint8Array {
  const classes = new Uint8Array(128);
  classes.fill(DIGIT, 0x30, 0x3a);
  classes.fill(UPPER, 0x41, 0x5b);
  classes.fill(LOWER, 0x61, 0x7b);
  classes[0x27] = APOSTROPHE;
  return classes;
}

function classify(code: number): number {
  const char = String.fromCharCode(code);
  if (code === 0x2019) return APOSTROPHE;
  if (code === 0xad || code === 0x200c || code === 0x200d || code === 0x2060 || code === 0xfeff) return MARK;
  // The Hangul fillers take room and show nothing.
  if (code === 0x115f || code === 0x1160 || code === 0x3164 || code === 0xffa0) return SEPARATOR;
  if (within(code, 0x1100, 0x11ff) || within(code, 0xa960, 0xa97c) || within(code, 0xd7b0, 0xd7fb)) return JAMO;
  if (within(code, 0x3131, 0x318e)) return HANGUL;
  if (IS_MARK.test(char)) return MARK;
  if (!IS_WORD.test(char)) return code >= 0x2300 && IS_PICTURE.test(char) ? SYMBOL : SEPARATOR;
  if (isIdeograph(code)) return IDEOGRAPH;
  return needsBigrams(code) ? IDEOGRAPH_UNSETTLED : LETTER;
}

function classOfPair(code: number): number {
  if (code < 0x10000) return SEPARATOR;
  const char = String.fromCodePoint(code);
  if (IS_MARK.test(char)) return MARK;
  if (IS_WORD.test(char)) {
    return within(code, 0x1b000, 0x1b16f) || within(code, 0x20000, 0x3ffff) ? IDEOGRAPH_UNSETTLED : LETTER;
  }
  return IS_PICTURE.test(char) ? SYMBOL : SEPARATOR;
}

/** Kana, bopomofo and the unified ideographs of the basic plane. */
function isIdeograph(code: number): boolean {
  return within(code, 0x3005, 0x312f) || within(code, 0x31a0, 0x31ff) || within(code, 0x3400, 0x9fff);
}

/** Compatibility ideographs, half-width kana; Thai, Lao, Burmese and Khmer, which write words without spaces. */
function needsBigrams(code: number): boolean {
  return (
    within(code, 0xf900, 0xfaff) ||
    within(code, 0xff66, 0xff9f) ||
    within(code, 0x0e00, 0x0eff) ||
    within(code, 0x1000, 0x109f) ||
    within(code, 0x1780, 0x17ff)
  );
}

function within(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}
