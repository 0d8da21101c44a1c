import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineFramer } from '../../src/base/jsonl.js';
import { type ReverseOptions, readLinesReverse, readLinesReverseSync } from '../../src/rollout/reverse-reader.js';
import { readRecordsReverse } from '../../src/rollout/reverse-records.js';
import { allRollouts, files, messageLine, metaLine, readAll, tempFile } from './samples.js';

function backwards(path: string, options: Partial<ReverseOptions> = {}): unknown[] {
  return Array.from(readLinesReverseSync(path, { files, ...options }), ({ bytes, start, end, ...line }) => ({
    ...line,
    text: Buffer.from(bytes.subarray(start, end)).toString('latin1'),
  }));
}

/** Lines read forwards, as the reverse reader gives them: newest first, no numbers, empty physical lines left out. */
function forwardsReversed(bytes: Uint8Array): unknown[] {
  const framer = new LineFramer();
  framer.push(bytes);
  framer.finish();
  const lines: unknown[] = [];
  for (let line = framer.next(); line !== undefined; line = framer.next()) {
    const { bytes: window, start, end, ...rest } = line;
    if (rest.nextOffset - rest.lineOffset === (rest.terminated ? 1 : 0)) continue;
    lines.push({ ...rest, lineNumber: 0, text: Buffer.from(window.subarray(start, end)).toString('latin1') });
  }
  return lines.reverse();
}

describe('readLinesReverse()', () => {
  test('gives the lines of the forward framer in reverse, for any block size', () => {
    const path = tempFile('');
    const content = fc
      .array(fc.constantFrom('\n', '\r\n', '{"a":1}', 'xyz', '\0', ' ', '\n\n', 'ü', 'b'.repeat(50)), { maxLength: 60 })
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(content, fc.integer({ min: 40, max: 200 }), fc.boolean(), (bytes, blockBytes, bom) => {
        const input = bom ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) : bytes;
        writeFileSync(path, input);
        expect(backwards(path, { blockBytes })).toEqual(forwardsReversed(input));
      }),
    );
  });

  test.each([8191, 8192, 8193, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1024 * 1024])(
    'reads a line that ends %i bytes before the end of the file',
    async (distance) => {
      const input = Buffer.from(`${metaLine()}\n${messageLine('last but one')}\n${'z'.repeat(distance - 1)}\n`);
      const path = tempFile(input);
      expect(backwards(path)).toEqual(forwardsReversed(input));
      const lines: number[] = [];
      for await (const line of readLinesReverse(path, { files })) lines.push(line.byteOffset);
      expect(lines).toEqual(backwards(path).map((line) => (line as { byteOffset: number }).byteOffset));
    },
  );

  test('begins at an end offset', () => {
    const path = tempFile('a\nb\nc\n');
    expect(backwards(path, { endByteOffset: 4 })).toMatchObject([{ text: 'b', nextOffset: 4 }, { text: 'a' }]);
  });

  test('gives a line over the limit as a range with its beginning', () => {
    const path = tempFile(`a\n${'y'.repeat(1000)}\nb\n`);
    expect(backwards(path, { blockBytes: 64, maxLineBytes: 300 })).toMatchObject([
      { text: 'b' },
      { oversize: true, byteOffset: 2, byteLength: 1000, text: expect.stringMatching(/^y+$/) },
      { text: 'a' },
    ]);
  });

  test('finds what stands behind a hole of 10 GB without reading the hole', () => {
    const path = tempFile('');
    const handle = openSync(path, 'r+');
    const hole = 10 * 1024 ** 3;
    ftruncateSync(handle, hole);
    writeSync(handle, `${messageLine('wanted')}\n${'x'.repeat(6 * 1024 * 1024)}\n`, hole);
    closeSync(handle);
    const reader = readLinesReverseSync(path, { files });
    expect(reader.next().value?.byteLength).toBe(6 * 1024 * 1024);
    const line = reader.next().value;
    expect(line?.byteOffset).toBe(hole);
    expect(JSON.parse(Buffer.from(line?.bytes ?? []).toString('utf8', line?.start, line?.end))).toMatchObject({
      type: 'response_item',
    });
    reader.return();
  });

  test('rejects a compressed file', () => {
    expect(() => backwards('/x/rollout.jsonl.zst')).toThrow(TypeError);
  });
});

describe('readRecordsReverse()', () => {
  test('gives the records of the forward reader in reverse, for every genuine plain rollout', async () => {
    for (const path of allRollouts().filter((name) => name.endsWith('.jsonl'))) {
      const forward = await readAll(path);
      const records: unknown[] = [];
      const { dialect = 'legacy' } = forward;
      for await (const lines of readRecordsReverse(path, { files, dialect })) {
        for (const line of lines) records.push(...line.records);
      }
      expect(records).toEqual(forward.records.map((record) => ({ ...record, lineNumber: 0 })).reverse());
    }
  });

  test('gives wanted records only, glued ones included, and loads a long line', async () => {
    const other = JSON.stringify({ timestamp: 't', type: 'event_msg', payload: { type: 'token_count', info: null } });
    const path = tempFile(
      [metaLine(), messageLine('x'.repeat(500)), other, `${other}${messageLine('b')}`, ''].join('\n'),
    );
    const offsets: number[] = [];
    const options = { files, dialect: 'legacy', maxLineBytes: 400, blockBytes: 128 } as const;
    for await (const lines of readRecordsReverse(path, { ...options, want: ({ type }) => type === 'response_item' })) {
      for (const line of lines) offsets.push(...line.records.map((record) => record.byteOffset));
    }
    const bytes = readFileSync(path);
    expect(offsets.map((offset) => bytes.toString('utf8', offset, offset + 20))).toHaveLength(2);
    expect(offsets[1]).toBe(metaLine().length + 1);
  });
});
