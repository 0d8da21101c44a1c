/**
 * The port through which rollouts are found and read, so that tests can be another system: its paths, its errors,
 * its dead mounts.
 *
 * Rules that every implementation keeps: only regular files are opened, and never through a link at the last step;
 * nothing blocks on a FIFO, a device or a mount that does not answer; nothing here writes.
 * What is asked of a folder is asynchronous and has a time limit, since it is the first to touch a mount;
 * files of a folder that has just answered may be asked synchronously, which is many times faster.
 */
import { CodicilError } from '../../base/errors.js';

/** How long a folder may take to answer before it counts as dead. */
export const DIRECTORY_TIME_LIMIT_MS = 2_000;

export type FileKind = 'file' | 'directory' | 'link' | 'other';

/** How paths are spelt: `win32` has drives, backslashes and no case. */
export type PathPlatform = 'posix' | 'win32';

export interface FileStat {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
  readonly device: bigint;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface DirectoryOptions {
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

/** A regular file, open for reading. Whoever opened it closes it, with either close; a second close does nothing. */
export interface RegularFile {
  /** As it was when the file was opened. */
  readonly stat: FileStat;
  /** Fills `target` from `position` on; resolves with the number of bytes, less than its length only at the end. */
  read(target: Uint8Array, position: number): Promise<number>;
  readSync(target: Uint8Array, position: number): number;
  close(): Promise<void>;
  closeSync(): void;
}

export interface FileSystem {
  readonly pathPlatform: PathPlatform;
  join(folder: string, name: string): string;
  /** Names and kinds in a folder, in no order. */
  readDirectory(path: string, options?: DirectoryOptions): Promise<readonly DirectoryEntry[]>;
  lstat(path: string, options?: DirectoryOptions): Promise<FileStat>;
  /** Follows links. */
  stat(path: string, options?: DirectoryOptions): Promise<FileStat>;
  realPath(path: string, options?: DirectoryOptions): Promise<string>;
  /** Only for files in a folder that has just answered. */
  lstatSync(path: string): FileStat;
  openRegular(path: string, options?: DirectoryOptions): Promise<RegularFile>;
  /** Only for files in a folder that has just answered. */
  openRegularSync(path: string): RegularFile;
}

export type FileAccessErrorCode = 'not-a-regular-file' | 'time-limit';

/**
 * Thrown for what is there but may not or cannot be used: `not-a-regular-file` (a link, FIFO, device, folder),
 * `time-limit` (a mount that does not answer). Errors of the system itself pass as they are, with their errno code.
 */
export class FileAccessError extends CodicilError {
  override readonly name = 'FileAccessError';
  declare readonly code: FileAccessErrorCode;

  constructor(code: FileAccessErrorCode, message: string, path: string, cause?: unknown) {
    super(code, message, cause === undefined ? { path } : { path, cause });
  }
}

/** The errno name (`ENOENT`, `EACCES`, …) or our own code of a failed file operation; undefined for anything else. */
export function fileErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
