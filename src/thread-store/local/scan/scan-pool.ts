/**
 * Scans many files on all cores, in the order given, a bounded number of batches ahead of the consumer.
 *
 * Where worker threads cannot be started (a bundler moved the entry point, a file system of the caller's own), the work
 * runs in this thread, one file between two turns of the event loop.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { nodeFileSystem } from '../../../platform/files/node-file-system.js';
import { nextTurn } from '../../../platform/next-turn.js';
import { runScanJob, type ScanJob, type ScanOutcome } from './scan-job.js';

export interface ScanPoolOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  /** Bytes that the jobs will read, about: little work does not pay for a thread. */
  readonly bytes: number;
  /** Milliseconds on a clock that only goes forward; at `deadline` the work stops where it is. */
  readonly clock: () => number;
  readonly deadline: number;
}

/** Below this, starting a thread costs more than it saves. */
const WORKER_PAYS_BYTES = 64 * 1024 * 1024;
/** Each thread has to warm up by itself: of less than this the time to do so is most. */
const FULL_PARALLEL_BYTES = 768 * 1024 * 1024;
const JOBS_A_BATCH = 16;
/** What a thread may hold before it collects: a scan makes little that lives on. */
const YOUNG_MB = 16;
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
  if (options.clock() >= options.deadline) return;
  const entry = workerEntry();
  if (options.files !== nodeFileSystem || options.bytes < WORKER_PAYS_BYTES || entry === undefined) {
    yield* scanInThread(jobs, options);
    return;
  }
  const pool = new WorkerPool(jobs, entry);
  yield* pool.outcomes(options);
  yield* scanInThread(pool.unfinished, options);
}

/** One thread fewer than there are cores, since this one writes what they find; of much work, each takes a share. */
function workersFor(bytes: number): number {
  const cores = availableParallelism();
  return bytes >= FULL_PARALLEL_BYTES ? cores : Math.max(1, cores - 1);
}

/** The built entry point beside this module; undefined when the code was not built or was bundled elsewhere. */
function workerEntry(): URL | undefined {
  const entry = new URL('./scan-worker.js', import.meta.url);
  return entry.protocol === 'file:' && existsSync(fileURLToPath(entry)) ? entry : undefined;
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
  readonly #entry: URL;
  readonly #finished: (readonly ScanOutcome[])[] = [];
  /** What each worker holds, oldest first. */
  readonly #held = new Map<Worker, (readonly ScanJob[])[]>();
  readonly #lost: ScanJob[] = [];
  #next = 0;
  #wake = (): void => {};

  constructor(jobs: readonly ScanJob[], entry: URL) {
    this.#jobs = jobs;
    this.#entry = entry;
  }

  /** Jobs whose worker could not be started or died, once `outcomes` is done: for another way to do them. */
  get unfinished(): readonly ScanJob[] {
    return [...this.#lost, ...this.#jobs.slice(this.#next)];
  }

  async *outcomes({ signal, clock, deadline, bytes }: ScanPoolOptions): AsyncGenerator<readonly ScanOutcome[], void> {
    const onWake = (): void => this.#wake();
    signal?.addEventListener('abort', onWake);
    const timer = Number.isFinite(deadline) ? setTimeout(onWake, Math.max(0, deadline - clock())) : undefined;
    try {
      const count = Math.min(workersFor(bytes), Math.ceil(this.#jobs.length / JOBS_A_BATCH));
      for (let started = 0; started < count; started += 1) this.#start();
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
      const workers = [...this.#held.keys()];
      this.#held.clear();
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  }

  #start(): void {
    let worker: Worker;
    try {
      worker = new Worker(this.#entry, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    } catch {
      // A process that may not have threads does the work itself.
      return;
    }
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
