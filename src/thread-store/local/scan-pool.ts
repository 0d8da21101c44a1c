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
import type { FileSystem } from '../../platform/files/file-system.js';
import { nodeFileSystem } from '../../platform/files/node-file-system.js';
import { runScanJob, type ScanJob, type ScanOutcome } from './scan-job.js';

export interface ScanPoolOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  /** Bytes that the jobs will read, about: little work does not pay for a thread. */
  readonly bytes: number;
}

/** Below this, starting a thread costs more than it saves. */
const WORKER_PAYS_BYTES = 64 * 1024 * 1024;
const JOBS_A_BATCH = 16;
/** Batches that a worker holds: one at work, one waiting. */
const BATCHES_AHEAD = 2;

/** Yields batches of outcomes as they come; every job has exactly one outcome. Returning early stops the workers. */
export async function* scanFiles(
  jobs: readonly ScanJob[],
  options: ScanPoolOptions,
): AsyncGenerator<readonly ScanOutcome[], void> {
  const entry = workerEntry();
  if (options.files !== nodeFileSystem || options.bytes < WORKER_PAYS_BYTES || entry === undefined) {
    yield* scanInThread(jobs, options);
  } else {
    yield* scanInWorkers(jobs, entry, options);
  }
}

/** The built entry point beside this module; undefined when the code was not built or was bundled elsewhere. */
function workerEntry(): URL | undefined {
  const entry = new URL('./scan-worker.js', import.meta.url);
  return entry.protocol === 'file:' && existsSync(fileURLToPath(entry)) ? entry : undefined;
}

async function* scanInThread(
  jobs: readonly ScanJob[],
  { files, signal }: ScanPoolOptions,
): AsyncGenerator<readonly ScanOutcome[], void> {
  for (const job of jobs) {
    signal?.throwIfAborted();
    yield [runScanJob(job, files)];
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

async function* scanInWorkers(
  jobs: readonly ScanJob[],
  entry: URL,
  { signal }: ScanPoolOptions,
): AsyncGenerator<readonly ScanOutcome[], void> {
  const finished: (readonly ScanOutcome[])[] = [];
  let failure: unknown;
  let wake = (): void => {};
  let next = 0;
  let outstanding = 0;
  const feed = (worker: Worker): void => {
    if (next >= jobs.length) return;
    const batch = jobs.slice(next, next + JOBS_A_BATCH);
    next += batch.length;
    outstanding += 1;
    worker.postMessage(batch);
  };
  const workers = Array.from(
    { length: Math.min(availableParallelism(), Math.ceil(jobs.length / JOBS_A_BATCH)) },
    () => {
      const worker = new Worker(entry);
      worker.on('message', (outcomes: readonly ScanOutcome[]) => {
        finished.push(outcomes);
        outstanding -= 1;
        feed(worker);
        wake();
      });
      worker.on('error', (error) => {
        failure = error;
        wake();
      });
      for (let ahead = 0; ahead < BATCHES_AHEAD; ahead += 1) feed(worker);
      return worker;
    },
  );
  const onAbort = (): void => wake();
  signal?.addEventListener('abort', onAbort);
  try {
    while (outstanding > 0 || finished.length > 0) {
      signal?.throwIfAborted();
      if (failure !== undefined) throw failure;
      const outcomes = finished.shift();
      if (outcomes !== undefined) {
        yield outcomes;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
