/**
 * Moves a damaged database out of the way with every byte kept. The companions go first: a fresh database beside
 * the old write-ahead log would be read through it.
 */
import { renameSync, statSync } from 'node:fs';
import { SqliteError } from '../platform/sqlite/index.js';

/** A damaged database and where its bytes are. */
export interface SetAside {
  readonly path: string;
  /** The main file's new path; `-wal` and `-shm` lie beside it under the same name. */
  readonly movedTo: string;
  readonly cause: Error;
}

/**
 * Renames `path`, `-wal` and `-shm` to `<path>.damaged-<time>-<pid>`. Undefined, and nothing done, when the file is
 * no longer the one with `inode`: another process was faster. Throws SqliteError `sqlite-readonly` when it cannot.
 */
export function setAside(
  path: string,
  damage: { readonly inode: bigint; readonly cause: Error; readonly nowMs: number; readonly processId: number },
): SetAside | undefined {
  if (inodeOf(path) !== damage.inode) return undefined;
  const time = new Date(damage.nowMs).toISOString().replaceAll(/[-:.]/g, '');
  const movedTo = `${path}.damaged-${time}-${damage.processId}`;
  rename(`${path}-wal`, `${movedTo}-wal`);
  rename(`${path}-shm`, `${movedTo}-shm`);
  return rename(path, movedTo) ? { path, movedTo, cause: damage.cause } : undefined;
}

/** False when there is nothing to rename. */
function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new SqliteError('sqlite-readonly', `Cannot set the damaged database "${from}" aside`, {
      path: from,
      cause: error,
    });
  }
}

/** Undefined when there is no such file. */
export function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
