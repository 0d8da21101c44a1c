import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.js';
import { decodeLine } from '../../src/protocol/decode-line.js';
import { lineSkeleton } from '../../src/rollout/line-skeleton.js';

/** A build says the same thing twice; another number explores further. */
const SEED = Number(process.env['SEED'] ?? 20_261_130);

function skeletonOf(text: string | Buffer): number | undefined {
  const bytes = Buffer.concat([Buffer.from('"['), Buffer.from(text), Buffer.from(']"')]);
  return lineSkeleton(bytes, 2, bytes.length - 2);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Pieces that make up JSON, and what is nearly JSON. */
const PIECES = [
  ...'{}[],:" \t\n\r0123456789-+.eEx\\',
  ...['-0', '1e5', '01', '1.', '.5', '1E+07', '1e', '--1', '1e400', '123456789012345678'],
  ...['true', 'false', 'null', 'tru', 'nul', 'NaN', 'undefined'],
  ...[
    '"a"',
    '"type"',
    '"\\u00e9"',
    '"\\u12"',
    '"\\x"',
    '"\\/"',
    '"\u0001"',
    '"\u007f"',
    '"\u2028"',
    '"é"',
    '"\\"',
    '"\\\\"',
  ],
  ...['{"a":', '{"type":"b"', '{}', '[]', '[1', ',"c":2', '\u00a0', '\ufeff', '\v'],
] as const;

const nearlyJson = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));

/** A sound text with one place changed. */
const changedJson = fc
  .record({ text: fc.json({ maxDepth: 4 }), at: fc.nat(), piece: fc.constantFrom('', ...PIECES), length: fc.nat(2) })
  .map(({ text, at, piece, length }) => {
    const place = at % (text.length + 1);
    return `${text.slice(0, place)}${piece}${text.slice(place + length)}`;
  });

describe('lineSkeleton()', () => {
  test('has a number exactly for what JSON.parse takes', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyJson, changedJson, fc.json({ maxDepth: 6 }), fc.string()), (text) => {
        expect({ text, sound: skeletonOf(text) !== undefined }).toEqual({ text, sound: parses(text) });
      }),
      { numRuns: 3_000, seed: SEED },
    );
  });

  test.each([
    '-0',
    '0',
    '-',
    '01',
    '-01',
    '1e5',
    '1E-5',
    '1e+',
    '1.0',
    '1.',
    '"\\ud800"',
    '"\t"',
    '"\u001f"',
    '"',
    '{"a":1,}',
    '[1,]',
    '{,}',
    '',
    ' ',
    '1 2',
    '{"a" : 1 }',
    '{"a":1}}',
    '[[]',
    '{"a"}',
    "{'a':1}",
  ])('agrees with JSON.parse on %j', (text) => {
    expect(skeletonOf(text) !== undefined).toBe(parses(text));
  });

  test('has none for a line that nests deeper than 32', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(skeletonOf(nested(32))).toBeDefined();
    expect(skeletonOf(nested(33))).toBeUndefined();
    expect(skeletonOf(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`)).toBeUndefined();
  });

  test('looks no further than the line', () => {
    const bytes = Buffer.from('{"a":"b"}');
    for (let end = 0; end < bytes.length; end += 1) expect(lineSkeleton(bytes, 0, end)).toBeUndefined();
    expect(lineSkeleton(bytes, 0, bytes.length)).toBeDefined();
  });

  test('is the same for texts and numbers of all kinds, not for other keys, kinds or telling texts', () => {
    const base = skeletonOf('{"type":"a","text":"b","n":1,"ok":true}');
    expect(skeletonOf('{ "type":"a","text":"\\u00e9 more","n":999,"ok":false }')).toBe(base);
    const others = [
      '{"type":"c","text":"b","n":1,"ok":true}',
      '{"type":"a","text":null,"n":1,"ok":true}',
      '{"type":"a","texts":"b","n":1,"ok":true}',
      '{"type":"a","text":"b","n":1.5,"ok":true}',
      '{"type":"a","text":"b","n":"1","ok":true}',
      '{"type":"a","text":["b"],"n":1,"ok":true}',
      '{"text":"b","type":"a","n":1,"ok":true}',
      '{"type":"a","text":"b","n":1,"ok":{}}',
      '{"type":"a","text":"b","n":1,"ok":[]}',
      '{"type":"a","text":"b","n":1}',
      '{"type":"a","text":{"b":1},"ok":true}',
    ];
    const inexact = ['1.5', '-1', '-0', '1e3', '1234567890123456'].map((n) =>
      skeletonOf(`{"type":"a","text":"b","n":${n},"ok":true}`),
    );
    expect(new Set(inexact).size).toBe(1);
    const all = [base, ...others.map(skeletonOf)];
    expect(all).not.toContain(undefined);
    expect(new Set(all).size).toBe(all.length);
    const kinds = ['user.text', 'agents.md'].map((kind) => skeletonOf(`{"content_item_kinds":["${kind}"]}`));
    const roles = ['user', 'assistant'].map((role) => skeletonOf(`{"role":"${role}"}`));
    expect(new Set([...kinds, ...roles]).size).toBe(4);
  });

  test('steps over a text that is known to be sound', () => {
    const bytes = Buffer.from('{"text":"a \\"b\\"","type":"c"}');
    const known = { start: bytes.indexOf('a '), end: bytes.indexOf('","type"') };
    expect(lineSkeleton(bytes, 0, bytes.length, known)).toBe(skeletonOf('{"text":"","type":"c"}'));
  });

  const scalar = fc.constantFrom<JsonValue>(
    'a',
    'b',
    '',
    1,
    2,
    0,
    -1,
    1.5,
    2 ** 53,
    true,
    false,
    null,
    [],
    {},
    ['a'],
    ['b'],
  );
  const payload = fc.oneof(
    fc.record(
      { type: fc.constantFrom('user_message', 'agent_message', 'novel'), message: scalar, images: scalar },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constant('message'),
        role: scalar,
        content: fc.oneof(
          scalar,
          fc.array(fc.record({ type: fc.constantFrom('input_text', 'novel'), text: scalar }), { maxLength: 2 }),
        ),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('item_completed'),
        thread_id: scalar,
        turn_id: scalar,
        item: fc.oneof(
          scalar,
          fc.record(
            { type: fc.constantFrom('UserMessage', 'Plan', 'Novel'), id: scalar, content: scalar },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: ['type'] },
    ),
    scalar,
  );
  const line = fc.record(
    { timestamp: scalar, ordinal: scalar, type: fc.constantFrom('event_msg', 'response_item', 'novel'), payload },
    { requiredKeys: [] },
  );

  test('decodes to the same kind of thing wherever it is the same', () => {
    const kinds = new Map<number, unknown>();
    let met = 0;
    fc.assert(
      fc.property(line, (value) => {
        const skeleton = skeletonOf(JSON.stringify(value));
        if (skeleton === undefined) throw new Error('No skeleton');
        const decode = decodeLine(value as JsonValue, 'envelope');
        const kind = decode.kind === 'record' ? [decode.kind, decode.line.item.type, decode.unknown] : [decode.kind];
        if (kinds.has(skeleton)) met += 1;
        else kinds.set(skeleton, kind);
        expect(kind).toEqual(kinds.get(skeleton));
      }),
      { numRuns: 3_000, seed: SEED },
    );
    expect(met).toBeGreaterThan(200);
  });
});
