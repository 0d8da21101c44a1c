/**
 * Holds the index of one home open, and keeps it usable: a damaged one is set aside and replaced, one that cannot be
 * written gives way to memory. Nothing that matters is lost with an index.
 */
import { CodicilError } from '../../base/errors.js';
import { isDamageError, isSqliteError } from '../../platform/sqlite/index.js';
import { openStateDatabase, type SetAside, type StateDatabase, StateError } from '../../state/index.js';

export interface IndexHandleOptions {
  /** Absolute path of the home. */
  readonly homePath: string;
  /** Asked when the index is first needed; undefined keeps it in memory. */
  readonly indexPath: () => Promise<string | undefined>;
  readonly onNotice?: ((message: string) => void) | undefined;
}

export class IndexHandle {
  readonly #options: IndexHandleOptions;
  readonly #running = new Set<Promise<unknown>>();
  #state: Promise<StateDatabase> | undefined;
  #memoryCause: Error | undefined;

  constructor(options: IndexHandleOptions) {
    this.#options = options;
  }

  /** Why the index that is open is in memory although it should lie on disk; undefined when it is where it should be. */
  get memoryCause(): Error | undefined {
    return this.#memoryCause;
  }

  /**
   * Runs work on the index. When the index turns out to be damaged, it is set aside, and when it can no longer be
   * written, memory takes its place; the work is then done once more.
   */
  async use<T>(work: (state: StateDatabase) => Promise<T>): Promise<T> {
    const opened = this.#state ?? this.#keep(this.#open({}));
    try {
      return await this.#track(opened.then(work));
    } catch (error) {
      return await this.#track(this.#replacement(opened, error).then(work));
    }
  }

  /** Waits for work that is running. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    const state = this.#state;
    this.#state = undefined;
    if (state !== undefined) await closed(state);
  }

  /** Keeps an index for the calls to come, unless it cannot be opened: then the next call tries again. */
  #keep(opening: Promise<StateDatabase>): Promise<StateDatabase> {
    this.#state = opening;
    opening.catch(() => {
      if (this.#state === opening) this.#state = undefined;
    });
    return opening;
  }

  async #open(options: { readonly check?: boolean }): Promise<StateDatabase> {
    const { onNotice, indexPath, homePath } = this.#options;
    const onSetAside = (event: SetAside): void => onNotice?.(setAsideNotice(event));
    const path = await indexPath();
    this.#memoryCause = undefined;
    try {
      const state = openStateDatabase({ path, homePath, ...options, onSetAside });
      if (state.memoryCause !== undefined) this.#noticeMemory(state.memoryCause);
      return state;
    } catch (error) {
      // Another program's database, one that is locked, one of another shape: the logs are there to be read all the same.
      if (path === undefined || !(error instanceof CodicilError)) throw error;
      return this.#openInMemory(error);
    }
  }

  #openInMemory(cause: Error): StateDatabase {
    this.#noticeMemory(cause);
    return openStateDatabase({ path: undefined, homePath: this.#options.homePath });
  }

  #noticeMemory(cause: Error): void {
    this.#memoryCause = cause;
    const { onNotice, homePath } = this.#options;
    onNotice?.(`The index of ${homePath} cannot be used (${cause.message}); it is kept in memory for this run`);
  }

  async #track<T>(task: Promise<T>): Promise<T> {
    this.#running.add(task);
    try {
      return await task;
    } finally {
      this.#running.delete(task);
    }
  }

  /** The index to do failed work once more on. Throws the error when there is no other. */
  #replacement(failed: Promise<StateDatabase>, error: unknown): Promise<StateDatabase> {
    // Another call has replaced it: its closing may be what this one met.
    if (this.#state !== undefined && this.#state !== failed) return this.#state;
    // Tables or rows that are missing are damage that only using the index shows.
    const broken = isSqliteError(error, 'sqlite-error', 'sqlite-schema') || isGenerationGone(error);
    if (isDamageError(error) || broken) return this.#keep(closed(failed).then(() => this.#open({ check: true })));
    if (!isSqliteError(error, 'sqlite-busy', 'sqlite-full', 'sqlite-readonly', 'sqlite-cantopen')) throw error;
    return this.#keep(closed(failed).then(() => this.#openInMemory(error)));
  }
}

async function closed(state: Promise<StateDatabase>): Promise<void> {
  // One that could not be opened needs no closing.
  (await state.catch(() => undefined))?.close();
}

function isGenerationGone(error: unknown): boolean {
  return error instanceof StateError && error.code === 'state-generation-gone';
}

function setAsideNotice(event: SetAside): string {
  return `A damaged index was set aside and is built again from the logs, which are not touched; its bytes are kept in ${event.movedTo}`;
}
