/**
 * The generated homes of the bench look like genuine ones: every object in every line has keys, in an order,
 * that a genuine line of the same kind has at the same place.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesBelow, genuineShapes, shapesOf, strangers } from './shapes.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SCRIPT = path.join(ROOT, 'bench/make-home.mjs');

function make(
  out: string,
  ...args: readonly string[]
): { readonly bytes: number; readonly forks: number; readonly sessions: number } {
  const run = spawnSync(process.execPath, [SCRIPT, '--out', out, ...args], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`make-home.mjs failed: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const file of filesBelow(folder)) hash.update(path.relative(folder, file)).update(readFileSync(file));
  return hash.digest('hex');
}

let temp: string;
beforeAll(() => {
  temp = mkdtempSync(path.join(tmpdir(), 'codicil-bench-'));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('make-home.mjs', () => {
  test.each(['legacy', 'paginated'] as const)('writes only shapes that genuine %s lines have', (dialect) => {
    const out = path.join(temp, `shapes-${dialect}`);
    const made = make(out, '--sessions', '120', '--mb', '25', '--seed', '7', '--dialect', dialect);
    const shapes = shapesOf(filesBelow(out));
    expect(strangers(shapes, genuineShapes(dialect))).toEqual([]);
    expect(made.forks).toBeGreaterThan(0);
    expect([...shapes.keys()].some((at) => at.startsWith('compacted'))).toBe(true);
  });

  test('makes the same bytes from the same seed and others from another', () => {
    const args = ['--sessions', '12', '--mb', '1', '--dialect', 'mixed'];
    const [first, again, other] = ['a', 'b', 'c'].map((name) => path.join(temp, `seed-${name}`)) as [
      string,
      string,
      string,
    ];
    make(first, ...args, '--seed', '5');
    make(again, ...args, '--seed', '5');
    make(other, ...args, '--seed', '6');
    expect(digestOf(again)).toBe(digestOf(first));
    expect(digestOf(other)).not.toBe(digestOf(first));
  });

  test('keeps ordinals contiguous and points a fork at the end of a record of its parent', () => {
    const out = path.join(temp, 'forks');
    make(out, '--sessions', '100', '--mb', '6', '--seed', '3', '--dialect', 'paginated', '--instructions-kb', '1');
    const files = filesBelow(out);
    let forks = 0;
    for (const file of files) {
      const lines = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text));
      const first: number = lines[0].ordinal;
      expect(lines.map((line) => line.ordinal)).toEqual(lines.map((_, index) => first + index));
      const base = lines[0].payload.history_base;
      expect(first).toBe(base?.end_ordinal_exclusive ?? 0);
      if (base === undefined) continue;
      forks += 1;
      const parent = readFileSync(files.find((name) => name.includes(`${base.thread_id}.jsonl`))!);
      const prefix = parent.subarray(0, base.end_byte_offset).toString().trimEnd().split('\n');
      expect(parent[base.end_byte_offset - 1]).toBe(0x0a);
      expect(JSON.parse(prefix.at(-1)!).ordinal).toBe(base.end_ordinal_exclusive - 1);
    }
    expect(forks).toBeGreaterThan(0);
  });

  test('makes a huge thread on little disk: a head, one line of NUL bytes, a compaction and a tail', () => {
    const out = path.join(temp, 'sparse');
    make(out, '--one-gb', '1');
    const file = filesBelow(out)[0]!;
    const size = statSync(file).size;
    expect(size).toBeGreaterThan(0.99e9);
    const handle = openSync(file, 'r');
    const read = (from: number, length: number): string => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(handle, bytes, 0, length, from)).toString();
    };
    expect(JSON.parse(read(0, 60_000).split('\n')[0]!).type).toBe('session_meta');
    expect(read(500e6, 1000)).toBe('\0'.repeat(1000));
    const tail = read(size - 6.4e6, 6.4e6).split('\n');
    const compaction = tail.findIndex((line) => line.includes('"type":"compacted"'));
    expect(JSON.parse(tail[compaction]!).payload.replacement_history.length).toBe(4);
    expect(tail.slice(compaction).join('\n').length).toBeGreaterThan(5e6);
    expect(tail.at(-1)).toBe('');
  });
});
