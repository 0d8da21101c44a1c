/**
 * Reads the value that stands after a name and its separator: in quotes of any depth of escaping, or bare.
 * A value may be cut by a line break or by a line that says what was left out. Judges nothing.
 */
import { beginsLine, characterSet, endOfRun, isIn } from './characters.js';
import { CleanStretch } from './clean-stretch.js';
import { continuationAt } from './continuation.js';

export interface ReadValue {
  /** UTF-16 offsets of the value without its quotes. */
  readonly start: number;
  readonly end: number;
  /** The first characters of the value, without interruptions. */
  readonly text: string;
  readonly quoted: boolean;
}

const OPENING = /(?:\b[bruf@]{1,2}(?=\\{0,8}["']))?(\\{0,8})(["'`])/iy;
const MAX_QUOTED = 2048;
const MAX_BREAKS = 6;
/** A bare value is judged by so many characters, and followed to its end when it is a secret. */
const MAX_JUDGED = 64;

/**
 * What ends a bare value. `line`: white space, as in an environment dump. `word`: white space or a quote, as in a
 * command; other signs do where a quote, white space or another setting comes behind them. `part`: also brackets,
 * commas and their kin before one another.
 */
export type Extent = 'line' | 'word' | 'part';

/** The quoted value that opens at `at`; undefined when none does, or it is empty or does not end. */
export function readQuoted(text: string, at: number): ReadValue | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null) return undefined;
  const depth = opening[1]?.length ?? 0;
  const quote = opening[2]!.charCodeAt(0);
  let start = OPENING.lastIndex;
  if (text.charCodeAt(start) === quote) {
    // Two quotes are an empty value, three open a long string.
    if (text.charCodeAt(start + 1) !== quote) return undefined;
    start += 2;
  }
  return toClosingQuote(text, start, quote, depth);
}

function toClosingQuote(text: string, start: number, quote: number, depth: number): ReadValue | undefined {
  let value = '';
  let partStart = start;
  let backslashes = 0;
  let breaks = 0;
  const limit = Math.min(text.length, start + MAX_QUOTED);
  for (let i = start; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) {
      backslashes += 1;
      continue;
    }
    if (code === quote && (backslashes <= depth || (depth === 0 && backslashes % 2 === 0))) {
      // A quote of a lesser depth ends the text around: what opened was no quote of a value.
      if (backslashes < depth) return undefined;
      const end = i - depth;
      value += text.slice(partStart, end);
      return end > start ? { start, end, text: value, quoted: true } : undefined;
    }
    const next =
      code === 0x0a || code === 0x0d || code === 0x2026 || code === 0x2e ? continuationAt(text, i) : undefined;
    if (next !== undefined) {
      breaks += 1;
      if (breaks > MAX_BREAKS) return undefined;
      value += text.slice(partStart, i);
      partStart = next.at;
      i = next.at - 1;
    } else if (code === 0x0a) {
      return undefined;
    }
    backslashes = 0;
  }
  return undefined;
}

/** The bare value at `at`. */
export function readBare(text: string, at: number, extent: Extent): ReadValue | undefined {
  const end = endOfBare(text, at, extent, at + MAX_JUDGED);
  if (end === at) return undefined;
  const next = end - at < MAX_JUDGED ? continuationAt(text, end) : undefined;
  if (next?.omitted) {
    const last = endOfBare(text, next.at, extent, next.at + MAX_JUDGED);
    return { start: at, end: last, text: text.slice(at, end) + text.slice(next.at, last), quoted: false };
  }
  return { start: at, end, text: text.slice(at, end), quoted: false };
}

/** What a character may do to a bare value: nothing, end it by itself, end it before some others, begin an escape. */
const GOES_ON = 0;
const ENDS = 1;
const MAY_END = 2;
const ESCAPES = 3;
const IN_PART: Uint8Array = endings(' \t\r\n\v\f"\'`<>', ',;&|)]}');
/** Of a line a quote ends nothing unless it is the last, a sign nothing unless a blank follows. */
const IN_LINE: Uint8Array = endings(' \t\r\n\v\f', '"\';&');

function endings(stops: string, mayStop: string): Uint8Array {
  const table = new Uint8Array(128);
  table.fill(ENDS, 0, 0x20);
  for (let i = 0; i < stops.length; i++) table[stops.charCodeAt(i)] = ENDS;
  for (let i = 0; i < mayStop.length; i++) table[mayStop.charCodeAt(i)] = MAY_END;
  table[0x5c] = ESCAPES;
  return table;
}

