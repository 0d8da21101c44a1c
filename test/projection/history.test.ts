import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { HistoryFold, lineFilterForHistory, projectHistory } from '../../src/projection/history.js';
import {
  assistant,
  compacted,
  completed,
  developer,
  event,
  item,
  legacy,
  type Made,
  message,
  rolledBack,
  started,
  turn,
  user,
  userEvent,
} from './lines.js';

const ENVIRONMENT = '<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>';
const SUMMARY =
  'Another language model started to solve this problem and produced a summary of its thinking process. Summary:\nS';

/** Items in short: the text of a message, type and id of anything else. */
function short(items: readonly JsonObject[]): readonly string[] {
  return items.map((one) => {
    const [part] = Array.isArray(one['content']) ? one['content'] : [];
    if (one['type'] === 'message') return String((part as JsonObject | undefined)?.['text'] ?? '');
    const id = one['call_id'] ?? one['author'] ?? one['encrypted_content'];
    return id === undefined ? String(one['type']) : `${String(one['type'])} ${String(id)}`;
  });
}

const historyOf = (...made: readonly Made[]): readonly string[] => short(projectHistory(legacy(made)).items);

const call = (id: string): Made => item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: id });
const output = (id: string, text = 'out'): Made => item({ type: 'function_call_output', call_id: id, output: text });

describe('rollbacks, as 0.171.0 sends what is left', () => {
  test('projectHistory() drops the turn and the context that came just before its message', () => {
    const second = [started('2'), developer('<permissions instructions>\nx'), user(ENVIRONMENT), user('u2')];
    expect(
      historyOf(
        ...turn('1', 'u1', assistant('a1')),
        ...second,
        assistant('a2'),
        completed('2'),
        rolledBack(1),
        user('u3'),
      ),
    ).toEqual(['u1', 'a1', 'u3']);
  });

  test('projectHistory() counts messages, not turns, when the user spoke twice in one', () => {
    const steered = turn('2', 'u2', assistant('a2'), user('u2b'), userEvent('u2b'), assistant('a2b'));
    expect(historyOf(...turn('1', 'u1', assistant('a1')), ...steered, rolledBack(1), ...turn('3', 'u3'))).toEqual([
      'u1',
      'a1',
      'u2',
      'a2',
      'u3',
    ]);
  });

  test('projectHistory() loses a compaction with its turn and finds what it replaced', () => {
    const second = turn('2', 'u2', compacted('S', [message('user', 'R1'), message('user', SUMMARY)]), assistant('a2'));
    expect(historyOf(...turn('1', 'u1', assistant('a1')), ...second, rolledBack(1), ...turn('3', 'u3'))).toEqual([
      'u1',
      'a1',
      'u3',
    ]);
  });

  test('projectHistory() loses a compaction that had a turn of its own between turns that are dropped', () => {
    const compaction = [started('c'), compacted('S', [message('user', 'u1'), message('user', 'u2')]), completed('c')];
    expect(
      historyOf(
        ...turn('1', 'u1', assistant('a1')),
        ...turn('2', 'u2', assistant('a2')),
        ...compaction,
        ...turn('3', 'u3', assistant('a3')),
        rolledBack(2),
        ...turn('4', 'u4'),
      ),
    ).toEqual(['u1', 'a1', 'u4']);
  });

  test('projectHistory() loses a compaction that came before the message of a dropped turn that never ended', () => {
    const second = [
      started('2'),
      compacted('S', [message('user', 'R1')]),
      user('u2'),
      userEvent('u2'),
      assistant('a2'),
    ];
    expect(historyOf(...turn('1', 'u1', assistant('a1')), ...second, rolledBack(1), ...turn('3', 'u3'))).toEqual([
      'u1',
      'a1',
      'u3',
    ]);
  });

  test('projectHistory() reaches into a surviving compaction when the two counts differ', () => {
    const compaction = [
      started('c'),
      compacted('S', [message('user', 'R1'), message('assistant', 'RA')]),
      completed('c'),
    ];
    const silent = [started('1'), userEvent('shown only'), assistant('a1'), completed('1')];
    expect(historyOf(...turn('0', 'u0'), ...compaction, ...silent, rolledBack(1), ...turn('3', 'u3'))).toEqual(['u3']);
  });

  test('projectHistory() keeps what stands before the first message when more is rolled back than there is', () => {
    expect(
      historyOf(
        developer('D0'),
        user(ENVIRONMENT),
        ...turn('1', 'u1', assistant('a1')),
        rolledBack(9),
        ...turn('2', 'u2'),
      ),
    ).toEqual(['D0', ENVIRONMENT, 'u2']);
  });

  test('projectHistory() adds up rollbacks that follow one another', () => {
    expect(
      historyOf(
        ...turn('1', 'u1', assistant('a1')),
        ...turn('2', 'u2'),
        rolledBack(1),
        ...turn('3', 'u3'),
        rolledBack(2),
        ...turn('4', 'u4'),
      ),
    ).toEqual(['u4']);
  });

  test('projectHistory() trims the marker of an aborted turn and completes its call', () => {
    const first = [started('1'), user('u1'), userEvent('u1'), call('c1'), user('<turn_aborted>\nx\n</turn_aborted>')];
    expect(
      historyOf(
        ...first,
        event('turn_aborted', { turn_id: '1', reason: 'interrupted' }),
        ...turn('2', 'u2', assistant('a2')),
        rolledBack(1),
        ...turn('3', 'u3'),
      ),
    ).toEqual(['u1', 'function_call c1', 'function_call_output c1', 'u3']);
  });

  test('projectHistory() counts a message between agents as one of the user', () => {
    const communication = { author: '/root/a', recipient: '/root', content: 'hi', trigger_turn: true };
    const second = [
      started('2'),
      ['inter_agent_communication', communication] as const,
      assistant('a2'),
      completed('2'),
    ];
    expect(historyOf(...turn('1', 'u1', assistant('a1')), ...second, rolledBack(1), assistant('a3'))).toEqual([
      'u1',
      'a1',
      'a3',
    ]);
  });

  test('projectHistory() works without turn events', () => {
    expect(
      historyOf(
        user(ENVIRONMENT),
        user('u1'),
        userEvent('u1'),
        assistant('a1'),
        user('u2'),
        userEvent('u2'),
        compacted('S', [message('user', 'R1')]),
        assistant('a2'),
        rolledBack(1),
        user('u3'),
      ),
    ).toEqual([ENVIRONMENT, 'u1', 'a1', 'u3']);
  });

  test('projectHistory() ignores a rollback of no turns', () => {
    expect(historyOf(...turn('1', 'u1', assistant('a1')), rolledBack(0))).toEqual(['u1', 'a1']);
  });
});

