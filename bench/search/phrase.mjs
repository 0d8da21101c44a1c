/** Fills `{name}` in a template, and `{name:을/를}` with the particle that fits the sound before it. */

const HANGUL_FIRST = 0xac00;
const HANGUL_LAST = 0xd7a3;
const FINALS = 28;
const RIEUL = 8;
/** A closing quotation mark or bracket is not heard. */
const SILENT = /[』」"'`)\]]+$/u;

export function fill(template, values) {
  const text = template.replace(/\{(\w+)(?::([^/}]+)\/([^}]+))?\}/gu, (_, name, afterConsonant, afterVowel) => {
    const value = values[name];
    if (value === undefined) throw new Error(`No value for {${name}} in: ${template}`);
    return afterConsonant === undefined ? value : value + particle(value, afterConsonant, afterVowel);
  });
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How the letters and digits that end a foreign word are heard. */
const HEARD_AS_VOWEL = /[aeiouyw2459]$/iu;
const HEARD_AS_RIEUL = /[lr178]$/iu;

function particle(word, afterConsonant, afterVowel) {
  const heard = word.replace(SILENT, '');
  const last = heard.charCodeAt(heard.length - 1);
  if (last >= HANGUL_FIRST && last <= HANGUL_LAST) {
    const final = (last - HANGUL_FIRST) % FINALS;
    return final === 0 || (final === RIEUL && afterConsonant === '으로') ? afterVowel : afterConsonant;
  }
  if (HEARD_AS_VOWEL.test(heard) || (HEARD_AS_RIEUL.test(heard) && afterConsonant === '으로')) return afterVowel;
  return afterConsonant;
}
