/**
 * Items of a conversation as the contract writes them: one turn of the user, answered, in the records of each dialect.
 */
import type { ThreadId } from '../../base/ids.js';
import type { WrittenDialect } from '../../protocol/persistence.js';
import type { RolloutItem } from '../../protocol/rollout-line.js';

export interface SpokenTurn {
  readonly threadId: ThreadId;
  readonly dialect: WrittenDialect;
  readonly turnId: string;
  readonly prompt: string;
  readonly answer: string;
}

/** What a client writes of a turn: the items for the model, and the events that say the same to people. */
export function spokenTurn({ threadId, dialect, turnId, prompt, answer }: SpokenTurn): readonly RolloutItem[] {
  const event = (payload: object): RolloutItem => ({ type: 'event_msg', payload }) as RolloutItem;
  const message = (role: 'user' | 'assistant', text: string): RolloutItem => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
  });
  const completed = (item: object): RolloutItem =>
    event({ type: 'item_completed', thread_id: threadId, turn_id: turnId, item, completed_at_ms: 0 });
  const userEvent =
    dialect === 'legacy'
      ? event({ type: 'user_message', message: prompt, images: [], local_images: [], text_elements: [] })
      : completed({
          type: 'UserMessage',
          id: `${turnId}-u`,
          content: [{ type: 'text', text: prompt, text_elements: [] }],
        });
  const agentEvent =
    dialect === 'legacy'
      ? event({ type: 'agent_message', message: answer })
      : completed({ type: 'AgentMessage', id: `${turnId}-a`, content: [{ type: 'Text', text: answer }] });
  return [
    event({ type: 'task_started', turn_id: turnId, model_context_window: null }),
    message('user', prompt),
    userEvent,
    // Delivered to whoever listens, kept by nobody.
    event({ type: 'agent_message_content_delta', thread_id: threadId, turn_id: turnId, item_id: 'a', delta: answer }),
    message('assistant', answer),
    agentEvent,
    event({ type: 'task_complete', turn_id: turnId, last_agent_message: answer }),
  ];
}

/** Texts of a history in the order of its items. */
export function textsOf(items: readonly { readonly [key: string]: unknown }[]): readonly string[] {
  return items.map((item) => {
    const content = item['content'];
    const parts: readonly unknown[] = Array.isArray(content) ? content : [];
    return parts
      .map((part) => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : ''))
      .join('');
  });
}
