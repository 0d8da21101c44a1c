/**
 * Walks over a text from word to word. A word is what has no separator in it and is of one kind of script:
 * `React를` is two words. Owns where words begin and end; never changes a character, never builds a string.
 *
 * The indexer and the matcher both walk with it, so that a word that was indexed is found again in its text.
 * One pass, a bounded look ahead of one character.
 */
import {
  APOSTROPHE,
  ASCII_CLASSES,
  classAt,
  DIGIT,
  HANGUL,
  IDEOGRAPH,
  IDEOGRAPH_UNSETTLED,
  JAMO,
  LETTER,
  LOWER,
  MARK,
  SYMBOL,
  UPPER,
  unitsAt,
} from './char-class.js';

/** Kinds of words, as numbers since one is stored for every word of a home. Between such words stand spaces. */
export const LETTERS = 0;
/** Cut into bigrams of syllables. */
export const SYLLABLES = 1;
/** Cut into bigrams; of a script that writes no spaces. */
export const IDEOGRAPHS = 2;
/** One picture. */
export const PICTURE = 3;

/** Bits of `shape`: what a word of `letters` holds beside small letters. */
export const HAS_INNER_UPPER = 1;
export const HAS_DIGIT = 2;
export const HAS_APOSTROPHE = 4;
/** Not only ASCII, or not in its composed form: the word has to be folded before it is used. */
export const HAS_OTHER = 8;

/** Call `next()` until it is false; `start`, `end` (UTF-16, end exclusive), `kind` and `shape` tell the current word. */
export class WordScanner {
  start = 0;
  end = 0;
  kind = LETTERS;
  shape = 0;
  #text = '';

  /** Begins at the first word of `text`. */
  reset(text: string): void {
    this.#text = text;
    this.start = 0;
    this.end = 0;
  }

  next(): boolean {
    const text = this.#text;
    for (let index = this.end; index < text.length; ) {
      const unit = text.charCodeAt(index);
      const found = unit < 0x80 ? ASCII_CLASSES[unit]! : classAt(text, index, unit);
      switch (found) {
        case LOWER:
        case UPPER:
        case DIGIT:
        case LETTER:
          this.#letters(index, found);
          return true;
        case HANGUL:
        case JAMO:
          this.#bigrams(index, SYLLABLES, HANGUL, JAMO);
          return true;
        case IDEOGRAPH:
        case IDEOGRAPH_UNSETTLED:
          this.#bigrams(index, IDEOGRAPHS, IDEOGRAPH, IDEOGRAPH_UNSETTLED);
          return true;
        case SYMBOL:
          this.#found(index, index + unitsAt(text, index, unit), PICTURE, 0);
          return true;
      }
      index += unit < 0xd800 ? 1 : unitsAt(text, index, unit);
    }
    this.start = this.end = text.length;
    return false;
  }

  #letters(start: number, first: number): void {
    const text = this.#text;
    const length = text.length;
    // One bit a class met; small letters are the rule and get none.
    let seen = first === DIGIT || first === LETTER ? 1 << first : 0;
    let index = start + (first === LETTER ? unitsAt(text, start, text.charCodeAt(start)) : 1);
    for (; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit >= 0x61 && unit <= 0x7a) continue;
      const found = unit < 0x80 ? ASCII_CLASSES[unit]! : classAt(text, index, unit);
      if (found === UPPER || found === DIGIT) seen |= 1 << found;
      else if (found === LETTER || found === MARK) {
        seen |= 1 << LETTER;
        index += unitsAt(text, index, unit) - 1;
      } else if (found === APOSTROPHE && this.#isLetterAt(index + 1)) seen |= 1 << APOSTROPHE;
      else break;
    }
    if (seen === 0) {
      this.#found(start, index, LETTERS, 0);
      return;
    }
    const shape =
      (seen & (1 << UPPER) ? HAS_INNER_UPPER : 0) |
      (seen & (1 << DIGIT) ? HAS_DIGIT : 0) |
      (seen & (1 << APOSTROPHE) ? HAS_APOSTROPHE : 0) |
      (seen & (1 << LETTER) ? HAS_OTHER : 0);
    this.#found(start, index, LETTERS, shape);
  }

  #bigrams(start: number, kind: number, settled: number, unsettled: number): void {
    const text = this.#text;
    let shape = 0;
    let index = start;
    while (index < text.length) {
      const unit = text.charCodeAt(index);
      if (settled === HANGUL && unit >= 0xac00 && unit <= 0xd7a3) {
        index++;
        continue;
      }
      const found = classAt(text, index, unit);
      if (found === settled) index++;
      else if (found === unsettled || found === MARK) {
        shape = HAS_OTHER;
        index += unitsAt(text, index, unit);
      } else break;
    }
    this.#found(start, index, kind, shape);
  }

  #isLetterAt(index: number): boolean {
    if (index >= this.#text.length) return false;
    const found = classAt(this.#text, index, this.#text.charCodeAt(index));
    return found === LOWER || found === UPPER || found === DIGIT || found === LETTER;
  }

  #found(start: number, end: number, kind: number, shape: number): void {
    this.start = start;
    this.end = end;
    this.kind = kind;
    this.shape = shape;
  }
}
