import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.js';
import type { TurnItemView, TurnView } from '../../src/projection/turn.js';
import { TurnsFold, type TurnsWindow } from '../../src/projection/turns.js';
import { decodeLine } from '../../src/protocol/decode-line.js';
import type { RolloutLine } from '../../src/protocol/rollout-line.js';
import { readHome, scenarios, threadRecords } from './fixture-home.js';
import {
  assistant,
  compacted,
  completed,
  developer,
  event,
  ID,
  item,
  legacy,
  type Made,
  message,
  meta,
  rolledBack,
  started,
  timestampOf,
  turn,
  user,
  userEvent,
} from './lines.js';

function fold(lines: readonly RolloutLine[], window?: TurnsWindow): { turns: readonly TurnView[]; total: number } {
  const turns = new TurnsFold(window);
  for (const [index, line] of lines.entries()) {
    turns.apply({ line, lineNumber: index + 1, byteOffset: 0, path: '/r', rawText: () => `raw ${index + 1}` });
  }
  return { turns: turns.finish(), total: turns.totalTurns };
}

/** Each turn as its status and its items, `type text@line`. */
function short(turns: readonly TurnView[]): readonly (readonly string[])[] {
  return turns.map(({ status, items }) => [status, ...items.map((one) => `${one.type} ${one.text}@${one.line}`)]);
}

const shown = (...made: readonly Made[]): readonly (readonly string[])[] => short(fold(legacy(made)).turns);
const completedItem = (turnItem: JsonObject): Made =>
  event('item_completed', { thread_id: ID, turn_id: 't', item: turnItem });

