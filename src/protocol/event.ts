/**
 * What comes out of the event queue: JSON, and so what a client or a log may hold.
 * Commands are another language (op.ts) and have no codec.
 */
import type { JsonObject } from '../base/json.js';
import type { EventMsg } from './event-msg.js';

export interface Event {
  /** Id of the submission that it answers; empty for what no submission caused. */
  readonly id: string;
  readonly msg: EventMsg;
}

/** One line of JSON, without the newline. */
export function encodeEvent(event: Event): string {
  return JSON.stringify({ id: event.id, msg: event.msg satisfies JsonObject });
}
