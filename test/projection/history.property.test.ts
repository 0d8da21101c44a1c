import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { HistoryFold, projectHistory } from '../../src/projection/history.js';
import { isContextUpdate, isTurnBoundary, isUserRequest } from '../../src/projection/injected.js';
import type { RolloutLine } from '../../src/protocol/rollout-line.js';
import { assistant, compacted, event, item, legacy, type Made, message, rolledBack, turn, user } from './lines.js';

const piece: fc.Arbitrary<readonly Made[]> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(99).map((n) => turn(`t${n}`, `u${n}`, assistant(`a${n}`))) },
  { weight: 2, arbitrary: fc.nat(99).map((n) => [user(`u${n}`), assistant(`a${n}`)]) },
  fc.nat(99).map((n) => [user(`<environment_context>${n}</environment_context>`)]),
  fc.nat(9).map((n) => [item({ type: 'function_call', name: 'n', arguments: '', call_id: `c${n}` })]),
  fc.nat(9).map((n) => [item({ type: 'function_call_output', call_id: `c${n}`, output: '' })]),
  fc.nat(3).map((n) => [rolledBack(n)]),
  fc.nat(9).map((n) => [compacted('S', [message('user', `r${n}`)])]),
  fc.constant([compacted('old summary')]),
  fc.constant([event('token_count', { info: null }), event('turn_aborted', { reason: 'interrupted' })]),
);
const log: fc.Arbitrary<readonly RolloutLine[]> = fc
  .array(piece, { maxLength: 14 })
  .map((pieces) => legacy(pieces.flat()));

function headerOf(line: RolloutLine): { type: string; payloadType: string | undefined } {
  const type: unknown = line.item.payload['type'];
  return { type: line.item.type, payloadType: typeof type === 'string' ? type : undefined };
}

test('HistoryFold is the same when the lines that it does not want are never visited', () => {
  fc.assert(
    fc.property(log, (lines) => {
      const fold = new HistoryFold();
      for (const line of lines.toReversed()) {
        if (fold.wants(headerOf(line)) && fold.visit(line) === 'stop') break;
      }
      expect(fold.finish()).toEqual(projectHistory(lines));
    }),
  );
});

test('projectHistory() has an output after each call and a call for each output', () => {
  fc.assert(
    fc.property(log, (lines) => {
      const { items } = projectHistory(lines);
      const ids = (type: string): unknown[] => items.filter((one) => one['type'] === type).map((one) => one['call_id']);
      expect(new Set(ids('function_call'))).toEqual(new Set(ids('function_call_output')));
    }),
  );
});

/** The same rules, told forwards and without care for cost; no calls, no replacement histories. */
function forwards(lines: readonly RolloutLine[]): readonly JsonObject[] {
  let history: JsonObject[] = [];
  for (const { item: one } of lines) {
    if (one.type === 'response_item') history.push(one.payload);
    else if (one.type === 'compacted') {
      history = [...history.filter(isUserRequest), message('user', one.payload.message)];
    } else if (one.type === 'event_msg' && one.payload.type === 'thread_rolled_back') {
      const boundaries = [...history.keys()].filter((index) => isTurnBoundary(history[index] ?? {}));
      const first = boundaries[0];
      if (first === undefined || one.payload.num_turns === 0) continue;
      let cut = boundaries.at(-one.payload.num_turns) ?? first;
      while (cut > first && isContextUpdate(history[cut - 1] ?? {})) cut -= 1;
      history = history.slice(0, cut);
    }
  }
  return history;
}

const plainLog: fc.Arbitrary<readonly RolloutLine[]> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.nat(99).map((n) => [user(`u${n}`), assistant(`a${n}`)]) },
      { weight: 2, arbitrary: fc.nat(99).map((n) => [user(`<environment_context>${n}</environment_context>`)]) },
      fc.nat(99).map((n) => [user(`u${n}`)]),
      fc.nat(4).map((n) => [rolledBack(n)]),
      fc.constant([compacted('old summary')]),
    ),
    { maxLength: 16 },
  )
  .map((pieces) => legacy(pieces.flat()));

test('projectHistory() read backwards is what the rules say forwards', () => {
  fc.assert(
    fc.property(plainLog, (lines) => {
      expect(projectHistory(lines).items).toEqual(forwards(lines));
    }),
    { numRuns: 500 },
  );
});
