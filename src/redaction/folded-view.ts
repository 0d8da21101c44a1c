/**
 * A text as it reads: without what is not seen (controls, colour codes, joiners, soft hyphens, marks, tags of emphasis
 * within a word), full-width letters as their usual ones, Hangul composed. What the analyser folds together is one
 * here too, so that no secret comes to light in an index that was hidden from the rules. Keeps capitals.
 *
 * Made only of texts that hold such characters; every other costs one look at each character. Linear.
 */
import { foldSpelling } from '../base/analyse/fold.js';
import {
  ALL_OTHERWISE,
  classify,
  endOfTags,
  GONE,
  isBlank,
  isPrintable,
  MARK,
  OTHER,
  readsOtherwiseAt,
} from './reads-otherwise.js';
import type { Span } from './secret-rule.js';
import { ViewWriter } from './view-writer.js';

export interface FoldedView {
  readonly text: string;
  /** The stretch of the original text that `[start, end)` of the view was made of. Bounds: `start` < `end`. */
  readonly toOriginal: (start: number, end: number) => Span;
}

const COLOUR =
  /\u001b(?:\[[0-9;:?]{0,40}[A-Za-z]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)|[()][A-Z0-9])|\u009b[0-9;:?]{0,40}[A-Za-z]/y;
/** As many as `foldSpelling` keeps. */
const MAX_MARKS = 32;
const CANDIDATE = new RegExp(
  `[${ALL_OTHERWISE.map((range) => range.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('-')).join('')}]`,
  'g',
);

/** The view of `text`; undefined when it would be the same. */
export function foldedView(text: string): FoldedView | undefined {
  CANDIDATE.lastIndex = 0;
  while (CANDIDATE.test(text)) {
    const at = CANDIDATE.lastIndex - 1;
    if (readsOtherwiseAt(text, at, text.charCodeAt(at))) return viewFrom(text, at);
  }
  return undefined;
}

/** The view of a text that reads otherwise at `at` first. */
export function viewFrom(text: string, at: number): FoldedView {
  const writer = new ViewWriter(text);
  let kept = 0;
  // The character before a mark may become another with it.
  for (let from = Math.max(0, at - 1); from < text.length; ) {
    const end = endOfChange(text, from);
    if (end === from) {
      from += 1;
      continue;
    }
    writer.keep(kept, from);
    if (!isGone(text, from)) writer.write(from, end, spellingOf(text, from, end));
    from = kept = end;
  }
  writer.keep(kept, text.length);
  return writer.take();
}

/** Where what begins at `at` and reads otherwise ends; `at` when it reads as it stands. */
function endOfChange(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) {
    if (unit === 0x3c) return endOfTags(text, at) ?? at;
    if (unit === 0x1b) return endOfColour(text, at);
    if (!isPrintable(unit) && !isBlank(unit)) return at + 1;
    return text.charCodeAt(at + 1) >= 0x300 && isMarkAt(text, at + 1) ? endOfMarks(text, at + 1) : at;
  }
  const found = classify(text, at, unit);
  if (found === GONE || found === MARK) return unit === 0x9b ? endOfColour(text, at) : at + unitsOf(text, at);
  if (found === OTHER) return endOfMarks(text, endOfJamo(text, at, unit));
  return isMarkAt(text, at + 1) ? endOfMarks(text, at + 1) : at;
}

function isGone(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return unit === 0x3c || unit < 0x20 || unit === 0x7f;
  const found = classify(text, at, unit);
  return found === GONE || found === MARK;
}

/** Behind the syllable that begins at `at`: a consonant, a vowel, a final. */
function endOfJamo(text: string, at: number, unit: number): number {
  let end = at + 1;
  if (isWithin(unit, 0x1100, 0x1112)) {
    if (isWithin(text.charCodeAt(end), 0x1161, 0x1175)) end += 1;
    if (isWithin(text.charCodeAt(end), 0x11a8, 0x11c2)) end += 1;
  }
  return end;
}

function endOfMarks(text: string, from: number): number {
  let end = from;
  while (end - from < MAX_MARKS && isMarkAt(text, end)) end += 1;
  return end;
}

/** Behind the colour code that begins at `at`, or behind what begins none. */
function endOfColour(text: string, at: number): number {
  COLOUR.lastIndex = at;
  return COLOUR.test(text) ? COLOUR.lastIndex : at + 1;
}

function unitsOf(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}

/** A mark of the basic plane, which may make another character of the one before it. */
function isMarkAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (!(unit >= 0x300 && unit <= 0xfe2f) || isWithin(unit, 0x2e80, 0x3098) || isWithin(unit, 0x309b, 0xfdff))
    return false;
  return classify(text, at, unit) === MARK;
}

function isWithin(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}

const MAX_KEPT = 4096;
const MAX_KEPT_UNITS = 4;
const kept = new Map<string, string>();
const keptUnits = new Map<number, string>();

/** Characters of a text repeat. */
function spellingOf(text: string, start: number, end: number): string {
  if (end - start === 1) {
    const unit = text.charCodeAt(start);
    const known = keptUnits.get(unit);
    if (known !== undefined) return known;
    const read = foldSpelling(text.charAt(start));
    keptUnits.set(unit, read);
    return read;
  }
  const character = text.slice(start, end);
  if (character.length > MAX_KEPT_UNITS) return foldSpelling(character);
  const known = kept.get(character);
  if (known !== undefined) return known;
  const read = foldSpelling(character);
  if (kept.size === MAX_KEPT) kept.clear();
  kept.set(character, read);
  return read;
}
