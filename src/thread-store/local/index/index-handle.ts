/**
 * Holds the derived databases of one home open, and keeps them usable: a damaged one is set aside and replaced, one that
 * cannot be written gives way to memory. Nothing that matters is lost with them.
 */
import { CodicilError } from '../../../base/errors.js';
import { isDamageError, isSqliteError } from '../../../platform/sqlite/index.js';
import {
  openSearchDatabase,
  openStateDatabase,
  type SearchDatabase,
  type SetAside,
  type StateDatabase,
  StateError,
} from '../../../state/index.js';

export interface DatabasePaths {
  readonly state: string;
  readonly search: string;
}

export interface IndexHandleOptions {
  /** Absolute path of the home. */
  readonly homePath: string;
  /** Asked when the index is first needed; undefined keeps it in memory. */
  readonly indexPaths: () => Promise<DatabasePaths | undefined>;
  readonly onNotice?: ((message: string) => void) | undefined;
}

/** What is derived from one home. */
export interface HomeIndex {
  readonly state: StateDatabase;
  /** The full text; opened when it is first asked for. */
  search(): Promise<SearchDatabase>;
}

export class IndexHandle {
  readonly #running = new Set<Promise<unknown>>();
  readonly #state: Slot<StateDatabase>;
  readonly #search: Slot<SearchDatabase>;

  constructor(options: IndexHandleOptions) {
    const { homePath, onNotice } = options;
    this.#state = new Slot({
      homePath,
      onNotice,
      what: 'index',
      path: async () => (await options.indexPaths())?.state,
      open: (opening) => openStateDatabase({ ...opening, homePath }),
    });
    this.#search = new Slot({
      homePath,
      onNotice,
      what: 'full-text index',
      path: async () => (await options.indexPaths())?.search,
      open: (opening) => openSearchDatabase({ ...opening, homePath }),
    });
  }

  /** Why a database that is open is in memory although it should lie on disk; undefined when all are where they should be. */
  get memoryCause(): Error | undefined {
    return this.#state.memoryCause ?? this.#search.memoryCause;
  }

  /**
   * Runs work on the index. When a database turns out to be damaged, it is set aside, and when it can no longer be
   * written, memory takes its place; the work is then done again. A full disk fails one database after the other, so
   * each is mended in each way once before an error is thrown.
   */
  async use<T>(work: (index: HomeIndex) => Promise<T>): Promise<T> {
    const mended = new Set<string>();
    for (;;) {
      const state = this.#state.opened();
      let search: Promise<SearchDatabase> | undefined;
      const open = async (): Promise<HomeIndex> => ({
        state: await state,
        search: () => {
          search = this.#search.opened();
          return search;
        },
      });
      try {
        return await this.#track(open().then(work));
      } catch (error) {
        // Another call has put others in their places: closing the old ones may be what this one met.
        if (this.#state.wasReplaced(state) || (search !== undefined && this.#search.wasReplaced(search))) continue;
        const remedy = remedyFor(error);
        if (remedy === undefined) throw error;
        const path = pathIn(error);
        const failed = path !== undefined && path === (await pathOf(search)) ? search : undefined;
        const step = `${failed === undefined ? 'state' : 'search'} ${remedy}`;
        if (mended.has(step)) throw error;
        mended.add(step);
        await this.#track(
          failed === undefined
            ? this.#state.replace(state, remedy, error)
            : this.#search.replace(failed, remedy, error),
        );
      }
    }
  }

  /** Waits for work that is running. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#state.close();
    await this.#search.close();
  }

  async #track<T>(task: Promise<T>): Promise<T> {
    this.#running.add(task);
    try {
      return await task;
    } finally {
      this.#running.delete(task);
    }
  }
}

interface DerivedDatabase {
  readonly path: string;
  readonly memoryCause: Error | undefined;
  close(): void;
}

interface SlotOptions<T> {
  readonly homePath: string;
  readonly onNotice: ((message: string) => void) | undefined;
  /** As a message calls it. */
  readonly what: string;
  readonly path: () => Promise<string | undefined>;
  readonly open: (options: {
    readonly path: string | undefined;
    readonly check?: boolean;
    readonly onSetAside?: (event: SetAside) => void;
  }) => T;
}