describe('turns that the log bounds', () => {
  test('TurnsFold shows id, status and times', () => {
    const { turns, total } = fold(legacy([meta(), ...turn('t1', 'u1', assistant('a1'))]));
    expect(total).toBe(1);
    expect(turns).toEqual([
      {
        id: 't1',
        status: 'completed',
        startedAt: timestampOf(1),
        completedAt: timestampOf(5),
        items: [
          { type: 'message', role: 'user', text: 'u1', line: 3, path: '/r', origin: 'user' },
          { type: 'message', role: 'assistant', text: 'a1', line: 5, path: '/r', origin: 'assistant' },
        ],
      },
    ]);
  });

  test('TurnsFold gives context before a turn to that turn', () => {
    expect(shown(developer('d'), ...turn('1', 'u1'), developer('e'), ...turn('2', 'u2'))).toEqual([
      ['completed', 'message d@1', 'message u1@3'],
      ['completed', 'message e@6', 'message u2@8'],
    ]);
  });

  test('TurnsFold makes a message that stands right before a turn part of it', () => {
    expect(shown(user('put in'), ...turn('1', 'u1'))).toEqual([['completed', 'message put in@1', 'message u1@3']]);
  });

  test('TurnsFold keeps a steered turn as one', () => {
    expect(shown(...turn('1', 'u1', assistant('a1'), user('more'), userEvent('more'), assistant('a2')))).toHaveLength(
      1,
    );
  });

  test('TurnsFold tells how a turn ended', () => {
    const aborted = [started('1'), user('u1'), event('turn_aborted', { turn_id: '1', reason: 'interrupted' })];
    const failed = [started('2'), user('u2'), event('task_complete', { turn_id: '2', error: { message: 'e' } })];
    const lost = [started('3'), user('u3')];
    const open = [started('4'), user('u4')];
    const { turns } = fold(legacy([...aborted, ...failed, ...lost, ...open]));
    expect(turns.map(({ status }) => status)).toEqual(['interrupted', 'failed', 'interrupted', 'in_progress']);
    expect(turns[2]?.completedAt).toBeNull();
  });

  test('TurnsFold shows why a turn failed, once', () => {
    const failed = (error: JsonValue): Made => event('task_complete', { turn_id: '1', error });
    const made = (...end: readonly Made[]) => shown(started('1'), user('u1'), ...end);
    expect(made(failed({ message: 'out of room' }))).toEqual([['failed', 'message u1@2', 'error out of room@3']]);
    expect(made(failed({ codex_error_info: 'other' }))[0]).toContain('error other@3');
    expect(made(failed({ message: ' ' }))).toEqual([['failed', 'message u1@2']]);
    const told = event('error', { message: 'out of room' });
    expect(made(told, failed({ message: 'out of room\n' }))).toEqual([
      ['failed', 'message u1@2', 'error out of room@3'],
    ]);
    expect(made(event('error', { message: 'first' }), failed({ message: 'second' }))).toEqual([
      ['failed', 'message u1@2', 'error first@3', 'error second@4'],
    ]);
    expect(shown(...turn('0', 'u0'), failed({ message: 'of no turn that is open' }))).toHaveLength(1);
  });

  test('TurnsFold shows the failed turns of the genuine logs with their reason', () => {
    let failures = 0;
    for (const { home, release } of scenarios()) {
      for (const { records } of readHome(home)) {
        if (!records.some(({ text }) => /"type":"task_complete".*"error":\{/.test(text))) continue;
        const turns = new TurnsFold();
        for (const record of records) turns.apply(record);
        for (const { status, items } of turns.finish().filter((one) => one.status === 'failed')) {
          failures += 1;
          const errors = items.filter(({ type }) => type === 'error');
          expect([release, status, errors.length]).toEqual([release, 'failed', 1]);
        }
      }
    }
    expect(failures).toBeGreaterThan(3);
  });

  test('TurnsFold lets the late end of a finished turn not end the open one', () => {
    const made = [...turn('1', 'u1'), started('2'), user('u2'), completed('1'), assistant('a2'), completed('2')];
    expect(shown(...made)[1]).toEqual(['completed', 'message u2@6', 'message a2@8']);
  });

  test('TurnsFold leaves a turn open when an abort names another', () => {
    const made = [
      started('1'),
      user('u1'),
      event('turn_aborted', { turn_id: 'x', reason: 'replaced' }),
      completed('1'),
    ];
    expect(shown(...made)).toEqual([['completed', 'message u1@2']]);
  });
});

describe('turns that messages open', () => {
  test('TurnsFold opens a turn at each message of the user when the release wrote no turn events', () => {
    const made = [
      user('<environment_context>x</environment_context>'),
      user('u1'),
      userEvent('u1'),
      event('agent_message', { message: 'a1' }),
      assistant('a1'),
      developer('changed'),
      user('u2'),
      userEvent('u2'),
      user('u3'),
      userEvent('u3'),
      assistant('a3'),
    ];
    const { turns } = fold(legacy(made));
    expect(short(turns)).toEqual([
      ['completed', 'message <environment_context>x</environment_context>@1', 'message u1@2', 'message a1@5'],
      ['completed', 'message changed@6', 'message u2@7'],
      ['completed', 'message u3@9', 'message a3@11'],
    ]);
    expect(turns.map(({ id, startedAt }) => [id, startedAt])).toEqual([
      [null, timestampOf(1)],
      [null, timestampOf(6)],
      [null, timestampOf(8)],
    ]);
  });

  test('TurnsFold opens a turn at each message of a bare log', () => {
    const lines = [message('user', 'u1'), message('user', 'u2'), message('assistant', 'a2')].map((value) => {
      const decoded = decodeLine(value, 'bare');
      if (decoded.kind !== 'record') throw new Error('no record');
      return decoded.line;
    });
    expect(short(fold(lines).turns)).toEqual([
      ['completed', 'message u1@1'],
      ['completed', 'message u2@2', 'message a2@3'],
    ]);
  });

  test('TurnsFold opens a turn for a compaction that stands alone, once for both records', () => {
    expect(shown(...turn('1', 'u1'), compacted('sum'), event('context_compacted'))).toEqual([
      ['completed', 'message u1@2'],
      ['completed', 'compacted sum@5'],
    ]);
  });

  test('TurnsFold shows context that no turn follows with the last turn', () => {
    expect(shown(...turn('1', 'u1'), developer('late'))).toEqual([['completed', 'message u1@2', 'message late@5']]);
    expect(shown(developer('alone'))).toEqual([['completed', 'message alone@1']]);
    expect(shown(meta())).toEqual([]);
  });
});

describe('twins', () => {
  test('TurnsFold shows a text once when the event comes first, and when it comes last', () => {
    const made = turn(
      '1',
      'u1',
      event('agent_message', { message: 'a1' }),
      assistant('a1'),
      assistant('b'),
      event('agent_message', { message: 'b' }),
    );
    expect(shown(...made)).toEqual([['completed', 'message u1@2', 'message a1@5', 'message b@6']]);
  });

  test('TurnsFold keeps an event without an item, and a text that was said twice', () => {
    const said = event('agent_message', { message: 'a' });
    expect(shown(...turn('1', 'u1', said, assistant('a'), said, assistant('a'), said))).toEqual([
      ['completed', 'message u1@2', 'message a@5', 'message a@7', 'agent_message a@8'],
    ]);
  });

  test('TurnsFold knows an answer without its citations', () => {
    const cited = assistant('yes <oai-mem-citation>\nx\n</oai-mem-citation>');
    expect(shown(...turn('1', 'u1', event('agent_message', { message: 'yes' }), cited))[0]).toHaveLength(3);
  });

  test('TurnsFold shows reasoning once though each part of its summary is an event', () => {
    const parts = ['one', 'two'].map((text) => event('agent_reasoning', { text }));
    const summary = [
      { type: 'summary_text', text: 'one' },
      { type: 'summary_text', text: 'two' },
    ];
    expect(shown(...turn('1', 'u1', ...parts, item({ type: 'reasoning', summary })))).toEqual([
      ['completed', 'message u1@2', 'reasoning one\n\ntwo@6'],
    ]);
  });

  test('TurnsFold keeps reasoning that only an event holds though its words were part of a twin', () => {
    const twin = completedItem({ type: 'Reasoning', id: 'r', summary_text: ['one', 'two'], raw_content: [] });
    const summary = ['one', 'two'].map((text) => ({ type: 'summary_text', text }));
    const later = event('agent_reasoning', { text: 'two' });
    expect(shown(...turn('1', 'u1', twin, item({ type: 'reasoning', summary }), later))[0]).toEqual([
      'completed',
      'message u1@2',
      'reasoning one\n\ntwo@5',
      'agent_reasoning two@6',
    ]);
  });

  test('TurnsFold shows a call and its output, not their events; nested calls stay', () => {
    const execution = (id: string): Made =>
      completedItem({ type: 'CommandExecution', id, command: ['ls', '-l'], aggregated_output: 'files', exit_code: 0 });
    const made = turn(
      '1',
      'u1',
      item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' }),
      execution('c1'),
      item({ type: 'function_call_output', call_id: 'c1', output: 'files' }),
      execution('exec-1'),
    );
    expect(shown(...made)).toEqual([
      [
        'completed',
        'message u1@2',
        'function_call shell {}@4',
        'function_call_output files@6',
        'CommandExecution ls -l\nfiles@7',
      ],
    ]);
  });

  test('TurnsFold knows a message with an image by what was typed', () => {
    const content = [
      { type: 'input_text', text: '<image name=[Image #1]>' },
      { type: 'input_image', image_url: 'data:x' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: 'what is it?' },
    ];
    const twin = completedItem({ type: 'UserMessage', id: 'i', content: [{ type: 'text', text: 'what is it?' }] });
    expect(shown(started('1'), item({ type: 'message', role: 'user', content }), twin)[0]).toHaveLength(2);
  });
});

describe('images', () => {
  const data = `data:image/png;base64,${'iVBORw0KGgo'.repeat(40)}`;
  const texts = (...made: readonly Made[]): readonly string[] =>
    fold(legacy([started('1'), ...made])).turns.flatMap(({ items }) => items.map(({ text }) => text));
  const output = (value: JsonValue): Made => item({ type: 'function_call_output', call_id: 'c', output: value });

  test.each<readonly [string, Made, string]>([
    [
      'a message',
      item({
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: data },
        ],
      }),
      'look\n[image]',
    ],
    ['an output', output([{ type: 'input_image', image_url: data }]), '[image]'],
    [
      'an output with text and sound',
      output([
        { type: 'input_text', text: 'pic' },
        { type: 'input_audio', audio_url: 'x' },
      ]),
      'pic\n[audio]',
    ],
    ['an output that is text', output(`before ${data} after`), 'before [image] after'],
    [
      'an output that is the JSON of a tool',
      output(JSON.stringify([{ type: 'image', data: data.slice(22), mimeType: 'image/png' }])),
      '[{"type":"image","data":"[image]","mimeType":"image/png"}]',
    ],
    ['an event of the user', event('user_message', { message: '', images: [data] }), '[image]'],
    ['an event with a local image', event('user_message', { message: 'a', local_images: ['/x.png'] }), 'a\n[image]'],
    [
      'an item of the user',
      completedItem({
        type: 'UserMessage',
        id: 'i',
        content: [
          { type: 'local_image', path: '/x.png' },
          { type: 'text', text: 'b' },
        ],
      }),
      '[image]\nb',
    ],
    [
      'the result of an MCP tool',
      completedItem({
        type: 'McpToolCall',
        id: 'm',
        server: 's',
        tool: 't',
        result: { content: [{ type: 'image', data: data.slice(22) }] },
      }),
      's.t\n{"content":[{"type":"image","data":"[image]"}]}',
    ],
    [
      'a generated image',
      item({
        type: 'image_generation_call',
        id: 'g',
        status: 'completed',
        revised_prompt: 'a cat',
        result: data.slice(22),
      }),
      'a cat\n[image]',
    ],
  ])('%s shows its image as [image]', (_what, made, text) => {
    expect(texts(made)).toEqual([text]);
  });

  test('a message and its event are still one, with an image and without', () => {
    const content = [
      { type: 'input_image', image_url: data },
      { type: 'input_text', text: 'what is it?' },
    ];
    const twin = event('user_message', { message: 'what is it?', images: [data] });
    expect(texts(item({ type: 'message', role: 'user', content }), twin)).toEqual(['[image]\nwhat is it?']);
  });

  test('text that only speaks of data is left as it is', () => {
    for (const text of ['data:image/png;base64,iVBO', '{"data":"short"}', `{"data":"${'a'.repeat(99)}"}`]) {
      expect(texts(output(text))).toEqual([text]);
    }
  });

  test('no genuine log shows the bytes of an image', () => {
    let images = 0;
    for (const { home } of scenarios()) {
      for (const { records } of readHome(home)) {
        const turns = new TurnsFold();
        for (const record of records) turns.apply(record);
        for (const { text } of turns.finish().flatMap(({ items }) => items)) {
          expect(text).not.toContain(';base64,');
          if (text.includes('[image]')) images += 1;
        }
      }
    }
    expect(images).toBeGreaterThan(20);
  });
});

