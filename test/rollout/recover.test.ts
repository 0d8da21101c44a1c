import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exceedsNesting, MAX_NESTING, recoverLine } from '../../src/rollout/recover.js';
import { messageLine, metaLine } from './samples.js';

const A = metaLine();
const B = messageLine('나 ☃');

function recover(content: string | Buffer, terminated = true) {
  const bytes = Buffer.concat([Buffer.from('##'), Buffer.from(content), Buffer.from('##')]);
  const { values, faults } = recoverLine(bytes, 2, bytes.length - 2, terminated);
  return {
    values: values.map((found) => found.value),
    ranges: values.map((found) => bytes.toString('utf8', found.start, found.end)),
    faults: faults.map((fault) => `${fault.kind}${fault.lost ? '!' : ''}`).sort(),
  };
}

const parsed = (...lines: string[]): unknown[] => lines.map((line) => JSON.parse(line));
const bytesOf = Buffer.from(B);
/** B cut in the middle of its Korean syllable. */
const cutInCharacter = bytesOf.subarray(0, bytesOf.indexOf(Buffer.from('나')) + 1);

describe('recoverLine()', () => {
  test.each<[string, string | Buffer, boolean, unknown[], string[]]>([
    ['a sound line', B, true, parsed(B), []],
    ['a blank line', ' \t', true, [], []],
    ['a sound last line without line feed', B, false, parsed(B), []],
    ['two fused records', A + B, true, parsed(A, B), ['fused']],
    ['three fused records with space', `${A} ${B}\t${A}`, true, parsed(A, B, A), ['fused']],
    ['a cut record and its retry', A.slice(0, -20) + B, true, parsed(B), ['json!']],
    ['a record cut inside a string and its retry', `${B.slice(0, -15)}${B}`, true, parsed(B), ['json!']],
    ['a record, a fragment and a record', A + A.slice(0, 30) + B, true, parsed(A, B), ['fused', 'json!']],
    ['a record and a fragment', A + B.slice(0, 50), true, parsed(A), ['json!']],
    ['garbage', 'no json at all', true, [], ['json!']],
    ['garbage bytes', Buffer.from([0xff, 0xfe, 0x01]), true, [], ['utf8!']],
    ['a torn tail', B.slice(0, 70), false, [], ['torn-tail!']],
    ['a tail torn inside a character', cutInCharacter, false, [], ['torn-tail!']],
    ['a fragment that ends inside a character', cutInCharacter, true, [], ['utf8!']],
    ['that fragment and its retry', Buffer.concat([cutInCharacter, bytesOf]), true, parsed(B), ['utf8!']],
    ['a record and a torn tail', A + B.slice(0, 70), false, parsed(A), ['torn-tail!']],
    ['records with NULs between', `${A}\0\0\0${B}`, true, parsed(A, B), ['fused', 'nul']],
    ['a fragment, NULs and a record', `${A.slice(0, 40)}\0\0${B}`, true, parsed(B), ['json!', 'nul']],
    ['a value that is no object', '[1,2]', true, [[1, 2]], []],
    [
      'a lone surrogate and __proto__',
      '{"__proto__":{"a":1},"b":"\\ud800"}',
      true,
      parsed('{"__proto__":{"a":1},"b":"\\ud800"}'),
      [],
    ],
    ['U+FFFD that was written as such', messageLine('\ufffd'), true, parsed(messageLine('\ufffd')), []],
  ])('reads %s', (_what, content, terminated, values, faults) => {
    const found = recover(content, terminated);
    expect(found.values).toEqual(values);
    expect(found.faults).toEqual(faults);
    if (found.faults.length === 0 && values.length === 1) expect(found.ranges).toEqual([content.toString()]);
  });

  test('reads a record with bytes that are no UTF-8, replaced, and reports the loss', () => {
    const bytes = Buffer.from(B);
    bytes[bytes.indexOf(Buffer.from('나'))] = 0xff;
    const found = recover(bytes);
    expect(found.values).toHaveLength(1);
    expect(found.faults).toEqual(['utf8!']);
  });

  test('takes no object out of the inside of a cut record', () => {
    const cut = '{"timestamp":"t","type":"response_item","payload":{"content":[{"type":"input_text","text":"x"}],"r';
    expect(recover(cut)).toEqual({ values: [], ranges: [], faults: ['json!'] });
    expect(recover(cut + B).values).toEqual(parsed(B));
    expect(recover('{"timestamp":"t","type":"x","payload":{"list":[{"timestamp":"1"},{"ti').values).toEqual([]);
  });

  test('parses nothing that nests over the limit, and everything up to it', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(recover(nested(MAX_NESTING)).values).toHaveLength(1);
    expect(recover(nested(MAX_NESTING + 1)).faults).toEqual(['too-deep!']);
    expect(recover('['.repeat(1_000_000)).faults).toEqual(['too-deep!']);
    expect(recover(JSON.stringify({ text: '[{'.repeat(5000) })).faults).toEqual([]);
    expect(recover(JSON.stringify(Array.from({ length: 5000 }, () => ({})))).faults).toEqual([]);
  });

  test('spends a bounded effort on a line made to be searched', () => {
    const { faults, values } = recover('{x{"timestamp":1}'.repeat(20_000));
    expect(values.length).toBeLessThan(50);
    expect(faults).toContain('json!');
    expect(recover(`{"id":${'{"type":"x"'.repeat(50_000)}`).values).toEqual([]);
  });

  test('finds the retry behind a fragment whose cut string turns text into structure', () => {
    const code = messageLine('[{'.repeat(3000));
    expect(recover(`{"timestamp":"2026${code}`).values).toEqual(parsed(code));
  });

  test('loses no byte unreported: any bytes give ranges that together with faults cover the line', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(A, B, A.slice(0, 33), '\0', ' ', '{', '"', '\\', '}', 'ü'), { maxLength: 8 }),
        (parts) => {
          const content = parts.join('');
          const found = recover(content);
          const kept = found.ranges.reduce((sum, range) => sum + Buffer.byteLength(range), 0);
          const rest = Buffer.byteLength(content.replaceAll(/[\0 ]/g, '')) - kept;
          if (rest > 0 && !found.faults.some((fault) => fault.endsWith('!'))) {
            // Only white space and NULs may go without a word.
            expect(found.ranges.join('').replaceAll(/[\0 ]/g, '')).toBe(content.replaceAll(/[\0 ]/g, ''));
          }
        },
      ),
    );
  });
});

describe('exceedsNesting()', () => {
  test('counts brackets outside strings only', () => {
    const bytes = Buffer.from(`{"a":"${'['.repeat(3000)}"}`);
    expect(exceedsNesting(bytes, 0, bytes.length)).toBe(false);
  });
});
