/**
 * Entry point of a worker thread that scans files: takes batches of jobs, posts the outcome of each batch.
 * Reads and folds only; the databases belong to the thread that started it.
 */
import { parentPort } from 'node:worker_threads';
import { nodeFileSystem } from '../../../platform/files/node-file-system.js';
import { runScanJob, type ScanJob, type ScanOutcome } from './scan-job.js';

parentPort?.on('message', (jobs: readonly ScanJob[]) => {
  const outcomes = jobs.map((job) => runScanJob(job, nodeFileSystem));
  parentPort?.postMessage(outcomes, transferable(outcomes));
});

/** The large parts change hands instead of being copied. */
function transferable(outcomes: readonly ScanOutcome[]): ArrayBuffer[] {
  return outcomes.flatMap((outcome) => {
    const bytes = 'error' in outcome ? undefined : outcome.documents?.terms;
    // Only memory that is all theirs: see documentTerms().
    return bytes !== undefined && bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
      ? [bytes.buffer]
      : [];
  });
}
