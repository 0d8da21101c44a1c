/**
 * Puts a whole file under its name without ever taking the place of another one.
 *
 * The bytes go to a temporary file in the same folder, are synced and read back; only then does a hard link give them
 * their name, which fails where the name is taken. A process that is killed leaves at most temporary files, whose names
 * hold its id; whoever places the same file later removes them. Never overwrites, never follows a link at the last step.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constants, promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from './atomic-write.js';
import { fileErrorCode } from './file-system.js';

const READ_BACK_BYTES = 1024 * 1024;
/** Makers of names that were never used up: `.NAME.PID.RANDOM.tmp`. */
const STAGED = /^\.(.+)\.(\d{1,10})\.[0-9a-f]{12}\.tmp$/;

export interface StageOptions {
  /** Permission bits; default 0600. */
  readonly mode?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A file that is whole on disk and has no name yet. */
export class StagedFile {
  readonly path: string;
  readonly temporary: string;
  /** Of the bytes as they were read back from disk. */
  readonly sha256: string;
  readonly sizeBytes: number;
  #placed = false;

  private constructor(path: string, temporary: string, written: { sha256: string; sizeBytes: number }) {
    this.path = path;
    this.temporary = temporary;
    this.sha256 = written.sha256;
    this.sizeBytes = written.sizeBytes;
  }

  /**
   * Writes `chunks` beside `path`, whose folder must be there. Resolves when they are synced and were read back.
   * Rejects with the system's error, or with the signal's reason; then nothing is left.
   */
  static async write(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    { mode = 0o600, signal }: StageOptions = {},
  ): Promise<StagedFile> {
    await removeLeftovers(path);
    const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      const handle = await promises.open(temporary, 'wx+', mode);
      try {
        for await (const chunk of chunks) {
          signal?.throwIfAborted();
          await writeAll(handle, chunk);
        }
        // The umask may have taken bits away that the caller asked for.
        await handle.chmod(mode);
        await handle.sync();
        return new StagedFile(path, temporary, await readBack(handle, signal));
      } finally {
        await handle.close();
      }
    } catch (error) {
      await promises.rm(temporary, { force: true });
      throw error;
    }
  }

  /** Gives the file its name. Resolves when that is synced; false when the name is taken, and then nothing has changed. */
  async place(): Promise<boolean> {
    try {
      await promises.link(this.temporary, this.path);
    } catch (error) {
      if (fileErrorCode(error) !== 'EEXIST') throw error;
      return false;
    }
    this.#placed = true;
    await syncFolder(dirname(this.path));
    return true;
  }

  /** Takes the name back that `place` gave; nothing when something else has it by now. */
  async takeBack(): Promise<void> {
    if (!this.#placed) return;
    const [own, named] = await Promise.all([promises.stat(this.temporary), statOrNone(this.path)]);
    if (named === undefined || named.ino !== own.ino || named.dev !== own.dev) return;
    await promises.unlink(this.path);
    this.#placed = false;
  }

  /** Puts the file in the place of whatever has its name. Resolves when that is synced. */
  async replace(): Promise<void> {
    await promises.rename(this.temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  /** Removes the temporary name; the file stays where it was placed. */
  async discard(): Promise<void> {
    await promises.rm(this.temporary, { force: true });
  }
}

/** Removes what killed processes left of files that were to become `path`, whose folder must be there. */
export async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await promises.readdir(folder)) {
    const [, of, pid] = STAGED.exec(name) ?? [];
    if (of === basename(path) && Number(pid) !== process.pid && !isAlive(Number(pid)))
      await promises.rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return fileErrorCode(error) !== 'ESRCH';
  }
}

async function writeAll(handle: promises.FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done);
    done += bytesWritten;
  }
}

async function readBack(
  handle: promises.FileHandle,
  signal: AbortSignal | undefined,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  const window = Buffer.allocUnsafe(READ_BACK_BYTES);
  for (let sizeBytes = 0; ; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(window, 0, window.length, sizeBytes);
    if (bytesRead === 0) return { sha256: hash.digest('hex'), sizeBytes };
    hash.update(window.subarray(0, bytesRead));
    sizeBytes += bytesRead;
  }
}

async function statOrNone(path: string): Promise<{ readonly ino: number; readonly dev: number } | undefined> {
  try {
    return await promises.lstat(path);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/**
 * Appends one line to a file that may not be there yet, with one write. An unfinished last line is ended first, so that
 * it costs itself only. Resolves when the line is synced. Rejects with the system's error; a link is refused.
 */
export async function appendLineSynced(path: string, line: string, { mode = 0o600 } = {}): Promise<void> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const handle = await promises.open(path, flags, mode);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    const unfinished = size > 0 && last[0] !== 0x0a;
    await writeAll(handle, Buffer.from(`${unfinished ? '\n' : ''}${line}\n`));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(path));
}
