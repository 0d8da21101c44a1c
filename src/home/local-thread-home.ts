/**
 * A home on disk, opened for changing its threads: the rules of whose home it is, over the store and the lifecycle.
 */
import path from 'node:path';
import type { ThreadId } from '../base/ids.js';
import type { FileSystem } from '../platform/files/file-system.js';
import { acquireNamesLock } from '../rollout/append-name.js';
import { acquireWriterLock } from '../rollout/writer-lock.js';
import type { LogFunction } from '../state/logs/index.js';
import { UnsupportedError } from '../thread-store/errors.js';
import {
  archiveThread,
  compressThread,
  emptyTrash,
  type LifecycleOptions,
  type LifecycleResult,
  listTrash,
  purgeThread,
  repairUnfinished,
  restoreThread,
  type TakeWriterLock,
  trashThread,
  unarchiveThread,
} from '../thread-store/local/lifecycle/index.js';
import type { LocalSessionReader } from '../thread-store/local/local-session-reader.js';
import { LocalThreadStore, type LocalThreadStoreOptions } from '../thread-store/local/local-thread-store.js';
import type { HomeInfo, ReadOptions } from '../thread-store/session-reader.js';
import type { ThreadStore } from '../thread-store/thread-store.js';
import { type ChangedThread, ForeignHomeError, type ThreadHome, type TrashedThread } from './thread-home.js';

export interface LocalThreadHomeOptions {
  readonly home: HomeInfo;
  readonly reader: LocalSessionReader;
  readonly files: FileSystem;
  /** Absolute path of the home of ours that has the trash; undefined where nothing of ours can be written. */
  readonly ownHome: string | undefined;
  /** Databases that are derived from the home, and the log of the program. */
  readonly derived: { readonly state: string; readonly search: string } | undefined;
  readonly logs: string | undefined;
  /** The ledger of what came into the home from elsewhere. */
  readonly imports: string | undefined;
  readonly foreign: boolean;
  readonly now: () => number;
  readonly log: LogFunction | undefined;
  readonly store: Omit<LocalThreadStoreOptions, 'reader' | 'files' | 'lifecycle' | 'now'>;
}

export class LocalThreadHome implements ThreadHome {
  readonly home: HomeInfo;
  readonly store: ThreadStore;
  readonly #options: LocalThreadHomeOptions;
  #isRepaired = false;

  constructor(options: LocalThreadHomeOptions) {
    this.#options = options;
    this.home = options.home;
    const { files, now, reader } = options;
    this.store = new LocalThreadStore({
      ...options.store,
      reader,
      files,
      now,
      lifecycle: {
        archive: async (id, query) => void (await this.archive(id, query)),
        unarchive: async (id, query) => void (await this.unarchive(id, query)),
        remove: async (id, query) => void (await this.trash(id, query)),
      },
    });
  }

  async rename(id: ThreadId, name: string, options: ReadOptions = {}): Promise<ChangedThread> {
    this.#mustBeAllowed('name a thread');
    const before = (await this.store.read(id, options)).thread;
    const after = await this.store.patch(id, { name }, options);
    const changed = before.name !== after.name;
    if (changed) this.#note(id, 'Named');
    await using thread = await this.#options.reader.open(id, options);
    return { threadId: id, path: thread.path, changed, removed: [] };
  }

  archive(id: ThreadId, options: ReadOptions = {}): Promise<ChangedThread> {
    return this.#change('archive a thread', id, options, archiveThread);
  }

  unarchive(id: ThreadId, options: ReadOptions = {}): Promise<ChangedThread> {
    return this.#change('unarchive a thread', id, options, unarchiveThread);
  }

  compress(id: ThreadId, options: ReadOptions = {}): Promise<ChangedThread> {
    return this.#change('compress a thread', id, options, compressThread);
  }

