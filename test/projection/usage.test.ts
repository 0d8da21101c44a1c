import { expect, test } from 'vitest';
import { formatInstant, parseInstant } from '../../src/projection/instant.js';
import { NO_TOKENS, UsageFold } from '../../src/projection/usage.js';
import { readHome, scenarios } from './fixture-home.js';
import { event, ID, legacy, type Made, meta, OTHER_ID, started } from './lines.js';

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
    own: { inputTokens: 15, cachedInputTokens: 0, outputTokens: 2, reasoningOutputTokens: 0, totalTokens: 17 },
    copied: NO_TOKENS,
  });
});

test('UsageFold of a log that says nothing is empty', () => {
  expect(usageOf(meta())).toEqual({
    snapshot: null,
    recorded: null,
    responses: 0,
    own: NO_TOKENS,
    copied: NO_TOKENS,
  });
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

const counters = (total: number, last?: number): Made =>
  event('token_count', {
    info: { total_token_usage: usage(total, 0), ...(last !== undefined && { last_token_usage: usage(last, 0) }) },
  });
const spent = (...made: readonly Made[]): number => usageOf(...made).own.totalTokens;

test.each<[string, readonly Made[], number]>([
  ['snapshots that are written again count once', [meta(), counters(10, 10), counters(10, 10), counters(30, 20)], 30],
  [
    'counters that begin anew go on from what was',
    [meta(), counters(130, 130), counters(140, 140), counters(290, 150)],
    420,
  ],
  [
    'a counter without figures makes the same total another one',
    [meta(), counters(10, 10), event('token_count', { info: null }), counters(10, 10)],
    20,
  ],
  ['a snapshot that was not written is in the next one', [meta(), counters(10, 10), counters(60, 20)], 60],
  ['without what came last, a fall is a new beginning', [meta(), counters(50), counters(20), counters(30)], 80],
  [
    'a total without parts is an estimate',
    [
      meta(),
      counters(50, 50),
      event('token_count', {
        info: { total_token_usage: { total_tokens: 258_400 }, last_token_usage: { total_tokens: 258_090 } },
      }),
      counters(7, 7),
    ],
    57,
  ],
  [
    'records and the snapshots that tell the same count once',
    [meta(), record('r1', ID, 10), snapshot(10), record('r2', ID, 5)],
    18,
  ],
  [
    'the first snapshot of a thread that goes on from another adds its last answer',
    [meta({ forked_from_id: OTHER_ID }), counters(500, 20)],
    20,
  ],
])('UsageFold: %s', (_, made, total) => {
  expect(spent(...made)).toBe(total);
});

test('UsageFold counts what was copied apart, by the age of its turns', () => {
  const older = '01a229ff-0000-7000-8000-000000000009';
  const own = '01a22a01-0000-7000-8000-000000000009';
  const lines = [
    meta(),
    meta({ id: OTHER_ID }),
    started(older),
    counters(10, 10),
    started(own),
    counters(10, 10),
    counters(14, 4),
  ];
  expect(usageOf(...lines)).toMatchObject({ own: { totalTokens: 4 }, copied: { totalTokens: 10 } });
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
