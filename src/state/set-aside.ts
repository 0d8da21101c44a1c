/**
 * Takes a damaged database out of the way with every byte kept: copied while the connection that found the damage is
 * still open (closing it would move the write-ahead log into the file), then removed under its own name.
 * The companions are removed first: a fresh database beside the old write-ahead log would be read through it.
 */
import { constants, copyFileSync, rmSync } from 'node:fs';
import { SqliteError } from '../platform/sqlite/index.js';

/** A damaged database and where its bytes are. */
export interface SetAside {
  readonly path: string;
  /** Copy of the main file; `-wal` and `-shm` lie beside it under the same name. */
  readonly movedTo: string;
  readonly cause: Error;
}

const SUFFIXES = ['-wal', '-shm', ''];

/** Copies `path`, `-wal` and `-shm` to `<path>.damaged-<time>-<pid>`. Throws SqliteError `sqlite-readonly` when it cannot. */
export function copyDamaged(
  path: string,
  damage: { readonly cause: Error; readonly nowMs: number; readonly processId: number },
): SetAside {
  const time = new Date(damage.nowMs).toISOString().replaceAll(/[-:.]/g, '');
  const event = { path, movedTo: `${path}.damaged-${time}-${damage.processId}`, cause: damage.cause };
  try {
    for (const suffix of SUFFIXES) copy(path + suffix, event.movedTo + suffix);
    return event;
  } catch (error) {
    removeDatabase(event.movedTo);
    throw new SqliteError('sqlite-readonly', `Cannot set the damaged database "${path}" aside`, { path, cause: error });
  }
}

function copy(from: string, to: string): void {
  try {
    // Opening and closing the file drops this process's locks on it, which is no loss on a damaged one.
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    // A companion that is not there, or a file that another process has just taken away.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Removes a database and its companions: the last two first, see above. */
export function removeDatabase(path: string): void {
  for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true });
}
