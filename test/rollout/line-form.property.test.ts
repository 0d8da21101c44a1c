import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.js';
import { decodeLine } from '../../src/protocol/decode-line.js';
import { LineForm } from '../../src/rollout/line-form.js';

/** A build says the same thing twice; another number explores further. */
const SEED = Number(process.env['SEED'] ?? 20_261_130);

/** The text as a line among others. */
function lineOf(text: string): { readonly bytes: Buffer; readonly start: number; readonly end: number } {
  const bytes = Buffer.from(`"[${text}\n]"`);
  return { bytes, start: 2, end: bytes.length - 3 };
}

function formOf(text: string): LineForm | undefined {
  const { bytes, start, end } = lineOf(text);
  return LineForm.of(bytes, start, end);
}

function fits(form: LineForm | undefined, text: string): boolean {
  const { bytes, start, end } = lineOf(text);
  return form?.fits(bytes, start, end) ?? false;
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
  ...'{}[],:" \t\r0123456789-+.eEx\\',
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

interface Edit {
  readonly at: number;
  readonly piece: string;
  readonly length: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({ at: fc.nat(), piece: fc.constantFrom('', ...PIECES), length: fc.nat(2) });

function edited(text: string, { at, piece, length }: Edit): string {
  const place = at % (text.length + 1);
  return `${text.slice(0, place)}${piece}${text.slice(place + length)}`;
}

const json = fc.json({ maxDepth: 5 });
const changedJson = fc.tuple(json, edit).map(([text, change]) => edited(text, change));

describe('LineForm.of()', () => {
  test('has a form exactly for what JSON.parse takes, which fits it', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyJson, changedJson, json, fc.string()), (given) => {
        const text = given.replaceAll('\n', ' ');
        const form = formOf(text);
        expect({ text, sound: form !== undefined }).toEqual({ text, sound: parses(text) });
        expect(fits(form, text)).toBe(form !== undefined);
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
    '"\\',
    '"\\u00',
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
    'truefalse',
    'nul',
  ])('agrees with JSON.parse on %j', (text) => {
    expect(formOf(text) !== undefined).toBe(parses(text));
  });

  test('has none for a line that nests deeper than 32, or is too large to keep', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect([formOf(nested(32)) === undefined, formOf(nested(33)) === undefined]).toEqual([false, true]);
    expect(formOf(`[${'1,'.repeat(2_000)}1]`)).toBeUndefined();
    expect(formOf(`{"${'k'.repeat(20_000)}":null}`)).toBeUndefined();
  });

  test('looks no further than the line', () => {
    for (const text of ['{"a":"b"}', '[12', '"a\\n"', '[true]', 'null', '-1', '"\\u00e9"']) {
      const bytes = Buffer.from(text);
      const form = formOf(text);
      for (let end = 0; end < bytes.length; end += 1) {
        const sound = parses(text.slice(0, end));
        expect({ text, end, sound: LineForm.of(bytes, 0, end) !== undefined }).toEqual({ text, end, sound });
        if (form?.fits(bytes, 0, end)) expect(sound).toBe(true);
      }
    }
  });
});