describe('compactions', () => {
  test('projectHistory() takes the newest replacement history as base', () => {
    const made = [
      ...turn('1', 'u1', compacted('A', [message('user', 'R1')]), assistant('a1')),
      ...turn('2', 'u2', compacted('B', [message('user', 'R2')]), assistant('a2')),
    ];
    expect(historyOf(...made)).toEqual(['R2', 'a2']);
  });

  test('projectHistory() takes an empty replacement history at its word', () => {
    expect(historyOf(...turn('1', 'u1'), compacted('S', []), ...turn('2', 'u2'))).toEqual(['u2']);
  });

  test('projectHistory() keeps of an old compaction the messages of the user and the summary', () => {
    expect(
      historyOf(
        user(ENVIRONMENT),
        ...turn('1', 'u1', assistant('a1'), call('c1'), output('c1')),
        user('# AGENTS.md instructions for /tmp\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>'),
        compacted(SUMMARY),
        ...turn('2', 'u2', assistant('a2')),
        compacted('second, without the usual words'),
        ...turn('3', 'u3', assistant('a3')),
        compacted(`${SUMMARY} third`),
        ...turn('4', 'u4', assistant('a4')),
      ),
    ).toEqual(['u1', 'u2', 'second, without the usual words', 'u3', `${SUMMARY} third`, 'u4', 'a4']);
  });

  test('projectHistory() filters a replacement history that an old compaction follows', () => {
    const first = compacted('S', [message('user', 'R1'), message('assistant', 'RA'), message('user', SUMMARY)]);
    expect(historyOf(...turn('1', 'u1'), first, ...turn('2', 'u2'), compacted('bare'), ...turn('3', 'u3'))).toEqual([
      'R1',
      'u2',
      'bare',
      'u3',
    ]);
  });

  test('projectHistory() applies an old compaction even when its turn was rolled back', () => {
    const second = turn('2', 'u2', compacted(SUMMARY), assistant('a2'));
    expect(historyOf(...turn('1', 'u1', assistant('a1')), ...second, rolledBack(1), ...turn('3', 'u3'))).toEqual([
      'u1',
      'u3',
    ]);
  });

  test('projectHistory() says so when an old compaction has no summary', () => {
    expect(historyOf(...turn('1', 'u1'), compacted(''))).toEqual(['u1', '(no summary available)']);
  });

  test('projectHistory() leaves unknown items and snapshots out of a replacement history', () => {
    const unknown = { type: 'future', z: 1 };
    const history = [
      message('user', 'R1'),
      unknown,
      { type: 'ghost_snapshot' },
      { type: 'compaction', encrypted_content: 'e' },
    ];
    expect(historyOf(compacted('S', history), ...turn('1', 'u1'))).toEqual(['R1', 'compaction e', 'u1']);
  });
});

