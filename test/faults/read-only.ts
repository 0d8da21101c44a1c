/**
 * Folders on a disk that cannot be written: a read-only bind mount where this process may mount, else, for whoever is not root,
 * folders and files without permission to write. Root without the right to mount has no way; those tests are skipped.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export type ReadOnlyMeans = 'read-only bind mount' | 'no permission to write' | 'not possible here';

function run(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function mountReadOnly(folder: string): boolean {
  if (!run('mount', '--bind', folder, folder)) return false;
  if (run('mount', '-o', 'remount,bind,ro', folder)) return true;
  run('umount', folder);
  return false;
}

function findMeans(): ReadOnlyMeans {
  const probe = mkdtempSync(join(tmpdir(), 'faults-probe-'));
  try {
    if (process.platform === 'linux' && mountReadOnly(probe)) {
      run('umount', probe);
      return 'read-only bind mount';
    }
    return process.getuid === undefined || process.getuid() === 0 ? 'not possible here' : 'no permission to write';
  } finally {
    rmSync(probe, { recursive: true });
  }
}

export const READ_ONLY_MEANS = findMeans();

/** Makes `folder` read-only until the test ends, and makes sure that it is. Modes change with the second means; times do not. */
export function makeReadOnly(folder: string): void {
  denyWriting(folder);
  try {
    writeFileSync(join(folder, 'probe'), '');
  } catch {
    // As wanted.
    return;
  }
  throw new Error(`${folder} can still be written`);
}

function denyWriting(folder: string): void {
  if (READ_ONLY_MEANS === 'read-only bind mount') {
    if (!mountReadOnly(folder)) throw new Error(`Cannot mount ${folder} read-only`);
    onTestFinished(() => {
      // Lazily where a failed test has left a file open.
      if (!run('umount', folder) && !run('umount', '-l', folder)) throw new Error(`Cannot unmount ${folder}`);
    });
    return;
  }
  changeModes(folder, (mode) => mode & 0o555);
  onTestFinished(() => changeModes(folder, (mode) => mode | 0o200));
}

function changeModes(folder: string, change: (mode: number) => number): void {
  for (const name of [...readdirSync(folder, { recursive: true, encoding: 'utf8' }), '']) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink()) chmodSync(path, change(stat.mode & 0o777));
  }
}
