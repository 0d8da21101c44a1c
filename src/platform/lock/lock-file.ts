/**
 * A file that is there to be locked: opened for reading and writing, made when it is missing, never through a link.
 * Holds no content of its own.
 */
import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, writeSync } from 'node:fs';
import type { FileAccess } from '../files/append-file.js';
import { fileErrorCode } from '../files/file-system.js';

// Undefined on Windows, whatever the types say.
const FLAGS = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** An open handle. The lock that it may have goes with it. */
export class LockFile {
  readonly path: string;
  readonly fd: number;
  readonly #identity: string;
  #open = true;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.fd = fd;
    const { dev, ino } = fstatSync(fd, { bigint: true });
    this.#identity = `${dev}:${ino}`;
  }

  /** `exclusive`: it must not be there yet. Throws the system's error. */
  static open(
    path: string,
    { access, exclusive = false }: { readonly access: FileAccess; readonly exclusive?: boolean },
  ): LockFile {
    const flags = FLAGS | constants.O_CREAT | (exclusive ? constants.O_EXCL : 0);
    const fd = openSync(path, flags, access === 'private' ? 0o600 : 0o666);
    try {
      return new LockFile(path, fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Whether the path still leads to this file: another one may have been put there, or none. */
  isAtPath(): boolean {
    try {
      const { dev, ino } = lstatSync(this.path, { bigint: true });
      return `${dev}:${ino}` === this.#identity;
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT') throw error;
      return false;
    }
  }

  /** Replaces what stands in it. */
  write(text: string): void {
    ftruncateSync(this.fd, 0);
    writeSync(this.fd, text, 0, 'utf8');
  }

  /** Gives the lock up. A second close does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.fd);
  }
}