describe('rollbacks and windows', () => {
  const three = [...turn('1', 'u1'), ...turn('2', 'u2'), ...turn('3', 'u3')];
  const ids = (made: readonly Made[], window?: TurnsWindow): readonly (string | null)[] =>
    fold(legacy(made), window).turns.map(({ id }) => id);

  test('TurnsFold takes rolled back turns away, those between them uncounted', () => {
    const compaction = [started('c'), compacted('S'), completed('c')];
    expect(ids([...three, ...compaction, rolledBack(2), ...turn('4', 'u4')])).toEqual(['1', '4']);
    expect(ids([...three, rolledBack(9)])).toEqual([]);
  });

  test('TurnsFold shows the last turns and counts all', () => {
    const { turns, total } = fold(legacy(three), { last: 2 });
    expect([turns.map(({ id }) => id), total]).toEqual([['2', '3'], 3]);
    expect(ids(three, { last: 0 })).toEqual([]);
  });

  test('TurnsFold keeps of each turn its first item and those on the lines asked for', () => {
    const lines = legacy([
      meta(),
      ...turn('t1', 'u1', assistant('a1'), assistant('b1')),
      ...turn('t2', 'u2', assistant('a2')),
    ]);
    const all = short(fold(lines).turns).flatMap(([, ...items]) => items);
    const last = Number(all.find((text) => text.startsWith('message b1@'))?.split('@')[1]);
    const narrowed = fold(lines, { lines: { path: '/r', from: last, to: last } });
    expect(short(narrowed.turns).map(([, ...items]) => items.map((text) => text.split('@')[0]))).toEqual([
      ['message u1', 'message b1'],
      ['message u2'],
    ]);
    expect(narrowed.total).toBe(2);
    expect(short(fold(lines, { lines: { path: '/other', from: last, to: last } }).turns).flat()).not.toContain(
      'message b1',
    );
  });

  test('TurnsFold shows the last turns after a rollback', () => {
    expect(ids([...three, rolledBack(1)], { last: 2 })).toEqual(['1', '2']);
  });

  test('TurnsFold shows a window, in which a rolled back turn does not count', () => {
    expect(ids(three, { from: 2, to: 2 })).toEqual(['2']);
    expect(ids([...three, rolledBack(2), ...turn('4', 'u4')], { from: 2 })).toEqual(['4']);
    expect(fold(legacy(three), { from: 3, to: 9 }).total).toBe(3);
  });
});

