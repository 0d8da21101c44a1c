/**
 * What a writer puts on disk and what it only delivers, by dialect.
 * Derived from the table of names; the one rule that is not a column is `item_completed` in `legacy`.
 */
import type { EventMsg } from './event-msg.js';
import type { ResponseItem } from './response-item.js';
import type { RolloutItem } from './rollout-line.js';
import { EVENTS, LINES, RESPONSE_ITEMS, TURN_ITEMS } from './wire-lookup.js';
import type { Persistence } from './wire-names.js';

/** A dialect that is still written. */
export type WrittenDialect = keyof Persistence;

const NEVER: Persistence = { legacy: false, paginated: false };

/** Where an event is written. In `legacy` an item is, when no legacy event says the same. */
export function eventPersistence(msg: EventMsg): Persistence {
  if (msg.type === 'item_completed') return TURN_ITEMS.get(msg.item.type)?.name.persisted ?? NEVER;
  return EVENTS.get(msg.type)?.name.persisted ?? NEVER;
}

/** Where an item of the conversation is written. An item of unknown type is not: it came from a log or is not ours. */
export function responseItemPersistence(item: ResponseItem): Persistence {
  return RESPONSE_ITEMS.get(item.type)?.name.persisted ?? NEVER;
}

/** Where a record is written. */
export function itemPersistence(item: RolloutItem): Persistence {
  if (item.type === 'event_msg') return eventPersistence(item.payload);
  if (item.type === 'response_item') return responseItemPersistence(item.payload);
  return LINES.get(item.type)?.name.persisted ?? NEVER;
}

/** Whether a writer of `dialect` writes this record. */
export function isPersisted(item: RolloutItem, dialect: WrittenDialect): boolean {
  return itemPersistence(item)[dialect];
}
