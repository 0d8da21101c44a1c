/**
 * A light English stemmer: plurals, `-ed`, `-ing`, a silent `e`, `y` and `i`. One stem a word, from its letters alone:
 * whatever wrote the word (document or query, capitals or not) gets the same.
 *
 * It takes off what inflects a word and nothing that makes another word of it: `-er`, `-ly`, `-ness`, `-tion` stay.
 * Works in place on ASCII small letters, as they lie in the buffer of tokens. Never lengthens a word.
 * A stem is a key, not a word: `cities` and `city` meet in `citi`.
 */

const A = 0x61;
const D = 0x64;
const E = 0x65;
const G = 0x67;
const I = 0x69;
const L = 0x6c;
const N = 0x6e;
const O = 0x6f;
const S = 0x73;
const U = 0x75;
const W = 0x77;
const X = 0x78;
const Y = 0x79;

/** Words of at most so many letters stay as they are. */
const SHORTEST = 3;

/** By the last letter: 1 when a word that ends so may have an ending to take off. */
export const MAY_INFLECT: Uint8Array = new Uint8Array(128);
for (const letter of [S, D, G, E, Y, L]) MAY_INFLECT[letter] = 1;

/** Their ending is no inflection, or what is left of them is another word. */
const PROTECTED: readonly Uint8Array[] =
  'alias always atlas bias canvas cors during embed evening hundred https lens news postgres series species'
    .split(' ')
    .map((word) => Uint8Array.from(word, (char) => char.charCodeAt(0)));

const MAY_BE_PROTECTED = new Uint8Array(0x200);
for (const word of PROTECTED) MAY_BE_PROTECTED[sieve(word[0]!, word.length)] = 1;

/** The end of the stem of the word at `[start, end)`; the bytes before it may have been rewritten. Linear. */
export function stemEnglish(bytes: Uint8Array, start: number, end: number): number {
  if (end - start <= SHORTEST) return end;
  const last = bytes[end - 1]!;
  if (last === S) {
    const singular = withoutPlural(bytes, start, end);
    return singular === end || singular - start <= SHORTEST ? singular : withoutEnding(bytes, start, singular);
  }
  return MAY_INFLECT[last] === 1 ? withoutEnding(bytes, start, end) : end;
}

function withoutPlural(bytes: Uint8Array, start: number, end: number): number {
  const before = bytes[end - 2]!;
  if (before === S || before === U || before === I || isProtected(bytes, start, end)) return end;
  if (before !== E) return end - 1;
  if (bytes[end - 3] === I) return end - start === 4 ? end - 1 : withoutTail(bytes, start, end - 2);
  return bytes[end - 3] === O ? end - 2 : end - 1;
}

function withoutEnding(bytes: Uint8Array, start: number, end: number): number {
  const last = bytes[end - 1]!;
  if (last === E) return withoutSilentE(bytes, start, end);
  if (last === D && bytes[end - 2] === E) return withoutPast(bytes, start, end);
  if (last === G && bytes[end - 2] === N && bytes[end - 3] === I) return withoutSuffix(bytes, start, end, 3);
  return withoutTail(bytes, start, end);
}

function withoutPast(bytes: Uint8Array, start: number, end: number): number {
  const before = bytes[end - 3]!;
  if (before === E) return end;
  if (before === I) return end - start === 4 ? end - 1 : withoutTail(bytes, start, end - 2);
  return withoutSuffix(bytes, start, end, 2);
}

