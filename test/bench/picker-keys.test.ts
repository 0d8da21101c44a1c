/**
 * What the bench loads before the program to type into its picker: every key gets the frame of its answer.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('picker-keys.mjs types on a terminal of its own, sees an answer to every key, and ends the picker', () => {
  const temp = mkdtempSync(path.join(tmpdir(), 'codicil-bench-keys-'));
  try {
    cpSync(path.join(ROOT, 'sample-home'), path.join(temp, 'home'), { recursive: true });
    const report = path.join(temp, 'keys.json');
    const hook = pathToFileURL(path.join(ROOT, 'bench/lib/picker-keys.mjs')).href;
    const argv = ['--import', hook, path.join(ROOT, 'dist/bin.js'), '--home', path.join(temp, 'home')];
    const run = spawnSync(process.execPath, argv, {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: temp,
        TERM: 'xterm',
        CODICIL_HOME: path.join(temp, 'own'),
        CODICIL_BENCH_KEYS: report,
        CODICIL_BENCH_WORDS: JSON.stringify(['csv', '세션']),
      },
    });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(130);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual({
      keys: 5,
      ms: expect.any(Number),
      p95Ms: expect.any(Number),
      worstMs: expect.any(Number),
    });
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
});
