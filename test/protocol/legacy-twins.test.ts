/** The older events that follow a canonical one, item by item. */
import { describe, expect, test } from 'vitest';
import { decodeEventMsg, decodeLine, type EventMsg, legacyTwins, type TurnItem } from '../../src/protocol/index.js';
import { GENUINE } from './fixture-lines.js';

const BASE = { thread_id: 'th', turn_id: 'tu' };

function started(item: TurnItem): readonly EventMsg[] {
  return legacyTwins({ type: 'item_started', ...BASE, started_at_ms: 5, item });
}

function completed(item: TurnItem, rawReasoning = false): readonly EventMsg[] {
  return legacyTwins({ type: 'item_completed', ...BASE, completed_at_ms: 9, item }, { rawReasoning });
}

describe('legacyTwins() of item_completed', () => {
  test('joins the texts of a user message and moves their elements', () => {
    const element = { byte_range: { start: 0, end: 3 } };
    const item: TurnItem = {
      type: 'UserMessage',
      id: 'm',
      client_id: 'c',
      content: [
        { type: 'text', text: '둘째 ', text_elements: [element] },
        { type: 'image', image_url: 'data:x' },
        { type: 'local_image', path: '/a.png', detail: 'high' },
        { type: 'text', text: '@file', text_elements: [{ byte_range: { start: 0, end: 5 }, placeholder: 'F' }, 'x'] },
        { type: 'skill', name: 's' },
      ],
    };
    expect(completed(item)).toEqual([
      {
        type: 'user_message',
        client_id: 'c',
        message: '둘째 @file',
        images: ['data:x'],
        local_images: ['/a.png'],
        local_image_details: ['high'],
        text_elements: [
          { byte_range: { start: 0, end: 3 }, placeholder: '둘' },
          { byte_range: { start: 7, end: 12 }, placeholder: 'F' },
        ],
      },
    ]);
  });

  test('always gives a user message its images, if empty', () => {
    expect(completed({ type: 'UserMessage', id: 'm', content: [] })).toEqual([
      { type: 'user_message', message: '', images: [], local_images: [], text_elements: [] },
    ]);
  });

  test('gives one agent_message for each entry of content', () => {
    const content = [
      { type: 'Text', text: 'a' },
      { type: 'Text', text: 'b' },
    ];
    expect(completed({ type: 'AgentMessage', id: 'm', content, phase: 'commentary' })).toEqual([
      { type: 'agent_message', message: 'a', phase: 'commentary', memory_citation: null },
      { type: 'agent_message', message: 'b', phase: 'commentary', memory_citation: null },
    ]);
  });

  test('gives one agent_reasoning for each summary, raw reasoning only when asked for', () => {
    const item: TurnItem = { type: 'Reasoning', id: 'r', summary_text: ['a', 'b'], raw_content: ['c'] };
    const summaries = [
      { type: 'agent_reasoning', text: 'a' },
      { type: 'agent_reasoning', text: 'b' },
    ];
    expect(completed(item)).toEqual(summaries);
    expect(completed(item, true)).toEqual([...summaries, { type: 'agent_reasoning_raw_content', text: 'c' }]);
  });

  test('gives search, image and compaction their ends', () => {
    expect([
      ...completed({ type: 'WebSearch', id: 'w', query: 'q', action: { type: 'search' } }),
      ...completed({ type: 'ImageGeneration', id: 'g', status: 'completed', result: 'r' }),
      ...completed({ type: 'ImageView', id: 'v', path: 'file:///a.png' }),
      ...completed({ type: 'ContextCompaction', id: 'c' }),
    ]).toEqual([
      { type: 'web_search_end', call_id: 'w', query: 'q', action: { type: 'search' } },
      { type: 'image_generation_end', call_id: 'g', status: 'completed', result: 'r' },
      { type: 'view_image_tool_call', call_id: 'v', path: 'file:///a.png' },
      { type: 'context_compacted' },
    ]);
  });

  test('gives a file change its end when its status is known; success is the status completed', () => {
    expect(completed({ type: 'FileChange', id: 'f', changes: {} })).toEqual([]);
    const fields = { type: 'patch_apply_end', call_id: 'f', turn_id: 'tu', stdout: 'o', stderr: '', changes: {} };
    expect(completed({ type: 'FileChange', id: 'f', changes: {}, stdout: 'o', status: 'completed' })).toEqual([
      { ...fields, success: true, status: 'completed' },
    ]);
    expect(completed({ type: 'FileChange', id: 'f', changes: {}, stdout: 'o', status: 'declined' })).toEqual([
      { ...fields, success: false, status: 'declined' },
    ]);
  });

  test('gives an MCP call its end when it has an outcome and a duration', () => {
    const call = { type: 'McpToolCall', id: 'm', server: 's', tool: 't', arguments: { a: 1 }, plugin_id: 'p' } as const;
    const duration = { secs: 1, nanos: 2 };
    const end = {
      type: 'mcp_tool_call_end',
      call_id: 'm',
      invocation: { server: 's', tool: 't', arguments: { a: 1 } },
      plugin_id: 'p',
      duration,
    };
    expect(completed({ ...call, result: {} })).toEqual([]);
    expect(completed({ ...call, duration })).toEqual([]);
    expect(completed({ ...call, duration, result: { content: [] } })).toEqual([
      { ...end, result: { Ok: { content: [] } } },
    ]);
    expect(completed({ ...call, duration, error: { message: 'no' } })).toEqual([{ ...end, result: { Err: 'no' } }]);
  });

  test('gives a command its end unless it is still running', () => {
    const run = {
      type: 'CommandExecution',
      id: 'c',
      command: ['ls'],
      cwd: '/',
      parsed_cmd: [],
      source: 'agent',
    } as const;
    expect(completed({ ...run, status: 'in_progress' })).toEqual([]);
    expect(completed({ ...run, status: 'failed', aggregated_output: 'x', exit_code: 3 })).toEqual([
      {
        type: 'exec_command_end',
        call_id: 'c',
        turn_id: 'tu',
        completed_at_ms: 9,
        command: ['ls'],
        cwd: '/',
        parsed_cmd: [],
        source: 'agent',
        stdout: '',
        stderr: '',
        aggregated_output: 'x',
        exit_code: 3,
        duration: { secs: 0, nanos: 0 },
        formatted_output: '',
        status: 'failed',
      },
    ]);
  });

  test('gives a dynamic tool its response unless it is still running', () => {
    const call = { type: 'DynamicToolCall', id: 'd', tool: 't', arguments: {} } as const;
    expect(completed({ ...call, status: 'in_progress' })).toEqual([]);
    expect(completed({ ...call, status: 'completed', success: true })).toEqual([
      {
        type: 'dynamic_tool_call_response',
        call_id: 'd',
        turn_id: 'tu',
        completed_at_ms: 9,
        tool: 't',
        arguments: {},
        content_items: [],
        success: true,
        error: null,
        duration: { secs: 0, nanos: 0 },
      },
    ]);
  });

  test('gives a sub-agent activity its event', () => {
    const item: TurnItem = {
      type: 'SubAgentActivity',
      id: 'e',
      kind: 'started',
      agent_thread_id: 'a',
      agent_path: '/p',
    };
    expect(completed(item)).toEqual([
      {
        type: 'sub_agent_activity',
        event_id: 'e',
        occurred_at_ms: 9,
        agent_thread_id: 'a',
        agent_path: '/p',
        kind: 'started',
      },
    ]);
  });

  test('gives a hook prompt, a plan and a sleep none', () => {
    expect([
      ...completed({ type: 'HookPrompt', id: 'h', fragments: [] }),
      ...completed({ type: 'Plan', id: 'p', text: 'x' }),
      ...completed({ type: 'Sleep', id: 's' }),
    ]).toEqual([]);
  });
});

