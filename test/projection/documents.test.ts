import { describe, expect, test } from 'vitest';
import {
  type DocumentPlace,
  type DocumentsCarry,
  DocumentsFold,
  messageOf,
  NO_DOCUMENTS,
} from '../../src/projection/documents.js';
import {
  assistant,
  completed,
  developer,
  event,
  item,
  legacy,
  type Made,
  message,
  started,
  user,
  userEvent,
} from './lines.js';

const digest = (mark: string): string => `d:${mark}`;

const place = (lineNumber: number): DocumentPlace => ({
  lineNumber,
  byteOffset: lineNumber * 100,
  byteLength: 90,
  atMs: undefined,
});

function fold(
  made: readonly Made[],
  {
    carry = NO_DOCUMENTS,
    tools = false,
    from = 1,
  }: { readonly carry?: DocumentsCarry; readonly tools?: boolean; readonly from?: number } = {},
) {
  const documents = new DocumentsFold(carry, digest);
  for (const [index, line] of legacy(made).entries()) {
    if (line.item.type === 'event_msg' && line.item.payload.type.startsWith('task_')) documents.boundary();
    const said = messageOf(line, { tools });
    if (said !== undefined) documents.add(said, place(from + index));
  }
  return documents.finish();
}

const found = (made: readonly Made[], options: { readonly tools?: boolean } = {}): readonly string[] =>
  fold(made, options).documents.map(({ lineNumber, role, text }) => `${lineNumber} ${role} ${text}`);

const agentEvent = (text: string): Made => event('agent_message', { message: text });
const turnItem = (type: string, text: string): Made =>
  event('item_completed', { thread_id: 't', turn_id: 'u', item: { type, id: 'i', content: [{ type: 'text', text }] } });

describe('DocumentsFold', () => {
  test('takes the event of two records, in either order', () => {
    expect(found([user('Hi'), userEvent('Hi'), agentEvent('Yes'), assistant('Yes')])).toEqual([
      '2 user Hi',
      '3 assistant Yes',
    ]);
  });

  test('takes the item where no event repeats it', () => {
    expect(found([user('Hi'), assistant('Yes'), userEvent('Other')])).toEqual([
      '1 user Hi',
      '2 assistant Yes',
      '3 user Other',
    ]);
  });

  test('takes the item of a turn for an event', () => {
    expect(
      found([user('Hi'), turnItem('UserMessage', 'Hi'), turnItem('AgentMessage', 'Yes'), assistant('Yes')]),
    ).toEqual(['2 user Hi', '3 assistant Yes']);
  });

  test('counts a text that is said again in the same turn as another message', () => {
    expect(found([user('Hi'), userEvent('Hi'), user('Hi'), userEvent('Hi')])).toEqual(['2 user Hi', '4 user Hi']);
    expect(found([user('Hi'), user('Hi'), userEvent('Hi'), userEvent('Hi')])).toEqual(['3 user Hi', '4 user Hi']);
  });

  test('never joins what user and agent say, nor what stands in different turns', () => {
    expect(found([user('Hi'), agentEvent('Hi')])).toEqual(['1 user Hi', '2 assistant Hi']);
    expect(found([user('Hi'), completed('1'), started('2'), userEvent('Hi')])).toEqual(['1 user Hi', '4 user Hi']);
  });

  test('leaves citations and white space around a text out', () => {
    const cited = 'Yes<oai-mem-citation>MEMORY.md:1-2</oai-mem-citation>';
    expect(found([assistant(cited), agentEvent('Yes\n')])).toEqual(['2 assistant Yes']);
    expect(found([assistant(cited)])).toEqual(['1 assistant Yes']);
  });

  test('leaves out what the client said, what developers said, and what says nothing', () => {
    const environment = '<environment_context>\n<cwd>/p</cwd>\n</environment_context>';
    const none = [
      user(environment),
      userEvent(environment),
      developer('Be kind'),
      user('  '),
      userEvent('[Image]'),
      agentEvent(''),
    ];
    expect(found(none)).toEqual([]);
  });

  test('joins the parts of a message as its event does, images aside', () => {
    const parts = [
      { type: 'input_text', text: '<image name=[Image #1]>' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: 'What is ' },
      { type: 'input_text', text: 'this?' },
    ];
    const item_ = item({ type: 'message', role: 'user', content: parts });
    expect(found([item_])).toEqual(['1 user What is this?']);
    expect(found([item_, userEvent('What is this?')])).toEqual(['2 user What is this?']);
  });

  test('takes texts of tools only when they are asked for', () => {
    const call = item({ type: 'function_call', name: 'shell', arguments: '{"command":"ls"}', call_id: 'c' });
    const output = item({ type: 'function_call_output', call_id: 'c', output: 'a.txt' });
    expect(found([call, output])).toEqual([]);
    expect(found([call, output], { tools: true })).toEqual(['1 tool shell {"command":"ls"}', '2 tool a.txt']);
  });

  test('takes an item back, in a later fold of the same file, when its event comes', () => {
    const first = fold([user('Hi'), assistant('Yes')]);
    expect(first.carry).toEqual({
      documents: 2,
      open: [
        { digest: 'd:uHi', kinds: 1, document: 0 },
        { digest: 'd:aYes', kinds: 1, document: 1 },
      ],
    });
    const second = fold([agentEvent('Yes'), userEvent('Hi'), userEvent('Hi')], { carry: first.carry, from: 3 });
    expect(second.retracted).toEqual([1, 0]);
    expect(second.documents.map(({ lineNumber }) => lineNumber)).toEqual([3, 4, 5]);
    expect(second.carry).toEqual({ documents: 5, open: [{ digest: 'd:uHi', kinds: 2, document: 4 }] });
  });

  test('leaves an item out, in a later fold of the same file, whose event came before', () => {
    const { carry } = fold([userEvent('Hi')]);
    expect(fold([user('Hi')], { carry })).toEqual({ documents: [], retracted: [], carry: { documents: 1, open: [] } });
  });

  test('keeps no more than 64 records that wait', () => {
    const many = Array.from({ length: 100 }, (_, at) => item(message('user', `Say ${at}`)));
    expect(fold(many).carry.open).toHaveLength(64);
    const [first, last] = [fold([...many, userEvent('Say 0')]), fold([...many, userEvent('Say 99')])];
    expect([first.documents.length, last.documents.length]).toEqual([101, 100]);
  });
});
