import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FACT_LINES, factNeed, isUsable, mayChangeFacts } from '../../src/projection/fact-lines.js';
import type { LineHeader } from '../../src/projection/line-header.js';
import { applyLine, FactsFold, NO_FACTS, type ThreadFacts } from '../../src/projection/thread-facts.js';
import type { RolloutLine } from '../../src/protocol/rollout-line.js';
import { readHome, scenarios } from './fixture-home.js';
import { assistant, event, ID, legacy, type Made, meta, OTHER_ID, user, userEvent } from './lines.js';

function headerOf(line: RolloutLine): LineHeader {
  const type: unknown = line.item.payload['type'];
  return { type: line.item.type, payloadType: typeof type === 'string' ? type : undefined };
}

function foldAll(lines: readonly RolloutLine[]): ThreadFacts {
  const fold = new FactsFold();
  for (const [index, line] of lines.entries()) fold.apply(line, { lineNumber: index + 1, byteOffset: index });
  return fold.finish();
}

/** As a scanner does that parses as little as the table allows. */
function foldNeeded(lines: readonly RolloutLine[]): ThreadFacts {
  let facts = NO_FACTS;
  const apply = (index: number): void => {
    const line = lines[index];
    if (line !== undefined) facts = applyLine(facts, line, { lineNumber: index + 1, byteOffset: index });
  };
  const last = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const header = headerOf(line);
    const key = `${header.type} ${header.payloadType}`;
    switch (factNeed(header)) {
      case 'every':
        apply(index);
        break;
      case 'until-found':
        if (mayChangeFacts(facts, header)) apply(index);
        break;
      case 'edges':
        if (!last.has(key)) apply(index);
        last.set(key, index);
        break;
      case 'last':
        if (isUsable(header, line.item.payload)) last.set(key, index);
        break;
    }
  }
  for (const index of last.values()) apply(index);
  const fold = new FactsFold(facts);
  for (const { timestamp, ordinal } of lines) fold.touch(timestamp, ordinal);
  return fold.finish();
}

const made: fc.Arbitrary<Made> = fc.oneof(
  fc
    .record({ cwd: fc.constantFrom('', '/a', '/b'), source: fc.constantFrom('cli', 'exec') })
    .map((fields) => meta(fields)),
  fc.constant<Made>(['session_meta', { id: OTHER_ID, cwd: '/other', memory_mode: 'enabled' }]),
  fc.constantFrom('', 'hello', 'again', ' ').map(userEvent),
  fc.constant(event('user_message', { message: '', images: ['x'] })),
  fc.constantFrom('', 'hi', '<environment_context>x</environment_context>').map(user),
  fc.constantFrom('a', 'b').map(assistant),
  fc.constantFrom('', 'goal').map((objective) => event('thread_goal_updated', { threadId: ID, goal: { objective } })),
  fc.constantFrom('n', '').map((name) => event('thread_name_updated', { thread_name: name })),
  fc.nat(9).map((n) => event('token_count', { info: n === 0 ? null : { total_token_usage: { total_tokens: n } } })),
  fc.constantFrom('/x', '/y', '').map((cwd): Made => ['turn_context', { cwd, approval_policy: 'never', model: cwd }]),
  fc.constantFrom('UserMessage', 'AgentMessage').map((type) =>
    event('item_completed', {
      thread_id: ID,
      turn_id: 't',
      item: { type, id: 'i', content: [{ type: 'text', text: type }] },
    }),
  ),
  fc.constant<Made>(['world_state', { full: true, state: {} }]),
);

test('FactsFold of all lines is that of the lines that FACT_LINES names', () => {
  fc.assert(
    fc.property(fc.array(made, { maxLength: 20 }), (lines) => {
      const log = legacy(lines);
      expect(foldNeeded(log)).toEqual(foldAll(log));
    }),
    { numRuns: 400 },
  );
});

test('FactsFold of the genuine logs needs no line that FACT_LINES does not name', () => {
  for (const { home } of scenarios()) {
    for (const { records } of readHome(home)) {
      const log = records.map(({ line }) => line);
      expect(foldNeeded(log)).toEqual(foldAll(log));
    }
  }
});

test('FactsFold folded on from any place is that of all lines', () => {
  fc.assert(
    fc.property(fc.array(made, { maxLength: 12 }), fc.nat(12), (lines, cut) => {
      const log = legacy(lines);
      const fold = new FactsFold(foldAll(log.slice(0, cut)));
      for (const [index, line] of log.entries()) {
        if (index >= cut) fold.apply(line, { lineNumber: index + 1, byteOffset: index });
      }
      expect(fold.finish()).toEqual(foldAll(log));
    }),
  );
});

test('factNeed() agrees with FACT_LINES', () => {
  for (const row of FACT_LINES) expect(factNeed(row)).toBe(row.need);
  expect(factNeed({ type: 'event_msg', payloadType: 'agent_message' })).toBeUndefined();
});
