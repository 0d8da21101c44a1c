/**
 * From the parsed JSON value of one line to a record, for all dialects, and back to a line.
 *
 * What decides is the line, not the file: a bare line among envelopes (a file continued by another release) is read
 * as what it is. Payloads are the parsed objects; one is copied only where an alias becomes its written name
 * or a wrong field of a session_meta is set aside. Unknown keys survive a round trip.
 * Source: how 0.171.0 reads. It is stricter in three places: it loses a message with unknown content, names that it
 * has removed, and a session_meta without its secondary fields; all of these are records here.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import { decodeEventMsg, withWrittenType } from './decode-event.js';
import { isGhostSnapshot, type ResponseItem, unknownContentType } from './response-item.js';
import type { RolloutItem, RolloutLine } from './rollout-line.js';
import { readSessionMeta } from './session-meta.js';
import { CONTENT_ITEMS, findFieldFault, LINES, RESPONSE_ITEMS } from './wire-lookup.js';

export type LineShape = 'envelope' | 'bare';

/** Where in a line an unknown name stands. */
export type UnknownLevel = 'line' | 'event' | 'content' | 'turn-item' | 'record-type';

export interface DecodedRecord {
  readonly kind: 'record';
  readonly line: RolloutLine;
  /** The unknown type, of an item or of its content, that was kept as it is. */
  readonly unknown?: string;
  /** Where `unknown` stands. */
  readonly unknownAt?: 'response-item' | 'content';
  /** Fields of a session_meta that were of the wrong kind and have been set aside. */
  readonly ignoredFields?: readonly string[];
}

export type LineDecode =
  | DecodedRecord
  | { readonly kind: 'ignored'; readonly reason: 'ghost-snapshot' }
  | { readonly kind: 'unknown'; readonly level: UnknownLevel; readonly type: string; readonly reason: string }
  | { readonly kind: 'invalid'; readonly type?: string; readonly reason: string };

type Fault = Exclude<LineDecode, { readonly kind: 'record' }>;

/** What a payload turned out to be, before the envelope is added. */
interface ItemDecode {
  readonly kind: 'item';
  readonly item: RolloutItem;
  readonly unknown?: string;
  readonly unknownAt?: 'response-item' | 'content';
  readonly ignoredFields?: readonly string[];
}

function invalid(reason: string, type?: string): Fault {
  return type === undefined ? { kind: 'invalid', reason } : { kind: 'invalid', type, reason: `${type}: ${reason}` };
}

/** Tells from the first value of a file which dialect its lines have. A file of neither is taken for envelopes. */
export function detectShape(firstValue: JsonValue): LineShape {
  if (!isJsonObject(firstValue)) return 'envelope';
  const type = firstValue['type'];
  if (typeof type === 'string') {
    if (LINES.has(type) || 'payload' in firstValue) return 'envelope';
    return RESPONSE_ITEMS.has(type) ? 'bare' : 'envelope';
  }
  return typeof firstValue['record_type'] === 'string' || isBareMeta(firstValue, 'bare') ? 'bare' : 'envelope';
}

/** Decodes one line. `shape` settles only what the line itself leaves open. */
export function decodeLine(value: JsonValue, shape: LineShape): LineDecode {
  if (!isJsonObject(value)) return invalid('line is no object');
  const type = value['type'];
  if (typeof type !== 'string') return decodeUntyped(value, shape);
  const known = LINES.get(type);
  if (known !== undefined && known.written !== 'state') return decodeEnvelope(value, known.written);
  if ('payload' in value) return unknownLine(type);
  if (shape === 'bare' || RESPONSE_ITEMS.has(type)) return bareRecord(decodeResponseItem(value));
  return unknownLine(type);
}

function unknownLine(type: string): Fault {
  return { kind: 'unknown', level: 'line', type, reason: `unknown line type "${type}"` };
}

function isBareMeta(value: JsonObject, shape: LineShape): boolean {
  if (typeof value['id'] !== 'string') return false;
  return 'instructions' in value || (shape === 'bare' && typeof value['timestamp'] === 'string');
}