describe('items', () => {
  test('projectHistory() completes each kind of call right after it and drops outputs without a call', () => {
    const made = [
      call('c1'),
      call('c2'),
      output('c2'),
      item({ type: 'custom_tool_call', call_id: 'c3', name: 'n', input: '' }),
      item({ type: 'local_shell_call', call_id: 'c4', status: 'completed', action: { type: 'exec' } }),
      item({ type: 'local_shell_call', call_id: null, status: 'completed', action: { type: 'exec' } }),
      item({ type: 'tool_search_call', call_id: 'c6', execution: 'client', arguments: {} }),
      output('orphan'),
      item({ type: 'custom_tool_call_output', call_id: 'orphan', output: '' }),
      item({ type: 'tool_search_output', call_id: 'orphan', status: 'completed', execution: 'client', tools: [] }),
      item({ type: 'tool_search_output', call_id: 'server', status: 'completed', execution: 'server', tools: [] }),
      item({ type: 'function_call_output', output: 'the objective of a goal' }),
    ];
    const { items } = projectHistory(legacy(made));
    expect(short(items)).toEqual([
      'function_call c1',
      'function_call_output c1',
      'function_call c2',
      'function_call_output c2',
      'custom_tool_call c3',
      'custom_tool_call_output c3',
      'local_shell_call c4',
      'function_call_output c4',
      'local_shell_call',
      'tool_search_call c6',
      'tool_search_output c6',
      'tool_search_output server',
      'function_call_output',
    ]);
    expect(items[1]).toEqual({ type: 'function_call_output', call_id: 'c1', output: 'aborted' });
    expect(items[10]).toEqual({
      type: 'tool_search_output',
      call_id: 'c6',
      status: 'completed',
      execution: 'client',
      tools: [],
    });
  });

  test('projectHistory() does not take the output of another kind for that of a call', () => {
    const custom = item({ type: 'custom_tool_call_output', call_id: 'c1', output: '' });
    expect(historyOf(custom, call('c1'))).toEqual(['function_call c1', 'function_call_output c1']);
  });

  test('projectHistory() leaves an output that stands before its call, and several for one call, where they are', () => {
    expect(historyOf(output('c1', 'one'), call('c1'), output('c1', 'two'))).toEqual([
      'function_call_output c1',
      'function_call c1',
      'function_call_output c1',
    ]);
  });

  test('projectHistory() pairs a call of a replacement history with an output after it', () => {
    const history = [message('user', 'R1'), { type: 'function_call', name: 'n', arguments: '', call_id: 'r1' }];
    expect(historyOf(compacted('S', history), ...turn('1', 'u1'), output('r1'))).toEqual([
      'R1',
      'function_call r1',
      'u1',
      'function_call_output r1',
    ]);
  });

  test('projectHistory() hands payloads out as they are, unknown fields included', () => {
    const payload = { ...message('user', 'u1'), later_field: { a: [1] } };
    const lines = legacy([item(payload)]);
    expect(projectHistory(lines).items[0]).toBe(lines[0]?.item.payload);
  });

  test('projectHistory() keeps compaction items and added tools, leaves out what is never sent', () => {
    expect(
      historyOf(
        item({ type: 'compaction', encrypted_content: 'e1' }),
        item({ type: 'context_compaction', encrypted_content: 'e2' }),
        item({ type: 'additional_tools', role: 'developer', tools: [] }),
        item({ type: 'compaction_trigger' }),
        item({ type: 'configuration_update', reasoning: {} }),
        item({ type: 'of_a_later_release' }),
      ),
    ).toEqual(['compaction e1', 'context_compaction e2', 'additional_tools']);
  });

  test('projectHistory() shows a message between agents as the model sees it', () => {
    const plain = { author: '/root/a', recipient: '/root', content: 'hi', trigger_turn: true };
    const secret = {
      author: '/root/a',
      recipient: '/root',
      content: '',
      encrypted_content: 'zzz',
      trigger_turn: false,
    };
    const made: Made[] = [
      ['inter_agent_communication', plain],
      ['inter_agent_communication', secret],
    ];
    expect(projectHistory(legacy(made)).items).toEqual([
      { type: 'agent_message', author: '/root/a', recipient: '/root', content: [{ type: 'input_text', text: 'hi' }] },
      {
        type: 'agent_message',
        author: '/root/a',
        recipient: '/root',
        content: [
          { type: 'input_text', text: 'Message Type: MESSAGE\nTask name: /root\nSender: /root/a\nPayload:\n' },
          { type: 'encrypted_content', encrypted_content: 'zzz' },
        ],
      },
    ]);
  });

  test('projectHistory() is reset by no later session_meta', () => {
    expect(historyOf(...turn('1', 'u1'), ['session_meta', { id: 'x' }], ...turn('2', 'u2'))).toEqual(['u1', 'u2']);
  });
});