  async trash(id: ThreadId, options: ReadOptions = {}): Promise<ChangedThread> {
    return this.#change('delete a thread', id, options, async (change) =>
      trashThread({ ...change, title: await this.#titleOf(id, options) }),
    );
  }

  async trashed({ signal }: ReadOptions = {}): Promise<readonly TrashedThread[]> {
    signal?.throwIfAborted();
    await this.#repair();
    const { entries } = await listTrash({ ownHome: this.#ownHome, files: this.#options.files });
    return entries.map(({ threadId, title, name, trashedAt, home, files }) => ({
      threadId,
      title: name ?? title,
      trashedAt,
      home,
      files: files.length,
      bytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    }));
  }

  async restore(id: ThreadId, options: ReadOptions = {}): Promise<ChangedThread> {
    // It goes back to the home that it was in, whichever this one is.
    const from = (await this.trashed(options)).find(({ threadId }) => threadId === id)?.home;
    return this.#change('restore a thread', id, options, (change) =>
      restoreThread(from === undefined ? change : { ...change, home: from }),
    );
  }

  async purge(
    id: ThreadId,
    { onlyTrash = false, ...options }: ReadOptions & { readonly onlyTrash?: boolean } = {},
  ): Promise<ChangedThread> {
    const { derived, files, imports, logs } = this.#options;
    if (!onlyTrash) {
      return this.#change('purge a thread', id, options, (change) =>
        purgeThread({
          ...change,
          derived,
          logs,
          imports,
          lockNames: (home) => acquireNamesLock(home, { foreign: !this.home.own }),
        }),
      );
    }
    const removed = await emptyTrash({ ownHome: this.#ownHome, files, threadId: id });
    return { threadId: id, path: null, changed: removed.length > 0, removed };
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #ownHome(): string {
    const { ownHome } = this.#options;
    if (ownHome !== undefined) return ownHome;
    throw new UnsupportedError(`Cannot change whole threads of ${this.home.path}: no home of Codicil can be written`, {
      path: this.home.path,
      hint: 'Set CODICIL_HOME to a folder that can be written to: the trash, and notes of what was begun, lie there.',
    });
  }

  #mustBeAllowed(what: string): void {
    if (!this.home.own && !this.#options.foreign) throw new ForeignHomeError(what, this.home.path);
  }

  async #change(
    what: string,
    threadId: ThreadId,
    { signal }: ReadOptions,
    work: (options: LifecycleOptions) => Promise<LifecycleResult>,
  ): Promise<ChangedThread> {
    this.#mustBeAllowed(what);
    await this.#options.store.prepare();
    await this.#repair();
    const { files, now } = this.#options;
    const {
      path: at,
      changed,
      removed,
    } = await work({
      home: this.home.path,
      ownHome: this.#ownHome,
      threadId,
      files,
      clock: now,
      lock: this.#lock,
      ...(signal !== undefined && { signal }),
    });
    if (changed) this.#note(threadId, what);
    return { threadId, path: at, changed, removed };
  }

  /** What a process that was killed had begun is completed before anything else. */
  async #repair(): Promise<void> {
    if (this.#isRepaired || this.#options.ownHome === undefined) return;
    this.#isRepaired = true;
    const { files, log, now } = this.#options;
    const repaired = await repairUnfinished({ ownHome: this.#ownHome, files, clock: now, lock: this.#lock });
    for (const { path: note, error } of repaired) {
      const message =
        error === undefined ? `Completed what was begun: ${note}` : `Cannot complete ${note}: ${error.message}`;
      log?.({ level: error === undefined ? 'info' : 'warn', target: 'home/threads', message });
    }
  }

  readonly #lock: TakeWriterLock = (threadId, home) =>
    acquireWriterLock({ home, threadId, foreign: path.resolve(home) !== this.#options.ownHome && !this.home.own });

  async #titleOf(id: ThreadId, options: ReadOptions): Promise<string | null> {
    const { title } = (await this.store.read(id, options)).thread;
    return title === '' ? null : title;
  }

  #note(threadId: ThreadId, message: string): void {
    this.#options.log?.({ level: 'info', target: 'home/threads', message, threadId });
  }
}
