/**
 * When a line was written, from the timestamp that its header was found to have.
 *
 * Law: the same instant as `parseInstant` makes of the timestamp's text, which it asks for every form but the usual one.
 */
import { parseInstant } from '../projection/instant.js';
import { latin1 } from './bytes.js';
import type { LineHeader } from './header.js';
import { COLON, DASH } from './json-bytes.js';

/** The timestamp's text; undefined when the header has none. */
export function headerTimestamp(bytes: Uint8Array, header: LineHeader): string | undefined {
  if (header.timestampEnd === 0) return undefined;
  return latin1(bytes, header.timestampStart, header.timestampEnd);
}

/** The instant of the timestamp in epoch milliseconds; undefined when the header has none, or it is no instant. */
export function headerInstant(bytes: Uint8Array, header: LineHeader): number | undefined {
  return (
    plainInstant(bytes, header.timestampStart, header.timestampEnd) ?? parseInstant(headerTimestamp(bytes, header))
  );
}

/** The usual form, of days that every month has: making a string of it costs more than reading it. */
function plainInstant(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start !== 24 || !hasMarks(bytes, start)) return undefined;
  const year = digits(bytes, start, 4);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  const hour = digits(bytes, start + 11, 2);
  const minute = digits(bytes, start + 14, 2);
  const second = digits(bytes, start + 17, 2);
  const isPlain =
    year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60 && second < 60;
  const ms = isPlain ? Date.UTC(year, month - 1, day, hour, minute, second, digits(bytes, start + 20, 3)) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** True when the bytes between the numbers are those of `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
function hasMarks(bytes: Uint8Array, start: number): boolean {
  if (bytes[start + 4] !== DASH || bytes[start + 7] !== DASH || bytes[start + 10] !== 0x54) return false;
  if (bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return false;
  return bytes[start + 19] === 0x2e && bytes[start + 23] === 0x5a;
}

/** NaN, which compares with nothing, for what are no digits. */
function digits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
