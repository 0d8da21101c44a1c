/**
 * Making of folders, one step at a time: the recursive form of the runtime never ends where a parent is there but takes no
 * entries (below /proc, for one).
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileErrorCode } from './file-system.js';

/** Makes the folder and the parents that are missing; nothing when it is there. Throws the system's error. */
export function makeFolderSync(path: string, { mode = 0o700 }: { readonly mode?: number } = {}): void {
  const missing: string[] = [];
  for (let at = path; !makeOne(at, mode); at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    // Another process may have made it meanwhile.
    if (!makeOne(folder, mode)) mkdirSync(folder, { mode });
  }
}

/** False when the parent is missing. */
function makeOne(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === 'EEXIST') return true;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}
