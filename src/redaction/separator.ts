/**
 * What stands between a name and its value: `=`, `:`, `:=`, `=>`, `->`, `==`, `: Type =` and their kin, behind the closing
 * quote and brackets of the name. Reads it character by character, since a pattern takes as long for each of its parts
 * as this does for all; bounded, and judges nothing.
 */
import { characterSet, endOfRun, isIn, LETTERS } from './characters.js';

export interface Separator {
  /** Offset behind the separator and the blanks that follow it. */
  readonly end: number;
  readonly sign: 'equals' | 'colon' | 'other';
  /** A type stands between colon and equals sign. */
  readonly isTyped: boolean;
  /** No blank stands in it. */
  readonly isTight: boolean;
  /** The name ends without a quote or backslash. */
  readonly isBare: boolean;
}

const BACKSLASH = characterSet('\\');
const STAR = characterSet('*');
const BLANK = characterSet(' \t');
const EQUALS = characterSet('=');
const MAX_BACKSLASHES = 8;
const MAX_STARS = 2;
const MAX_BLANKS = 40;
const MAX_EQUALS = 3;
const MAX_TYPE = 20;
const MAX_TYPE_BLANKS = 4;

/** The separator at `from`, which is the end of a name. */
export function separatorAt(text: string, from: number): Separator | undefined {
  let at = endOfRun(text, from, BACKSLASH, from + MAX_BACKSLASHES);
  let code = codeAt(text, at);
  if (code === 0x22 || code === 0x27 || code === 0x60) code = codeAt(text, ++at);
  const isBare = at === from;
  if (code === 0x5d) code = codeAt(text, ++at);
  if (code === 0x29) at += 1;
  at = endOfRun(text, at, STAR, at + MAX_STARS);
  const signStart = endOfRun(text, at, BLANK, at + MAX_BLANKS);
  const typed = endOfTypedSign(text, signStart);
  const signEnd = typed ?? endOfSign(text, signStart);
  if (signEnd === undefined) return undefined;
  const blanks = endOfRun(text, signEnd, STAR, signEnd + MAX_STARS);
  const end = endOfRun(text, blanks, BLANK, blanks + MAX_BLANKS);
  return {
    end,
    sign: typed === undefined ? kindOf(text, signStart, signEnd) : 'equals',
    isTyped: typed !== undefined,
    isTight: at === signStart && blanks === end && (typed === undefined || !hasBlank(text, signStart, signEnd)),
    isBare,
  };
}

/** As `charCodeAt`, but 0 behind the end: compiled code must not meet what is no number. */
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

function kindOf(text: string, start: number, end: number): Separator['sign'] {
  if (end - start > 1) return 'other';
  const code = text.charCodeAt(start);
  return code === 0x3d ? 'equals' : code === 0x3a || code === 0xff1a ? 'colon' : 'other';
}

function hasBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isIn(BLANK, text.charCodeAt(at))) return true;
  return false;
}

/** `: Type =`, also `: Type[] =` and `: Type? =`. */
function endOfTypedSign(text: string, from: number): number | undefined {
  if (codeAt(text, from) !== 0x3a) return undefined;
  const start = endOfRun(text, from + 1, BLANK, from + 1 + MAX_TYPE_BLANKS);
  let at = endOfRun(text, start, LETTERS, start + MAX_TYPE);
  if (at === start) return undefined;
  if (codeAt(text, at) === 0x5b && codeAt(text, at + 1) === 0x5d) at += 2;
  if (codeAt(text, at) === 0x3f) at += 1;
  at = endOfRun(text, at, BLANK, at + MAX_TYPE_BLANKS);
  if (codeAt(text, at) !== 0x3d) return undefined;
  const next = codeAt(text, at + 1);
  return next === 0x3d || next === 0x3e ? undefined : at + 1;
}

function endOfSign(text: string, at: number): number | undefined {
  const next = codeAt(text, at + 1);
  switch (codeAt(text, at)) {
    case 0x3d: {
      if (next === 0x3e) return at + 2;
      const end = endOfRun(text, at, EQUALS, at + MAX_EQUALS);
      // Of `==>` the arrow is no part.
      return codeAt(text, end) === 0x3e ? end - 1 : end;
    }
    case 0x3a:
      return next === 0x3d ? at + 2 : next === 0x3a ? undefined : at + 1;
    case 0x2d:
      return next === 0x3e ? at + 2 : undefined;
    case 0x25: {
      const last = codeAt(text, at + 2) | 0x20;
      return next === 0x33 && (last === 0x64 || last === 0x61) ? at + 3 : undefined;
    }
    case 0xff1a:
    case 0xff1d:
      return at + 1;
  }
  return undefined;
}