function decodeUntyped(value: JsonObject, shape: LineShape): LineDecode {
  const recordType = value['record_type'];
  if (recordType === 'state') return bareRecord({ kind: 'item', item: { type: 'state', payload: value } });
  if (typeof recordType === 'string') {
    return {
      kind: 'unknown',
      level: 'record-type',
      type: recordType,
      reason: `unknown record type "${recordType}"`,
    };
  }
  if (!('type' in value) && !('payload' in value) && isBareMeta(value, shape)) return bareRecord(decodeMeta(value));
  return invalid('line without a "type"');
}

function bareRecord(decode: ItemDecode | Fault): LineDecode {
  if (decode.kind !== 'item') return decode;
  return record(decode, { timestamp: undefined, ordinal: undefined, item: decode.item, metadata: undefined });
}

function record(decode: ItemDecode, line: RolloutLine): DecodedRecord {
  if (decode.unknown === undefined && decode.ignoredFields === undefined) return { kind: 'record', line };
  const { unknown, unknownAt, ignoredFields } = decode;
  return {
    kind: 'record',
    line,
    ...(unknown !== undefined && { unknown }),
    ...(unknownAt !== undefined && { unknownAt }),
    ...(ignoredFields !== undefined && { ignoredFields }),
  };
}

function decodeEnvelope(value: JsonObject, type: Exclude<RolloutItem['type'], 'state'>): LineDecode {
  const payload = value['payload'];
  if (payload === undefined) return invalid('missing field "payload"', type);
  if (!isJsonObject(payload)) return invalid('payload is no object', type);
  let timestamp = value['timestamp'];
  if (typeof timestamp !== 'string') {
    // The line that says whose log this is survives without its time.
    if (type !== 'session_meta') {
      return invalid(timestamp === undefined ? 'missing field "timestamp"' : 'field "timestamp" is no string', type);
    }
    timestamp = '';
  }
  const ordinal = value['ordinal'] ?? undefined;
  if (ordinal !== undefined && !isOrdinal(ordinal)) return invalid('field "ordinal" is no ordinal', type);
  const decode = decodeItem(type, payload);
  if (decode.kind !== 'item') return decode;
  const metadata = value['metadata'];
  const extra = extraKeys(value);
  return record(decode, {
    timestamp,
    ordinal,
    item: decode.item,
    metadata: isJsonObject(metadata) ? metadata : undefined,
    ...(extra !== undefined && { extra }),
  });
}

