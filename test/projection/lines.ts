/**
 * Short forms for lines that tests make up: the records of a legacy log, in order.
 */
import type { JsonObject, JsonValue } from '../../src/base/json.js';
import { decodeLine } from '../../src/protocol/decode-line.js';
import type { RolloutLine } from '../../src/protocol/rollout-line.js';

export const ID = '01a22a00-0000-7000-8000-000000000001';
export const OTHER_ID = '01a22a00-0000-7000-8000-000000000002';

export type Made = readonly [type: string, payload: JsonObject];

export const message = (role: string, text: string): JsonObject => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
export const item = (payload: JsonObject): Made => ['response_item', payload];
export const user = (text: string): Made => item(message('user', text));
export const assistant = (text: string): Made => item(message('assistant', text));
export const developer = (text: string): Made => item(message('developer', text));
export const event = (type: string, fields: JsonObject = {}): Made => ['event_msg', { type, ...fields }];
export const userEvent = (text: string): Made => event('user_message', { message: text });
export const started = (id: string): Made => event('task_started', { turn_id: id });
export const completed = (id: string): Made => event('task_complete', { turn_id: id });
export const rolledBack = (turns: number): Made => event('thread_rolled_back', { num_turns: turns });
export const compacted = (summary: string, history?: readonly JsonObject[]): Made => [
  'compacted',
  { message: summary, ...(history && { replacement_history: history }) },
];
export const meta = (fields: JsonObject = {}): Made => ['session_meta', { id: ID, ...fields }];
/** A turn as releases since 0.104 write it. */
export const turn = (id: string, text: string, ...inside: readonly Made[]): readonly Made[] => [
  started(id),
  user(text),
  userEvent(text),
  ...inside,
  completed(id),
];

/** Second of the minute in the timestamp of each line: its place. */
export function timestampOf(index: number): string {
  return new Date(Date.UTC(2026, 10, 29, 1, 0, index)).toISOString();
}

export function decode(value: JsonValue): RolloutLine {
  const decoded = decodeLine(value, 'envelope');
  if (decoded.kind !== 'record') throw new Error(`Cannot decode ${JSON.stringify(value)}: ${JSON.stringify(decoded)}`);
  return decoded.line;
}

export function legacy(made: readonly Made[]): readonly RolloutLine[] {
  return made.map(([type, payload], index) => decode({ timestamp: timestampOf(index), type, payload }));
}
