/**
 * The right to write to a thread, as the real client (0.147 and later) takes it: one writer per thread, whatever program.
 *
 * flock `thread-writer-locks/.coordination.lock`; open or make `<id>.lock`; flock it without waiting; when the path leads to
 * another file by now, begin again; let go of the coordination lock. On release: the coordination lock, unlink, close.
 * The lock is the flock, not the file: a file that a killed process left is taken like any other.
 * Without flock a home of ours uses a heartbeat file of the same name; a foreign home is refused.
 */

import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadId } from '../base/ids.js';
import type { FileAccess } from '../platform/files/append-file.js';
import { fileErrorCode } from '../platform/files/file-system.js';
import { makeFolderSync } from '../platform/files/make-folder.js';
import { flockHolder, tryFlock } from '../platform/lock/flock.js';
import { HeartbeatLock, tryHeartbeatLock } from '../platform/lock/heartbeat-lock.js';
import { LockFile } from '../platform/lock/lock-file.js';
import { describeHolder } from '../platform/lock/lock-holder.js';
import { waitForLock } from '../platform/lock/wait-for-lock.js';
import { ThreadBusyError, UnsupportedError } from './errors.js';

export const LOCKS_FOLDER = 'thread-writer-locks';
const COORDINATION_NAME = '.coordination.lock';

export interface AcquireWriterLock {
  /** Absolute path of the home. */
  readonly home: string;
  readonly threadId: ThreadId;
  /** A home of another program: its files get the modes that the umask leaves. Default: false. */
  readonly foreign?: boolean;
  readonly signal?: AbortSignal;
}

export interface WriterLock extends AsyncDisposable {
  readonly path: string;
  /** Resolves when others can have it. Safe to repeat. */
  release(): Promise<void>;
}

/** Where the lock of a thread lies. */
export function writerLockPath(home: string, threadId: ThreadId): string {
  return join(home, LOCKS_FOLDER, `${threadId}.lock`);
}

function coordinationPath(home: string): string {
  return join(home, LOCKS_FOLDER, COORDINATION_NAME);
}

/**
 * Resolves with the lock. Rejects with ThreadBusyError (it names the holder where the system tells), UnsupportedError (a
 * foreign home, and no flock here), and the system's error where nothing can be made.
 */
export async function acquireWriterLock(options: AcquireWriterLock): Promise<WriterLock> {
  const { home, threadId, signal } = options;
  signal?.throwIfAborted();
  const access: FileAccess = options.foreign === true ? 'shared' : 'private';
  const path = writerLockPath(home, threadId);
  makeFolderSync(join(home, LOCKS_FOLDER), { mode: access === 'private' ? 0o700 : 0o777 });
  const coordination = await waitForLock(coordinationPath(home), { access, signal });
  if (coordination === undefined) return heartbeat(path, options);
  let taken: LockFile | undefined;
  try {
    taken = takeOrLeave(path, access);
  } finally {
    coordination.close();
  }
  if (taken === undefined) throw new ThreadBusyError(threadId, describeHolder(await flockHolder(path)), { path });
  return new FlockWriterLock(home, taken, access);
}

/** Under the coordination lock, without awaiting; undefined when somebody has it. */
function takeOrLeave(path: string, access: FileAccess): LockFile | undefined {
  for (;;) {
    const file = LockFile.open(path, { access });
    try {
      if (tryFlock(file.fd) === 'busy') {
        file.close();
        return undefined;
      }
      if (file.isAtPath()) return file;
    } catch (error) {
      file.close();
      throw error;
    }
    // Its last holder took the file away between our open and our lock.
    file.close();
  }
}

class FlockWriterLock implements WriterLock {
  readonly path: string;
  readonly #home: string;
  readonly #access: FileAccess;
  #file: LockFile | undefined;

  constructor(home: string, file: LockFile, access: FileAccess) {
    this.#home = home;
    this.#file = file;
    this.#access = access;
    this.path = file.path;
  }

  async release(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    let coordination: LockFile | undefined;
    try {
      coordination = await waitForLock(coordinationPath(this.#home), { access: this.#access });
      if (file.isAtPath()) unlinkSync(file.path);
    } catch (error) {
      // A folder that is gone, or may not be written any more: a lock file that stays behind locks nobody out.
      if (fileErrorCode(error) === undefined) throw error;
    } finally {
      file.close();
      coordination?.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

async function heartbeat(path: string, { threadId, foreign, signal }: AcquireWriterLock): Promise<WriterLock> {
  if (foreign === true) {
    throw new UnsupportedError(
      `Cannot write to thread ${threadId}: this machine has no flock, by which its home is locked`,
      {
        path,
        hint: 'Nothing was changed. Install the optional package "koffi", or work on a copy: `codicil export` and `codicil import`.',
      },
    );
  }
  const lock = await tryHeartbeatLock(path, { signal });
  if (!(lock instanceof HeartbeatLock)) {
    const holder = lock.pid === undefined ? undefined : { pid: lock.pid, program: undefined };
    throw new ThreadBusyError(threadId, describeHolder(holder), { path });
  }
  return {
    path,
    async release() {
      lock.release();
    },
    async [Symbol.asyncDispose]() {
      lock.release();
    },
  };
}
