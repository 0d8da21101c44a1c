/** Three lines, four exits; then the edges of each policy. */
import { describe, expect, test } from 'vitest';
import {
  type DecodedLine,
  type DecodeSummary,
  POLICIES,
  PolicyDecoder,
  type PolicyDecoderOptions,
} from '../../src/protocol/index.js';

function run(
  options: PolicyDecoderOptions,
  lines: readonly unknown[],
): { readonly lines: (DecodedLine | undefined)[]; readonly summary: DecodeSummary } {
  const decoder = new PolicyDecoder(options);
  const decoded = lines.map((line) => decoder.decodeText(typeof line === 'string' ? line : JSON.stringify(line)));
  return { lines: decoded, summary: decoder.summary() };
}

function outcomes(options: PolicyDecoderOptions, lines: readonly unknown[]): (string | undefined)[] {
  return run(options, lines).lines.map((line) => line?.outcome);
}

const STARTED = { type: 'task_started', turn_id: 't' };
const ALIAS = { type: 'turn_started', turn_id: 't' };
const FUTURE = { type: 'future_event' };
const THREE = [STARTED, ALIAS, FUTURE];

const BOTH = { legacy: true, paginated: true };
const NONE = { variant: null, display: null, persisted: null };
const START = { outcome: 'decoded', variant: 'TurnStarted', display: 'turn_started', persisted: BOTH, reason: null };

describe('PolicyDecoder: three lines, four exits', () => {
  const first = { line: 1, type: 'task_started', ...START };
  const second = { line: 2, type: 'turn_started', ...START };
  const counts = { lines: 3, decoded: 2, skipped: 0, refused: 0, unknown: 0, failed: 0, parseErrors: 0 };

  test('strict fails on the third', () => {
    expect(run({ policy: 'strict' }, THREE)).toEqual({
      lines: [
        first,
        second,
        { line: 3, outcome: 'failed', type: 'future_event', ...NONE, reason: 'unknown event type "future_event"' },
      ],
      summary: { policy: 'strict', ...counts, failed: 1, parseErrors: 1, opens: false },
    });
  });

  test('skip-line skips the third, counts it, and opens', () => {
    expect(run({ policy: 'skip-line' }, THREE)).toEqual({
      lines: [
        first,
        second,
        { line: 3, outcome: 'skipped', type: 'future_event', ...NONE, reason: 'unknown event type "future_event"' },
      ],
      summary: { policy: 'skip-line', ...counts, skipped: 1, parseErrors: 1, opens: true },
    });
  });

  test('refuse-unless-ignorable refuses the whole log at the third, naming type and line', () => {
    expect(run({ policy: 'refuse-unless-ignorable' }, [...THREE, STARTED])).toEqual({
      lines: [
        first,
        second,
        {
          line: 3,
          outcome: 'refused',
          type: 'future_event',
          ...NONE,
          reason: 'line 3: unknown event type "future_event", not marked ignorable',
        },
        { line: 4, outcome: 'not-read', type: null, ...NONE, reason: 'the log ended for this reader at line 3' },
      ],
      summary: { policy: 'refuse-unless-ignorable', ...counts, lines: 4, refused: 1, opens: false },
    });
  });

  test('map-to-unknown keeps the name of the third for diagnosis, and opens', () => {
    expect(run({ policy: 'map-to-unknown' }, THREE)).toEqual({
      lines: [
        first,
        second,
        {
          line: 3,
          outcome: 'unknown',
          type: 'future_event',
          variant: 'Unknown',
          display: 'unknown',
          persisted: null,
          reason: 'unknown event type "future_event"',
        },
      ],
      summary: { policy: 'map-to-unknown', ...counts, unknown: 1, opens: true },
    });
  });

  test('the three shapes of an event are told apart', () => {
    const shapes = [
      STARTED,
      { id: 's', msg: STARTED },
      { timestamp: '2026-08-22T01:02:03.004Z', type: 'event_msg', payload: STARTED },
    ];
    for (const line of run({ policy: 'strict' }, shapes).lines) {
      expect(line).toMatchObject({ outcome: 'decoded', type: 'task_started', variant: 'TurnStarted' });
    }
    expect(outcomes({ policy: 'strict', shape: 'event' }, shapes)).toEqual(['failed', 'decoded', 'failed']);
    expect(outcomes({ policy: 'strict', shape: 'rollout' }, shapes)).toEqual(['failed', 'failed', 'decoded']);
    expect(outcomes({ policy: 'strict', shape: 'msg' }, shapes)).toEqual(['decoded', 'failed', 'failed']);
  });
});