/** One database, opened when it is first needed. */
class Slot<T extends DerivedDatabase> {
  readonly #options: SlotOptions<T>;
  #opening: Promise<T> | undefined;
  memoryCause: Error | undefined;

  constructor(options: SlotOptions<T>) {
    this.#options = options;
  }

  opened(): Promise<T> {
    return this.#opening ?? this.#keep(this.#open({}));
  }

  /** True when another call has put another database in its place; not when this handle was closed. */
  wasReplaced(used: Promise<T>): boolean {
    return this.#opening !== undefined && this.#opening !== used;
  }

  /** Puts another database in the place of one that failed. Throws the error when it was in memory already. */
  async replace(failed: Promise<T>, remedy: Remedy, error: unknown): Promise<void> {
    // Looking at which database failed took a moment, in which another call may have done it.
    if (this.wasReplaced(failed)) return;
    if (remedy === 'fresh') {
      await this.#keep(closed(failed).then(() => this.#open({ check: true })));
      return;
    }
    if (this.memoryCause !== undefined || !(error instanceof Error)) throw error;
    await this.#keep(closed(failed).then(() => this.#openInMemory(error)));
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    if (opening !== undefined) await closed(opening);
  }

  /** Keeps a database for the calls to come, unless it cannot be opened: then the next call tries again. */
  #keep(opening: Promise<T>): Promise<T> {
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #open(options: { readonly check?: boolean }): Promise<T> {
    const { open, onNotice, what } = this.#options;
    const path = await this.#options.path();
    this.memoryCause = undefined;
    try {
      const onSetAside = (event: SetAside): void => onNotice?.(setAsideNotice(what, event));
      const database = open({ path, ...options, onSetAside });
      if (database.memoryCause !== undefined) this.#noticeMemory(database.memoryCause);
      return database;
    } catch (error) {
      // Another program's database, one that is locked, one of another shape: the logs are there to be read all the same.
      if (path === undefined || !(error instanceof CodicilError)) throw error;
      return this.#openInMemory(error);
    }
  }

  #openInMemory(cause: Error): T {
    this.#noticeMemory(cause);
    return this.#options.open({ path: undefined });
  }

  #noticeMemory(cause: Error): void {
    this.memoryCause = cause;
    const { onNotice, homePath, what } = this.#options;
    onNotice?.(`The ${what} of ${homePath} cannot be used (${cause.message}); it is kept in memory for this run`);
  }
}

async function closed(opening: Promise<DerivedDatabase>): Promise<void> {
  // One that could not be opened needs no closing.
  (await opening.catch(() => undefined))?.close();
}

async function pathOf(opening: Promise<DerivedDatabase> | undefined): Promise<string | undefined> {
  return (await opening?.catch(() => undefined))?.path;
}

/** What may help against a failure: the database opened anew, checked and set aside when damaged, or one in memory. */
type Remedy = 'fresh' | 'memory';

function remedyFor(error: unknown): Remedy | undefined {
  // Tables or rows that are missing are damage that only using the index shows.
  const isBroken = isSqliteError(error, 'sqlite-error', 'sqlite-schema') || isGenerationGone(error);
  if (isDamageError(error) || isBroken) return 'fresh';
  // On a full disk SQLite may fail to extend its shared memory, which it calls an input/output error.
  const codes = ['sqlite-busy', 'sqlite-full', 'sqlite-readonly', 'sqlite-cantopen', 'sqlite-io'] as const;
  return isSqliteError(error, ...codes) ? 'memory' : undefined;
}

function pathIn(error: unknown): string | undefined {
  return error instanceof CodicilError ? error.path : undefined;
}

function isGenerationGone(error: unknown): boolean {
  return error instanceof StateError && error.code === 'state-generation-gone';
}

function setAsideNotice(what: string, event: SetAside): string {
  return `A damaged ${what} was set aside and is built again from the logs, which are not touched; its bytes are kept in ${event.movedTo}`;
}
