import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineFramer, type LineFramerOptions } from '../../src/base/jsonl.js';

interface Line {
  readonly text: string;
  readonly line: number;
  readonly lineOffset: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly nextOffset: number;
  readonly terminated: boolean;
  readonly nulBytes: number;
  readonly bom: boolean;
  readonly oversize: boolean;
}

function frame(chunks: readonly Uint8Array[], options: LineFramerOptions = {}): Line[] {
  const framer = new LineFramer(options);
  const lines: Line[] = [];
  const drain = (): void => {
    for (let line = framer.next(); line !== undefined; line = framer.next()) {
      const { bytes, start, end, lineNumber, ...rest } = line;
      lines.push({ text: Buffer.from(bytes.subarray(start, end)).toString('latin1'), line: lineNumber, ...rest });
    }
  };
  for (const chunk of chunks) {
    framer.push(chunk);
    drain();
  }
  framer.finish();
  drain();
  return lines;
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

const hostile = fc
  .array(
    fc.oneof(fc.constantFrom('\n', '\r\n', '\0', '\0\0', '{"a":1}', '\r', ' ', 'x'.repeat(40), '\u2028'), fc.string()),
    {
      maxLength: 40,
    },
  )
  .map((parts) => Buffer.from(parts.join('')));

describe('LineFramer', () => {
  test('gives the same lines however the input is split', () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(), { maxLength: 12 }), fc.boolean(), (bytes, cuts, bom) => {
        const input = bom ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) : bytes;
        expect(frame(split(input, cuts), { windowBytes: 16 })).toEqual(frame([input]));
        const limit = { windowBytes: 16, maxLineBytes: 24 };
        expect(frame(split(input, cuts), limit)).toEqual(frame([input], limit));
      }),
    );
  });

  test('accounts for every byte: a line begins where the one before ended', () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        const lines = frame([bytes]);
        let offset = 0;
        for (const [index, line] of lines.entries()) {
          expect(line.line).toBe(index + 1);
          expect(line.lineOffset).toBe(offset);
          expect(line.text).toBe(bytes.subarray(line.byteOffset, line.byteOffset + line.byteLength).toString('latin1'));
          offset = line.nextOffset;
        }
        expect(offset).toBe(bytes.length);
      }),
    );
  });

  test.each<[string, string, Partial<Line>[]]>([
    ['a CR before the line feed', 'a\r\nb\n', [{ text: 'a' }, { text: 'b' }]],
    ['U+2028 inside a line', 'a\u2028b\n', [{ text: Buffer.from('a\u2028b').toString('latin1') }]],
    ['a byte order mark', '\ufeffa\n\ufeffb\n', [{ text: 'a', bom: true, byteOffset: 3 }, { bom: false }]],
    ['NULs around the content', '\0\0a\0\0\0\n', [{ text: 'a', byteOffset: 2, nulBytes: 5, lineOffset: 0 }]],
    ['a tail of NULs', 'a\n\0\0\0\0', [{ text: 'a' }, { text: '', nulBytes: 4, terminated: false }]],
    ['an unterminated last line', 'a\nb', [{ terminated: true }, { text: 'b', terminated: false }]],
    ['an empty input', '', []],
  ])('reads %s', (_what, input, lines) => {
    const found = frame([Buffer.from(input)]);
    expect(found).toMatchObject(lines);
    expect(found).toHaveLength(lines.length);
  });

  test('gives a line over the limit as a range with its beginning, and goes on', () => {
    const long = 'y'.repeat(500);
    const input = Buffer.from(`first\n${long}\nlast\n`);
    const chunks = Array.from({ length: Math.ceil(input.length / 20) }, (_, index) =>
      input.subarray(index * 20, index * 20 + 20),
    );
    const lines = frame(chunks, { windowBytes: 32, maxLineBytes: 100 });
    expect(lines[1]).toMatchObject({ oversize: true, byteOffset: 6, byteLength: 500, nextOffset: 507 });
    expect(long.startsWith(lines[1]?.text ?? 'no')).toBe(true);
    expect(lines[2]).toMatchObject({ text: 'last', line: 3, oversize: false });
  });

  test('skips a hole of NULs without growing its window', () => {
    const sizes: number[] = [];
    const allocate = (size: number): Uint8Array => {
      sizes.push(size);
      return new Uint8Array(size);
    };
    const hole = new Uint8Array(1000);
    const lines = frame([...Array.from({ length: 50 }, () => hole), Buffer.from('a\n')], {
      windowBytes: 1024,
      allocate,
    });
    expect(lines).toMatchObject([{ text: 'a', byteOffset: 50_000, nulBytes: 50_000 }]);
    expect(Math.max(...sizes)).toBe(1024);
  });
});
