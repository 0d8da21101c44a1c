import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { countLines, loadBytes, loadBytesSync, loadLineAt, loadLines } from '../../src/rollout/load-line.js';
import { allRollouts, files, readAll, tempFile } from './samples.js';

const COMPRESSED = allRollouts().find((path) => path.endsWith('.zst')) ?? '';

describe('loadLines()', () => {
  test('gives raw lines by number, damaged ones and an unfinished last one too', async () => {
    const path = tempFile('one\r\n\n{"half\n\0\0four\nlast');
    const lines = await loadLines(path, { from: 2, to: 9 }, { files });
    expect(lines.map(({ line, text, byteOffset }) => ({ line, text, byteOffset }))).toEqual([
      { line: 2, text: '', byteOffset: 5 },
      { line: 3, text: '{"half', byteOffset: 6 },
      { line: 4, text: 'four', byteOffset: 15 },
      { line: 5, text: 'last', byteOffset: 20 },
    ]);
    expect(await loadLines(path, { from: 1, to: 1 }, { files })).toMatchObject([{ text: 'one' }]);
    expect(await loadLines(path, { from: 6, to: 7 }, { files })).toEqual([]);
    expect(await countLines(path, { files })).toBe(5);
  });

  test('reads compressed files by number and by offset', async () => {
    const { records } = await readAll(COMPRESSED);
    const record = records[4];
    const [line] = await loadLines(COMPRESSED, { from: 5, to: 5 }, { files });
    expect(line).toMatchObject({ line: 5, byteOffset: record?.byteOffset, byteLength: record?.byteLength });
    expect(await loadLineAt(COMPRESSED, (record?.byteOffset ?? 0) + 10, { files })).toEqual(line);
    const range = { byteOffset: record?.byteOffset ?? 0, byteLength: record?.byteLength ?? 0 };
    expect((await loadBytes(COMPRESSED, range, { files })).toString('utf8')).toBe(line?.text);
    expect(loadBytesSync(COMPRESSED, range, files).toString('utf8')).toBe(line?.text);
  });

  test('gives a line over 64 MiB as its place', async () => {
    const path = tempFile(`${'x'.repeat(65 * 1024 * 1024)}\nb\n`);
    const found = await loadLines(path, { from: 1, to: 2 }, { files });
    expect(found.map(({ byteLength, text }) => [byteLength, text?.slice(0, 9)])).toEqual([
      [65 * 1024 * 1024, undefined],
      [1, 'b'],
    ]);
  });
});

describe('loadBytes()', () => {
  test('gives no more than the file has, for ranges that an old index remembers', async () => {
    const path = tempFile('0123456789');
    const stale = { byteOffset: 8, byteLength: 1e12 };
    expect((await loadBytes(path, stale, { files })).toString()).toBe('89');
    expect(loadBytesSync(path, { byteOffset: 50, byteLength: 5 }, files)).toHaveLength(0);
    expect(readFileSync(path, 'utf8')).toBe('0123456789');
    expect(await loadLineAt(path, 50, { files })).toBeUndefined();
  });
});
