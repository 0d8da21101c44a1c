/** Every line of every genuine log decodes, and encodes back to the same JSON. */
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonValue } from '../../src/base/json.js';
import { decodeLine, detectShape, encodeLine, type LineDecode } from '../../src/protocol/index.js';
import { type FixtureFile, type FixtureLine, GENUINE, ODD } from './fixture-lines.js';

function decodeAll(file: FixtureFile): { readonly at: FixtureLine; readonly decode: LineDecode | 'no-json' }[] {
  const first = file.lines.find(({ value }) => value !== undefined);
  const shape = detectShape(first?.value ?? null);
  return file.lines.map((at) => ({ at, decode: at.value === undefined ? 'no-json' : decodeLine(at.value, shape) }));
}

/** The written name for the read aliases. */
function written(value: JsonValue | undefined): unknown {
  const text = JSON.stringify(value);
  return JSON.parse(text.replace('"type":"turn_started"', '"type":"task_started"'));
}

describe('genuine logs', () => {
  test('there are logs of twelve releases', () => {
    expect(new Set(GENUINE.map(({ name }) => name.split('/')[1])).size).toBe(12);
  });

  test('decodeLine() takes every line for a record, or for a snapshot to be dropped', () => {
    const others = GENUINE.flatMap(decodeAll).filter(
      ({ decode }) => decode !== 'no-json' && decode.kind !== 'record' && decode.kind !== 'ignored',
    );
    expect(others.map(({ at, decode }) => [at.where, decode])).toEqual([]);
  });

  test('decodeLine() knows every type in them and sets no field aside', () => {
    const odd = GENUINE.flatMap(decodeAll).filter(
      ({ decode }) =>
        decode !== 'no-json' && decode.kind === 'record' && (decode.unknown ?? decode.ignoredFields) !== undefined,
    );
    expect(odd.map(({ at }) => at.where)).toEqual([]);
  });

  test('only 0.8.0 has lines that are no JSON: two records fused into one', () => {
    const broken = GENUINE.flatMap(decodeAll).filter(({ decode }) => decode === 'no-json');
    expect(new Set(broken.map(({ at }) => at.where.split('/')[1]))).toEqual(new Set(['0.8.0']));
    expect(broken.every(({ at }) => at.text.includes('}{'))).toBe(true);
  });

  test('decodeLine() hands on the payload object itself', () => {
    for (const { at, decode } of GENUINE.flatMap(decodeAll)) {
      if (decode === 'no-json' || decode.kind !== 'record' || !isJsonObject(at.value)) continue;
      const payload = decode.line.timestamp === undefined ? at.value : at.value['payload'];
      expect(decode.line.item.payload === payload, at.where).toBe(true);
    }
  });

  test('encodeLine() gives back the same JSON, and decodes to the same record', () => {
    for (const file of [...GENUINE, ...ODD]) {
      for (const { at, decode } of decodeAll(file)) {
        if (decode === 'no-json' || decode.kind !== 'record') continue;
        const text = encodeLine(decode.line);
        expect(JSON.parse(text), at.where).toEqual(written(at.value));
        expect(decodeLine(JSON.parse(text), decode.line.timestamp === undefined ? 'bare' : 'envelope')).toEqual(decode);
      }
    }
  });

  test('encodeLine() gives back the same text where a release wrote its keys in the order of today', () => {
    let same = 0;
    let all = 0;
    for (const { at, decode } of GENUINE.flatMap(decodeAll)) {
      if (decode === 'no-json' || decode.kind !== 'record') continue;
      all += 1;
      if (encodeLine(decode.line) === at.text) same += 1;
    }
    expect(same / all).toBeGreaterThan(0.97);
  });
});

describe('odd samples', () => {
  test('decodeLine() answers each kind of line that was put in by hand', () => {
    const found = ODD.flatMap(decodeAll).flatMap(({ decode }) => {
      if (decode === 'no-json') return ['no JSON'];
      if (decode.kind === 'unknown') return [`unknown ${decode.level} ${decode.type}`];
      if (decode.kind === 'invalid') return [`invalid ${decode.reason}`];
      if (decode.kind === 'ignored') return [decode.reason];
      return decode.unknown === undefined ? [] : [`kept ${decode.unknown}`];
    });
    expect([...new Set(found)].sort()).toMatchInlineSnapshot(`
      [
        "ghost-snapshot",
        "invalid message: missing field "content"",
        "kept future_item",
        "no JSON",
        "unknown event future_event",
        "unknown line future_top",
      ]
    `);
  });
});
