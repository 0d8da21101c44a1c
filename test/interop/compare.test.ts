import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CompareModule, type Item, load } from './modules.js';

const { differenceOf, sameItem } = await load<CompareModule>('compare.mjs');

const message = (role: string, text: string, more: object = {}): Item => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  ...more,
});
const call: Item = { type: 'function_call', name: 'run', arguments: '{}', call_id: 'c1' };
const output: Item = { type: 'function_call_output', call_id: 'c1', output: 'done' };
const instructions = message('developer', 'Be brief.');
const environment = message('user', '<environment_context>\n  <cwd>/p</cwd>\n</environment_context>');
const history = [message('user', 'hello'), call, output, message('assistant', '안녕 🙂')];
const prompt = message('user', 'and now?');

describe('sameItem()', () => {
  test('passes over what the client keeps back, the order of keys, and an id that it gave by itself', () => {
    const stored = { ...call, internal_chat_message_metadata_passthrough: { turn_id: 't' } };
    const { type, ...rest } = call;
    expect(sameItem({ ...rest, id: 'fc_1', type }, stored)).toBe(true);
  });

  test('tells an id from another one, and null from nothing', () => {
    expect(sameItem({ ...call, id: 'a' }, { ...call, id: 'b' })).toBe(false);
    expect(sameItem({ ...call, namespace: null }, call)).toBe(false);
  });
});

describe('differenceOf()', () => {
  test('is undefined for instructions, the history, context and the prompt', () => {
    expect(
      differenceOf([instructions, ...history, instructions, environment, prompt], history, 'and now?'),
    ).toBeUndefined();
    expect(differenceOf([...history], history)).toBeUndefined();
    expect(differenceOf([instructions, prompt], [], 'and now?')).toBeUndefined();
  });

  test('finds a history that itself begins with instructions', () => {
    const whole = [instructions, environment, ...history];
    expect(differenceOf([message('developer', 'First of all.'), ...whole, prompt], whole, 'and now?')).toBeUndefined();
  });

  test('names what was sent after the history and is no context', () => {
    expect(differenceOf([...history, message('assistant', 'more'), prompt], history, 'and now?')).toContain(
      'sent after',
    );
  });

  test('names the item that was not sent, and what stands in its place', () => {
    const difference = differenceOf([...history.slice(0, 2), message('assistant', 'x')], history);
    expect(difference).toContain('item 2 of 4');
    expect(difference).toContain('"output":"done"');
  });

  test('wants the prompt at the end', () => {
    expect(differenceOf([...history, message('user', 'else')], history, 'and now?')).toContain('not the prompt');
    expect(differenceOf(history, history, 'and now?')).toContain('not the prompt');
  });

  test('notices every item that is left out, doubled, changed or exchanged', () => {
    const items = fc.array(
      fc.record({ type: fc.constant('function_call_output'), call_id: fc.uuid(), output: fc.string() }),
      { minLength: 2, maxLength: 8 },
    );
    fc.assert(
      fc.property(items, fc.nat(), fc.constantFrom('left out', 'doubled', 'changed', 'exchanged'), (all, at, how) => {
        const index = at % (all.length - 1);
        const sent: Item[] = [...all];
        const item = all[index];
        if (item === undefined) return;
        if (how === 'left out') sent.splice(index, 1);
        else if (how === 'doubled') sent.splice(index, 0, item);
        else if (how === 'changed') sent[index] = { ...item, output: `${item.output}!` };
        else sent.splice(index, 2, ...all.slice(index, index + 2).reverse());
        expect(differenceOf(all, all)).toBeUndefined();
        expect(differenceOf([...sent, prompt], all, 'and now?')).toBeDefined();
      }),
    );
  });
});
