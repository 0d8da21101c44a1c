/**
 * Where an identifier of ASCII letters and digits has its parts: `getUserName` is get, user, name; `HTTPServer` is
 * http, server; `utf8Decoder` is utf8, decoder; `node20` is node, 20. Owns the boundaries; never writes a token.
 *
 * Digits belong to the letters before them, so `v20`, `e2e`, `3rd` and hexadecimal numbers have no parts.
 * Only a word that is two letters or more followed by digits to its end is letters and digits too.
 */
import { ASCII_CLASSES, DIGIT, LOWER } from './char-class.js';

/** With shorter parts than this on the average, or more of one character, capitals are chance, as in base64. */
const MIN_AVERAGE_PART = 2.5;
const MAX_SINGLE_PARTS = 1;

/**
 * Fills `ends` with the end of each part but the last, as offsets into `text`, and returns their count:
 * 0 when the word has no parts. Bounds: `ends` takes `end - start` numbers.
 */
export function findParts(text: string, start: number, end: number, ends: Int32Array): number {
  let count = 0;
  let singles = 0;
  let from = start;
  for (let index = start + 1; index < end; index++) {
    if (!isCapital(text.charCodeAt(index))) continue;
    if (isCapital(text.charCodeAt(index - 1)) && !isCapitalOfWord(text, index, end)) continue;
    if (index - from === 1) singles++;
    ends[count++] = from = index;
  }
  if (count === 0) {
    const digits = startOfDigits(text, start, end);
    if (digits > start) ends[count++] = digits;
    return count;
  }
  if (end - from === 1) singles++;
  if (count === 1) return count;
  return singles <= MAX_SINGLE_PARTS && end - start >= MIN_AVERAGE_PART * (count + 1) ? count : 0;
}

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}

/** The `S` of `HTTPServer`; not the `L` of `URLs`, whose small `s` is a plural. */
function isCapitalOfWord(text: string, index: number, end: number): boolean {
  if (index + 1 >= end || ASCII_CLASSES[text.charCodeAt(index + 1)] !== LOWER) return false;
  return !(text.charCodeAt(index + 1) === 0x73 && index + 2 === end);
}

/** Where the digits of a word of letters, then digits, begin; `start` for any other word. */
function startOfDigits(text: string, start: number, end: number): number {
  let index = end;
  while (index > start && ASCII_CLASSES[text.charCodeAt(index - 1)] === DIGIT) index--;
  if (index === end || index - start < 2) return start;
  for (let letter = start; letter < index; letter++) {
    if (ASCII_CLASSES[text.charCodeAt(letter)] === DIGIT) return start;
  }
  return index;
}