/** Takes off `-ed` or `-ing`, and writes or doubles the rest as the plain word has it. */
function withoutSuffix(bytes: Uint8Array, start: number, end: number, size: number): number {
  const rest = end - size;
  const length = rest - start;
  if (length < 2 || !hasVowel(bytes, start, rest) || isProtected(bytes, start, end)) return end;
  const last = bytes[rest - 1]!;
  if (length === 2) {
    // `using`, `aged`: two letters are left of three; `going`: two of two.
    if (isVowel(bytes, start, start)) {
      if (isVowel(bytes, start, start + 1)) return end;
      bytes[rest] = E;
      return rest + 1;
    }
    return size === 3 ? rest : end;
  }
  if (length > SHORTEST && last === bytes[rest - 2] && isDoubled(last)) return rest - 1;
  if (last === U || isShortSyllable(bytes, start, rest)) {
    bytes[rest] = E;
    return withoutSilentE(bytes, start, rest + 1);
  }
  return last === E ? withoutSilentE(bytes, start, rest) : withoutTail(bytes, start, rest);
}

/** `change` loses its `e` as `changing` does; `note` and `tree` keep it, or they would be other words. */
function withoutSilentE(bytes: Uint8Array, start: number, end: number): number {
  if (end - start <= SHORTEST) return end;
  const count = measure(bytes, start, end - 1);
  return count > 1 || (count === 1 && !endsShort(bytes, start, end - 1)) ? end - 1 : end;
}

/** `city` and `citi(es)`, `try` and `tri(es)`, `install` and `instal(ler)` are spelt alike. */
function withoutTail(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const last = bytes[end - 1]!;
  if (last === I && length <= SHORTEST) bytes[end - 1] = Y;
  else if (last === Y && length > SHORTEST && !isVowel(bytes, start, end - 2)) bytes[end - 1] = I;
  else if (last === L && length > 5 && bytes[end - 2] === L) return end - 1;
  return end;
}

/** Consonant, vowel, consonant, with no other vowel before: `hop` of `hoping`; not `show`, `fix`, `play`. */
function isShortSyllable(bytes: Uint8Array, start: number, end: number): boolean {
  return endsShort(bytes, start, end) && measure(bytes, start, end) === 1;
}

function endsShort(bytes: Uint8Array, start: number, end: number): boolean {
  const last = bytes[end - 1]!;
  if (end - start < 3 || last === W || last === X || last === Y || isPlainVowel(last)) return false;
  return isVowel(bytes, start, end - 2) && !isVowel(bytes, start, end - 3);
}

/** How often a vowel is followed by a consonant; counts to 2. */
function measure(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  let afterVowel = false;
  for (let index = start; index < end && count < 2; index++) {
    const byte = bytes[index]!;
    const vowel = isPlainVowel(byte) || (byte === Y && isVowel(bytes, start, index));
    if (afterVowel && !vowel) count++;
    afterVowel = vowel;
  }
  return count;
}

function hasVowel(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if (isVowel(bytes, start, index)) return true;
  }
  return false;
}

/** A vowel letter, or a `y` after a consonant: that of `type`, not that of `play` or `yes`. */
function isVowel(bytes: Uint8Array, start: number, index: number): boolean {
  const byte = bytes[index]!;
  if (byte !== Y) return isPlainVowel(byte);
  if (index === start) return false;
  const before = bytes[index - 1]!;
  return before !== Y && !isPlainVowel(before);
}

/** One of a, e, i, o, u: their bits, counted from `a`. */
function isPlainVowel(letter: number): boolean {
  return ((0x104111 >> (letter - A)) & 1) === 1;
}

/** Consonants that are doubled before `-ed` and `-ing`: b d g m n p r t. `ff`, `ll`, `ss`, `zz` belong to the word. */
function isDoubled(letter: number): boolean {
  return ((0xab04a >> (letter - A)) & 1) === 1;
}

function isProtected(bytes: Uint8Array, start: number, end: number): boolean {
  // Nearly every word is ruled out by its length and first letter.
  if (MAY_BE_PROTECTED[sieve(bytes[start]!, end - start)] === 0) return false;
  return PROTECTED.some(
    (word) => word.length === end - start && word.every((byte, index) => byte === bytes[start + index]),
  );
}

function sieve(first: number, length: number): number {
  return ((first & 0x1f) << 4) | (length & 0xf);
}
