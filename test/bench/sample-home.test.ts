/**
 * The sample home is what its script writes, small, and made of lines that a genuine log could hold.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decompress } from 'fzstd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeLine } from '../../src/protocol/index.js';
import { genuineShapes, shapesOf, strangers } from './shapes.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const HOME = path.join(ROOT, 'sample-home');

/** Every file of a home with its text, compressed logs unpacked. */
function contents(home: string): Map<string, string> {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(path.join(home, name)).isFile());
  return new Map(
    files.map((name) => {
      const bytes = readFileSync(path.join(home, name));
      return [name, Buffer.from(name.endsWith('.zst') ? decompress(bytes) : bytes).toString()];
    }),
  );
}

let temp: string;
beforeAll(() => {
  temp = mkdtempSync(path.join(tmpdir(), 'codicil-sample-'));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('sample-home', () => {
  test('is what make-sample-home.mjs writes', () => {
    const out = path.join(temp, 'again');
    mkdirSync(out);
    // The script keeps a compressed log that already holds the text, so that no zstd program is needed here.
    const packed = [...contents(HOME).keys()].filter((name) => name.endsWith('.zst'));
    for (const name of packed) {
      mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
      writeFileSync(path.join(out, name), readFileSync(path.join(HOME, name)));
    }
    const run = spawnSync(process.execPath, [path.join(ROOT, 'scripts/make-sample-home.mjs'), '--out', out]);
    expect(run.status).toBe(0);
    const kept = contents(HOME);
    kept.delete('README.md');
    expect(contents(out)).toEqual(kept);
  });

  test('stays under 200 KB', () => {
    const sizes = [...contents(HOME).keys()].map((name) => statSync(path.join(HOME, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  });

  test('holds only lines with the shapes of genuine ones, and one torn line', () => {
    const texts = [...contents(HOME)].filter(([name]) => name.includes('rollout-')).map(([, text]) => text);
    const byDialect = { legacy: [] as string[], paginated: [] as string[] };
    for (const [index, text] of texts.entries()) {
      const file = path.join(temp, `rollout-${index}.jsonl`);
      writeFileSync(file, text);
      byDialect[text.includes('"ordinal":') ? 'paginated' : 'legacy'].push(file);
    }
    for (const dialect of ['legacy', 'paginated'] as const) {
      expect(byDialect[dialect].length).toBeGreaterThan(1);
      expect(strangers(shapesOf(byDialect[dialect]), genuineShapes(dialect))).toEqual([]);
    }
    expect(texts.filter((text) => !text.endsWith('\n')).length).toBe(1);
  });

  test('decodes without anything unknown or wrong, the torn line aside', () => {
    const odd: string[] = [];
    for (const [name, text] of contents(HOME)) {
      if (!name.includes('rollout-')) continue;
      for (const line of text.slice(0, text.lastIndexOf('\n')).split('\n')) {
        const decoded = decodeLine(JSON.parse(line), 'envelope');
        if (decoded.kind !== 'record' || decoded.unknown !== undefined || decoded.ignoredFields !== undefined)
          odd.push(line);
      }
    }
    expect(odd).toEqual([]);
  });
});
