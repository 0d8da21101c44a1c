/**
 * The disk of this machine behind the `AppendFiles` port.
 */
import { closeSync, constants, fdatasync, fstatSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { AppendFile, AppendFiles, AppendStat, FileAccess, OpenAppend } from './append-file.js';
import { syncFolder } from './atomic-write.js';
import { FileAccessError, fileErrorCode } from './file-system.js';
import { makeFolderSync } from './make-folder.js';

const syncData = promisify(fdatasync);

// Undefined on Windows, whatever the types say.
const OPEN_FLAGS = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const FILE_MODE: Readonly<Record<FileAccess, number>> = { private: 0o600, shared: 0o666 };
const FOLDER_MODE: Readonly<Record<FileAccess, number>> = { private: 0o700, shared: 0o777 };

/** The real disk. */
export const nodeAppendFiles: AppendFiles = {
  openSync(path, options) {
    if (options.expect === 'existing') return open(path, OPEN_FLAGS, options, [dirname(path)]);
    const folders = makeFolderSync(dirname(path), { mode: FOLDER_MODE[options.access] });
    // The names of what is made stand in the folder, and those of made folders in theirs.
    const named = [dirname(path), ...folders.map((folder) => dirname(folder))];
    const flags = OPEN_FLAGS | constants.O_CREAT;
    return open(path, options.expect === 'new' ? flags | constants.O_EXCL : flags, options, named);
  },
};

function open(path: string, flags: number, { access }: OpenAppend, named: readonly string[]): AppendFile {
  let fd: number;
  try {
    fd = openSync(path, flags, FILE_MODE[access]);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code !== 'ELOOP' && code !== 'EMLINK' && code !== 'ENXIO') throw error;
    throw notRegular(path, error);
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) throw notRegular(path);
    return new NodeAppendFile(fd, `${stat.dev}:${stat.ino}`, named);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function notRegular(path: string, cause?: unknown): FileAccessError {
  const message = `Cannot write to ${JSON.stringify(path)}: not a regular file`;
  return new FileAccessError('not-a-regular-file', message, path, cause);
}

class NodeAppendFile implements AppendFile {
  readonly identity: string;
  #fd: number | undefined;
  /** Folders in which a name waits to be synced. */
  #unsynced: readonly string[];
  #syncs = 0;
  #closed = false;

  constructor(fd: number, identity: string, unsynced: readonly string[]) {
    this.#fd = fd;
    this.identity = identity;
    this.#unsynced = unsynced;
  }

  writeSync(bytes: Uint8Array, start: number, end: number): number {
    return writeSync(this.#open(), bytes, start, end - start);
  }

  statSync(): AppendStat {
    const { size, nlink } = fstatSync(this.#open());
    return { sizeBytes: size, linked: nlink > 0 };
  }

  async sync(): Promise<void> {
    const fd = this.#open();
    this.#syncs += 1;
    try {
      await syncData(fd);
      const folders = this.#unsynced;
      for (const folder of folders) await syncFolder(folder);
      if (this.#unsynced === folders) this.#unsynced = [];
    } finally {
      this.#syncs -= 1;
      if (this.#closed) this.#closeWhenIdle();
    }
  }

  closeSync(): void {
    this.#closed = true;
    this.#closeWhenIdle();
  }

  /** A number that is closed while another thread works on it may be given to another file meanwhile. */
  #closeWhenIdle(): void {
    const fd = this.#fd;
    if (fd === undefined || this.#syncs > 0) return;
    this.#fd = undefined;
    closeSync(fd);
  }

  #open(): number {
    if (this.#fd === undefined || this.#closed) throw new TypeError('Cannot write to a closed file');
    return this.#fd;
  }
}
