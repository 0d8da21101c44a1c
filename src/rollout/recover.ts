/**
 * From the bytes of one physical line to the JSON values that can be had from it.
 *
 * A sound line is one value. A damaged one may be several records without a line feed between them, a record that was cut
 * and then written again, records with NULs between, bytes that are no UTF-8, or nesting that no reader should follow.
 * Never decides what a value means. Work is linear in the line: a fixed number of attempts, each at most one pass.
 */
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../base/json.js';
import { isBlank } from '../base/jsonl.js';
import type { DamageKind } from './damage.js';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  DASH,
  ENVELOPE_START,
  isInsideStructure,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';

/** Nesting over this is kept as bytes, not decoded. */
export const MAX_NESTING = 1_000;

/** A value and the bytes that it came from, as indexes into the line's buffer. */
export interface RecoveredValue {
  readonly value: JsonValue;
  readonly start: number;
  readonly end: number;
}

/** A fault of the line, at an index into its buffer. */
export interface LineFault {
  readonly kind: DamageKind;
  readonly message: string;
  readonly lost: boolean;
  readonly at: number;
}

export interface RecoveredLine {
  readonly values: readonly RecoveredValue[];
  readonly faults: readonly LineFault[];
}

/** How often a line may be searched for the next record behind damage; more only for lines that are cheap to search. */
const ATTEMPTS = 16;
const ATTEMPTS_ON_LONG_LINES = 2;
const LONG_LINE_BYTES = 1024 * 1024;

/** No writer glues so many; a line of empty objects would otherwise cost a hundred times its size. */
const MAX_VALUES_A_LINE = 1_000;

const NOTHING: RecoveredLine = { values: [], faults: [] };

/** Parses the content of a line (`start` to `end`); `terminated` false means that the file ends without a line feed. */
export function recoverLine(bytes: Buffer, start: number, end: number, terminated: boolean): RecoveredLine {
  if (isBlank(bytes, start, end)) return NOTHING;
  if (exceedsNesting(bytes, start, end)) {
    // Behind a cut string, text counts as structure: what looks deep may be a fragment with a whole record behind it.
    const parts = recoverParts(bytes, start, end, terminated);
    if (parts.values.length > 0) return parts;
    const message = `The record nests over ${MAX_NESTING} levels`;
    return { values: [], faults: [{ kind: 'too-deep', message, lost: true, at: start }] };
  }
  if (!mayBeginJson(bytes, start, end)) return recoverParts(bytes, start, end, terminated);
  const text = bytes.toString('utf8', start, end);
  const value = parse(text);
  if (value === undefined) return recoverParts(bytes, start, end, terminated);
  // Only text that holds a replacement character can have come from bytes that are no UTF-8.
  if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) {
    const message = 'Bytes that are no UTF-8 are replaced';
    return { values: [{ value, start, end }], faults: [{ kind: 'utf8', message, lost: true, at: start }] };
  }
  return { values: [{ value, start, end }], faults: [] };
}

/** False when the first byte that is no white space begins no JSON: failing to parse is dear, and such lines may be many. */
function mayBeginJson(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[skipGap(bytes, start, end).at] ?? 0;
  return (
    first === OPEN_BRACE ||
    first === OPEN_BRACKET ||
    first === QUOTE ||
    first === DASH ||
    (first >= 0x30 && first <= 0x39) ||
    LITERALS.has(first)
  );
}

/** First letters of `true`, `false` and `null`. */
const LITERALS = new Set([0x74, 0x66, 0x6e]);

/** The line is no single value: takes out what is whole, from left to right, and reports the rest. */
function recoverParts(bytes: Buffer, start: number, end: number, terminated: boolean): RecoveredLine {
  const values: RecoveredValue[] = [];
  const faults: LineFault[] = [];
  let attempts = end - start > LONG_LINE_BYTES ? ATTEMPTS_ON_LONG_LINES : ATTEMPTS;
  let at = start;
  let sawNul = false;
  while (at < end) {
    const next = skipGap(bytes, at, end);
    sawNul ||= next.nuls;
    if (next.at >= end) break;
    if (values.length === MAX_VALUES_A_LINE) {
      const message = `More than ${MAX_VALUES_A_LINE} records stand on one line: ${end - next.at} bytes are left out`;
      faults.push({ kind: 'fused', message, lost: true, at: next.at });
      break;
    }
    const found = takeValue(bytes, next.at, end);
    if (found !== undefined) {
      values.push(found);
      at = found.end;
      continue;
    }
    const behind = findNext(bytes, next.at, end, attempts);
    attempts = behind.attemptsLeft;
    sawNul ||= bytes.subarray(next.at, behind.at).includes(0);
    faults.push(lostPart(bytes, next.at, behind.at, behind.at === end && !terminated));
    at = behind.at;
  }
  if (sawNul) faults.push({ kind: 'nul', message: 'NUL bytes stand inside the line', lost: false, at: start });
  if (values.length > 1) {
    const message = `${values.length} records stand on one line`;
    faults.push({ kind: 'fused', message, lost: false, at: start });
  }
  return { values, faults };
}

