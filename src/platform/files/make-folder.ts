/**
 * Making of folders, one step at a time: the recursive form of the runtime never ends where a parent is there but takes no
 * entries (below /proc, for one).
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileErrorCode } from './file-system.js';

/** Makes the folder and the parents that are missing, and returns those, outermost first. Throws the system's error. */
export function makeFolderSync(path: string, { mode = 0o700 }: { readonly mode?: number } = {}): readonly string[] {
  const missing: string[] = [];
  const made: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = makeOne(at, mode);
    if (found === 'made') made.push(at);
    if (found !== 'no-parent') break;
    missing.push(at);
  }
  for (const folder of missing.reverse()) {
    const found = makeOne(folder, mode);
    if (found === 'made') made.push(folder);
    // Another process took the parent away meanwhile: the system says so.
    else if (found === 'no-parent') mkdirSync(folder, { mode });
  }
  return made;
}

function makeOne(path: string, mode: number): 'made' | 'there' | 'no-parent' {
  try {
    mkdirSync(path, { mode });
    return 'made';
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === 'EEXIST') return 'there';
    if (code === 'ENOENT' && dirname(path) !== path) return 'no-parent';
    throw error;
  }
}
