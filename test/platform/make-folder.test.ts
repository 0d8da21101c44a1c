import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
