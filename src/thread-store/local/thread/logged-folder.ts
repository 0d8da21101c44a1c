/**
 * A folder that somebody asks for, as logs spell it. Asks the disk only where the folder that was given leads.
 */
import path from 'node:path';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import type { StateIndex } from '../../../state/index.js';

/**
 * The query with its folder as logs spell it: as given, without superfluous slashes, or where its links lead. Folders
 * that logs name are never asked, since one may be on a dead mount.
 */
export async function withLoggedFolder<
  Q extends { readonly cwd?: string | undefined; readonly signal?: AbortSignal | undefined },
>(query: Q, state: StateIndex, files: FileSystem): Promise<Q> {
  const { cwd, signal } = query;
  const isLogged = (folder: string): boolean => state.countListedFiles({ cwd: folder }) > 0;
  if (cwd === undefined || isLogged(cwd)) return query;
  const plain = path.resolve(cwd);
  if (isLogged(plain)) return { ...query, cwd: plain };
  try {
    const real = await files.realPath(plain, { ...(signal !== undefined && { signal }) });
    return isLogged(real) ? { ...query, cwd: real } : query;
  } catch (error) {
    if (fileErrorCode(error) === undefined || signal?.aborted) throw error;
    return query; // a folder that is gone, or does not answer, is known by its text alone
  }
}
