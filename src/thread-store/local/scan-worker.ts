/**
 * Entry point of a worker thread that scans files: takes batches of jobs, posts the outcome of each batch.
 * Reads and folds only; the databases belong to the thread that started it.
 */
import { parentPort } from 'node:worker_threads';
import { nodeFileSystem } from '../../platform/files/node-file-system.js';
import { runScanJob, type ScanJob } from './scan-job.js';

parentPort?.on('message', (jobs: readonly ScanJob[]) => {
  parentPort?.postMessage(jobs.map((job) => runScanJob(job, nodeFileSystem)));
});
