import { expect, test } from 'vitest';
import { formatInstant, parseInstant } from '../../src/projection/instant.js';
import { UsageFold } from '../../src/projection/usage.js';
import { readHome, scenarios } from './fixture-home.js';
import { event, ID, legacy, type Made, meta, OTHER_ID } from './lines.js';

const usage = (input: number, output: number): Record<string, number> => ({
  input_tokens: input,
  cached_input_tokens: 0,
  output_tokens: output,
  reasoning_output_tokens: 0,
  total_tokens: input + output,
});
const record = (response: string, thread: string, input: number): Made => [
  'token_usage_record',
  { thread_id: thread, turn_id: 't', response_id: response, usage: usage(input, 1) },
];
const snapshot = (input: number): Made => event('token_count', { info: { total_token_usage: usage(input, 2) } });

function usageOf(...made: readonly Made[]): ReturnType<UsageFold['finish']> {
  const fold = new UsageFold();
  for (const line of legacy(made)) fold.apply(line);
  return fold.finish();
}

test('UsageFold adds records, each answer once, those of this thread only, and takes the last snapshot', () => {
  expect(
    usageOf(
      meta(),
      record('r1', ID, 10),
      record('r1', ID, 10),
      record('r2', ID, 5),
      record('r3', OTHER_ID, 100),
      snapshot(10),
      snapshot(15),
      event('token_count', { info: null }),
    ),
  ).toEqual({
    snapshot: { inputTokens: 15, cachedInputTokens: 0, outputTokens: 2, reasoningOutputTokens: 0, totalTokens: 17 },
    recorded: { inputTokens: 15, cachedInputTokens: 0, outputTokens: 2, reasoningOutputTokens: 0, totalTokens: 17 },
    responses: 2,
  });
});

test('UsageFold of a log that says nothing is empty', () => {
  expect(usageOf(meta())).toEqual({ snapshot: null, recorded: null, responses: 0 });
});

test('UsageFold agrees with the snapshots of the genuine logs of 0.171.0', () => {
  let compared = 0;
  for (const { home } of scenarios().filter(({ release, name }) => release === '0.171.0' && name === 'multiturn')) {
    for (const { records } of readHome(home)) {
      const fold = new UsageFold();
      for (const { line } of records) fold.apply(line);
      const { snapshot: last, recorded } = fold.finish();
      expect(recorded).toEqual(last);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(0);
});

test('parseInstant() reads RFC 3339 and nothing else', () => {
  expect(parseInstant('2026-11-29T01:02:03.004Z')).toBe(Date.UTC(2026, 10, 29, 1, 2, 3, 4));
  expect(parseInstant('2026-11-29T01:02:03.123456789+01:00')).toBe(Date.UTC(2026, 10, 29, 0, 2, 3, 123));
  for (const bad of ['', 'yesterday', '2026-11-29', '2026-13-29T01:02:03.004Z', '2026-11-29T01:02:03', undefined]) {
    expect(parseInstant(bad)).toBeUndefined();
  }
});

test('formatInstant() of a time that no date can hold is the epoch', () => {
  expect(formatInstant(Number.NaN)).toBe('1970-01-01T00:00:00.000Z');
});
