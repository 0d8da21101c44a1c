/**
 * A new file that appears whole or not at all, and never in the place of another one.
 *
 * Written under a name that no reader takes for anything, synced, then linked to its own name, which fails where something
 * is there already. A process that is killed leaves at most the temporary file.
 */
import { randomBytes } from 'node:crypto';
import { constants, promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from './atomic-write.js';
import { fileErrorCode } from './file-system.js';
import { makeFolderSync } from './make-folder.js';

/** Takes what the file is to hold, in order. */
export type FileSink = (bytes: string | Uint8Array) => Promise<void>;

export interface NewFileOptions {
  /** Permission bits; default 0600. Left to the umask when `undefined` is given. */
  readonly mode?: number | undefined;
  /** Permission bits of folders that are missing; default 0700. */
  readonly folderMode?: number | undefined;
  readonly signal?: AbortSignal;
}

const SINK_BYTES = 256 * 1024;

/** Resolves when the file is synced under its name. Rejects with `EEXIST` when the name is taken: nothing was changed then. */
export async function writeNewFile(
  path: string,
  write: (sink: FileSink) => Promise<void>,
  options: NewFileOptions = {},
): Promise<void> {
  const { signal } = options;
  const mode = 'mode' in options ? options.mode : 0o600;
  const folder = dirname(path);
  makeFolderSync(folder, options.folderMode === undefined ? {} : { mode: options.folderMode });
  const temporary = join(folder, `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await promises.open(temporary, 'wx', mode ?? 0o666);
    try {
      await writeBuffered((bytes) => handle.writeFile(bytes), write);
      if (mode !== undefined) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    signal?.throwIfAborted();
    await linkOrMove(temporary, path);
  } finally {
    await promises.rm(temporary, { force: true });
  }
  await syncFolder(folder);
}

/** Some file systems have no hard links: there the name is asked for first. */
async function linkOrMove(from: string, to: string): Promise<void> {
  try {
    await promises.link(from, to);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
    await promises.copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

async function writeBuffered(
  flush: (bytes: Uint8Array) => Promise<void>,
  write: (sink: FileSink) => Promise<void>,
): Promise<void> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  const drain = async (): Promise<void> => {
    if (size > 0) await flush(Buffer.concat(waiting));
    waiting = [];
    size = 0;
  };
  await write(async (bytes) => {
    const chunk = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : Buffer.from(bytes);
    waiting.push(chunk);
    size += chunk.length;
    if (size >= SINK_BYTES) await drain();
  });
  await drain();
}
