/**
 * What kind of record a line holds, found on its bytes without parsing it.
 *
 * Walks the top-level members in any order until the type is known; anything unexpected (an escape in a name, a payload
 * before its type, a head longer than 4 KiB) makes it give up, and the caller parses the line in full.
 * Never decides whether a line is sound: a line with a readable header may still be damaged.
 */
import type { FramedLine } from '../base/jsonl.js';
import { parseInstant } from '../projection/instant.js';
import type { LineShape } from '../protocol/decode-line.js';
import { LINES } from '../protocol/wire-lookup.js';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DASH,
  ENVELOPE_START,
  isInsideStructure,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';

export interface LineHeader {
  /** Wire type of the record. Bare lines: `state` for a state line, else the type of the item. */
  readonly type: string;
  /** `payload.type` of a response item or event; undefined for other types. Bare items: the same as `type`. */
  readonly payloadType: string | undefined;
  /** `role` of a message item, `item.type` of an `item_completed` or `item_started` event; undefined when not at hand. */
  readonly detail: string | undefined;
  /** Only when it stands before the payload, as it does in every known release. */
  readonly ordinal: number | undefined;
  /** Index range of the timestamp's text in the bytes that were walked; both 0 when it was not met. */
  readonly timestampStart: number;
  readonly timestampEnd: number;
}

/** How far from the beginning of a line its header may reach. */
export const HEADER_BYTES = 4096;
/** How far behind the payload's type its role or item type is looked for. */
const DETAIL_BYTES = 512;

/** Reads the header of the line at `start` to `end`; undefined when it can only be known by parsing. */
export function readHeader(bytes: Uint8Array, start: number, end: number, shape: LineShape): LineHeader | undefined {
  const walk = theWalk;
  const limit = Math.min(end, start + HEADER_BYTES);
  if (shape !== 'envelope') {
    walk.begin(bytes, start, limit);
    return bareHeader(walk);
  }
  const usual = usualHeader(bytes, start, limit);
  if (usual !== undefined) return usual;
  walk.begin(bytes, start, limit);
  const header = envelopeHeader(walk);
  if (header !== undefined) learnEnding(bytes, start, limit, header, walk.typeEnd);
  return header;
}

/** What stands in a line between its ordinal and the end of its payload's type, or, without one, its payload. */
interface HeaderEnding {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly payloadType: string | undefined;
}

/** Met before, those that come often towards the front: a log has some dozens, and nearly every line ends as one of them. */
const endings: HeaderEnding[] = [];
const MAX_ENDINGS = 64;

const TIMESTAMP_START = ascii('{"timestamp":"');
const ORDINAL_START = ascii(',"ordinal":');
const TIMESTAMP_LENGTH = 24;
const MAX_ORDINAL_DIGITS = 15;

/** The header of a line that begins as every release writes it: the same answer as walking it, in a fraction of the time. */
function usualHeader(bytes: Uint8Array, start: number, limit: number): LineHeader | undefined {
  const place = placeBehindOrdinal(bytes, start, limit);
  if (place === undefined) return undefined;
  for (let index = 0; index < endings.length; index += 1) {
    const ending = endings[index];
    if (ending === undefined || !startsWith(bytes, place.at, limit, ending.bytes)) continue;
    const before = endings[index - 1];
    if (before !== undefined) {
      endings[index - 1] = ending;
      endings[index] = before;
    }
    const { type, payloadType } = ending;
    let detail: string | undefined;
    if (payloadType !== undefined && HAS_DETAIL.has(payloadType)) {
      theWalk.begin(bytes, place.at + ending.bytes.length, limit);
      detail = detailOf(theWalk, payloadType);
    }
    const timestampStart = start + TIMESTAMP_START.length;
    return {
      type,
      payloadType,
      detail,
      ordinal: place.ordinal,
      timestampStart,
      timestampEnd: timestampStart + TIMESTAMP_LENGTH,
    };
  }
  return undefined;
}

function learnEnding(bytes: Uint8Array, start: number, limit: number, header: LineHeader, end: number): void {
  if (endings.length >= MAX_ENDINGS) return;
  const place = placeBehindOrdinal(bytes, start, limit);
  if (place === undefined || end <= place.at) return;
  const { type, payloadType, ordinal } = header;
  // Only what the short way reads as the walk did.
  const text = latin1(bytes, place.at, end);
  const usual =
    payloadType === undefined ? `,"type":"${type}","payload":` : `,"type":"${type}","payload":{"type":"${payloadType}"`;
  if (text === usual && place.ordinal === ordinal)
    endings.push({ bytes: Uint8Array.from(bytes.subarray(place.at, end)), type, payloadType });
}

