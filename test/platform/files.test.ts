import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFileAtomic } from '../../src/platform/files/atomic-write.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { canonicalPath, isInside, samePath, samePlace } from '../../src/platform/files/path-identity.js';
import { withTimeLimit } from '../../src/platform/files/time-limit.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('nodeFileSystem', () => {
  test('reads a regular file at offsets, with and without awaiting', async () => {
    const path = join(folder, 'plain');
    writeFileSync(path, 'hello world');
    const file = await nodeFileSystem.openRegular(path);
    const target = Buffer.alloc(5);
    expect(await file.read(target, 6)).toBe(5);
    expect(target.toString()).toBe('world');
    expect(file.readSync(target, 8)).toBe(3);
    expect(file.stat).toMatchObject({ kind: 'file', sizeBytes: 11 });
    await file.close();
    await file.close();
    await expect(file.read(target, 0)).rejects.toThrow(/closed/);
  });

  test('opens no link, FIFO, folder or device, and never blocks on one', async () => {
    const path = join(folder, 'target');
    writeFileSync(path, 'x');
    symlinkSync(path, join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    mkdirSync(join(folder, 'sub'));
    for (const bad of [join(folder, 'link'), join(folder, 'fifo'), join(folder, 'sub'), '/dev/null', '/dev/tty']) {
      await expect(nodeFileSystem.openRegular(bad)).rejects.toMatchObject({ code: 'not-a-regular-file' });
      expect(() => nodeFileSystem.openRegularSync(bad)).toThrow(
        expect.objectContaining({ code: 'not-a-regular-file' }),
      );
    }
    await expect(nodeFileSystem.openRegular(join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('reads folders with the kind of each entry', async () => {
    const kinds = await nodeFileSystem.readDirectory(folder);
    expect(kinds).toEqual(
      expect.arrayContaining([
        { name: 'link', kind: 'link' },
        { name: 'fifo', kind: 'other' },
        { name: 'sub', kind: 'directory' },
      ]),
    );
  });
});

describe('withTimeLimit()', () => {
  test('gives up on an operation that never answers, and hands a late result on', async () => {
    let answer: (value: string) => void = () => undefined;
    const operation = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const late: string[] = [];
    await expect(
      withTimeLimit(operation, '/dead', { timeLimitMs: 1 }, (value) => late.push(value)),
    ).rejects.toMatchObject({
      code: 'time-limit',
      path: '/dead',
    });
    answer('too late');
    await operation;
    expect(late).toEqual(['too late']);
  });

  test('rejects with the reason of the signal, untouched', async () => {
    const controller = new AbortController();
    const reason = { stop: true };
    const waiting = withTimeLimit(new Promise(() => undefined), '/dead', {
      timeLimitMs: 60_000,
      signal: controller.signal,
    });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});

describe('writeFileAtomic()', () => {
  test('replaces a file, keeps it private and leaves no temp file', async () => {
    const home = join(folder, 'atomic');
    mkdirSync(home);
    await writeFileAtomic(join(home, 'a.json'), 'one');
    await writeFileAtomic(join(home, 'a.json'), Buffer.from('two'));
    expect(readFileSync(join(home, 'a.json'), 'utf8')).toBe('two');
    expect(statSync(join(home, 'a.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(['a.json']);
  });

  test('leaves the old file and no temp file when the rename fails', async () => {
    const home = join(folder, 'atomic-fails');
    mkdirSync(join(home, 'taken', 'full'), { recursive: true });
    await expect(writeFileAtomic(join(home, 'taken'), 'x')).rejects.toThrow();
    expect(readdirSync(home)).toEqual(['taken']);
    chmodSync(home, 0o700);
  });
});

describe('path identity', () => {
  test.each([
    ['\\\\?\\C:\\Users\\Me\\proj', 'c:/users/me/proj/', true],
    ['\\\\?\\UNC\\server\\share\\x', '\\\\SERVER\\share\\x', true],
    ['C:\\a\\.\\b', 'C:\\a\\b', true],
    ['C:\\a', 'D:\\a', false],
    ['\\\\server\\share', '\\server\\share', false],
  ])('samePath(%s, %s) on Windows is %s', (a, b, same) => {
    expect(samePath(a, b, 'win32')).toBe(same);
  });

  test.each([
    ['/a//b/./c/', '/a/b/c', true],
    ['/a/B', '/a/b', false],
    ['a/b', '/a/b', false],
    ['/', '//', true],
  ])('samePath(%s, %s) on POSIX is %s', (a, b, same) => {
    expect(samePath(a, b, 'posix')).toBe(same);
  });

  test('isInside() needs a whole step', () => {
    expect(isInside('/home/me/.codex/sessions', '/home/me/.codex', 'posix')).toBe(true);
    expect(isInside('/home/me/.codex2', '/home/me/.codex', 'posix')).toBe(false);
    expect(isInside('/anything', '/', 'posix')).toBe(true);
    expect(isInside('c:\\HOME\\x', '\\\\?\\C:\\home', 'win32')).toBe(true);
  });

  test('canonicalPath() leaves ".." alone, which a link may give another meaning', () => {
    expect(canonicalPath('/a/../b', 'posix')).toBe('/a/../b');
  });

  test('samePlace() follows links', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'alias'));
    expect(await samePlace(join(folder, 'alias'), join(folder, 'real'), nodeFileSystem)).toBe(true);
    expect(await samePlace(join(folder, 'nowhere'), join(folder, 'real'), nodeFileSystem)).toBe(false);
  });
});
