/**
 * Tells a name as people give, from what chance makes: words and small numbers between separators, a number at the end
 * at most. Looks at each character once.
 */
import { type CharacterSet, characterSet, endOfRun } from './characters.js';

const LOWER: CharacterSet = characterSet('abcdefghijklmnopqrstuvwxyz');
const UPPER: CharacterSet = characterSet('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const DIGITS: CharacterSet = characterSet('0123456789');
const SEPARATORS: CharacterSet = characterSet('-_./:,@ ');
const MAX_WORD = 24;
/** Of a word that a number ends. */
const MIN_NUMBERED = 2;
const MAX_NUMBER = 4;
const MAX_ENDING = 2;
const SMALL_V = 0x76;

/** Whether `value` is made of words in any case, short numbers and versions (`v12`), with separators between. */
export function isNameLike(value: string): boolean {
  for (let at = endOfRun(value, 0, SEPARATORS); at < value.length; ) {
    const end = endOfWord(value, at);
    if (end === undefined) return false;
    at = endOfRun(value, end, SEPARATORS);
    if (at === end && at < value.length) return false;
  }
  return true;
}

/** Where the word or number ends that begins at `start`; undefined when none does. */
function endOfWord(value: string, start: number): number | undefined {
  const number = value.charCodeAt(start) === SMALL_V ? start + 1 : start;
  const digits = endOfRun(value, number, DIGITS);
  if (digits > number) return digits - number <= MAX_NUMBER ? digits : undefined;
  const capitals = endOfRun(value, start, UPPER);
  const letters = endOfRun(value, capitals, LOWER);
  if (letters === capitals) {
    const length = capitals - start;
    return length === 0 || length > MAX_WORD ? undefined : endOfNumber(value, capitals, length);
  }
  if (capitals - start > 1 || letters - capitals > MAX_WORD) return undefined;
  return endOfParts(value, capitals, letters);
}

/** Behind further parts of a word, each a capital and small letters; the first has its small letters at `[from, to)`. */
function endOfParts(value: string, from: number, to: number): number | undefined {
  let end = to;
  let shortest = to - from;
  let longest = shortest;
  while (endOfRun(value, end, UPPER, end + 1) > end) {
    const next = endOfRun(value, end + 1, LOWER);
    const length = next - end - 1;
    if (length === 0) return undefined;
    shortest = Math.min(shortest, length);
    longest = Math.max(longest, length);
    end = next;
  }
  return longest > MAX_WORD ? endOfNumber(value, end, 0) : endOfNumber(value, end, shortest);
}

/** Behind the number at `from`, which may end a word whose shortest part has so many letters; `from` when none is there. */
function endOfNumber(value: string, from: number, shortest: number): number | undefined {
  const end = endOfRun(value, from, DIGITS);
  if (end === from) return end;
  return shortest >= MIN_NUMBERED && end - from <= MAX_ENDING ? end : undefined;
}
