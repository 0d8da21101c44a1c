import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolderSync } from '../../src/platform/files/make-folder.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'codicil-folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('makeFolderSync()', () => {
  test('makes a folder and the parents that are missing, for its owner only', () => {
    makeFolderSync(join(root, 'a', 'b', 'c'));
    for (const folder of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, folder)).mode & 0o777).toBe(0o700);
  });

  test('does nothing for a folder that is there', () => {
    makeFolderSync(root);
    makeFolderSync(join(root, 'a'));
    makeFolderSync(join(root, 'a'));
    expect(existsSync(join(root, 'a'))).toBe(true);
  });

  test('throws where a file is in the way', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolderSync(join(root, 'file', 'x', 'y'))).toThrow(/ENOTDIR|ENOENT/);
  });

  test.runIf(existsSync('/proc/self'))('ends where a parent takes no entries', () => {
    expect(() => makeFolderSync('/proc/codicil-x/y/z')).toThrow(/ENOENT|EACCES|EPERM/);
  });
});

/** Makes folder after folder, each at the same moment as the test does. */
const RIVAL = `
  const { mkdirSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const turn = new Int32Array(workerData.turn);
  for (let n = 1; n <= workerData.count; n += 1) {
    while (Atomics.load(turn, 0) < n);
    mkdirSync(workerData.root + '/' + n + '/a/b/c', { recursive: true });
    Atomics.store(turn, 1, n);
  }`;

test('makes a folder whose parents another thread makes at the same moment', async () => {
  const turn = new SharedArrayBuffer(8);
  const turns = new Int32Array(turn);
  const count = 500;
  const rival = new Worker(RIVAL, { eval: true, workerData: { root, turn, count } });
  await once(rival, 'online');
  try {
    for (let n = 1; n <= count; n += 1) {
      Atomics.store(turns, 0, n);
      makeFolderSync(join(root, String(n), 'a', 'b', 'c'));
      expect(existsSync(join(root, String(n), 'a', 'b', 'c'))).toBe(true);
      while (Atomics.load(turns, 1) < n);
    }
  } finally {
    await rival.terminate();
  }
});