describe('HistoryFold', () => {
  const made = [...turn('1', 'u1'), compacted('S', [message('user', 'R1')]), ...turn('2', 'u2', assistant('a2'))];

  test('HistoryFold.visit() stops at the base and says where it stands', () => {
    const lines = legacy(made);
    const fold = new HistoryFold();
    let visited = 0;
    for (const line of lines.toReversed()) {
      visited += 1;
      if (fold.visit(line, { byteOffset: lines.indexOf(line) }) === 'stop') break;
    }
    expect(visited).toBe(6);
    expect(fold.finish().base).toEqual({ byteOffset: 4 });
  });

  test('HistoryFold.visit() changes nothing after it has stopped', () => {
    const fold = new HistoryFold();
    for (const line of legacy(made).toReversed()) fold.visit(line);
    expect(short(fold.finish().items)).toEqual(['R1', 'u2', 'a2']);
  });

  test('HistoryFold.wants() asks for turn events only while a rollback looks for its turns', () => {
    const fold = new HistoryFold();
    const header = { type: 'event_msg', payloadType: 'task_started' };
    expect(fold.wants(header)).toBe(false);
    for (const line of legacy([rolledBack(1)])) fold.visit(line);
    expect(fold.wants(header)).toBe(true);
  });

  test('lineFilterForHistory() skips what cannot matter and keeps what it does not know', () => {
    const kept = (type: string, payloadType?: string): boolean => lineFilterForHistory({ type, payloadType });
    expect(kept('turn_context')).toBe(false);
    expect(kept('event_msg', 'token_count')).toBe(false);
    expect(kept('event_msg', 'thread_rolled_back')).toBe(true);
    expect(kept('response_item', 'message')).toBe(true);
    expect(kept('function_call')).toBe(true);
  });
});
