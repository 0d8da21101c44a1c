/**
 * Adds a name to `session_index.jsonl`, under the lock file that the real client takes for it.
 *
 * Append-only: the last line of an id is its name. A torn last line gets a line feed first. One line, one write, synced.
 */
import { join } from 'node:path';
import type { ThreadId } from '../base/ids.js';
import { LF } from '../base/jsonl.js';
import type { AppendFile, AppendFiles, FileAccess } from '../platform/files/append-file.js';
import type { FileSystem } from '../platform/files/file-system.js';
import { nodeAppendFiles } from '../platform/files/node-append-file.js';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import { waitForLock } from '../platform/lock/wait-for-lock.js';
import { UnsupportedError } from './errors.js';
import { NAMES_FILE } from './paths.js';

export interface AppendThreadName {
  readonly threadId: ThreadId;
  /** In one line, not blank. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly updatedAtMs: number;
}

export interface AppendNameOptions {
  /** A home of another program: new files get the modes that the umask leaves. Default: false. */
  readonly foreign?: boolean;
  readonly files?: FileSystem;
  readonly appendFiles?: AppendFiles;
  readonly signal?: AbortSignal;
}

/**
 * Resolves when the name survives a power cut. Rejects with the system's error, with UnsupportedError (a foreign home, and
 * no flock here), and with a CodicilError `lock-stuck`. What a failed try left is one bad line at most.
 */
export async function appendThreadName(
  home: string,
  { threadId, name, updatedAtMs }: AppendThreadName,
  { foreign = false, files = nodeFileSystem, appendFiles = nodeAppendFiles, signal }: AppendNameOptions = {},
): Promise<void> {
  if (name.trim() === '') throw new TypeError('The name of a thread has at least one character that is no space');
  const path = join(home, NAMES_FILE);
  const access: FileAccess = foreign ? 'shared' : 'private';
  const updatedAt = new Date(updatedAtMs).toISOString();
  const line = `${JSON.stringify({ id: threadId, thread_name: name, updated_at: updatedAt })}\n`;
  const lock = await waitForLock(`${path}.lock`, { access, signal });
  // In a home of ours a line in one write is whole without a lock, too.
  if (lock === undefined && foreign) throw noFlock(path);
  try {
    const file = appendFiles.openSync(path, { expect: 'either', access });
    try {
      if (!endsLine(path, files)) writeAll(file, Uint8Array.of(LF));
      writeAll(file, Buffer.from(line, 'utf8'));
      await file.sync();
    } finally {
      file.closeSync();
    }
  } finally {
    lock?.close();
  }
}

/** Holds the names file of a home: nobody else adds to it, or writes it anew, before it is let go. Rejects as `appendThreadName`. */
export async function acquireNamesLock(
  home: string,
  { foreign = false, signal }: Pick<AppendNameOptions, 'foreign' | 'signal'> = {},
): Promise<{ release(): Promise<void> }> {
  const path = join(home, NAMES_FILE);
  const lock = await waitForLock(`${path}.lock`, { access: foreign ? 'shared' : 'private', signal });
  if (lock === undefined && foreign) throw noFlock(path);
  return { release: async () => lock?.close() };
}

function noFlock(path: string): UnsupportedError {
  return new UnsupportedError('Cannot name a thread: this machine has no flock, by which its home is locked', {
    path,
    hint: 'Nothing was changed. Install the optional package "koffi".',
  });
}

function endsLine(path: string, files: FileSystem): boolean {
  const file = files.openRegularSync(path);
  try {
    const { sizeBytes } = file.stat;
    const last = new Uint8Array(1);
    return sizeBytes === 0 || file.readSync(last, sizeBytes - 1) === 0 || last[0] === LF;
  } finally {
    file.closeSync();
  }
}

function writeAll(file: AppendFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const count = file.writeSync(bytes, done, bytes.length);
    if (count === 0) throw new Error('The system took no byte');
    done += count;
  }
}
