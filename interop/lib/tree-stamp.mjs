/**
 * The state of files on disk, to be compared later: bytes, size, mode and time of change of every file below a folder.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** @returns {Record<string, string>} by path relative to `folder` */
export function stampTree(folder, keep = () => true) {
  const stamps = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const name = path.relative(folder, file);
    if (keep(name)) stamps[name] = stampFile(file);
  }
  return stamps;
}

export function stampFile(file) {
  const { size, mode, mtimeMs } = statSync(file);
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  return `${hash} ${size} bytes, mode ${(mode & 0o777).toString(8)}, changed ${mtimeMs}`;
}

/** Names whose stamps differ, those that are new or gone included. */
export function changedFiles(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}
