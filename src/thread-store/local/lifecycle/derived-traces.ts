/**
 * What is derived from the threads of a home, and the log of the program: emptied of one thread, down to the bytes of free
 * pages and of the write-ahead log. Every other thread stays as a rebuild would make it.
 */
import { existsSync, promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import {
  openSearchDatabase,
  openStateDatabase,
  type SearchDatabase,
  type StateDatabase,
} from '../../../state/index.js';
import { type LogsDatabase, openLogsDatabase } from '../../../state/logs/index.js';
import { Indexer } from '../index/indexer.js';
import { DerivedNotWritableError } from './errors.js';

export interface DerivedPlaces {
  /** How long to wait for a database that another process writes to; default: as long as every database is waited for. */
  readonly busyTimeoutMs?: number | undefined;
  /** Absolute paths of the databases that are derived from the home. */
  readonly derived?: { readonly state: string; readonly search: string } | undefined;
  /** Absolute path of the log of the program. */
  readonly logs?: string | undefined;
  /** Absolute path of the ledger of imports. */
  readonly imports?: string | undefined;
}

export interface DerivedOptions extends DerivedPlaces {
  readonly home: string;
  readonly threadId: ThreadId;
  readonly files: FileSystem;
  readonly clock: () => number;
}

/** Databases of a purge, open for writing from before the first file is removed. */
export class DerivedTraces implements Disposable {
  readonly #options: DerivedOptions;
  readonly #state: StateDatabase | undefined;
  readonly #search: SearchDatabase | undefined;
  readonly #logs: LogsDatabase | undefined;

  private constructor(
    options: DerivedOptions,
    opened: {
      readonly state: StateDatabase | undefined;
      readonly search: SearchDatabase | undefined;
      readonly logs: LogsDatabase | undefined;
    },
  ) {
    this.#options = options;
    this.#state = opened.state;
    this.#search = opened.search;
    this.#logs = opened.logs;
  }

  /** Opens those that are there. Throws DerivedNotWritableError when one cannot be written now: nothing was changed then. */
  static open(options: DerivedOptions): DerivedTraces {
    const { home, derived, logs, clock, busyTimeoutMs } = options;
    const opening = { homePath: home, now: clock, ...(busyTimeoutMs !== undefined && { busyTimeoutMs }) };
    const opened: Disposable[] = [];
    const open = <T extends Disposable>(path: string | undefined, make: (path: string) => T): T | undefined => {
      if (path === undefined || !existsSync(path)) return undefined;
      try {
        const database = make(path);
        opened.push(database);
        return database;
      } catch (error) {
        for (const database of opened) database[Symbol.dispose]();
        throw new DerivedNotWritableError(path, error instanceof Error ? error : new Error(String(error)));
      }
    };
    const state = open(derived?.state, (path) => writable(openStateDatabase({ ...opening, path })));
    const search = open(derived?.search, (path) => writable(openSearchDatabase({ ...opening, path })));
    const log = open(logs, (path) => openLogsDatabase({ path, now: clock }));
    return new DerivedTraces(options, { state, search, logs: log });
  }

  /** Once the files are gone. Resolves with what was removed, by name. */
  async remove(): Promise<readonly string[]> {
    const { threadId } = this.#options;
    const removed: string[] = [];
    const threads = this.#state?.filesOfThread(threadId).length ?? 0;
    const documents = this.#search?.countDocuments() ?? 0;
    if (this.#state !== undefined) await this.#forget(this.#state);
    const gone = documents - (this.#search?.countDocuments() ?? 0);
    if (this.#state !== undefined) {
      this.#state.vacuum();
      if (threads > 0) removed.push(`${this.#state.path}: the thread and ${countOf(threads, 'file')}`);
    }
    if (this.#search !== undefined) {
      this.#search.vacuum();
      if (gone > 0) removed.push(`${this.#search.path}: ${countOf(gone, 'message')}`);
    }
    const rows = this.#logs?.removeThread(threadId) ?? 0;
    if (rows > 0) removed.push(`${this.#logs?.path}: ${countOf(rows, 'row')}`);
    for (const path of await this.#damagedCopies()) {
      await promises.rm(path, { force: true });
      removed.push(path);
    }
    return removed;
  }

  [Symbol.dispose](): void {
    this.#state?.close();
    this.#search?.close();
    this.#logs?.close();
  }

  /** As every look at the home does it: what is gone is forgotten, and what others inherit from it is composed anew. */
  async #forget(state: StateDatabase): Promise<void> {
    const { home, files, clock, threadId } = this.#options;
    const search = this.#search;
    // Generations of rebuilds that died hold what the thread was.
    for (const database of [state, ...(search === undefined ? [] : [search])]) {
      database.abandonGeneration(database.beginGeneration());
    }
    const scratch = search === undefined ? openSearchDatabase({ path: undefined, homePath: home }) : undefined;
    try {
      const full = search ?? scratch;
      if (full === undefined) return;
      await new Indexer({ home, files, clock }).refresh({ state, search: async () => full }, { budgetMs: 0 });
    } finally {
      scratch?.close();
    }
    // A file that the state did not know may be known to the search alone, and the other way round.
    for (const file of state.filesOfThread(threadId)) state.removeFile(file.path);
    state.removeThread(threadId);
    for (const file of search?.files().values() ?? []) if (file.threadId === threadId) search?.removeFile(file.path);
  }

  /** Databases that were set aside as damaged cannot be emptied, and hold nothing that cannot be had again. */
  async #damagedCopies(): Promise<readonly string[]> {
    const { derived, logs, files } = this.#options;
    const found: string[] = [];
    for (const path of [derived?.state, derived?.search, logs]) {
      if (path === undefined || !existsSync(dirname(path))) continue;
      const entries = await files.readDirectory(dirname(path));
      for (const { name } of entries) {
        if (name.startsWith(`${basename(path)}.damaged-`)) found.push(join(dirname(path), name));
      }
    }
    return found;
  }
}

/** Takes the write lock once, so that what is locked or may not be written is known before anything is removed. */
function writable<T extends StateDatabase | SearchDatabase>(database: T): T {
  try {
    if (database.memoryCause !== undefined) throw database.memoryCause;
    database.transaction(() => undefined);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
