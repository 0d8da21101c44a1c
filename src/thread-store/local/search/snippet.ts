/**
 * The part of a text around what was found, on one line. The text comes in masked: it is cut here, never before masking.
 *
 * Cuts stand between words where one is near, else between characters that never join; what cannot be seen is replaced
 * by what can. Linear in the matches; looks at no more of the text than the window.
 */
import { visibleLine } from '../../../base/visible-text.js';

/** UTF-16 units of the window, about: a cut moves to the end of a word. */
const WINDOW = 200;
/** What of the window stands before the first match, at most. */
const BEFORE = 60;
/** How far a cut looks for the end of a word. */
const REACH = 24;
/** Matches that are looked at; more are in one text only when it is all matches. */
const MAX_MATCHES = 5_000;
const MARK = '…';

export interface SnippetMatch {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Which term of the query. */
  readonly term: number;
}

export interface Snippet {
  readonly text: string;
  readonly matches: readonly (readonly [start: number, end: number])[];
}

/** `matches` ascend and do not overlap; `weightOf` tells what a term is worth in the window. */
export function snippetOf(text: string, matches: readonly SnippetMatch[], weightOf: (term: number) => number): Snippet {
  const cluster = bestCluster(matches.slice(0, MAX_MATCHES), weightOf);
  const first = cluster[0];
  const last = cluster.at(-1);
  const used = first === undefined || last === undefined ? 0 : Math.min(WINDOW, last.end - first.start);
  const lead = Math.min(BEFORE, Math.max(0, (WINDOW - used) >> 1));
  const start = cutBefore(text, Math.max(0, (first?.start ?? 0) - lead));
  const end = cutBehind(
    text,
    Math.min(text.length, Math.max(start + WINDOW, Math.min(last?.end ?? 0, start + WINDOW + REACH))),
  );
  return assemble(text, start, end, matches);
}

/** The matches within one window that are worth most: each term once in full, its repetitions a little. */
function bestCluster(matches: readonly SnippetMatch[], weightOf: (term: number) => number): readonly SnippetMatch[] {
  const counts = new Map<number, number>();
  let best = { worth: 0, from: 0, to: 0 };
  let worth = 0;
  let from = 0;
  const worthOf = (term: number, count: number): number => (count === 1 ? weightOf(term) : weightOf(term) * 0.05);
  for (const [to, { term, end }] of matches.entries()) {
    const count = (counts.get(term) ?? 0) + 1;
    counts.set(term, count);
    worth += worthOf(term, count);
    for (let left = matches[from]; left !== undefined && from < to && end - left.start > WINDOW; left = matches[from]) {
      const leftCount = counts.get(left.term) ?? 1;
      worth -= worthOf(left.term, leftCount);
      counts.set(left.term, leftCount - 1);
      from += 1;
    }
    if (worth > best.worth + 1e-9) best = { worth, from, to: to + 1 };
  }
  return matches.slice(best.from, best.to);
}

function assemble(text: string, start: number, end: number, matches: readonly SnippetMatch[]): Snippet {
  let shown = start > 0 ? MARK : '';
  const ranges: (readonly [number, number])[] = [];
  let at = start;
  for (const match of matches) {
    if (match.end <= start) continue;
    if (match.start >= end) break;
    const from = Math.max(at, match.start);
    const to = Math.min(match.end, end);
    if (to <= from) continue;
    shown = append(shown, text.slice(at, from));
    const rangeStart = shown.length;
    shown = append(shown, text.slice(from, to));
    if (shown.length > rangeStart) ranges.push([rangeStart, shown.length]);
    at = to;
  }
  shown = append(shown, text.slice(at, end)).trimEnd();
  return { text: end < text.length ? shown + MARK : shown, matches: ranges };
}

/** Adds a piece on one line, with what it hides made visible; white space at the beginning is left out. */
function append(shown: string, piece: string): string {
  if (piece === '') return shown;
  // Guards keep the white space at both ends from being trimmed: it may stand between two matches.
  const visible = visibleLine(`|${piece}|`).slice(1, -1);
  return shown === '' || shown === MARK || shown.endsWith(' ') ? shown + visible.trimStart() : shown + visible;
}

function cutBefore(text: string, wanted: number): number {
  if (wanted <= 0) return 0;
  for (let at = wanted; at > Math.max(0, wanted - REACH); at -= 1) if (isWordBorder(text, at)) return at;
  for (let at = wanted; at > Math.max(0, wanted - REACH); at -= 1) if (standsApart(text, at)) return at;
  return graphemeBorder(text, wanted);
}

function cutBehind(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at < Math.min(text.length, wanted + REACH); at += 1) if (isWordBorder(text, at)) return at;
  for (let at = wanted; at < Math.min(text.length, wanted + REACH); at += 1) if (standsApart(text, at)) return at;
  return graphemeBorder(text, wanted);
}

const WHITE = /\s/;
const JOINS = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;

/** Between white space and what is none. */
function isWordBorder(text: string, at: number): boolean {
  const [before, behind] = [text[at - 1] ?? '', text[at] ?? ''];
  return WHITE.test(before) !== WHITE.test(behind) && !JOINS.test(behind);
}

/** Between two characters that never join: printable ASCII, Hangul syllables, ideographs and kana. */
function standsApart(text: string, at: number): boolean {
  return isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at));
}

function isPlain(unit: number): boolean {
  return (
    (unit >= 0x20 && unit < 0x7f) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa)
  );
}

let graphemes: Intl.Segmenter | undefined;

/** The nearest end of a character before `wanted`; a character that has no end near is cut between code points. */
function graphemeBorder(text: string, wanted: number): number {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const from = pointBorder(text, Math.max(0, wanted - 4 * REACH));
  let border = from;
  for (const { index, segment } of graphemes.segment(text.slice(from, wanted + 2 * REACH))) {
    if (from + index + segment.length > wanted) break;
    border = from + index + segment.length;
  }
  return border > from ? border : pointBorder(text, wanted);
}

function pointBorder(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}
