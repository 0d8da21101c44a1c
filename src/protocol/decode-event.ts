/**
 * From a parsed JSON value to an event: the payload of an `event_msg` line, the `msg` of a live event, or an event alone.
 *
 * A read alias becomes the written name; nothing else is changed, and nothing is copied unless it must be.
 * There is no catch-all: a type that the table lacks is reported as unknown, by its own name.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import type { EventMsg } from './event-msg.js';
import { EVENTS, findFieldFault, TURN_ITEMS } from './wire-lookup.js';

export type EventDecode =
  | { readonly kind: 'event'; readonly msg: EventMsg }
  | { readonly kind: 'unknown'; readonly level: 'event' | 'turn-item'; readonly type: string; readonly reason: string }
  | { readonly kind: 'invalid'; readonly type?: string; readonly reason: string };

/** The same value with `type` replaced, in its place. Spread copies a key `__proto__` as a key. */
export function withWrittenType(value: JsonObject, written: string): JsonObject {
  return value['type'] === written ? value : { ...value, type: written };
}

/** Decodes an event that stands alone. */
export function decodeEventMsg(value: JsonValue | undefined): EventDecode {
  if (!isJsonObject(value)) return { kind: 'invalid', reason: 'event is no object' };
  const type = value['type'];
  if (typeof type !== 'string') return { kind: 'invalid', reason: 'event without a "type"' };
  const known = EVENTS.get(type);
  if (known === undefined) return { kind: 'unknown', level: 'event', type, reason: `unknown event type "${type}"` };
  const fault = findFieldFault(value, known.checks);
  if (fault !== undefined) return { kind: 'invalid', type, reason: `${type}: ${fault}` };
  if (known.written === 'item_completed' || known.written === 'item_started') {
    // The check above saw that `item` is an object.
    const faulty = decodeTurnItem(value['item'] as JsonObject, type);
    if (faulty !== undefined) return faulty;
  }
  // Tag and fields have been checked against the row that the type is made from.
  return { kind: 'event', msg: withWrittenType(value, known.written) as EventMsg };
}

/** What keeps an item from being read; undefined when nothing does. */
function decodeTurnItem(item: JsonObject, event: string): EventDecode | undefined {
  const type = item['type'];
  if (typeof type !== 'string') return { kind: 'invalid', type: event, reason: `${event}: item without a "type"` };
  const known = TURN_ITEMS.get(type);
  if (known === undefined) return { kind: 'unknown', level: 'turn-item', type, reason: `unknown turn item "${type}"` };
  const fault = findFieldFault(item, known.checks);
  return fault === undefined ? undefined : { kind: 'invalid', type: event, reason: `${event}: ${type}: ${fault}` };
}
