/**
 * The port through which logs grow, so that tests can be a disk that is full, short of words, or broken.
 *
 * Rules that every implementation keeps: bytes only ever go to the end; nothing is opened through a link at the last step;
 * only regular files are written to; nothing here reads, cuts or removes.
 */

/** `private`: files 0600, folders 0700. `shared`: what the umask leaves, as other programs have it. */
export type FileAccess = 'private' | 'shared';

/** A file as it is now, seen through its handle. */
export interface AppendStat {
  readonly sizeBytes: number;
  /** False when no path leads to it any more: removed, or replaced by another file. */
  readonly linked: boolean;
}

export interface AppendFile {
  /** The same for two handles of one file. */
  readonly identity: string;
  /** Hands bytes `start` to `end` to the system in one write; returns how many it took. Throws the system's error. */
  writeSync(bytes: Uint8Array, start: number, end: number): number;
  statSync(): AppendStat;
  /** Resolves when every byte written before the call, and the name of a file made by it, survive a power cut. */
  sync(): Promise<void>;
  /** A second close does nothing. */
  closeSync(): void;
}

export interface OpenAppend {
  /** `new`: it must not be there yet; its folders are made. `existing`: it must be. `either`: whatever is right. */
  readonly expect: 'new' | 'existing' | 'either';
  /** Of what is made. */
  readonly access: FileAccess;
}

export interface AppendFiles {
  /** Throws the system's error, FileAccessError for what is no regular file. */
  openSync(path: string, options: OpenAppend): AppendFile;
}
