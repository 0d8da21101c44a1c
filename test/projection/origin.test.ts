import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { isContextUpdate, isTurnBoundary } from '../../src/projection/injected.js';
import { externalCallId, itemOrigin, originOf, weakerOrigin } from '../../src/projection/origin.js';
import { compacted, event, ID, legacy, type Made, message, meta } from './lines.js';

const SUMMARY = 'Another language model started to solve this problem and produced a summary of its thinking.';

/** What 0.171.0 takes for context in the name of the user, and what it takes for the user. */
const CONTEXT = [
  '<environment_context>\nx\n</environment_context>',
  '<ENVIRONMENT_CONTEXT>x</ENVIRONMENT_CONTEXT>',
  '  <environment_context>x</environment_context>  ',
  '# AGENTS.md instructions for /tmp\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>',
  '# AGENTS.md instructions\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>',
  '<turn_aborted>x</turn_aborted>',
  '<skill>\nx\n</skill>',
  '<user_shell_command>\nx\n</user_shell_command>',
  '<codex_internal_context source="goal">\nx\n</codex_internal_context>',
  '<subagent_notification>\nx\n</subagent_notification>',
  '<recommended_plugins>x</recommended_plugins>',
  '<goal_context>x</goal_context>',
  '<hook_prompt hook_run_id="1">x</hook_prompt>',
  '<external_foo>x</external_foo>',
  'Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command.',
  'Warning: The maximum number of unified exec processes you can keep open is 60',
  // Of releases before those that were asked.
  '<user_instructions>\nx\n</user_instructions>',
];
const TYPED = [
  'hello',
  '<environment_context> unclosed',
  '<environment_context>x</environment_context> tail',
  '# AGENTS.md instructions for unclosed',
  '<codex_internal_context>x</codex_internal_context>',
  '<user_action>x</user_action>',
  '<image name=[Image #1]>',
  '<INSTRUCTIONS>x</INSTRUCTIONS>',
  '<additional_context>x</additional_context>',
];

describe('messages in the name of the user', () => {
  test.each(CONTEXT)('itemOrigin() of %j is injected', (text) => {
    expect(itemOrigin(message('user', text))).toBe('injected');
    expect([isTurnBoundary(message('user', text)), isContextUpdate(message('user', text))]).toEqual([false, true]);
  });

  test.each(TYPED)('itemOrigin() of %j is user', (text) => {
    expect(itemOrigin(message('user', text))).toBe('user');
    expect([isTurnBoundary(message('user', text)), isContextUpdate(message('user', text))]).toEqual([true, false]);
  });

  test('itemOrigin() of a summary is injected, which begins no turn and is no context of one', () => {
    const summary = message('user', SUMMARY);
    expect([itemOrigin(summary), isTurnBoundary(summary), isContextUpdate(summary)]).toEqual([
      'injected',
      false,
      false,
    ]);
  });

  test('itemOrigin() takes a message for injected when one part is', () => {
    const content = [
      { type: 'input_text', text: 'words' },
      { type: 'input_text', text: CONTEXT[0] },
    ];
    expect(itemOrigin({ type: 'message', role: 'user', content } as JsonObject)).toBe('injected');
  });

  test.each([
    ['user.text', 'user'],
    ['user.image', 'user'],
    ['goal.internal_context', 'injected'],
    ['compaction.summary', 'injected'],
    ['of.a_later_release', 'injected'],
    ['unknown', 'external'],
  ])('itemOrigin() of content of kind %s is %s', (kind, origin) => {
    const passthrough = { internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] } };
    expect(itemOrigin({ ...message('user', 'x'), ...passthrough })).toBe(origin);
  });

  test('itemOrigin() believes the text over a kind that claims more', () => {
    const passthrough = { internal_chat_message_metadata_passthrough: { content_item_kinds: ['user.text'] } };
    expect(itemOrigin({ ...message('user', CONTEXT[0] ?? ''), ...passthrough })).toBe('injected');
  });
});

describe('isContextUpdate()', () => {
  test.each(['<permissions instructions> unclosed', '  <SKILLS_INSTRUCTIONS>', 'Approved command prefix saved:\n- x'])(
    'isContextUpdate() of a developer message %j',
    (text) => expect(isContextUpdate(message('developer', text))).toBe(true),
  );
  test.each(['plain words', '## Memory\n\nx', '<hook_context>x</hook_context>'])(
    'isContextUpdate() is false for a developer message %j',
    (text) => expect(isContextUpdate(message('developer', text))).toBe(false),
  );
});