describe('PolicyDecoder with only one name', () => {
  test('no longer reads what was written, when only the new name is known', () => {
    expect(outcomes({ policy: 'strict', onlyName: 'turn_started' }, THREE)).toEqual(['failed', 'decoded', 'failed']);
    const { lines, summary } = run({ policy: 'skip-line', onlyName: 'turn_started' }, [
      { timestamp: 'x', type: 'event_msg', payload: STARTED },
      { id: 's', msg: STARTED },
      { type: 'task_complete', turn_id: 't' },
    ]);
    expect(lines.map((line) => line?.outcome)).toEqual(['skipped', 'skipped', 'decoded']);
    expect(lines[0]?.reason).toBe('only "turn_started" is known, not "task_started"');
    expect(summary).toMatchObject({ parseErrors: 2, opens: true });
  });

  test('no longer reads the alias, when only the written name is known', () => {
    expect(outcomes({ policy: 'skip-line', onlyName: 'task_started' }, [STARTED, ALIAS])).toEqual([
      'decoded',
      'skipped',
    ]);
  });

  test('holds for response items', () => {
    const line = { timestamp: 'x', type: 'response_item', payload: { type: 'compaction', encrypted_content: 'e' } };
    expect(outcomes({ policy: 'skip-line', onlyName: 'compaction_summary' }, [line])).toEqual(['skipped']);
    expect(outcomes({ policy: 'skip-line', onlyName: 'compaction' }, [line])).toEqual(['decoded']);
  });

  test('throws for a name of no variant', () => {
    expect(() => new PolicyDecoder({ policy: 'strict', onlyName: 'constructor' })).toThrow(RangeError);
  });
});

describe('PolicyDecoder and the mark "ignorable"', () => {
  const policy = 'refuse-unless-ignorable';

  test('accepts only the literal true, in the envelope', () => {
    const marked = (ignorable: unknown): unknown => ({ timestamp: 'x', type: 'event_msg', payload: FUTURE, ignorable });
    const { lines, summary } = run({ policy }, [marked(true), STARTED]);
    expect(lines.map((line) => line?.outcome)).toEqual(['skipped', 'decoded']);
    expect(summary).toMatchObject({ skipped: 1, parseErrors: 0, opens: true });
    for (const mark of [false, 'true', 1, {}, null]) {
      expect(outcomes({ policy }, [marked(mark), STARTED])).toEqual(['refused', 'not-read']);
    }
    const inside = { timestamp: 'x', type: 'event_msg', payload: { ...FUTURE, ignorable: true } };
    expect(outcomes({ policy }, [inside])).toEqual(['refused']);
    expect(outcomes({ policy }, [{ id: 's', msg: FUTURE, ignorable: true }])).toEqual(['skipped']);
  });

  test('calls a known event with a wrong mark malformed', () => {
    expect(outcomes({ policy }, [{ ...STARTED, ignorable: true }])).toEqual(['decoded']);
    expect(run({ policy }, [{ ...STARTED, ignorable: false }, STARTED])).toMatchObject({
      lines: [{ outcome: 'failed' }, { outcome: 'not-read' }],
      summary: { parseErrors: 1, opens: false },
    });
  });

  test('means nothing to the other policies', () => {
    for (const other of POLICIES.filter((name) => name !== policy)) {
      expect(outcomes({ policy: other }, [{ ...FUTURE, ignorable: true }])).toEqual(
        outcomes({ policy: other }, [FUTURE]),
      );
    }
  });
});

