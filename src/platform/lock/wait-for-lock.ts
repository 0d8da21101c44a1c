/**
 * A lock that everybody holds for moments only, such as the one around the making of other locks: whoever finds it taken
 * waits a little and tries again, and says who has it when that takes too long.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { CodicilError } from '../../base/errors.js';
import type { FileAccess } from '../files/append-file.js';
import { tryFlock } from './flock.js';
import { LockFile } from './lock-file.js';
import { describeHolder, flockHolder } from './lock-holder.js';

/** About ten seconds. */
const TRIES = 1_000;
const LONGEST_PAUSE_MS = 10;

export interface WaitForLock {
  readonly access: FileAccess;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves with the locked file, whose close gives the lock up; undefined where there is no flock. The file stays on disk.
 * Rejects with a CodicilError `lock-stuck` that names the holder, the system's error, and the signal's reason.
 */
export async function waitForLock(path: string, { access, signal }: WaitForLock): Promise<LockFile | undefined> {
  const file = LockFile.open(path, { access });
  try {
    for (let tries = 1; ; tries += 1) {
      const result = tryFlock(file.fd);
      if (result === 'held') return file;
      if (result === 'unsupported') break;
      if (tries === TRIES) throw await stuck(path);
      await pause(Math.min(tries, LONGEST_PAUSE_MS));
      signal?.throwIfAborted();
    }
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  return undefined;
}

async function stuck(path: string): Promise<CodicilError> {
  const holder = describeHolder(await flockHolder(path));
  return new CodicilError('lock-stuck', `Cannot lock ${JSON.stringify(path)}: ${holder} does not let go of it`, {
    path,
    hint: 'Nothing was changed. Stop that program, and try again.',
  });
}
