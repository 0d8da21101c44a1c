/**
 * The line in which a query is typed: what becomes of it by each edit. Pure; the caret is always at its end.
 */
import { displayWidth } from '../width.js';

/** Code units of a query at most: the search takes no more than a few dozen words. */
const MAX_QUERY = 1_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** `query` with `text` behind it: controls and line breaks become spaces, what is too much is left out. */
export function typed(query: string, text: string): string {
  // Looked at before it is cleaned: a paste may be large.
  const clean = text.slice(0, MAX_QUERY).replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ');
  const whole = (query + (query === '' ? clean.trimStart() || clean : clean)).slice(0, MAX_QUERY);
  return whole.replace(/[\ud800-\udbff]$/, '');
}

/** Without its last character: a Hangul syllable or an emoji is one. */
export function withoutLast(query: string): string {
  let last = 0;
  for (const { index } of graphemes.segment(query)) last = index;
  return query.slice(0, last);
}

/** Without its last word and the spaces behind it. */
export function withoutLastWord(query: string): string {
  const end = query.trimEnd();
  return end.slice(0, end.lastIndexOf(' ') + 1);
}

/** The end of `text` in at most `width` columns; what is cut off in front becomes `…`. */
export function endOfText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const segments = [...graphemes.segment(text)];
  let start = segments.length;
  let used = 1;
  while (start > 0) {
    used += displayWidth(segments[start - 1]!.segment);
    if (used > width) break;
    start -= 1;
  }
  return width < 1 ? '' : `…${text.slice(segments[start]?.index ?? text.length)}`;
}
