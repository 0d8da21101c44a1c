import { describe, expect, test } from 'vitest';
import { entryOfRow } from '../../../src/cli/picker/entry.js';
import { KeyParser } from '../../../src/cli/picker/keys.js';
import { INITIAL_STATE, type PickerState } from '../../../src/cli/picker/state.js';
import { type Action, update } from '../../../src/cli/picker/update.js';
import { row } from '../fake-homes.js';

const SIZE = { columns: 80, rows: 12 };
const LIST: PickerState = {
  ...INITIAL_STATE,
  entries: Array.from({ length: 30 }, (_, place) => entryOfRow(row(String(place)))!),
  isAnswered: true,
  total: 30,
};

/** The state after `input`, and what the picker was told to do. */
function pressed(
  input: readonly string[],
  state = LIST,
): { readonly state: PickerState; readonly actions: readonly Action[] } {
  const parser = new KeyParser();
  const actions: Action[] = [];
  let now = state;
  for (const key of input.flatMap((chunk) => [...parser.feed(chunk), ...(chunk === '\x1b' ? parser.flush() : [])])) {
    const updated = update(now, key, SIZE);
    now = updated.state;
    if (updated.action !== undefined) actions.push(updated.action);
  }
  return { state: now, actions };
}

describe('update() of the query', () => {
  test.each([
    [['f', 'i', 'x'], 'fix'],
    [['fix me'], 'fix me'],
    [['세', '션'], '세션'],
    [['세션', '\x7f'], '세'],
    [['a👩‍👩‍👧', '\x7f'], 'a'],
    [['e\u0301', '\x7f'], ''],
    [['two words', '\x17'], 'two '],
    [['two words  ', '\x17', '\x17'], ''],
    [['anything', '\x15'], ''],
    [['anything', '\x1b'], ''],
    [['\x1b[200~pasted\nin lines\t.\x1b[201~'], 'pasted in lines .'],
    [['x\u2028y'], 'x y'],
    [[' ', 'y'], ' y'],
    [['yes'], 'yes'],
    [['a', 'y', 'o', '?'], 'ayo?'],
  ])('%j leaves %j', (input, query) => {
    expect(pressed(input)).toMatchObject({ state: { query, isAnswered: false }, actions: [] });
  });

  test('takes no more than a bounded part of a paste of megabytes, and no half of a character', () => {
    const { query } = pressed([`\x1b[200~${'😀'.repeat(1_000_000)}\x1b[201~`]).state;
    expect(query.length).toBeLessThanOrEqual(1_000);
    expect(query).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('update() of the selection', () => {
  const page = 9;
  test.each([
    [['\x1b[B'], 1, 0],
    [['\x0e', '\x0e', '\x10'], 1, 0],
    [['\x1b[A'], 0, 0],
    [['\x1b[6~'], page, 0],
    [['\x1b[6~', '\x1b[6~'], 2 * page, 2 * page - 9],
    [['\x1b[F'], 29, 20],
    [['\x1b[F', '\x1b[5~'], 29 - page, 20],
    [['\x1b[F', '\x1b[B'], 29, 20],
    [['\x1b[F', '\x1b[H'], 0, 0],
  ])('%j selects %i, the first on the screen being %i', (input, selected, top) => {
    expect(pressed(input)).toMatchObject({ state: { selected, top, query: '' }, actions: [] });
  });

  test.each([['\x1b[B'], ['\x1b[A'], ['\x1b[F'], ['\x1b[6~']])('%j does nothing to an empty list', (key) => {
    expect(pressed([key], INITIAL_STATE).state).toMatchObject({ selected: 0, top: 0 });
  });
});

describe('update() tells what to do', () => {
  test.each([
    [['\r'], ['open']],
    [['\x19'], ['copy']],
    [['y'], ['copy']],
    [['\x0f'], ['log']],
    [['o'], ['log']],
    [
      ['abc', '\x19', '\x0f', '\r'],
      ['copy', 'log', 'open'],
    ],
    [['\x1b'], ['quit']],
    [['abc', '\x1b', '\x1b'], ['quit']],
    [['?', '\x1b', '\x1b'], ['quit']],
    [['\x04'], ['quit']],
    [['abc', '\x04'], []],
    [['\x03'], ['interrupt']],
    [['abc', '\x03'], ['interrupt']],
    [['\x0c'], ['look-again']],
    [['\x1a'], ['suspend']],
  ])('%j: %j', (input, actions) => {
    expect(pressed(input).actions).toEqual(actions);
  });

  test('shows and hides the keys with ?', () => {
    expect(pressed(['?']).state.isHelpShown).toBe(true);
    expect(pressed(['?', '?']).state.isHelpShown).toBe(false);
    expect(pressed(['?', 'a']).state).toMatchObject({ isHelpShown: false, query: 'a' });
  });

  test('turns from active to archived threads and back with Tab, while nothing is typed', () => {
    expect(pressed(['\t']).state).toMatchObject({ scope: 'archived', isAnswered: false });
    expect(pressed(['\t', '\t']).state.scope).toBe('active');
    expect(pressed(['x', '\t']).state.scope).toBe('active');
  });

  test('forgets a notice at the next key', () => {
    expect(pressed(['\x1b[B'], { ...LIST, notice: { text: 'Copied', isError: false } }).state.notice).toBeUndefined();
  });
});