const MAY_STOP = characterSet(',;&|)]}');
/** What a separator must come before, in order to be one: an end, or another name with its value. */
const AFTER_STOP = /(?:[\s"'`<>)\]},;|&]|$|\\[nrt"']|&&|[A-Za-z_][\w .-]{0,40}\\{0,4}["']?[ \t]?[=:])/y;

/** Where the bare value ends that reaches over `from`; at most `limit`. */
export function endOfBare(text: string, from: number, extent: Extent, limit: number = text.length): number {
  const stop = Math.min(limit, text.length);
  const end = nextEnd(text, Math.min(bareValues.endOf(extent, from), stop), extent, stop);
  bareValues.keep(extent, from, end);
  return end;
}

/** What ends a bare value does so wherever the value began. */
const bareValues = new CleanStretch<Extent>();

function nextEnd(text: string, from: number, extent: Extent, stop: number): number {
  const whole = extent === 'line';
  const table = whole ? IN_LINE : IN_PART;
  for (let i = from; i < stop; i++) {
    const code = text.charCodeAt(i);
    if (code >= 128) {
      if (code === 0x2026 || (code === 0x3000 && !whole)) return i;
      continue;
    }
    const found = table[code]!;
    if (found === GOES_ON) continue;
    if (found === ENDS) return i;
    if (found === ESCAPES ? endsAtEscape(text, i) : whole ? endsLine(text, i, code) : endsAtStop(text, i, extent))
      return i;
  }
  return stop;
}

/** A quote that is the last, or `;` and `&` before a blank. */
function endsLine(text: string, at: number, code: number): boolean {
  return code === 0x22 || code === 0x27 ? isLastQuote(text, at) : isBlank(text.charCodeAt(at + 1));
}

/** What ends a value of a command behind signs that may belong to it. */
const AFTER_STOPS = /(?:[\s"'`<>]|$|\\[nrt"']|[A-Za-z_][\w.-]{0,40}=)/y;
const MAX_STOPS = 8;

function endsAtStop(text: string, at: number, extent: Extent): boolean {
  if (extent === 'part') {
    AFTER_STOP.lastIndex = at + 1;
    return AFTER_STOP.test(text);
  }
  AFTER_STOPS.lastIndex = endOfRun(text, at, MAY_STOP, at + MAX_STOPS);
  return AFTER_STOPS.test(text);
}

function endsAtEscape(text: string, at: number): boolean {
  let next = at + 1;
  while (text.charCodeAt(next) === 0x5c && next - at < 8) next += 1;
  const code = text.charCodeAt(next);
  // `\n`, `\r`, `\t`, an escaped quote, a line that goes on.
  return (
    code === 0x6e ||
    code === 0x72 ||
    code === 0x74 ||
    code === 0x22 ||
    code === 0x27 ||
    code === 0x0a ||
    isControl(text, next)
  );
}

/** `\u001b`, `\x1b`, `\033`, `\e[`: how a colour code is escaped. */
function isControl(text: string, at: number): boolean {
  return /^(?:u00[01]|x[01][0-9a-f]|0[0-3][0-7]|e\[)/i.test(text.slice(at, at + 4));
}

function isBlank(code: number): boolean {
  return code <= 0x20 || Number.isNaN(code) || code === 0x2026;
}

/** A quote that closes what the whole dump stands in: before a bracket, a comma, a blank or the end. */
function isLastQuote(text: string, at: number): boolean {
  return /^(?:$|[\s,\]})])/.test(text.slice(at + 1, at + 2));
}

const LEAD_ENDS = characterSet(' \t+->|:m');

/** Whether the name that begins at `at` stands where an environment dump has one: first on its line. */
export function beginsSetting(text: string, at: number): boolean {
  if (beginsLine(text, at)) return true;
  // Most names stand behind something else; only these end a lead.
  if (!isIn(LEAD_ENDS, text.charCodeAt(at - 1))) return false;
  const before = text.slice(Math.max(0, at - 24), at);
  if (/\[[0-9;]{0,12}m$/.test(before)) return true;
  const lead = /(?:(?:export|set|setx|ENV|ARG|declare -x|-e|--env|\$env:)[ \t]{0,4}|[+\- \t>|]{1,8}|\$env:)$/i.exec(
    before,
  );
  return lead !== null && beginsLine(text, at - lead[0].length);
}
