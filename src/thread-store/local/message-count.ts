/**
 * Counts messages of user and agent, in events and in response items apart: which of the two counts for a file is known
 * at its end only.
 */
import type { LineHeader } from '../../rollout/header.js';
import type { RolloutRecord } from '../../rollout/records.js';
import { type FileFacts, NO_FILE_FACTS } from './file-facts.js';

/** Takes each line once, by its header or by its record. */
export class MessageCount {
  #events: number;
  #items: number;

  constructor(from: FileFacts = NO_FILE_FACTS) {
    this.#events = from.eventMessages;
    this.#items = from.itemMessages;
  }

  header({ type, payloadType, detail }: LineHeader): void {
    if (type === 'event_msg') {
      if (payloadType === 'user_message' || payloadType === 'agent_message') this.#events += 1;
      else if (payloadType === 'item_completed' && (detail === 'UserMessage' || detail === 'AgentMessage'))
        this.#events += 1;
    } else if (payloadType === 'message' && (detail === 'user' || detail === 'assistant')) {
      this.#items += 1;
    }
  }

  record({ line: { item } }: RolloutRecord): void {
    if (item.type === 'event_msg') {
      const event = item.payload;
      if (event.type === 'user_message' || event.type === 'agent_message') this.#events += 1;
      else if (event.type === 'item_completed') {
        if (event.item.type === 'UserMessage' || event.item.type === 'AgentMessage') this.#events += 1;
      }
    } else if (item.type === 'response_item' && item.payload.type === 'message') {
      const role = item.payload['role'];
      if (role === 'user' || role === 'assistant') this.#items += 1;
    }
  }

  counts(): { readonly eventMessages: number; readonly itemMessages: number } {
    return { eventMessages: this.#events, itemMessages: this.#items };
  }
}