describe('PolicyDecoder on other kinds of unknown and on damage', () => {
  const wrap = (payload: unknown): unknown => ({ timestamp: 'x', type: 'response_item', payload });
  const item = wrap({ type: 'future_item' });
  const content = wrap({ type: 'message', role: 'user', content: [{ type: 'input_smell' }] });

  test.each([
    ['strict', 'decoded', 'failed'],
    ['skip-line', 'decoded', 'decoded'],
    ['refuse-unless-ignorable', 'refused', 'decoded'],
    ['map-to-unknown', 'unknown', 'decoded'],
  ] as const)('%s: an unknown response item is %s, unknown content %s', (policy, ofItem, ofContent) => {
    expect(outcomes({ policy }, [item])).toEqual([ofItem]);
    expect(outcomes({ policy }, [content])).toEqual([ofContent]);
  });

  test('an unknown response item is Other, written by none', () => {
    expect(run({ policy: 'skip-line' }, [item]).lines[0]).toEqual({
      line: 1,
      outcome: 'decoded',
      type: 'future_item',
      variant: 'Other',
      display: 'other',
      persisted: { legacy: false, paginated: false },
      reason: 'unknown response item "future_item"',
    });
  });

  test.each(['{"type":', '5', '[]', '{"type":"task_started"}', '{}', 'null'])('%s is decoded by no policy', (text) => {
    expect(POLICIES.map((policy) => outcomes({ policy }, [text])[0])).toEqual([
      'failed',
      'skipped',
      'failed',
      'failed',
    ]);
  });

  test('a blank line is nothing but a line number', () => {
    const { lines, summary } = run({ policy: 'strict' }, ['', ' \r\n', `${JSON.stringify(STARTED)}\r\n`]);
    expect(lines).toEqual([undefined, undefined, { line: 3, type: 'task_started', ...START }]);
    expect(summary).toMatchObject({ lines: 1, decoded: 1, opens: true });
  });

  test('a ghost snapshot is skipped by all and an error to none', () => {
    for (const policy of POLICIES) {
      expect(run({ policy }, [wrap({ type: 'ghost_snapshot' })]).summary).toMatchObject({
        skipped: 1,
        parseErrors: 0,
        opens: true,
      });
    }
  });

  test('bare lines are read as bare', () => {
    const bare = [
      { id: 'x', timestamp: 't', instructions: null },
      { record_type: 'state' },
      { type: 'message', role: 'user', content: [] },
      { type: 'future_item' },
    ];
    expect(run({ policy: 'skip-line' }, bare).lines.map((line) => [line?.type, line?.variant])).toEqual([
      ['session_meta', 'SessionMeta'],
      ['state', 'State'],
      ['message', 'Message'],
      ['future_item', 'Other'],
    ]);
  });

  test('an agent_message is told apart by its author', () => {
    const lines = [
      { type: 'agent_message', message: 'm' },
      { type: 'agent_message', author: 'a', recipient: 'b', content: [] },
    ];
    expect(run({ policy: 'strict' }, lines).lines.map((line) => line?.persisted)).toEqual([
      { legacy: true, paginated: false },
      { legacy: true, paginated: true },
    ]);
  });

  test('an item event says where this item is persisted', () => {
    const of = (type: string): unknown => ({
      type: 'item_completed',
      thread_id: 't',
      turn_id: 'u',
      item: { type, id: 'i', text: 'x' },
    });
    const { lines } = run({ policy: 'strict' }, [of('Plan'), of('WebSearch'), of('Future')]);
    expect(lines.map((line) => line?.persisted)).toEqual([BOTH, { legacy: false, paginated: true }, null]);
  });

  test('a text nested a million deep costs no more than itself', () => {
    const deep = '['.repeat(1_000_000);
    expect(outcomes({ policy: 'skip-line' }, [`{"type":"x","payload":${deep}`, deep + ']'.repeat(1_000_000)])).toEqual([
      'skipped',
      'skipped',
    ]);
  });
});

describe('a byte order mark', () => {
  test('is no part of the first line, and a fault anywhere else', () => {
    const decoder = new PolicyDecoder({ policy: 'skip-line', shape: 'msg' });
    const line = '\ufeff{"type":"shutdown_complete"}';
    expect(decoder.decodeText(line)?.outcome).toBe('decoded');
    expect(decoder.decodeText(line)?.outcome).not.toBe('decoded');
  });
});
