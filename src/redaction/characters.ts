/**
 * Sets of characters as lookup tables, runs of them, and where a word begins. Pure; looks at UTF-16 code units.
 */

/** Membership by ASCII code; what is not ASCII is in no set. */
export type CharacterSet = Uint8Array;

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();

export function characterSet(members: string): CharacterSet {
  const set = new Uint8Array(128);
  for (let i = 0; i < members.length; i++) set[members.charCodeAt(i)] = 1;
  return set;
}

export const ALNUM_TEXT: string = DIGITS + LOWER + UPPER;
export const ALNUM: CharacterSet = characterSet(ALNUM_TEXT);
export const LETTERS: CharacterSet = characterSet(LOWER + UPPER);
export const UPPER_DIGITS: CharacterSet = characterSet(DIGITS + UPPER);
export const UPPER_NAME: CharacterSet = characterSet(`${DIGITS}${UPPER}_`);
export const HEX: CharacterSet = characterSet(`${DIGITS}abcdefABCDEF`);
export const BASE64URL: CharacterSet = characterSet(`${ALNUM_TEXT}_-`);
export const BASE64: CharacterSet = characterSet(`${ALNUM_TEXT}+/=`);
export const DOTTED: CharacterSet = characterSet(`${ALNUM_TEXT}_-.`);
export const BEARER: CharacterSet = characterSet(`${ALNUM_TEXT}_-.~+/=`);
/** What a name of a setting, variable or field is made of, its path included. */
export const NAME: CharacterSet = characterSet(`${ALNUM_TEXT}_-.$`);
/** What a word of a text is made of. */
export const WORD: CharacterSet = BASE64URL;
/** How the inside of a tag begins. */
export const NAME_OF_TAG: CharacterSet = characterSet(`${LOWER}${UPPER}/`);

/** Letters and digits, and these. */
export function alnumAnd(members: string): CharacterSet {
  return characterSet(ALNUM_TEXT + members);
}

export function isIn(set: CharacterSet, code: number): boolean {
  return code < 128 && set[code] === 1;
}

/** Index after the run of `set` that begins at `from`; at most `limit`. */
export function endOfRun(text: string, from: number, set: CharacterSet, limit: number = text.length): number {
  const stop = Math.min(limit, text.length);
  let at = from;
  while (at < stop && isIn(set, text.charCodeAt(at))) at += 1;
  return at;
}

const ESCAPE_BEFORE =
  /(?:\\[nrtbf0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|[\u001b\u009b]\[?[0-9;]{0,12}m|\[[0-9;]{1,12}m)$/;
const ESCAPE_REACH = 18;

/**
 * Whether a token may begin at `at`: the character before is none of a word, or is the tail of an escape
 * (`\n`, `\u003d`, `%3D`, a colour code). `_` is part of a word unless it opens one, as the emphasis of Markdown does,
 * and so is `-` unless it marks a line of a patch.
 */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before === 0x2d) return beginsLine(text, at - 1) || isFlagDash(text, at - 1);
  if (before === 0x5f) return opensEmphasis(text, at - 1);
  if (!isIn(ALNUM, before)) return true;
  return ESCAPE_BEFORE.test(text.slice(Math.max(0, at - ESCAPE_REACH), at));
}

/** Whether `at` is the first character of a line, real or escaped. */
export function beginsLine(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before === 0x0a || before === 0x0d) return true;
  return before === 0x6e && text.charCodeAt(at - 2) === 0x5c;
}

/** The longest run of signs that a word is set off with. */
const MAX_EMPHASIS = 8;

/** `_` behind something else than a name; other signs of emphasis may stand between. */
function opensEmphasis(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && at - first < MAX_EMPHASIS && text.charCodeAt(first - 1) === 0x5f) first -= 1;
  const before = text.charCodeAt(first - 1);
  return first === 0 || !(isIn(BASE64URL, before) || before === 0x2e);
}

/** How many letters and digits stand before `at`; at most `limit`. */
export function runBefore(text: string, at: number, limit: number): number {
  let first = at;
  while (first > 0 && at - first < limit && isIn(ALNUM, text.charCodeAt(first - 1))) first -= 1;
  return at - first;
}

/** `-` that cannot join two words: something else than a letter or digit stands before it. */
function isFlagDash(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before === 0x3d || before === 0x3a || before === 0x20 || before === 0x22 || before === 0x27;
}

/** As `startsWith` of strings; `literal` is lower case, and only ASCII letters are folded. */
export function startsWithFolded(text: string, literal: string, at: number): boolean {
  if (at + literal.length > text.length) return false;
  for (let i = 0; i < literal.length; i++) {
    let code = text.charCodeAt(at + i);
    if (code >= 0x41 && code <= 0x5a) code += 0x20;
    if (code !== literal.charCodeAt(i)) return false;
  }
  return true;
}
