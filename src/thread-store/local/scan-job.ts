/**
 * One file to scan and what came of it: plain data, so that it can go to a worker thread and back.
 */
import { CodicilError } from '../../base/errors.js';
import { type FileStat, type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { edgeHashes } from './edge-hashes.js';
import { type ScanStart, scanFacts } from './facts-scan.js';
import type { FileFacts } from './file-facts.js';

export interface ScanJob {
  readonly path: string;
  /** Where the scan of an earlier time ended; used only while the hashes of both edges still match. */
  readonly from?: (ScanStart & { readonly headHash: string; readonly tailHash: string }) | undefined;
}

export type ScanOutcome =
  | {
      readonly path: string;
      readonly facts: FileFacts;
      readonly bytesRead: number;
      readonly lines: number;
      readonly headHash: string;
      readonly tailHash: string;
      /** True when only what stands behind `from` was read. */
      readonly appended: boolean;
    }
  | { readonly path: string; readonly error: string };

/** Scans one file. Errors of the file are an outcome; anything else is thrown. */
export function runScanJob(job: ScanJob, files: FileSystem): ScanOutcome {
  const { path } = job;
  try {
    const before = files.lstatSync(path);
    const from = job.from !== undefined && isAppendedTo(job.path, job.from, files) ? job.from : undefined;
    const { facts, bytesRead, lines } = scanFacts(path, { files, from });
    const hashes = edgeHashes(path, bytesRead, files);
    const steady = mayHaveBeenAppendedTo(before, files.lstatSync(path));
    return { path, facts, bytesRead, lines, ...(steady ? hashes : NO_HASHES), appended: from !== undefined };
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === undefined && !(error instanceof CodicilError)) throw error;
    return { path, error: code ?? 'unreadable' };
  }
}

function isAppendedTo(path: string, from: NonNullable<ScanJob['from']>, files: FileSystem): boolean {
  const { headHash, tailHash } = edgeHashes(path, from.byteOffset, files);
  return headHash === from.headHash && tailHash === from.tailHash;
}

/** Fit no file: the next scan begins at its start. */
const NO_HASHES = { headHash: '', tailHash: '' };

/** False when the file was surely rewritten while it was read, so that its hashes may not be those of what was read. */
function mayHaveBeenAppendedTo(before: FileStat, after: FileStat): boolean {
  if (before.inode !== after.inode || after.sizeBytes < before.sizeBytes) return false;
  return after.sizeBytes > before.sizeBytes || (after.ctimeNs === before.ctimeNs && after.mtimeNs === before.mtimeNs);
}