describe('LineForm.fits()', () => {
  const base = '{"type":"a","text":"b","n":1,"x":1.5,"ok":true,"no":null}';

  test.each([
    '{"type":"a","text":"\\u00e9 more","n":999,"x":-0,"ok":false,"no":null}',
    '{"type":"a","text":"","n":0,"x":1e3,"ok":true,"no":null}',
    '{"type":"a","text":"b","n":1,"x":1234567890123456,"ok":true,"no":null}',
  ])('takes other texts and numbers of the same kind: %s', (text) => {
    expect(fits(formOf(base), text)).toBe(true);
  });

  test.each([
    ['another telling text', '{"type":"c","text":"b","n":1,"x":1.5,"ok":true,"no":null}'],
    ['null for a text', '{"type":"a","text":null,"n":1,"x":1.5,"ok":true,"no":null}'],
    ['another key', '{"type":"a","texts":"b","n":1,"x":1.5,"ok":true,"no":null}'],
    ['no whole number', '{"type":"a","text":"b","n":1.5,"x":1.5,"ok":true,"no":null}'],
    ['a negative number', '{"type":"a","text":"b","n":-1,"x":1.5,"ok":true,"no":null}'],
    ['a number too large', '{"type":"a","text":"b","n":1234567890123456,"x":1.5,"ok":true,"no":null}'],
    ['a whole number', '{"type":"a","text":"b","n":1,"x":1,"ok":true,"no":null}'],
    ['a leading zero', '{"type":"a","text":"b","n":01,"x":1.5,"ok":true,"no":null}'],
    ['a control character', '{"type":"a","text":"\u0001","n":1,"x":1.5,"ok":true,"no":null}'],
    ['a bad escape', '{"type":"a","text":"\\x","n":1,"x":1.5,"ok":true,"no":null}'],
    ['an array', '{"type":"a","text":["b"],"n":1,"x":1.5,"ok":true,"no":null}'],
    ['another truth', '{"type":"a","text":"b","n":1,"x":1.5,"ok":"true","no":null}'],
    ['more behind', '{"type":"a","text":"b","n":1,"x":1.5,"ok":true,"no":null}}'],
    ['less', '{"type":"a","text":"b","n":1,"x":1.5,"ok":true,"no":null'],
  ])('does not take %s', (_what, text) => {
    expect(fits(formOf(base), text)).toBe(false);
  });

  test.each(['role', 'content_item_kinds'])('counts the texts under %s as telling', (key) => {
    const text = (value: string): string => `{"${key}":${value}}`;
    expect(fits(formOf(text('"user"')), text('"user"'))).toBe(true);
    expect(fits(formOf(text('"user"')), text('"other"'))).toBe(false);
    expect(fits(formOf(text('["user"]')), text('["other"]'))).toBe(false);
  });

  test('knows the form when the bytes that it was learned from are used again', () => {
    const bytes = Buffer.from(base);
    const form = LineForm.of(bytes, 0, bytes.length);
    bytes.fill(0x20);
    expect(fits(form, base)).toBe(true);
  });

  test('finds the text that was marked again, whatever stands before it', () => {
    const bytes = Buffer.from('{"id":"a","text":"b","more":"c"}');
    const start = bytes.indexOf('b"');
    const form = LineForm.of(bytes, 0, bytes.length, { start, end: start + 1 });
    const line = Buffer.from('..{"id":"longer \\"text\\":\\"no","text":"it is \\"this\\"","more":""}');
    expect(form?.fits(line, 2, line.length)).toBe(true);
    expect(line.toString('utf8', form?.text.start, form?.text.end)).toBe('it is \\"this\\"');
  });

  test('is none when the text that was marked is no value that may differ', () => {
    const bytes = Buffer.from('{"type":"b","more":"c"}');
    expect(LineForm.of(bytes, 0, bytes.length, { start: 9, end: 10 })).toBeUndefined();
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
  const content = fc.oneof(
    scalar,
    fc.array(fc.record({ type: fc.constantFrom('input_text', 'novel'), text: scalar }), { maxLength: 2 }),
  );
  const item = fc.oneof(
    scalar,
    fc.record(
      { type: fc.constantFrom('UserMessage', 'Plan', 'Novel'), id: scalar, content: scalar },
      { requiredKeys: [] },
    ),
  );
  const payload = fc.oneof(
    fc.record(
      { type: fc.constantFrom('user_message', 'agent_message', 'novel'), message: scalar },
      { requiredKeys: [] },
    ),
    fc.record({ type: fc.constant('message'), role: scalar, content }, { requiredKeys: ['type'] }),
    fc.record(
      { type: fc.constant('item_completed'), thread_id: scalar, turn_id: scalar, item },
      { requiredKeys: ['type'] },
    ),
    scalar,
  );
  const line = fc.record(
    { timestamp: scalar, ordinal: scalar, type: fc.constantFrom('event_msg', 'response_item', 'novel'), payload },
    { requiredKeys: [] },
  );

  function kindOf(text: string): unknown {
    const decode = decodeLine(JSON.parse(text) as JsonValue, 'envelope');
    return decode.kind === 'record' ? [decode.kind, decode.line.item.type, decode.unknown] : [decode.kind];
  }

  /** Other values of mostly the same kinds, and sometimes a change anywhere. */
  const variation = fc.record({
    texts: fc.constantFrom('a', 'b', '', 'type', '\\u00e9', '\\"', '\\', '\u0001'),
    numbers: fc.constantFrom('1', '2', '0', '-1', '01', '1.5', '9007199254740993', 'null'),
    truths: fc.constantFrom('true', 'false', 'null'),
    change: fc.option(edit, { nil: undefined }),
  });

  test('takes only lines that are JSON and decode to the same kind of thing', () => {
    let taken = 0;
    fc.assert(
      fc.property(line, variation, (value, { texts, numbers, truths, change }) => {
        const known = JSON.stringify(value);
        const varied = known
          .replaceAll(/"[ab]?"(?!:)/g, `"${texts}"`)
          .replaceAll(/(?<=[:,[])\d+(?=[,\]}])/g, numbers)
          .replaceAll(/true|false/g, truths);
        const text = (change === undefined ? varied : edited(varied, change)).replaceAll('\n', ' ');
        if (!fits(formOf(known), text)) return;
        taken += 1;
        expect({ known, text, sound: parses(text) }).toEqual({ known, text, sound: true });
        expect({ known, text, kind: kindOf(text) }).toEqual({ known, text, kind: kindOf(known) });
      }),
      { numRuns: 4_000, seed: SEED },
    );
    expect(taken).toBeGreaterThan(200);
  });
});