describe('legacyTwins() of item_started', () => {
  test('gives each item that runs its beginning', () => {
    const run = {
      type: 'CommandExecution',
      id: 'c',
      command: ['ls'],
      cwd: '/',
      parsed_cmd: [],
      source: 'agent',
    } as const;
    expect([
      ...started({ type: 'WebSearch', id: 'w' }),
      ...started({ type: 'ImageGeneration', id: 'g' }),
      ...started({ type: 'FileChange', id: 'f', changes: {} }),
      ...started({ type: 'McpToolCall', id: 'm', server: 's', tool: 't' }),
      ...started(run),
      ...started({ type: 'DynamicToolCall', id: 'd', tool: 't', arguments: {} }),
      ...started({ type: 'ImageView', id: 'v' }),
      ...started({ type: 'UserMessage', id: 'u', content: [] }),
    ]).toEqual([
      { type: 'web_search_begin', call_id: 'w' },
      { type: 'image_generation_begin', call_id: 'g' },
      { type: 'patch_apply_begin', call_id: 'f', turn_id: 'tu', auto_approved: false, changes: {} },
      { type: 'mcp_tool_call_begin', call_id: 'm', invocation: { server: 's', tool: 't', arguments: null } },
      {
        type: 'exec_command_begin',
        call_id: 'c',
        turn_id: 'tu',
        started_at_ms: 5,
        command: ['ls'],
        cwd: '/',
        parsed_cmd: [],
        source: 'agent',
      },
      { type: 'dynamic_tool_call_request', call_id: 'd', turn_id: 'tu', started_at_ms: 5, tool: 't', arguments: {} },
    ]);
  });
});

