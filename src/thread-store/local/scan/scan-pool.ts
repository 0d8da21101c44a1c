/**
 * Scans many files on all cores, in the order given, a bounded number of batches ahead of the consumer.
 *
 * Where worker threads cannot be started (a bundler moved the entry point, a file system of the caller's own), the work
 * runs in this thread, one file between two turns of the event loop.
 */
import type { Worker } from 'node:worker_threads';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { nodeFileSystem } from '../../../platform/files/node-file-system.js';
import { nextTurn } from '../../../platform/next-turn.js';
import { runScanJob, type ScanJob, type ScanOutcome } from './scan-job.js';
import { endScanWorkers, hasEnded, type ScanWorkers, startScanWorkers } from './scan-workers.js';

export interface ScanPoolOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  /** Bytes that the jobs will read, about: little work does not pay for a thread. */
  readonly bytes: number;
  /** Milliseconds on a clock that only goes forward; at `deadline` the work stops where it is. */
  readonly clock: () => number;
  readonly deadline: number;
  /** Threads that were started ahead; they are ended with the work. Default: as many as the work is worth. */
  readonly workers?: ScanWorkers | undefined;
}

const JOBS_A_BATCH = 16;
/** Batches that a worker holds: one at work, one waiting. */
const BATCHES_AHEAD = 2;

/**
 * Yields batches of outcomes as they come; every job has one outcome, unless the deadline comes first.
 * Returning early stops the workers.
 */
export async function* scanFiles(
  jobs: readonly ScanJob[],
  options: ScanPoolOptions,
): AsyncGenerator<readonly ScanOutcome[], void> {
  const workers = options.clock() >= options.deadline ? [] : (options.workers ?? workersFor(jobs, options));
  if (workers.length > 0) {
    const pool = new WorkerPool(jobs, workers);
    yield* pool.outcomes(options);
    yield* scanInThread(pool.unfinished, options);
  } else {
    yield* scanInThread(jobs, options);
  }
}

function workersFor(jobs: readonly ScanJob[], { files, bytes }: ScanPoolOptions): ScanWorkers {
  // A thread has no file system but the real one.
  if (files !== nodeFileSystem) return [];
  return startScanWorkers({ bytes, most: Math.ceil(jobs.length / JOBS_A_BATCH) });
}

async function* scanInThread(
  jobs: readonly ScanJob[],
  { files, signal, clock, deadline }: ScanPoolOptions,
): AsyncGenerator<readonly ScanOutcome[], void> {
  for (const job of jobs) {
    signal?.throwIfAborted();
    if (clock() >= deadline) return;
    yield [runScanJob(job, files)];
    await nextTurn();
  }
}

class WorkerPool {
  readonly #jobs: readonly ScanJob[];
  readonly #workers: ScanWorkers;
  readonly #finished: (readonly ScanOutcome[])[] = [];
  /** What each worker holds, oldest first. */
  readonly #held = new Map<Worker, (readonly ScanJob[])[]>();
  readonly #lost: ScanJob[] = [];
  #next = 0;
  #wake = (): void => {};

  constructor(jobs: readonly ScanJob[], workers: ScanWorkers) {
    this.#jobs = jobs;
    this.#workers = workers;
  }

  /** Jobs whose worker could not be started or died, once `outcomes` is done: for another way to do them. */
  get unfinished(): readonly ScanJob[] {
    return [...this.#lost, ...this.#jobs.slice(this.#next)];
  }

  async *outcomes({ signal, clock, deadline }: ScanPoolOptions): AsyncGenerator<readonly ScanOutcome[], void> {
    const onWake = (): void => this.#wake();
    signal?.addEventListener('abort', onWake);
    const timer = Number.isFinite(deadline) ? setTimeout(onWake, Math.max(0, deadline - clock())) : undefined;
    try {
      for (const worker of this.#workers) this.#start(worker);
      while (this.#isBusy || this.#finished.length > 0) {
        signal?.throwIfAborted();
        const outcomes = this.#finished.shift();
        if (outcomes !== undefined) {
          yield outcomes;
        } else if (clock() >= deadline) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onWake);
      this.#held.clear();
      await endScanWorkers(this.#workers);
    }
  }

  #start(worker: Worker): void {
    if (hasEnded(worker)) return;
    this.#held.set(worker, []);
    worker.on('message', (outcomes: readonly ScanOutcome[]) => {
      this.#finished.push(outcomes);
      this.#held.get(worker)?.shift();
      this.#feed(worker);
      this.#wake();
    });
    worker.on('error', () => this.#lose(worker));
    worker.on('exit', () => this.#lose(worker));
    for (let ahead = 0; ahead < BATCHES_AHEAD; ahead += 1) this.#feed(worker);
  }

  #feed(worker: Worker): void {
    const held = this.#held.get(worker);
    if (held === undefined) return;
    const batch = this.#jobs.slice(this.#next, this.#next + JOBS_A_BATCH);
    if (batch.length === 0) return;
    this.#next += batch.length;
    held.push(batch);
    worker.postMessage(batch);
  }

  get #isBusy(): boolean {
    return [...this.#held.values()].some((held) => held.length > 0);
  }

  /** What failed a worker fails this thread too, where it can be told; what only a worker cannot have, does not. */
  #lose(worker: Worker): void {
    const held = this.#held.get(worker);
    if (held === undefined) return;
    this.#held.delete(worker);
    for (const job of held.flat()) this.#lost.push(job);
    this.#wake();
  }
}
