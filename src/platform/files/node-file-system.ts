/**
 * The file system of this machine behind the `FileSystem` port.
 *
 * Opens with O_NOFOLLOW | O_NONBLOCK | O_NOCTTY and looks at the opened handle, so that neither a link put in place
 * between look and open, nor a FIFO without a writer, nor a terminal can harm. Windows lacks these flags: there the
 * path is looked at first.
 */
import {
  type BigIntStats,
  closeSync,
  close as closeWithCallback,
  constants,
  type Dirent,
  fstatSync,
  fstat as fstatWithCallback,
  lstatSync,
  openSync,
  open as openWithCallback,
  promises,
  readSync,
  read as readWithCallback,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  DIRECTORY_TIME_LIMIT_MS,
  type DirectoryEntry,
  type DirectoryOptions,
  FileAccessError,
  type FileKind,
  type FileStat,
  type FileSystem,
  type RegularFile,
} from './file-system.js';
import { withTimeLimit } from './time-limit.js';

const openFile = promisify(openWithCallback);
const closeFile = promisify(closeWithCallback);

// Undefined on Windows, whatever the types say.
const OPEN_FLAGS =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const LACKS_NOFOLLOW = constants.O_NOFOLLOW === undefined;

/** The real file system. */
export const nodeFileSystem: FileSystem = {
  pathPlatform: process.platform === 'win32' ? 'win32' : 'posix',
  join,
  async readDirectory(path, options = {}) {
    const entries = await limited(promises.readdir(path, { withFileTypes: true }), path, options);
    return entries.map((entry): DirectoryEntry => ({ name: entry.name, kind: kindOf(entry) }));
  },
  async lstat(path, options = {}) {
    return fileStat(await limited(promises.lstat(path, { bigint: true }), path, options));
  },
  async stat(path, options = {}) {
    return fileStat(await limited(promises.stat(path, { bigint: true }), path, options));
  },
  realPath(path, options = {}) {
    return limited(promises.realpath(path), path, options);
  },
  lstatSync(path) {
    return fileStat(lstatSync(path, { bigint: true }));
  },
  async openRegular(path, options = {}) {
    return limited(openAsync(path), path, options, (file) => file.closeSync());
  },
  openRegularSync(path) {
    if (LACKS_NOFOLLOW) mustBeFile(path, fileStat(lstatSync(path, { bigint: true })));
    let fd: number;
    try {
      fd = openSync(path, OPEN_FLAGS);
    } catch (error) {
      throw openError(path, error);
    }
    try {
      return new NodeRegularFile(fd, mustBeFile(path, fileStat(fstatSync(fd, { bigint: true }))));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  },
};

async function openAsync(path: string): Promise<NodeRegularFile> {
  if (LACKS_NOFOLLOW) mustBeFile(path, fileStat(await promises.lstat(path, { bigint: true })));
  let fd: number;
  try {
    fd = await openFile(path, OPEN_FLAGS);
  } catch (error) {
    throw openError(path, error);
  }
  try {
    const stat = await new Promise<BigIntStats>((resolve, reject) => {
      fstatWithCallback(fd, { bigint: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
    });
    return new NodeRegularFile(fd, mustBeFile(path, fileStat(stat)));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

class NodeRegularFile implements RegularFile {
  readonly stat: FileStat;
  #fd: number | undefined;

  constructor(fd: number, stat: FileStat) {
    this.#fd = fd;
    this.stat = stat;
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const count = await new Promise<number>((resolve, reject) => {
        readWithCallback(this.#open(), target, done, target.length - done, position + done, (error, bytesRead) =>
          error === null ? resolve(bytesRead) : reject(error),
        );
      });
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  readSync(target: Uint8Array, position: number): number {
    let done = 0;
    while (done < target.length) {
      const count = readSync(this.#open(), target, done, target.length - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  async close(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await closeFile(fd);
  }

  closeSync(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) closeSync(fd);
  }

  #open(): number {
    if (this.#fd === undefined) throw new TypeError('Cannot read a closed file');
    return this.#fd;
  }
}

function limited<T>(
  operation: Promise<T>,
  path: string,
  options: DirectoryOptions,
  onLate?: (value: T) => void,
): Promise<T> {
  const timeLimitMs = options.timeLimitMs ?? DIRECTORY_TIME_LIMIT_MS;
  return withTimeLimit(operation, path, { timeLimitMs, signal: options.signal }, onLate);
}

function openError(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // ELOOP: a link at the last step. ENXIO: a socket, or a device without a driver.
  if (code !== 'ELOOP' && code !== 'EMLINK' && code !== 'ENXIO') return error;
  return new FileAccessError(
    'not-a-regular-file',
    `Cannot open ${JSON.stringify(path)}: not a regular file`,
    path,
    error,
  );
}

function mustBeFile(path: string, stat: FileStat): FileStat {
  if (stat.kind === 'file') return stat;
  throw new FileAccessError(
    'not-a-regular-file',
    `Cannot open ${JSON.stringify(path)}: not a regular file but ${stat.kind}`,
    path,
  );
}

function fileStat(stat: BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    sizeBytes: Number(stat.size),
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    inode: stat.ino,
    device: stat.dev,
  };
}

function kindOf(entry: Dirent | BigIntStats): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