describe('isTurnBoundary()', () => {
  test('isTurnBoundary() of messages between agents, as items and as JSON of an assistant', () => {
    const envelope = { author: '/a', recipient: '/b', other_recipients: [], content: 'x', trigger_turn: true };
    expect(isTurnBoundary({ type: 'agent_message', author: '/a', recipient: '/b', content: [] })).toBe(true);
    expect(isTurnBoundary(message('assistant', JSON.stringify(envelope)))).toBe(true);
    expect(isTurnBoundary(message('assistant', '{"trigger_turn": no JSON'))).toBe(false);
    expect(isTurnBoundary(message('assistant', 'words'))).toBe(false);
  });

  test('isTurnBoundary() of a message that is empty or only shows an image', () => {
    const image = { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'data:x' }] };
    expect([isTurnBoundary(image), isTurnBoundary({ type: 'message', role: 'user', content: [] })]).toEqual([
      true,
      true,
    ]);
  });
});

describe('originOf()', () => {
  const output = (fields: JsonObject): Made => [
    'response_item',
    { type: 'function_call_output', output: 'o', ...fields },
  ];
  test.each<[Made, string]>([
    [['response_item', message('assistant', 'a')], 'assistant'],
    [['response_item', message('developer', 'd')], 'injected'],
    [['response_item', { type: 'reasoning', summary: [] }], 'assistant'],
    [['response_item', { type: 'function_call', name: 'shell', arguments: '', call_id: 'c' }], 'assistant'],
    [output({ call_id: 'c' }), 'tool'],
    [output({}), 'injected'],
    [output({ call_id: 'outside' }), 'external'],
    [output({ call_id: 'c', name: 'mcp__server__tool' }), 'external'],
    [output({ call_id: 'c', output: [{ type: 'input_image', image_url: 'x' }] }), 'external'],
    [['response_item', { type: 'web_search_call' }], 'external'],
    [['response_item', { type: 'of_a_later_release' }], 'injected'],
    [event('user_message', { message: 'u' }), 'user'],
    [event('agent_message', { message: 'a' }), 'assistant'],
    [event('mcp_tool_call_end', { call_id: 'c' }), 'external'],
    [event('patch_apply_end', { call_id: 'c' }), 'tool'],
    [event('item_completed', { thread_id: ID, turn_id: 't', item: { type: 'McpToolCall', id: 'c' } }), 'external'],
    [
      event('item_completed', { thread_id: ID, turn_id: 't', item: { type: 'UserMessage', id: 'c', content: [] } }),
      'user',
    ],
    [event('context_compacted'), 'injected'],
    [compacted('S'), 'injected'],
    [meta(), 'injected'],
  ])('originOf() of %j is %s', (made, origin) => {
    const [line] = legacy([made]);
    if (line === undefined) throw new Error('no line');
    expect(originOf(line, new Set(['outside']))).toBe(origin);
  });

  test('originOf() believes the attribution of an output to a server', () => {
    const [line] = legacy([output({ call_id: 'c' })]);
    if (line === undefined) throw new Error('no line');
    expect(originOf({ ...line, metadata: { mcp_attribution: { status: 'known' } } })).toBe('external');
    expect(originOf({ ...line, metadata: { mcp_attribution: { status: 'none' } } })).toBe('tool');
  });

  test('externalCallId() names calls of MCP servers and of the web only', () => {
    const call = (name: string): JsonObject => ({ type: 'function_call', name, arguments: '', call_id: 'c' });
    expect([externalCallId(call('mcp__a__b')), externalCallId(call('web.run')), externalCallId(call('shell'))]).toEqual(
      ['c', 'c', undefined],
    );
  });
});

describe('weakerOrigin()', () => {
  test.each([
    ['user', 'imported', 'imported'],
    ['imported', 'tool', 'imported'],
    ['external', 'imported', 'imported'],
    ['injected', 'imported', 'injected'],
    ['user', 'user', 'user'],
  ] as const)('weakerOrigin() of %s and %s is %s', (one, other, weaker) => {
    expect(weakerOrigin(one, other)).toBe(weaker);
  });
});
