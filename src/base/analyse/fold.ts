/**
 * One spelling for each word that is not plain ASCII: composed, small letters, without the marks of Latin and Greek,
 * full-width forms as their usual ones. Owns equality of spellings; never cuts a text into words.
 *
 * fold(NFD(word)) = fold(NFC(word)), and fold(fold(word)) = fold(word).
 */

/** More marks than this on one character are no writing, and putting them in order would take quadratic time. */
const MAX_MARKS = 32;

const IGNORED = /\u00ad|\u200c|\u200d|\u2060|\ufeff/g;
const MANY_MARKS = new RegExp(`(\\p{M}{${MAX_MARKS}})\\p{M}+`, 'gu');
/** Ligatures of Latin letters, full-width ASCII, half-width kana. */
const WIDE = /[\ufb00-\ufb06\uff01-\uff9f]+/g;
const FOLDED_MARKS = /([\p{Script=Latin}\p{Script=Greek}\d])[\p{Mn}\p{Me}]+/gu;

/** Letters that other spellings write without their sign, and which Unicode does not take apart. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  ſ: 's',
  ς: 'σ',
  ё: 'е',
};
const SPELT_OTHERWISE = new RegExp(`[${Object.keys(SPELLINGS).join('')}]`, 'g');

/** Words of a text repeat; a folded one is worth keeping for a while. */
const MAX_KEPT = 4096;
const MAX_KEPT_UNITS = 64;
const kept = new Map<string, string>();

/** The folded spelling of `word`: a function of its text alone. Linear. */
export function fold(word: string): string {
  if (word.length > MAX_KEPT_UNITS) return foldAnew(word);
  const known = kept.get(word);
  if (known !== undefined) return known;
  if (kept.size === MAX_KEPT) kept.clear();
  const folded = foldAnew(word);
  kept.set(word, folded);
  return folded;
}

/** As `fold`, but marks stay: what tells `résumé` from `resume`. */
export function foldCase(text: string): string {
  return text.replace(IGNORED, '').replace(MANY_MARKS, '$1').normalize('NFC').toLowerCase();
}

/**
 * As `fold`, but capitals stay, so that a text keeps what only case tells. `fold(foldSpelling(word))` = `fold(word)`
 * for words whose capitals have one small letter each. Linear; no cache.
 */
export function foldSpelling(word: string): string {
  return unmarked(word)
    .normalize('NFC')
    .replace(SPELT_OTHERWISE, (letter) => SPELLINGS[letter] ?? letter);
}

function unmarked(word: string): string {
  const seen = word.replace(IGNORED, '');
  return (seen.length > MAX_MARKS ? seen.replace(MANY_MARKS, '$1') : seen)
    .replace(WIDE, (wide) => wide.normalize('NFKC'))
    .normalize('NFD')
    .replace(FOLDED_MARKS, '$1');
}

function foldAnew(word: string): string {
  return unmarked(word)
    .toLowerCase()
    .normalize('NFC')
    .replace(SPELT_OTHERWISE, (letter) => SPELLINGS[letter] ?? letter);
}
