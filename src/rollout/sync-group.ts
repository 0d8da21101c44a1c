/**
 * Group commit: one sync for all that was written while the last one ran.
 *
 * Writes happen in the order of the calls, each before the sync that answers for it. Bound: at most 256 writes wait for a
 * sync; what comes then is not written before one is done. After a failed sync nothing is acknowledged any more.
 */

/** As many as the real client queues. */
export const MAX_UNSYNCED_WRITES = 256;

interface Waiting {
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

export class SyncGroup {
  readonly #sync: () => Promise<void>;
  readonly #failed: (cause: unknown) => Error;
  /** Written, to be answered for by the next sync. */
  #next: Waiting[] = [];
  /** How many the running sync answers for. */
  #inSync = 0;
  /** Not written yet. */
  #queue: { readonly start: () => void; readonly fail: (error: unknown) => void }[] = [];
  #running: Promise<void> | undefined;
  #failure: Error | undefined;

  /** `failed` makes the error that everybody gets from then on. */
  constructor(sync: () => Promise<void>, failed: (cause: unknown) => Error) {
    this.#sync = sync;
    this.#failed = failed;
  }

  /** What a sync failed with, for good. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Writes when it is its turn; resolves with what `write` returned when that is synced. Rejects with what it threw. */
  commit<T>(write: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      const start = (): void => {
        let result: T;
        try {
          result = write();
        } catch (error) {
          reject(error);
          return;
        }
        this.#next.push({ done: () => resolve(result), fail: reject });
        this.#running ??= this.#run();
      };
      if (this.#queue.length === 0 && this.#hasRoom()) start();
      else this.#queue.push({ start, fail: reject });
    });
  }

  /** Resolves when no sync runs. Never rejects. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #hasRoom(): boolean {
    return this.#next.length + this.#inSync < MAX_UNSYNCED_WRITES;
  }

  async #run(): Promise<void> {
    // Calls of this turn of the event loop share the first sync.
    await undefined;
    while (this.#next.length > 0) {
      const group = this.#next;
      this.#next = [];
      this.#inSync = group.length;
      try {
        await this.#sync();
      } catch (cause) {
        this.#giveUp(group, cause);
        break;
      }
      this.#inSync = 0;
      for (const { done } of group) done();
      while (this.#hasRoom()) {
        const queued = this.#queue.shift();
        if (queued === undefined) break;
        queued.start();
      }
    }
    this.#running = undefined;
  }

  #giveUp(group: readonly Waiting[], cause: unknown): void {
    const failure = this.#failed(cause);
    this.#failure = failure;
    const all = [...group, ...this.#next, ...this.#queue];
    this.#inSync = 0;
    this.#next = [];
    this.#queue = [];
    for (const { fail } of all) fail(failure);
  }
}
