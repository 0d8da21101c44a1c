/**
 * One file to scan and what came of it: plain data, so that it can go to a worker thread and back.
 */
import { CodicilError } from '../../base/errors.js';
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { edgeHashes, type FileFacts, type ScanStart, scanFacts } from './facts-scan.js';

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
    }
  | { readonly path: string; readonly error: string };

/** Scans one file. Errors of the file are an outcome; anything else is thrown. */
export function runScanJob(job: ScanJob, files: FileSystem): ScanOutcome {
  const { path } = job;
  try {
    const from = job.from !== undefined && isAppendedTo(job.path, job.from, files) ? job.from : undefined;
    const { facts, bytesRead, lines } = scanFacts(path, { files, from });
    return { path, facts, bytesRead, lines, ...edgeHashes(path, bytesRead, files) };
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
