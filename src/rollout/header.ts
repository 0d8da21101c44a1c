/**
 * What kind of record a line holds, found on its bytes without parsing it.
 *
 * Walks the top-level members in any order until the type is known; anything unexpected (an escape in a name, a payload
 * before its type, a head longer than 4 KiB) makes it give up, and the caller parses the line in full.
 * Never decides whether a line is sound: a line with a readable header may still be damaged.
 */
import type { LineShape } from '../protocol/decode-line.js';
import { LINES } from '../protocol/wire-lookup.js';
import { BytePattern, plainTextEnd } from './byte-words.js';
import { ascii, latin1 } from './bytes.js';
import { HeaderWalk } from './header-walk.js';
import { QUOTE } from './json-bytes.js';

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
  /** Index behind the type of the payload, or of the payload where that has none; 0 for bare lines. */
  readonly typeEnd: number;
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
  if (header !== undefined) learnEnding(bytes, start, limit, header);
  return header;
}

/** What stands in a line between its ordinal and the end of its payload's type, or, without one, its payload. */
interface HeaderEnding {
  readonly bytes: BytePattern;
  readonly type: string;
  readonly payloadType: string | undefined;
}

/** Met before: a log has some dozens, and nearly every line ends as one of them. */
const endings: HeaderEnding[] = [];
const MAX_ENDINGS = 64;

/** The ending that was met last with the same bytes at a few places in which most endings differ. */
const likelyEndings: (HeaderEnding | undefined)[] = new Array<HeaderEnding | undefined>(256);

const TIMESTAMP_START = new BytePattern(ascii('{"timestamp":"'));
const ORDINAL_START = new BytePattern(ascii(',"ordinal":'));
const TIMESTAMP_LENGTH = 24;
const MAX_ORDINAL_DIGITS = 15;

/** The header of a line that begins as every release writes it: the same answer as walking it, in a fraction of the time. */
function usualHeader(bytes: Uint8Array, start: number, limit: number): LineHeader | undefined {
  if (!beginsAsUsual(bytes, start, limit)) return undefined;
  const at = theBeginning.end;
  const ending = endingAt(bytes, at, limit);
  if (ending === undefined) return undefined;
  const { type, payloadType } = ending;
  const typeEnd = at + ending.bytes.length;
  let detail: string | undefined;
  if (payloadType !== undefined && HAS_DETAIL.has(payloadType)) {
    theWalk.begin(bytes, typeEnd, limit);
    detail = detailOf(theWalk, payloadType);
  }
  const timestampStart = start + TIMESTAMP_START.length;
  const timestampEnd = timestampStart + TIMESTAMP_LENGTH;
  return { type, payloadType, detail, ordinal: theBeginning.ordinal, timestampStart, timestampEnd, typeEnd };
}

function endingAt(bytes: Uint8Array, at: number, limit: number): HeaderEnding | undefined {
  if (at + DISTINCT_PLACES.last >= limit) return undefined;
  // Only a guess where to look first: what it finds is compared as a whole.
  const guess =
    ((bytes[at + DISTINCT_PLACES.type] ?? 0) +
      (bytes[at + DISTINCT_PLACES.event] ?? 0) * 3 +
      (bytes[at + DISTINCT_PLACES.item] ?? 0) * 5 +
      (bytes[at + DISTINCT_PLACES.last] ?? 0) * 7) &
    0xff;
  const likely = likelyEndings[guess];
  if (likely?.bytes.standsAt(bytes, at, limit)) return likely;
  const found = endings.find((ending) => ending.bytes.standsAt(bytes, at, limit));
  if (found !== undefined) likelyEndings[guess] = found;
  return found;
}

/** Distances from the ordinal at which endings differ: in the type, in the type of an event, and in that of an item. */
const DISTINCT_PLACES = { type: 11, event: 42, item: 44, last: 46 } as const;

function learnEnding(bytes: Uint8Array, start: number, limit: number, header: LineHeader): void {
  if (endings.length >= MAX_ENDINGS || !beginsAsUsual(bytes, start, limit)) return;
  const { end: at, ordinal } = theBeginning;
  const { type, payloadType, typeEnd } = header;
  if (typeEnd <= at) return;
  // Only what the short way reads as the walk did.
  const text = latin1(bytes, at, typeEnd);
  const usual =
    payloadType === undefined ? `,"type":"${type}","payload":` : `,"type":"${type}","payload":{"type":"${payloadType}"`;
  if (text === usual && ordinal === header.ordinal)
    endings.push({ bytes: new BytePattern(ascii(text)), type, payloadType });
}

/** Where the last line that began as usual goes on behind its timestamp and ordinal: one for all lines, as the walk is. */
const theBeginning: { end: number; ordinal: number | undefined } = { end: 0, ordinal: undefined };

/** True for a line that begins with a timestamp of the usual length and, if with anything more, an ordinal. */
function beginsAsUsual(bytes: Uint8Array, start: number, limit: number): boolean {
  if (!TIMESTAMP_START.standsAt(bytes, start, limit)) return false;
  const timestampStart = start + TIMESTAMP_START.length;
  let at = timestampStart + TIMESTAMP_LENGTH;
  if (at >= limit || bytes[at] !== QUOTE) return false;
  if (plainTextEnd(bytes, timestampStart, at) !== at) return false;
  at += 1;
  theBeginning.end = at;
  theBeginning.ordinal = undefined;
  if (!ORDINAL_START.standsAt(bytes, at, limit)) return true;
  at += ORDINAL_START.length;
  const first = at;
  let ordinal = 0;
  for (; at < limit; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    ordinal = ordinal * 10 + digit;
  }
  if (at === first || at - first > MAX_ORDINAL_DIGITS || at >= limit) return false;
  theBeginning.end = at;
  theBeginning.ordinal = ordinal;
  return true;
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
      if (type !== 'response_item' && type !== 'event_msg') {
        const typeEnd = walk.position;
        return { type, payloadType: undefined, detail: undefined, ordinal, timestampStart, timestampEnd, typeEnd };
      }
      const payloadType = walk.memberText(TYPE, HEADER_BYTES);
      if (payloadType === undefined) return undefined;
      const typeEnd = walk.position;
      const detail = detailOf(walk, payloadType);
      return { type, payloadType, detail, ordinal, timestampStart, timestampEnd, typeEnd };
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

const NOWHERE = { ordinal: undefined, timestampStart: 0, timestampEnd: 0, typeEnd: 0 } as const;

/** Payload types of which more is looked at than the type. */
const HAS_DETAIL: ReadonlySet<string> = new Set(['message', 'item_completed', 'item_started']);

function detailOf(walk: HeaderWalk, payloadType: string): string | undefined {
  if (payloadType === 'message') return walk.laterText(ROLE, DETAIL_BYTES);
  if (payloadType !== 'item_completed' && payloadType !== 'item_started') return undefined;
  return walk.laterObject(ITEM, DETAIL_BYTES) ? walk.memberText(TYPE, DETAIL_BYTES) : undefined;
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