/** Where a line goes on behind its timestamp and ordinal; undefined when it begins in another way. */
function placeBehindOrdinal(
  bytes: Uint8Array,
  start: number,
  limit: number,
): { readonly at: number; readonly ordinal: number | undefined } | undefined {
  if (!startsWith(bytes, start, limit, TIMESTAMP_START)) return undefined;
  const timestampStart = start + TIMESTAMP_START.length;
  let at = timestampStart + TIMESTAMP_LENGTH;
  if (at >= limit || bytes[at] !== QUOTE) return undefined;
  for (let index = timestampStart; index < at; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE || byte === BACKSLASH) return undefined;
  }
  at += 1;
  if (!startsWith(bytes, at, limit, ORDINAL_START)) return { at, ordinal: undefined };
  at += ORDINAL_START.length;
  const first = at;
  let ordinal = 0;
  for (; at < limit; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    ordinal = ordinal * 10 + digit;
  }
  return at === first || at - first > MAX_ORDINAL_DIGITS || at >= limit ? undefined : { at, ordinal };
}

function startsWith(bytes: Uint8Array, at: number, limit: number, text: Uint8Array): boolean {
  if (at + text.length > limit) return false;
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

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

/** What stands between the numbers of `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
const INSTANT_MARKS: readonly (readonly [at: number, byte: number])[] = [
  [4, DASH],
  [7, DASH],
  [10, 0x54],
  [13, COLON],
  [16, COLON],
  [19, 0x2e],
  [23, 0x5a],
];

/** The usual form, of days that every month has: making a string of it costs more than reading it. */
function plainInstant(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start !== 24) return undefined;
  for (const [at, byte] of INSTANT_MARKS) if (bytes[start + at] !== byte) return undefined;
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

/**
 * Finds lines that may hold a further record behind their first one (glued by a lost line feed, or a cut record and its
 * retry), whose header therefore says too little. Lines must be asked in file order.
 */
export class GluedLines {
  /** File offset of the next beginning of a record that is known, or up to which none was found. */
  #nextOffset = 0;

  mayHoldMore(line: FramedLine, shape: LineShape): boolean {
    if (line.oversize) return false;
    const { bytes, start, end, byteOffset } = line;
    if (shape === 'bare') return holdsMoreBare(bytesBetween(bytes, start, end));
    const endOffset = byteOffset + end - start;
    if (this.#nextOffset <= byteOffset) {
      // Looks past the line: mostly the hit is the beginning of the next one, so all searches together are one pass.
      const hit = bytesBetween(bytes, 0, bytes.length).indexOf(ENVELOPE_START, start + 1);
      this.#nextOffset = byteOffset + (hit === -1 ? bytes.length : hit) - start;
    }
    return this.#nextOffset < endOffset;
  }
}

/** True when an object begins behind the start of a bare line that does not stand inside another one. */
function holdsMoreBare(line: Buffer): boolean {
  for (let at = line.indexOf(OBJECT_START, 1); at !== -1; at = line.indexOf(OBJECT_START, at + 1)) {
    if (!isInsideStructure(line[at - 1])) return true;
  }
  return false;
}

const OBJECT_START = Buffer.from('{"');

function bytesBetween(bytes: Uint8Array, start: number, end: number): Buffer {
  if (start === 0 && end === bytes.length && Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}

function envelopeHeader(walk: HeaderWalk): LineHeader | undefined {
  let type: string | undefined;
  let ordinal: number | undefined;
  let timestampStart = 0;
  let timestampEnd = 0;
  if (!walk.enterObject()) return undefined;
  while (walk.nextKey()) {
    if (walk.keyIs(TYPE)) {
      if (!walk.readString()) return undefined;
      type = walk.name();
      if (type === undefined) return undefined;
    } else if (walk.keyIs(TIMESTAMP)) {
      if (!walk.readString()) return undefined;
      timestampStart = walk.textStart;
      timestampEnd = walk.textEnd;
    } else if (walk.keyIs(ORDINAL)) {
      ordinal = walk.readUnsigned();
      if (ordinal === undefined && !walk.skipValue()) return undefined;
    } else if (walk.keyIs(PAYLOAD)) {
      if (type === undefined) return undefined;
      walk.typeEnd = walk.position;
      if (type !== 'response_item' && type !== 'event_msg') {
        return { type, payloadType: undefined, detail: undefined, ordinal, timestampStart, timestampEnd };
      }
      const payloadType = walk.memberText(TYPE, HEADER_BYTES);
      if (payloadType === undefined) return undefined;
      walk.typeEnd = walk.position;
      const detail = detailOf(walk, payloadType);
      return { type, payloadType, detail, ordinal, timestampStart, timestampEnd };
    } else if (!walk.skipValue()) {
      return undefined;
    }
  }
  return undefined;
}

function bareHeader(walk: HeaderWalk): LineHeader | undefined {
  if (!walk.enterObject()) return undefined;
  while (walk.nextKey()) {
    if (walk.keyIs(RECORD_TYPE)) {
      if (!walk.readString() || walk.name() !== 'state') return undefined;
      return { type: 'state', payloadType: undefined, detail: undefined, ...NOWHERE };
    }
    if (walk.keyIs(TYPE)) {
      if (!walk.readString()) return undefined;
      const type = walk.name();
      // A later release that went on with the file wrote envelopes, which this walk does not know.
      if (type === undefined || LINES.has(type)) return undefined;
      const detail = type === 'message' ? walk.laterText(ROLE, DETAIL_BYTES) : undefined;
      return { type, payloadType: type, detail, ...NOWHERE };
    }
    if (!walk.skipValue()) return undefined;
  }
  return undefined;
}

const NOWHERE = { ordinal: undefined, timestampStart: 0, timestampEnd: 0 } as const;

/** Payload types of which more is looked at than the type. */
const HAS_DETAIL: ReadonlySet<string> = new Set(['message', 'item_completed', 'item_started']);

function detailOf(walk: HeaderWalk, payloadType: string): string | undefined {
  if (payloadType === 'message') return walk.laterText(ROLE, DETAIL_BYTES);
  if (payloadType !== 'item_completed' && payloadType !== 'item_started') return undefined;
  return walk.laterObject(ITEM, DETAIL_BYTES) ? walk.memberText(TYPE, DETAIL_BYTES) : undefined;
}

/** A position in the bytes of one line. Every step says whether it found what it expected; after a no the position is void. */
class HeaderWalk {
  #bytes: Uint8Array = new Uint8Array(0);
  #limit = 0;
  #at = 0;
  textStart = 0;
  textEnd = 0;

  /** Index behind the payload's type, or where a payload of which it is not looked at begins; for one header. */
  typeEnd = 0;

  /** Index of what comes next. */
  get position(): number {
    return this.#at;
  }

  begin(bytes: Uint8Array, start: number, limit: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#limit = limit;
  }

  enterObject(): boolean {
    this.#space();
    if (this.#byte() !== OPEN_BRACE) return false;
    this.#at += 1;
    return true;
  }

  /** Steps to the next member of the object and over its colon; false at the end or on a surprise. */
  nextKey(): boolean {
    this.#space();
    if (this.#byte() === COMMA) {
      this.#at += 1;
      this.#space();
    }
    if (!this.#string()) return false;
    const keyStart = this.textStart;
    const keyEnd = this.textEnd;
    this.#space();
    if (this.#byte() !== COLON) return false;
    this.#at += 1;
    this.#space();
    this.textStart = keyStart;
    this.textEnd = keyEnd;
    return true;
  }

  keyIs(key: Uint8Array): boolean {
    const start = this.textStart;
    if (this.textEnd - start !== key.length) return false;
    for (let index = 0; index < key.length; index += 1) {
      if (this.#bytes[start + index] !== key[index]) return false;
    }
    return true;
  }

  /** A string value without escapes: its range is in `textStart`, `textEnd`. */
  readString(): boolean {
    return this.#string();
  }

  /** The string that was read last, from a table of names that recur. */
  name(): string | undefined {
    return internName(this.#bytes, this.textStart, this.textEnd);
  }

  readUnsigned(): number | undefined {
    let value = 0;
    let at = this.#at;
    for (; at < this.#limit; at += 1) {
      const digit = (this.#bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const next = this.#bytes[at];
    const ended = next === COMMA || next === CLOSE_BRACE || next === 0x20;
    if (at === this.#at || at >= this.#limit || !ended || !Number.isSafeInteger(value)) return undefined;
    this.#at = at;
    return value;
  }

  /** Enters the object that comes and gives the text of its member `key`. */
  memberText(key: Uint8Array, within: number): string | undefined {
    return this.enterObject() ? this.laterText(key, within) : undefined;
  }

  /** The text of a member `key` further on in the object. */
  laterText(key: Uint8Array, within: number): string | undefined {
    this.#limit = Math.min(this.#limit, this.#at + within);
    while (this.nextKey()) {
      if (this.keyIs(key)) return this.#string() ? this.name() : undefined;
      if (!this.skipValue()) return undefined;
    }
    return undefined;
  }

  /** Steps to the value of a member `key` further on in the object. */
  laterObject(key: Uint8Array, within: number): boolean {
    this.#limit = Math.min(this.#limit, this.#at + within);
    while (this.nextKey()) {
      if (this.keyIs(key)) return true;
      if (!this.skipValue()) return false;
    }
    return false;
  }

  skipValue(): boolean {
    const bytes = this.#bytes;
    let depth = 0;
    while (this.#at < this.#limit) {
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        if (!this.#skipString()) return false;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth += 1;
        this.#at += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return true;
        depth -= 1;
        this.#at += 1;
      } else if (byte === COMMA && depth === 0) {
        return true;
      } else {
        this.#at += 1;
      }
    }
    return false;
  }

  #string(): boolean {
    if (this.#byte() !== QUOTE) return false;
    const start = this.#at + 1;
    const end = this.#fixedLengthEnd(start);
    if (end !== undefined) return this.#tookString(start, end);
    for (let at = start; at < this.#limit; at += 1) {
      const byte = this.#bytes[at];
      if (byte === BACKSLASH) return false;
      if (byte === QUOTE) return this.#tookString(start, at);
    }
    return false;
  }

  #tookString(start: number, end: number): true {
    this.textStart = start;
    this.textEnd = end;
    this.#at = end + 1;
    return true;
  }

  /** Timestamps and UUIDs are most of a header's bytes; their marks at fixed places save looking at each byte. */
  #fixedLengthEnd(start: number): number | undefined {
    const bytes = this.#bytes;
    if (start + 37 >= this.#limit) return undefined;
    if (bytes[start + 4] === DASH) {
      const marked = bytes[start + 10] === 0x54 && bytes[start + 23] === 0x5a && bytes[start + 19] === 0x2e;
      return marked && bytes[start + 24] === QUOTE ? start + 24 : undefined;
    }
    if (bytes[start + 8] !== DASH || bytes[start + 13] !== DASH) return undefined;
    const marked = bytes[start + 18] === DASH && bytes[start + 23] === DASH && bytes[start + 36] === QUOTE;
    return marked ? start + 36 : undefined;
  }

  #skipString(): boolean {
    for (let at = this.#at + 1; at < this.#limit; at += 1) {
      const byte = this.#bytes[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        this.#at = at + 1;
        return true;
      }
    }
    return false;
  }

  #space(): void {
    while (this.#at < this.#limit) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== 0x0a) return;
      this.#at += 1;
    }
  }

  #byte(): number | undefined {
    return this.#at < this.#limit ? this.#bytes[this.#at] : undefined;
  }
}

/** One object for all lines: making one for each of a million would be felt. No walk outlives its call. */
const theWalk = new HeaderWalk();

const TYPE = ascii('type');
const TIMESTAMP = ascii('timestamp');
const ORDINAL = ascii('ordinal');
const PAYLOAD = ascii('payload');
const RECORD_TYPE = ascii('record_type');
const ROLE = ascii('role');
const ITEM = ascii('item');

/** Type names recur in every line; making the string anew each time would cost more than the walk. */
const names = new Map<number, string[]>();
let nameCount = 0;
const MAX_NAMES = 1024;
const MAX_NAME_BYTES = 64;

function internName(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  const middle = bytes[start + (length >> 1)] ?? 0;
  const key = length | ((bytes[start] ?? 0) << 8) | (middle << 16) | ((bytes[end - 1] ?? 0) << 24);
  const bucket = names.get(key);
  if (bucket !== undefined) for (const known of bucket) if (equalsAscii(known, bytes, start, end)) return known;
  for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) >= 0x80) return undefined;
  const name = latin1(bytes, start, end);
  if (nameCount < MAX_NAMES && length <= MAX_NAME_BYTES) {
    nameCount += 1;
    if (bucket === undefined) names.set(key, [name]);
    else bucket.push(name);
  }
  return name;
}

function equalsAscii(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
