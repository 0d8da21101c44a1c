/**
 * Makes the texts that a list shows: masked, and bounded, since a title may come from a pasted file of megabytes.
 * Cuts between graphemes, never inside one; lone surrogates are replaced, so that every store takes the result.
 */
import { maskedHead } from './masked-head.js';

/** Code points of a title or preview at most; the mark of a cut is within. */
export const TITLE_MAX_CHARS = 400;

const LONE_SURROGATE = /\p{Surrogate}/gu;
const MARK = '…';
/** Made when the first title is cut: making it takes longer than a list does to start. */
let graphemes: Intl.Segmenter | undefined;

/** So much of a text is masked for its title. */
const MASKED_UNITS = 32 * 1024;

/** A title that may be stored and shown: masked first, then cut, so that a cut never hides the end of a secret. */
export function maskedTitle(text: string): string {
  return clipTitle(maskedHead(text, MASKED_UNITS));
}

/** `text` in at most `TITLE_MAX_CHARS` code points, ending in `…` when it was cut. */
export function clipTitle(text: string): string {
  // Twice as many units hold at least so many code points; the rest of a huge text is never looked at.
  const head = text.length > TITLE_MAX_CHARS * 2 + 64 ? text.slice(0, TITLE_MAX_CHARS * 2 + 64) : text;
  const wellFormed = head.replace(LONE_SURROGATE, '\ufffd');
  if (head.length === text.length && wellFormed.length <= TITLE_MAX_CHARS) return wellFormed;
  if (head.length === text.length && unitsOf(wellFormed, TITLE_MAX_CHARS) === wellFormed.length) return wellFormed;
  const limit = unitsOf(wellFormed, TITLE_MAX_CHARS - 1);
  return wellFormed.slice(0, graphemeEnd(wellFormed, limit)) + MARK;
}

/** Length in UTF-16 units of the first `points` code points, or of all. */
function unitsOf(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left -= 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** The last place at or before `limit` where a grapheme ends; `limit` when one grapheme reaches over it from the start. */
function graphemeEnd(text: string, limit: number): number {
  // Segmenting a title takes longer than reading its file; most end between two characters that never join.
  if (standsAlone(text.charCodeAt(limit - 1)) && standsAlone(text.charCodeAt(limit))) return limit;
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return end === 0 ? limit : end;
}

/** True for characters that join no neighbour of their kind: printable ASCII, whole Hangul syllables, ideographs. */
function standsAlone(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || (unit >= 0xac00 && unit <= 0xd7a3) || (unit >= 0x4e00 && unit <= 0x9fff);
}
