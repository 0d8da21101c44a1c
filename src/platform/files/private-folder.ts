/**
 * A folder of this process alone, for copies of files that may not be opened where they are.
 *
 * 0700, its files 0600, below the system's folder for temporary files; gone when it is closed, and when the process exits
 * without closing it. Its name holds the id of the process, so that what a killed one left can be told and removed.
 * Copies regular files only, in windows of bounded size; never writes outside of itself.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, promises, rmSync } from 'node:fs';
import path from 'node:path';
import type { FileStat, FileSystem } from './file-system.js';

/** What the names of all such folders begin with; the id of the process and random digits follow. */
const PRIVATE_FOLDER_PREFIX = 'codicil-copy-';

const COPY_BYTES = 1024 * 1024;

/** Folders to be removed when the process ends before they are closed, as after a second interrupt. */
const openFolders = new Set<string>();

export class PrivateFolder implements Disposable {
  readonly path: string;

  private constructor(folder: string) {
    this.path = folder;
  }

  /** Makes one below `parent`. Throws the system's error. */
  static create(parent: string): PrivateFolder {
    const folder = path.join(parent, `${PRIVATE_FOLDER_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
    // Not recursive: a folder that is there already, or a link, is an error.
    mkdirSync(folder, { mode: 0o700 });
    if (openFolders.size === 0) process.on('exit', removeAll);
    openFolders.add(folder);
    return new PrivateFolder(folder);
  }

  /** Bytes that this user may still write here. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await promises.statfs(this.path);
    return bavail * bsize;
  }

  /**
   * Copies a regular file, as long as it is when it is opened, to `name` in this folder. Resolves with what the file was
   * when it was opened. Rejects with FileAccessError (a link, FIFO, device; a mount that does not answer), the system's
   * errors, and the signal's reason; what was copied by then goes with the folder.
   */
  async copy(
    from: string,
    name: string,
    { files, signal }: { readonly files: FileSystem; readonly signal?: AbortSignal },
  ): Promise<FileStat> {
    const source = await files.openRegular(from, signal === undefined ? {} : { signal });
    try {
      const target = await promises.open(path.join(this.path, name), 'wx', 0o600);
      try {
        await copyBytes(source, target, signal);
      } finally {
        await target.close();
      }
      return source.stat;
    } finally {
      await source.close();
    }
  }

  /** Removes what was copied, the folder stays. */
  async empty(): Promise<void> {
    for (const name of await promises.readdir(this.path)) {
      await promises.rm(path.join(this.path, name), { recursive: true, force: true });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
    openFolders.delete(this.path);
    if (openFolders.size === 0) process.off('exit', removeAll);
  }
}

/** The id of the process that made the folder of this name; undefined when it is no such name. */
export function ownerOfPrivateFolder(name: string): number | undefined {
  const digits = /^codicil-copy-(\d{1,10})-[0-9a-f]{12}$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

async function copyBytes(
  source: Awaited<ReturnType<FileSystem['openRegular']>>,
  target: promises.FileHandle,
  signal: AbortSignal | undefined,
): Promise<void> {
  const window = new Uint8Array(Math.max(1, Math.min(COPY_BYTES, source.stat.sizeBytes)));
  for (let at = 0; at < source.stat.sizeBytes; ) {
    signal?.throwIfAborted();
    const count = await source.read(window.subarray(0, Math.min(window.length, source.stat.sizeBytes - at)), at);
    // Shorter than it was: whoever compares the stats sees it.
    if (count === 0) return;
    await target.writeFile(window.subarray(0, count));
    at += count;
  }
}

function removeAll(): void {
  for (const folder of openFolders) rmSync(folder, { recursive: true, force: true });
}