describe('legacyTwins() of calls between agents', () => {
  const call = { type: 'CollabAgentToolCall', id: 'c', sender_thread_id: 's' } as const;
  const received = {
    receiver_thread_ids: ['r'],
    receiver_agents: [{ thread_id: 'r', agent_nickname: 'Ada' }],
    agents_states: { r: 'running' },
  };

  test.each([
    ['spawn_agent', 'collab_agent_spawn'],
    ['SpawnAgent', 'collab_agent_spawn'],
    ['sendInput', 'collab_agent_interaction'],
    ['resume_agent', 'collab_resume'],
    ['wait', 'collab_waiting'],
    ['close_agent', 'collab_close'],
  ])('%s is %s', (tool, event) => {
    const item: TurnItem = { ...call, ...received, tool, status: 'completed' };
    expect(started(item).map(({ type }) => type)).toEqual([`${event}_begin`]);
    expect(completed(item).map(({ type }) => type)).toEqual([`${event}_end`]);
    expect(completed({ ...item, status: 'in_progress' })).toEqual([]);
    const needsReceiver = !event.endsWith('spawn') && !event.endsWith('waiting');
    expect(started({ ...call, tool }).length).toBe(needsReceiver ? 0 : 1);
  });

  test('says who received and how they are', () => {
    const item: TurnItem = { ...call, ...received, tool: 'send_input', status: 'completed', prompt: 'p' };
    expect(completed(item)).toEqual([
      {
        type: 'collab_agent_interaction_end',
        call_id: 'c',
        completed_at_ms: 9,
        sender_thread_id: 's',
        receiver_thread_id: 'r',
        receiver_agent_nickname: 'Ada',
        prompt: 'p',
        status: 'running',
      },
    ]);
    expect(completed({ ...item, agents_states: {} })[0]).toMatchObject({ status: 'not_found' });
  });

  test('finds no state for a receiver named as a key of Object.prototype', () => {
    const item: TurnItem = { ...call, tool: 'close_agent', receiver_thread_ids: ['constructor'], agents_states: {} };
    expect(completed(item)[0]).toMatchObject({ status: 'not_found' });
  });

  test('has no twin for a tool that it does not know', () => {
    expect(started({ ...call, tool: 'future' })).toEqual([]);
    expect(started({ ...call })).toEqual([]);
  });
});

describe('legacyTwins() otherwise', () => {
  test('gives no other event a twin', () => {
    const delta = { thread_id: 't', turn_id: 'u', item_id: 'i', delta: 'd' };
    expect([
      ...legacyTwins({ type: 'agent_message_content_delta', ...delta }),
      ...legacyTwins({ type: 'reasoning_content_delta', ...delta }),
      ...legacyTwins({ type: 'task_started', turn_id: 't' }),
    ]).toEqual([]);
  });

  test('gives the items of real logs twins that are well-formed events', () => {
    const counts = new Map<string, number>();
    for (const { lines } of GENUINE) {
      for (const { value, where } of lines) {
        const decode = decodeLine(value ?? null, 'envelope');
        if (decode.kind !== 'record' || decode.line.item.type !== 'event_msg') continue;
        for (const twin of legacyTwins(decode.line.item.payload)) {
          expect(decodeEventMsg(twin), where).toEqual({ kind: 'event', msg: twin });
          counts.set(twin.type, (counts.get(twin.type) ?? 0) + 1);
        }
      }
    }
    expect([...counts.keys()].sort()).toEqual([
      'agent_message',
      'agent_reasoning',
      'context_compacted',
      'exec_command_end',
      'patch_apply_end',
      'user_message',
      'view_image_tool_call',
      'web_search_end',
    ]);
  });
});
