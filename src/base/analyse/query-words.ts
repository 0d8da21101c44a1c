/**
 * Cuts what a person typed into words and phrases. Owns the whole query language: `"…"` is a phrase, `-` before a
 * word or phrase excludes it, nothing else is an operator. Never decides how a word is searched; never throws.
 */

/** UTF-16 units of a query that are read; the rest is not looked at. */
export const MAX_QUERY_UNITS = 16_384;

export interface QueryWord {
  readonly text: string;
  readonly kind: 'word' | 'phrase';
  readonly excluded: boolean;
}

const WHITE = /[\s\p{Cc}]/u;
/** Between letters these belong to one word, as in `a/b.ts`, `get_user`, `key=value`; other punctuation separates. */
const SEPARATES = /[^\p{L}\p{N}\p{M}\p{Cf}\p{Extended_Pictographic}\p{Regional_Indicator}\-_./\\:@'’#+~=&]+/u;
const STARTS_WORD = /^[\p{L}\p{N}\p{M}._/"'@#~$]/u;

/** Words and phrases in the order typed. Linear. A quote that is not closed is as good as not typed. */
export function queryWords(typed: string): readonly QueryWord[] {
  const text = typed.slice(0, MAX_QUERY_UNITS);
  const words: QueryWord[] = [];
  const lastQuote = text.lastIndexOf('"');
  for (let index = 0; index < text.length; ) {
    if (WHITE.test(text[index]!)) {
      index++;
      continue;
    }
    const excluded = text[index] === '-' && STARTS_WORD.test(text.slice(index + 1, index + 3));
    if (excluded) index++;
    if (text[index] === '"') {
      const close = index === lastQuote ? -1 : text.indexOf('"', index + 1);
      if (close !== -1) words.push({ text: text.slice(index + 1, close), kind: 'phrase', excluded });
      index = close === -1 ? index + 1 : close + 1;
      continue;
    }
    const start = index;
    while (index < text.length && text[index] !== '"' && !WHITE.test(text[index]!)) index++;
    const run = text.slice(start, index);
    if (excluded) words.push({ text: run, kind: 'word', excluded });
    else for (const part of run.split(SEPARATES)) if (part !== '') words.push({ text: part, kind: 'word', excluded });
  }
  return words;
}