/** Larger ordinals than a number can hold exactly would repeat when counted on. */
function isOrdinal(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function extraKeys(value: JsonObject): JsonObject | undefined {
  let extra: [string, JsonValue | undefined][] | undefined;
  for (const key in value) {
    switch (key) {
      case 'timestamp':
      case 'ordinal':
      case 'type':
      case 'payload':
        break;
      case 'metadata':
        if (isJsonObject(value[key])) break;
        (extra ??= []).push([key, value[key]]);
        break;
      default:
        (extra ??= []).push([key, value[key]]);
    }
  }
  // `fromEntries` makes own properties, a key `__proto__` included.
  return extra === undefined ? undefined : Object.fromEntries(extra);
}

function decodeItem(type: Exclude<RolloutItem['type'], 'state'>, payload: JsonObject): ItemDecode | Fault {
  switch (type) {
    case 'response_item':
      return decodeResponseItem(payload);
    case 'event_msg': {
      const decode = decodeEventMsg(payload);
      return decode.kind === 'event' ? { kind: 'item', item: { type, payload: decode.msg } } : decode;
    }
    case 'session_meta':
      return decodeMeta(payload);
    default: {
      const fault = findFieldFault(payload, LINES.get(type)?.checks ?? []);
      if (fault !== undefined) return invalid(fault, type);
      // The fields that the type promises are those that the row of this type lists.
      const item = { type, payload } as RolloutItem;
      return type === 'compacted' ? decodeReplacementHistory(payload, item) : { kind: 'item', item };
    }
  }
}

function decodeMeta(payload: JsonObject): ItemDecode | Fault {
  const fault = findFieldFault(payload, LINES.get('session_meta')?.checks ?? []);
  if (fault !== undefined) return invalid(fault, 'session_meta');
  const { meta, ignoredFields } = readSessionMeta(payload);
  const item: RolloutItem = { type: 'session_meta', payload: meta };
  return ignoredFields.length === 0 ? { kind: 'item', item } : { kind: 'item', item, ignoredFields };
}

function decodeResponseItem(payload: JsonObject): ItemDecode | Fault {
  if (isGhostSnapshot(payload)) return { kind: 'ignored', reason: 'ghost-snapshot' };
  const type = payload['type'];
  if (typeof type !== 'string') return invalid('item without a "type"', 'response_item');
  const known = RESPONSE_ITEMS.get(type);
  if (known === undefined) {
    // Opaque: the union's member for what has no row.
    const item: RolloutItem = { type: 'response_item', payload: payload as unknown as ResponseItem };
    return { kind: 'item', item, unknown: type, unknownAt: 'response-item' };
  }
  const fault = findFieldFault(payload, known.checks) ?? findContentFault(payload);
  if (fault !== undefined) return invalid(fault, type);
  // Type and fields have been checked against the row that the type is made from.
  const written = withWrittenType(payload, known.written) as unknown as ResponseItem;
  const item: RolloutItem = { type: 'response_item', payload: written };
  const unknown = unknownContentType(payload);
  return unknown === undefined ? { kind: 'item', item } : { kind: 'item', item, unknown, unknownAt: 'content' };
}

/** What is wrong with the content of a message; entries of unknown type are not wrong. */
function findContentFault(payload: JsonObject): string | undefined {
  if (payload['type'] !== 'message') return undefined;
  // The row of `message` says that it is an array.
  for (const entry of payload['content'] as readonly JsonValue[]) {
    if (!isJsonObject(entry) || typeof entry['type'] !== 'string') return 'content without a "type"';
    const known = CONTENT_ITEMS.get(entry['type']);
    const fault = known && findFieldFault(entry, known.checks);
    if (fault !== undefined) return `${entry['type']}: ${fault}`;
  }
  return undefined;
}

/** Checked as lines are: one that lacks a field would make the history that it replaces be lost for nothing. */
function decodeReplacementHistory(payload: JsonObject, item: RolloutItem): ItemDecode | Fault {
  const history = payload['replacement_history'];
  let unknown: string | undefined;
  let unknownAt: 'response-item' | 'content' | undefined;
  // The row of `compacted` says that it is an array, if it is there.
  for (const entry of (history ?? []) as readonly JsonValue[]) {
    if (!isJsonObject(entry)) return invalid('replacement_history: item is no object', 'compacted');
    const decode = decodeResponseItem(entry);
    if (decode.kind === 'invalid') return invalid(`replacement_history: ${decode.reason}`, 'compacted');
    if (decode.kind === 'item' && unknown === undefined) ({ unknown, unknownAt } = decode);
  }
  return {
    kind: 'item',
    item,
    ...(unknown !== undefined && { unknown }),
    ...(unknownAt !== undefined && { unknownAt }),
  };
}

/**
 * One line of JSON, without the newline: the envelope, or the bare item when there is no timestamp.
 * Throws a TypeError for a record that the bare dialect cannot hold.
 */
export function encodeLine(line: RolloutLine): string {
  const { timestamp, ordinal, item, metadata, extra } = line;
  if (timestamp === undefined) {
    if (item.type === 'session_meta' || item.type === 'response_item' || item.type === 'state') {
      return JSON.stringify(item.payload);
    }
    throw new TypeError(`Cannot encode "${item.type}" without a timestamp`);
  }
  if (item.type === 'state') throw new TypeError('Cannot encode "state" in an envelope');
  return JSON.stringify({
    timestamp,
    ...(ordinal !== undefined && { ordinal }),
    type: item.type,
    payload: item.payload,
    ...(metadata !== undefined && { metadata }),
    ...extra,
  });
}
