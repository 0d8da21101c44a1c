import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInstant } from '../../src/projection/instant.js';
import { readHeader } from '../../src/rollout/header.js';
import { headerInstant, headerTimestamp } from '../../src/rollout/header-instant.js';

/** A build says the same thing twice; another number explores further. */
const SEED = Number(process.env['SEED'] ?? 20_261_130);

function instantOf(timestamp: string): { readonly read: number | undefined; readonly text: string | undefined } {
  const bytes = Buffer.from(`..{"timestamp":${JSON.stringify(timestamp)},"type":"event_msg","payload":{"type":"a"}}`);
  const header = readHeader(bytes, 2, bytes.length, 'envelope');
  if (header === undefined) return { read: undefined, text: undefined };
  return { read: headerInstant(bytes, header), text: headerTimestamp(bytes, header) };
}

const number = (length: number): fc.Arbitrary<string> =>
  fc.nat(10 ** length - 1).map((value) => String(value).padStart(length, '0'));

/** Of the usual form, many of them no day or no time that there is. */
const usual = fc
  .tuple(number(4), number(2), number(2), number(2), number(2), number(2), number(3))
  .map(([year, month, day, hour, minute, second, ms]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);

const real = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

const changed = fc
  .record({ text: fc.oneof(usual, real), at: fc.nat(23), by: fc.constantFrom(...'0123456789-:.TtZz+ /x') })
  .map(({ text, at, by }) => `${text.slice(0, at)}${by}${text.slice(at + 1)}`);

describe('headerInstant()', () => {
  test('is what parsing the text gives', () => {
    fc.assert(
      fc.property(fc.oneof(real, usual, changed, fc.string()), (timestamp) => {
        const { read, text } = instantOf(timestamp);
        expect({ timestamp, read }).toEqual({ timestamp, read: parseInstant(text) });
      }),
      { numRuns: 3_000, seed: SEED },
    );
  });

  test.each([
    ['2026-02-28T23:59:59.999Z', true],
    ['2026-02-29T00:00:00.000Z', false],
    ['2024-02-29T00:00:00.000Z', true],
    ['2026-02-30T00:00:00.000Z', false],
    ['2026-04-31T00:00:00.000Z', false],
    ['2026-01-31T00:00:00.000Z', true],
    ['2026-01-01T24:00:00.000Z', false],
    ['2026-01-01T23:59:60.000Z', false],
    ['1969-12-31T23:59:59.999Z', true],
    ['0001-01-01T00:00:00.000Z', true],
    ['2026-13-01T00:00:00.000Z', false],
    ['2026-00-10T00:00:00.000Z', false],
    ['2026-01-01T00:00:00,000Z', false],
    ['2026-01-01T00:00:00Z', true],
    ['2026-01-01T00:00:00.123456Z', true],
    ['2026-01-01T09:00:00.000+09:00', true],
    ['', false],
  ])('agrees with the parser that %s is an instant: %s', (timestamp) => {
    const { read, text } = instantOf(timestamp);
    expect(read).toBe(parseInstant(text));
  });

  test('is undefined for a header without a timestamp', () => {
    const bytes = Buffer.from('{"type":"event_msg","payload":{"type":"a"}}');
    const header = readHeader(bytes, 0, bytes.length, 'envelope');
    expect(header && headerInstant(bytes, header)).toBeUndefined();
    expect(header).toBeDefined();
  });
});
