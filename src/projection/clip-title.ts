/**
 * Bounds the texts that a list shows: a title may come from a pasted file of megabytes.
 * Cuts between graphemes, never inside one; lone surrogates are replaced, so that every store takes the result.
 */

/** Code points of a title or preview at most; the mark of a cut is within. */
export const TITLE_MAX_CHARS = 400;

const LONE_SURROGATE = /\p{Surrogate}/gu;
const MARK = '…';
/** Made when the first title is cut: making it takes longer than a list does to start. */
let graphemes: Intl.Segmenter | undefined;

/** `text` in at most `TITLE_MAX_CHARS` code points, ending in `…` when it was cut. */
export function clipTitle(text: string): string {
  // Twice as many units hold at least so many code points; the rest of a huge text is never looked at.
  const head = text.length > TITLE_MAX_CHARS * 2 + 64 ? text.slice(0, TITLE_MAX_CHARS * 2 + 64) : text;
  const wellFormed = head.replace(LONE_SURROGATE, '\ufffd');
  if (head.length === text.length && wellFormed.length <= TITLE_MAX_CHARS) return wellFormed;
  const points = [...wellFormed];
  if (head.length === text.length && points.length <= TITLE_MAX_CHARS) return wellFormed;
  const limit = points.slice(0, TITLE_MAX_CHARS - 1).join('').length;
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index, segment } of graphemes.segment(wellFormed)) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  // One grapheme may be longer than the limit; then it is cut after all.
  return wellFormed.slice(0, end === 0 ? limit : end) + MARK;
}
