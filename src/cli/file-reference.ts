/**
 * From the path or name of a rollout file to the thread of a home that it belongs to.
 * A file that is there but lies in no home is never taken for the one of the same name that does.
 */
import path from 'node:path';
import type { HomeSet } from '../home/index.js';
import { fileErrorCode } from '../platform/files/file-system.js';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import type { ThreadRow } from '../projection/thread-row.js';
import { fileNameOf, parseRolloutName } from '../rollout/paths.js';
import { candidateOf } from '../thread-store/thread-candidate.js';
import type { Target } from './reference.js';

/** Undefined when no home has the file. */
export async function findFile(
  homes: HomeSet,
  reference: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<Target | undefined> {
  const absolute = path.resolve(cwd, reference);
  const known = (await homes.why(absolute, { signal })).find((row) => row.path === absolute);
  if (known !== undefined) return targetOf(known);
  const id = parseRolloutName(fileNameOf(absolute))?.threadId;
  if (id === undefined) return undefined;
  const rows = await homes.why(id, { signal });
  const real = await realPathOf(absolute);
  if (real === undefined) {
    // A bare name means the file of that name, wherever it lies.
    const isName = path.basename(reference) === reference;
    const named = isName ? rows.find((row) => path.basename(row.path) === reference) : undefined;
    return named === undefined ? undefined : targetOf(named);
  }
  for (const row of rows) if ((await realPathOf(row.path)) === real) return targetOf(row);
  return undefined;
}

/** What stands at `file`; `silent` when it cannot be found out. Never waits for a mount that does not answer. */
export async function kindOfFile(file: string): Promise<'file' | 'folder' | 'other' | 'missing' | 'silent'> {
  try {
    const { kind } = await nodeFileSystem.stat(file);
    return kind === 'file' ? 'file' : kind === 'directory' ? 'folder' : 'other';
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'silent';
  }
}

function targetOf(row: ThreadRow): Target | undefined {
  const candidate = candidateOf(row);
  return candidate && { candidate, path: row.path };
}

/** Links resolved; undefined when it is not there, or does not answer. */
async function realPathOf(file: string): Promise<string | undefined> {
  try {
    return await nodeFileSystem.realPath(file);
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
