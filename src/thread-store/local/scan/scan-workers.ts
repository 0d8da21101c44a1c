/**
 * The threads that scan: started as soon as it is known that there is work for them, since a thread takes as long to
 * start as it takes to open an index. Knows nothing of what they do.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** Below this, starting a thread costs more than it saves. */
const WORKER_PAYS_BYTES = 64 * 1024 * 1024;
/** Each thread has to warm up by itself: of less than this the time to do so is most. */
const FULL_PARALLEL_BYTES = 768 * 1024 * 1024;
/** What a thread may hold before it collects: a scan makes little that lives on. */
const YOUNG_MB = 8;

/** Threads that nobody has asked for anything yet. Whoever has them ends them. */
export type ScanWorkers = readonly Worker[];

/** Those that ended before anybody looked. */
const ended = new WeakSet<Worker>();

/**
 * Starts as many threads as so many bytes are worth, at most `most`. None where the entry point is not there (the code
 * was not built, or was bundled elsewhere), or where a process may not have threads.
 */
export function startScanWorkers({ bytes, most }: { readonly bytes: number; readonly most: number }): ScanWorkers {
  const entry = workerEntry();
  if (bytes < WORKER_PAYS_BYTES || entry === undefined) return [];
  const workers: Worker[] = [];
  try {
    for (let wanted = Math.min(workersFor(bytes), most); wanted > 0; wanted -= 1) workers.push(startWorker(entry));
  } catch {
    // What could not be started leaves its work to the others, or to this thread.
  }
  return workers;
}

/** True for a thread that can be asked for nothing any more. */
export function hasEnded(worker: Worker): boolean {
  return ended.has(worker);
}

/** Resolves when every thread has ended. */
export async function endScanWorkers(workers: ScanWorkers): Promise<void> {
  await Promise.all(workers.map((worker) => worker.terminate()));
}

function startWorker(entry: URL): Worker {
  const worker = new Worker(entry, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
  // What a thread fails of fails whoever does its work instead, where it can be told.
  worker.on('error', () => ended.add(worker));
  worker.on('exit', () => ended.add(worker));
  return worker;
}

/** One thread fewer than there are cores, since this one writes what they find; of much work, each takes a share. */
function workersFor(bytes: number): number {
  const cores = availableParallelism();
  return bytes >= FULL_PARALLEL_BYTES ? cores : Math.max(1, cores - 1);
}

function workerEntry(): URL | undefined {
  const entry = new URL('./scan-worker.js', import.meta.url);
  return entry.protocol === 'file:' && existsSync(fileURLToPath(entry)) ? entry : undefined;
}
