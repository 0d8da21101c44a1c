import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Item, type ItemsModule, load, type Mock, type MockModule } from './modules.js';

const { MockModel, requestKind } = await load<MockModule>('mock-responses.mjs');
const { outputItem, offeredTools } = await load<ItemsModule>('output-items.mjs');

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

interface StreamEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly item?: Item;
  readonly response?: { readonly output: readonly Item[]; readonly usage?: { readonly total_tokens: number } };
}

function parseStream(text: string): readonly StreamEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [event, data] = block.split('\n');
      const value = JSON.parse(data?.replace('data: ', '') ?? '') as StreamEvent;
      expect(event).toBe(`event: ${value.type}`);
      return value;
    });
}

describe('MockModel', () => {
  let mock: Mock;
  beforeEach(async () => {
    mock = await MockModel.start();
  });
  afterEach(() => mock.close());

  const ask = async (body: object, init: RequestInit = {}) => {
    const answer = await fetch(`${mock.url}/responses`, { method: 'POST', body: JSON.stringify(body), ...init });
    return { status: answer.status, events: answer.ok ? parseStream(await answer.text()) : [] };
  };

  test('streams a scripted answer: numbered events, deltas that make the text, the items at the end', async () => {
    const text = `안녕 🙂 ${'long '.repeat(1_000)}`;
    mock.script([{ items: [{ reasoning: ['one', 'two'] }, { message: text }], usage: { input: 7, output: 3 } }]);
    const { events } = await ask({ input: [user('hello')], model: 'm' });
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, index) => index));
    expect(events.at(0)?.type).toBe('response.created');
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(text);
    const last = events.at(-1);
    expect(last?.type).toBe('response.completed');
    expect(last?.response?.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(last?.response?.usage?.total_tokens).toBe(10);
    const done = events.filter(({ type }) => type === 'response.output_item.done');
    expect(done.map(({ item }) => item)).toEqual(last?.response?.output);
  });

  test('keeps every request whole and answers on when the script has ended', async () => {
    await ask({ input: [user('first')] });
    await ask({ input: [user('first'), user('second')] });
    expect(mock.requests.map(({ kind }) => kind)).toEqual(['turn', 'turn']);
    expect(mock.turnsSince(1)[0]?.body?.input).toEqual([user('first'), user('second')]);
  });

  test('spends no step of the script on a compaction', async () => {
    mock.script([{ items: [{ message: 'for the turn' }] }]);
    const { events } = await ask({ input: [user('CONTEXT CHECKPOINT COMPACTION: sum it up')] });
    expect(JSON.stringify(events.at(-1))).toContain('SUMMARY');
    const next = await ask({ input: [user('go on')] });
    expect(JSON.stringify(next.events.at(-1))).toContain('for the turn');
  });

  test('reads packed bodies, and refuses one that it cannot read', async () => {
    const body = gzipSync(JSON.stringify({ input: [user('packed')] }));
    const { status } = await ask({}, { body, headers: { 'content-encoding': 'gzip' } });
    expect(status).toBe(200);
    expect(mock.requests[0]?.body?.input).toEqual([user('packed')]);
    expect((await ask({}, { body: '{"input"' })).status).toBe(400);
    expect(mock.requests[1]?.kind).toBe('unreadable');
  });

  test('waits for what is to happen before a turn is answered', async () => {
    const order: string[] = [];
    mock.beforeTurn = async ({ body }) => {
      order.push(`asked ${body?.input.length}`);
    };
    await ask({ input: [user('x')] });
    order.push('answered');
    expect(order).toEqual(['asked 1', 'answered']);
  });
});

describe('requestKind()', () => {
  const post = (url: string, body: object, headers = {}) => requestKind({ method: 'POST', url, headers, body });

  test('tells turns from compactions and from what is no request for an answer', () => {
    expect(post('/v1/responses', { input: [user('hello')] })).toBe('turn');
    expect(post('/v1/responses', { input: [user('x'), { type: 'compaction_trigger' }] })).toBe('compact');
    expect(post('/v1/responses', { input: [user('x')] }, { 'x-openai-subagent': 'compact' })).toBe('compact');
    expect(post('/v1/responses/compact', { input: [] })).toBe('compact-remote');
    expect(requestKind({ method: 'GET', url: '/v1/models?client_version=1' })).toBe('models');
    expect(post('/v1/other', {})).toBe('other');
  });
});

describe('outputItem()', () => {
  const shell = (tools: readonly object[]) => outputItem({ shell: 'ls' }, { tools });

  test('calls the shell by whatever tool the request offers', () => {
    const custom = { type: 'custom', name: 'exec' };
    expect(shell([{ type: 'function', name: 'exec_command' }])).toMatchObject({ arguments: '{"cmd":"ls"}' });
    expect(shell([{ type: 'function', name: 'shell_command' }])).toMatchObject({ arguments: '{"command":"ls"}' });
    expect(shell([{ type: 'local_shell' }])).toMatchObject({ type: 'local_shell_call' });
    expect(shell([custom])).toMatchObject({ type: 'custom_tool_call', name: 'exec' });
    expect(shell([])).toMatchObject({ name: 'shell', arguments: '{"command":["bash","-lc","ls"]}' });
  });

  test('finds tools in namespaces and in items', () => {
    const tools = [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'a' }] }];
    const input = [{ type: 'additional_tools', tools: [{ type: 'custom', name: 'b' }] }];
    expect(offeredTools({ tools, input }).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('refuses an element that it does not know', () => {
    expect(() => outputItem({ song: 'la' }, {})).toThrow(TypeError);
  });
});