describe('all', () => {
  test('TurnsFold shows each record once with `all`: twins and records that are no items raw', () => {
    const made = [
      meta(),
      ...turn(
        '1',
        'u1',
        event('token_count', { info: null }),
        event('agent_message', { message: 'a' }),
        assistant('a'),
      ),
    ];
    expect(short(fold(legacy(made), { all: true }).turns)).toEqual([
      [
        'completed',
        'session_meta raw 1@1',
        'task_started raw 2@2',
        'message u1@3',
        'user_message raw 4@4',
        'token_count raw 5@5',
        'agent_message raw 6@6',
        'message a@7',
        'task_complete raw 8@8',
      ],
    ]);
  });

  test('TurnsFold shows every record of the genuine logs exactly once with `all`', () => {
    for (const { home } of scenarios()) {
      const files = readHome(home);
      for (const { records } of files) {
        if (records.some(({ text }) => text.includes('"thread_rolled_back"'))) continue;
        const turns = new TurnsFold({ all: true });
        for (const record of records) turns.apply({ ...record, rawText: () => record.text });
        const lines = turns.finish().flatMap(({ items }) => items.map(({ line }) => line));
        expect(lines.toSorted((a, b) => a - b)).toEqual(records.map(({ lineNumber }) => lineNumber));
      }
    }
  });

  test('TurnsFold shows no event of the genuine logs whose text is in a message of the turn', () => {
    for (const { home, release } of scenarios()) {
      const files = readHome(home);
      for (const id of new Set(files.map(({ idFromName }) => idFromName))) {
        const turns = new TurnsFold();
        for (const record of threadRecords(files, id)) turns.apply(record);
        for (const { items } of turns.finish()) {
          const said = (one: TurnItemView): string => `${one.role} ${one.text}`;
          const messages = new Set(items.filter(({ type }) => type === 'message').map(said));
          const twins = items
            .filter(({ type, role }) => type !== 'message' && role !== null)
            .filter((one) => messages.has(said(one)));
          expect([release, twins]).toEqual([release, []]);
        }
      }
    }
  });

  test('TurnsFold shows an item of unknown type with its raw text', () => {
    expect(shown(...turn('1', 'u1', item({ type: 'of_a_later_release', a: 1 })))).toEqual([
      ['completed', 'message u1@2', 'of_a_later_release raw 4@4'],
    ]);
  });
});
