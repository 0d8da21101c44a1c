/** Laws of the codec and of every policy, for any JSON. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.js';
import { utf8Length, utf8Slice } from '../../src/base/text.js';
import {
  decodeLine,
  detectShape,
  EVENT_NAMES,
  encodeLine,
  LINE_NAMES,
  POLICIES,
  PolicyDecoder,
  RESPONSE_ITEM_NAMES,
  TURN_ITEM_NAMES,
  type WireName,
} from '../../src/protocol/index.js';

/** JSON.parse makes `__proto__` an own key; so do these values. */
const json = fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as JsonValue);
const keyed = fc
  .dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'type', 'ignorable')), json)
  .map((value) => JSON.parse(JSON.stringify(value)) as Readonly<Record<string, JsonValue>>);

const FIELD_VALUES = { string: 'x', number: 1, boolean: true, array: [], object: {}, present: 'x' } as const;

/** A value with every field that its row requires. */
function wellFormed(type: string, { required }: WireName): Readonly<Record<string, JsonValue>> {
  const fields = Object.entries(required ?? {}).map(([field, kind]) => [field, FIELD_VALUES[kind]]);
  return { ...Object.fromEntries(fields), type };
}

function rows(table: Readonly<Record<string, WireName>>): readonly [string, WireName][] {
  return Object.entries(table);
}

const turnItem = fc.constantFrom(...rows(TURN_ITEM_NAMES)).map(([type, name]) => wellFormed(type, name));
const eventMsg = fc
  .tuple(fc.constantFrom(...rows(EVENT_NAMES)), turnItem)
  .map(([[type, name], item]) => ({ ...wellFormed(type, name), ...(name.required?.['item'] && { item }) }));
const responseItem = fc
  .constantFrom(...rows(RESPONSE_ITEM_NAMES).filter(([type]) => type !== 'ghost_snapshot'))
  .map(([type, name]) => wellFormed(type, name));

const otherLine = fc
  .constantFrom(...rows(LINE_NAMES).filter(([type]) => !['event_msg', 'response_item', 'state'].includes(type)))
  .map(([type, name]) => ({
    type,
    payload: { ...wellFormed(type, name), ...(!name.required?.['type'] && { type: 'x' }) },
  }));

const line = fc
  .tuple(
    fc.oneof(
      eventMsg.map((payload) => ({ type: 'event_msg', payload })),
      responseItem.map((payload) => ({ type: 'response_item', payload })),
      otherLine,
    ),
    fc.string(),
    fc.option(fc.maxSafeNat(), { nil: undefined }),
    keyed,
    keyed,
  )
  .map(([core, timestamp, ordinal, extraOfLine, extraOfPayload]) => {
    const whole = {
      ...extraOfLine,
      timestamp,
      ordinal,
      type: core.type,
      payload: { ...extraOfPayload, ...core.payload },
    };
    return JSON.parse(JSON.stringify(whole)) as JsonValue;
  });

describe('codec laws', () => {
  test('a well-formed line of any type is a record, and comes back as the same JSON', () => {
    fc.assert(
      fc.property(line, (value) => {
        const decode = decodeLine(value, 'envelope');
        if (decode.kind !== 'record') {
          // A chance field of the payload may be one that is checked.
          expect(decode).toMatchObject({ kind: 'invalid' });
          return;
        }
        const back = JSON.parse(encodeLine(decode.line)) as JsonValue;
        if (decode.ignoredFields === undefined) expect(back).toEqual(value);
        expect(decodeLine(back, 'envelope')).toMatchObject({ kind: 'record', line: decode.line });
      }),
      { numRuns: 500 },
    );
  });

  test('well-formed lines without other fields are records, all of them', () => {
    fc.assert(
      fc.property(eventMsg, responseItem, otherLine, (msg, item, other) => {
        const timestamp = 'x';
        expect(decodeLine({ timestamp, type: 'event_msg', payload: msg }, 'envelope').kind).toBe('record');
        expect(decodeLine({ timestamp, type: 'response_item', payload: item }, 'envelope').kind).toBe('record');
        expect(decodeLine({ timestamp, ...other }, 'envelope').kind).toBe('record');
        expect(decodeLine(item, 'bare').kind).toBe('record');
      }),
    );
  });

  test('no JSON makes decodeLine() throw or changes Object.prototype, and every record encodes', () => {
    fc.assert(
      fc.property(fc.oneof(json, keyed, line), fc.constantFrom('envelope', 'bare'), (value, shape) => {
        const before = JSON.stringify(value);
        detectShape(value);
        const decode = decodeLine(value, shape);
        if (decode.kind === 'record') encodeLine(decode.line);
        expect(JSON.stringify(value)).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('a record without a known required field is none', () => {
    fc.assert(
      fc.property(eventMsg, fc.nat(), (msg, pick) => {
        const fields = Object.keys(msg).filter((field) => field !== 'type');
        const gone = fields[pick % Math.max(fields.length, 1)];
        if (gone === undefined) return;
        const payload = Object.fromEntries(Object.entries(msg).filter(([field]) => field !== gone)) as JsonValue;
        expect(decodeLine({ timestamp: 'x', type: 'event_msg', payload }, 'envelope').kind).toBe('invalid');
      }),
    );
  });
});

describe('policy laws', () => {
  test('every line has one answer, and the counts add up', () => {
    const text = fc.oneof(
      fc.string(),
      line.map((value) => JSON.stringify(value)),
      keyed.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...POLICIES), fc.array(text, { maxLength: 12 }), (policy, texts) => {
        const decoder = new PolicyDecoder({ policy });
        const answers = texts.flatMap((each) => decoder.decodeText(each) ?? []);
        const { lines, decoded, skipped, refused, unknown, failed, parseErrors, opens } = decoder.summary();
        const notRead = answers.filter(({ outcome }) => outcome === 'not-read').length;
        expect(lines).toBe(answers.length);
        expect(decoded + skipped + refused + unknown + failed + notRead).toBe(lines);
        expect(parseErrors).toBeLessThanOrEqual(skipped + failed);
        expect(opens || policy === 'strict' || policy === 'refuse-unless-ignorable').toBe(true);
      }),
    );
  });
});

describe('utf8Length() and utf8Slice()', () => {
  test('agree with the encoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), fc.nat(40), (text, start, end) => {
        const bytes = new TextEncoder().encode(text);
        expect(utf8Length(text)).toBe(bytes.length);
        const slice = utf8Slice(text, start, end);
        if (slice === undefined) return;
        expect([...new TextEncoder().encode(slice)]).toEqual([...bytes.slice(start, end)]);
      }),
    );
  });

  test('do not split a character', () => {
    expect(utf8Slice('둘째', 0, 3)).toBe('둘');
    expect(utf8Slice('둘째', 3, 6)).toBe('째');
    expect(utf8Slice('둘째', 1, 3)).toBeUndefined();
    expect(utf8Slice('둘째', 0, 4)).toBeUndefined();
    expect(utf8Slice('둘째', 0, 9)).toBeUndefined();
    expect(utf8Slice('둘째', 3, 0)).toBeUndefined();
    expect(utf8Slice('', 0, 0)).toBe('');
  });
});