function lostPart(bytes: Buffer, from: number, to: number, atFileEnd: boolean): LineFault {
  const count = to - from;
  if (atFileEnd) return { kind: 'torn-tail', message: `The last record is cut: ${count} bytes`, lost: true, at: from };
  if (!isUtf8(bytes.subarray(from, to))) {
    return { kind: 'utf8', message: `${count} bytes are neither UTF-8 nor a record`, lost: true, at: from };
  }
  return { kind: 'json', message: `${count} bytes are no complete record`, lost: true, at: from };
}

/** Steps over white space and NULs. */
function skipGap(bytes: Uint8Array, from: number, end: number): { readonly at: number; readonly nuls: boolean } {
  let at = from;
  let nuls = false;
  for (; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === 0) nuls = true;
    else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) break;
  }
  return { at, nuls };
}

/** The object that begins at `from`, when it is whole and what follows it can be the beginning of another. */
function takeValue(bytes: Buffer, from: number, end: number): RecoveredValue | undefined {
  if (bytes[from] !== OPEN_BRACE) return undefined;
  const to = valueEnd(bytes, from, end);
  if (to === undefined) return undefined;
  const follows = bytes[skipGap(bytes, to, end).at];
  // A whole object inside a cut record is followed by a comma or a bracket: it is no record.
  if (follows === COMMA || follows === CLOSE_BRACKET || follows === CLOSE_BRACE) return undefined;
  const piece = bytes.subarray(from, to);
  const value = isUtf8(piece) ? parse(piece.toString('utf8')) : undefined;
  return value === undefined ? undefined : { value, start: from, end: to };
}

/** How a bare record begins. */
const BARE_STARTS = ['{"type":', '{"record_type":', '{"id":'].map((text) => Buffer.from(text));

/** Where behind `from` the next whole record begins; `end` when there is none or the attempts are used up. */
function findNext(
  bytes: Buffer,
  from: number,
  end: number,
  attempts: number,
): { readonly at: number; readonly attemptsLeft: number } {
  const within = bytes.subarray(0, end);
  // Objects inside an envelope may begin as a bare record does.
  const inEnvelope = within.indexOf(ENVELOPE_START, from) === from;
  const starts = inEnvelope ? [ENVELOPE_START] : [ENVELOPE_START, ...BARE_STARTS];
  // Each kind of beginning is searched for once, and again only when its last hit was used up: linear in all.
  const hits = starts.map((start) => within.indexOf(start, from + 1));
  let left = attempts;
  while (left > 0) {
    let nearest = -1;
    for (let index = 0; index < hits.length; index += 1) {
      const hit = hits[index] ?? -1;
      if (hit !== -1 && (nearest === -1 || hit < (hits[nearest] ?? -1))) nearest = index;
    }
    const start = starts[nearest];
    const at = hits[nearest];
    if (start === undefined || at === undefined) break;
    left -= 1;
    const inside = start !== ENVELOPE_START && isInsideStructure(bytes[at - 1]);
    if (!inside && takeValue(bytes, at, end) !== undefined) return { at, attemptsLeft: left };
    hits[nearest] = within.indexOf(start, at + 1);
  }
  return { at: end, attemptsLeft: left };
}

/** Index behind the object that begins at `from`; undefined when it does not end before `end`, or nests too deep. */
function valueEnd(bytes: Uint8Array, from: number, end: number): number | undefined {
  let depth = 0;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const closing = stringEnd(bytes, at, end);
      if (closing === undefined) return undefined;
      at = closing;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_NESTING) return undefined;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === 0) {
      return undefined;
    }
  }
  return undefined;
}

/** Index of the quote that closes the string which opens at `from`. */
function stringEnd(bytes: Uint8Array, from: number, end: number): number | undefined {
  for (let at = from + 1; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) return at;
  }
  return undefined;
}

/** True when brackets outside strings open more than `MAX_NESTING` levels. */
export function exceedsNesting(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start <= MAX_NESTING || countOpeners(bytes, start, end) <= MAX_NESTING) return false;
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const closing = stringEnd(bytes, at, end);
      // A string that never closes is no JSON; nothing behind it can nest.
      if (closing === undefined) return false;
      at = closing;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_NESTING) return true;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return false;
}

/** Opening brackets, in strings too: cheap, and almost always enough to rule deep nesting out. Stops over the limit. */
function countOpeners(bytes: Uint8Array, start: number, end: number): number {
  const within = bytes.subarray(0, end);
  let count = 0;
  for (const opener of [OPEN_BRACE, OPEN_BRACKET]) {
    for (let at = within.indexOf(opener, start); at !== -1; at = within.indexOf(opener, at + 1)) {
      count += 1;
      if (count > MAX_NESTING) return count;
    }
  }
  return count;
}

function parse(text: string): JsonValue | undefined {
  const { stackTraceLimit } = Error;
  // The stack is never looked at, and most of what a failure costs.
  Error.stackTraceLimit = 0;
  try {
    return JSON.parse(text) as JsonValue; // JSON.parse gives nothing else
  } catch {
    // A syntax error is what the caller reports, with its place.
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
