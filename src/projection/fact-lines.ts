/**
 * Which lines the fold of thread facts needs, so that a scanner may skip the others without parsing them.
 *
 * A type that the table does not name changes no fact but the time and the ordinal, which the last valid record of a
 * file settles alone. Whoever adds a case to the fold adds a row here; a property test holds the two together.
 */
import { isJsonObject, type JsonObject } from '../base/json.js';
import type { LineHeader } from './line-header.js';
import { type ThreadFacts, totalTokens } from './thread-facts.js';

/**
 * `every`: each one. `until-found`: until `mayChangeFacts` says that there is nothing more to find.
 * `edges`: the first and the last. `last`: the last one that `isUsable`.
 */
export type FactNeed = 'every' | 'until-found' | 'edges' | 'last';

export interface FactLine extends LineHeader {
  readonly need: FactNeed;
}

export const FACT_LINES: readonly FactLine[] = [
  { type: 'session_meta', payloadType: undefined, need: 'every' },
  { type: 'turn_context', payloadType: undefined, need: 'edges' },
  { type: 'event_msg', payloadType: 'token_count', need: 'last' },
  { type: 'event_msg', payloadType: 'user_message', need: 'until-found' },
  { type: 'event_msg', payloadType: 'item_completed', need: 'until-found' },
  { type: 'event_msg', payloadType: 'thread_goal_updated', need: 'until-found' },
  { type: 'event_msg', payloadType: 'thread_name_updated', need: 'every' },
  { type: 'response_item', payloadType: 'message', need: 'until-found' },
];

const EVENTS = new Map(FACT_LINES.filter(({ type }) => type === 'event_msg').map((row) => [row.payloadType, row.need]));

/** Need of the lines with this header; undefined when the fold has none. */
export function factNeed(header: LineHeader): FactNeed | undefined {
  switch (header.type) {
    case 'event_msg':
      return EVENTS.get(header.payloadType);
    case 'session_meta':
      return 'every';
    case 'turn_context':
      return 'edges';
    case 'response_item':
      return header.payloadType === 'message' ? 'until-found' : undefined;
    case 'message':
      // A bare line.
      return 'until-found';
    default:
      return undefined;
  }
}

/** False when no line with this header can change `facts` any more, time and ordinal aside. */
export function mayChangeFacts(facts: ThreadFacts, header: LineHeader): boolean {
  const need = factNeed(header);
  if (need !== 'until-found') return need !== undefined;
  switch (header.payloadType) {
    case 'user_message':
    case 'item_completed':
      if (header.detail === 'AgentMessage') return false;
      return !facts.hasUserEvent || facts.firstUserMessage === null || facts.title === null;
    case 'thread_goal_updated':
      return facts.goal === null;
    default:
      if (header.detail !== undefined && header.detail !== 'user') return false;
      return facts.title === null && facts.itemTitle === null;
  }
}

/** True for a payload that counts as the last of its kind: a token_count without figures does not. */
export function isUsable(header: LineHeader, payload: JsonObject): boolean {
  if (header.type !== 'event_msg' || header.payloadType !== 'token_count') return true;
  return isJsonObject(payload['info']) && totalTokens(payload['info']) !== undefined;
}
