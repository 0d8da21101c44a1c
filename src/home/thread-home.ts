/**
 * One home, opened for changing its threads: the store that writes logs, and what moves or removes whole threads.
 *
 * Whose home it is decides what is allowed: in another program's, threads may be gone on with, forked and rolled back, as
 * that program would; its files are moved, renamed or removed only when that was asked for.
 */

import { CodicilError } from '../base/errors.js';
import type { ThreadId } from '../base/ids.js';
import type { HomeInfo, ReadOptions } from '../thread-store/session-reader.js';
import type { ThreadStore } from '../thread-store/thread-store.js';

/** What a change did, for a person and for a program. */
export interface ChangedThread {
  readonly threadId: ThreadId;
  /** Absolute path of the log that a resume appends to; null when there is none any more. */
  readonly path: string | null;
  /** False when all was as it should be already. */
  readonly changed: boolean;
  /** Absolute paths and named parts of databases that are gone. */
  readonly removed: readonly string[];
}

/** A thread in the trash. */
export interface TrashedThread {
  readonly threadId: ThreadId;
  readonly title: string | null;
  /** ISO 8601. */
  readonly trashedAt: string;
  /** Absolute path of the home it was in. */
  readonly home: string;
  readonly files: number;
  readonly bytes: number;
}

export interface ThreadHome extends AsyncDisposable {
  readonly home: HomeInfo;
  readonly store: ThreadStore;
  rename(id: ThreadId, name: string, options?: ReadOptions): Promise<ChangedThread>;
  archive(id: ThreadId, options?: ReadOptions): Promise<ChangedThread>;
  unarchive(id: ThreadId, options?: ReadOptions): Promise<ChangedThread>;
  compress(id: ThreadId, options?: ReadOptions): Promise<ChangedThread>;
  /** Into the trash of our own home. */
  trash(id: ThreadId, options?: ReadOptions): Promise<ChangedThread>;
  trashed(options?: ReadOptions): Promise<readonly TrashedThread[]>;
  restore(id: ThreadId, options?: ReadOptions): Promise<ChangedThread>;
  /** The thread and all that is derived from it, out of the trash too (or from there only): nothing of it is left on disk. */
  purge(id: ThreadId, options?: ReadOptions & { readonly onlyTrash?: boolean }): Promise<ChangedThread>;
  close(): Promise<void>;
}

/** Thrown for a change to the files of a home that another program owns. */
export class ForeignHomeError extends CodicilError {
  override readonly name = 'ForeignHomeError';

  constructor(what: string, home: string) {
    super('foreign-home', `Cannot ${what} in ${home}: it is the home of another program`, {
      path: home,
      hint: 'Nothing was changed. --foreign does it all the same, to the files and the names there; its databases stay as they are.',
    });
  }
}
