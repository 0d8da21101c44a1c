/** What a writer of each dialect puts on disk. */
import { describe, expect, test } from 'vitest';
import { decodeLine, type EventMsg, isPersisted, type RolloutItem, type TurnItem } from '../../src/protocol/index.js';

function item(type: string, payload: Readonly<Record<string, unknown>>): RolloutItem {
  const decode = decodeLine(JSON.parse(JSON.stringify({ timestamp: 'x', type, payload })), 'envelope');
  if (decode.kind !== 'record') throw new Error(JSON.stringify(decode));
  return decode.line.item;
}

function where(of: RolloutItem): string {
  return `${isPersisted(of, 'legacy') ? 'L' : '-'}${isPersisted(of, 'paginated') ? 'P' : '-'}`;
}

function event(payload: EventMsg): RolloutItem {
  return { type: 'event_msg', payload };
}

describe('isPersisted()', () => {
  test.each<[string, RolloutItem]>([
    ['LP', event({ type: 'task_started', turn_id: 't' })],
    ['LP', event({ type: 'token_count' })],
    ['L-', event({ type: 'user_message', message: 'm' })],
    ['L-', event({ type: 'context_compacted' })],
    ['--', event({ type: 'error', message: 'm' })],
    ['--', event({ type: 'exec_command_end', call_id: 'c' })],
    ['--', event({ type: 'agent_message_content_delta', thread_id: 't', turn_id: 'u', item_id: 'i', delta: 'd' })],
    ['LP', item('session_meta', { id: 'x' })],
    ['LP', item('turn_context', { cwd: '/' })],
    ['LP', item('compacted', { message: 'm' })],
    ['LP', item('response_item', { type: 'message', role: 'user', content: [] })],
    ['LP', item('response_item', { type: 'additional_tools', role: 'developer', tools: [] })],
    ['--', item('response_item', { type: 'compaction_trigger' })],
    ['--', item('response_item', { type: 'future_item' })],
    ['--', { type: 'state', payload: {} }],
  ])('%s: case %#', (expected, of) => {
    expect(where(of)).toBe(expected);
  });

  test('writes an item event in legacy only when no legacy event says the same', () => {
    const completed = (of: TurnItem): RolloutItem =>
      event({ type: 'item_completed', thread_id: 't', turn_id: 'u', item: of });
    expect(where(completed({ type: 'Plan', id: 'p', text: 'x' }))).toBe('LP');
    expect(where(completed({ type: 'UserMessage', id: 'm', content: [] }))).toBe('-P');
    expect(where(completed({ type: 'HookPrompt', id: 'h' }))).toBe('-P');
  });
});
