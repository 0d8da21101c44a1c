/**
 * What a recorder is told, and what it tells.
 */
import type { ThreadId } from '../base/ids.js';
import type { AppendFiles } from '../platform/files/append-file.js';
import type { FileSystem } from '../platform/files/file-system.js';
import type { WrittenDialect } from '../protocol/persistence.js';
import type { SessionMeta } from '../protocol/session-meta.js';
import type { LogChangedError } from './errors.js';

/** How durable a record is when `append` resolves. */
export type Durability = 'written' | 'synced';

export interface RecorderOptions {
  /** Absolute. */
  readonly path: string;
  /** Epoch milliseconds: the time of a line is that of its writing. */
  readonly nowMs: () => number;
  /** Default: `written`. */
  readonly durability?: Durability;
  /** A log in the home of another program: new files get the modes that the umask leaves. Default: false, 0600 and 0700. */
  readonly foreign?: boolean;
  /** Hears that somebody else wrote, before the call that noticed is rejected. Must not throw. */
  readonly onLogChanged?: (error: LogChangedError) => void;
  readonly files?: FileSystem;
  readonly appendFiles?: AppendFiles;
}

export interface CreateRecorder extends RecorderOptions {
  /** The first record, with the id of the thread. Its `history_mode` must be that of the dialect. */
  readonly meta: SessionMeta;
  readonly dialect: WrittenDialect;
  /** Of the first record in `paginated`; default 0. Where the log continues another one: the end of what it continues. */
  readonly firstOrdinal?: number;
}

export interface ResumeRecorder extends RecorderOptions {
  /** Whose log it must be. */
  readonly threadId: ThreadId;
  /** Physical lines of the log, if the caller knows: then `Appended.firstLine` is known too. */
  readonly lines?: number;
  /** Replaces a compressed log by its plain form and resolves with its path. Without it a compressed log is refused. */
  readonly decompress?: (path: string) => Promise<string>;
}

/** Where what was appended stands. */
export interface Appended {
  /** Records of this call that were written; those that the policy only delivers are left out. */
  readonly records: number;
  /** Where the first of them begins; the end of the log when there is none. */
  readonly byteOffset: number;
  /** Bytes of all of them, line feeds included. */
  readonly bytes: number;
  /** 1-based line of the first of them, the others follow; undefined when it is not known, or there is none. */
  readonly firstLine: number | undefined;
}
