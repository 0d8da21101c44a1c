/**
 * What a scan of one file takes and gives, and the slow and certain way to it: folding every record.
 *
 * Owns the law that the fast way (`facts-scan.ts`) is held to. Synchronous, for worker threads.
 */
import type { FileSystem } from '../../../platform/files/file-system.js';
import type { DocumentOptions, DocumentsCarry, FoldedDocuments } from '../../../projection/documents.js';
import { FactsFold } from '../../../projection/thread-facts.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { readRecordsSync } from '../../../rollout/forward-reader.js';
import { DocumentScan } from './document-scan.js';
import { type EdgeHashes, edgeHashes } from './edge-hashes.js';
import type { FileFacts } from './file-facts.js';

/** Where an earlier scan of the same file ended. */
export interface ScanStart {
  readonly byteOffset: number;
  /** Physical lines before that offset. */
  readonly lines: number;
  readonly facts: FileFacts;
}

export interface ScanOptions {
  readonly files: FileSystem;
  readonly from?: ScanStart | undefined;
  /** Scans a prefix; default: to the end that the file has now. */
  readonly endByteOffset?: number | undefined;
  /** Also finds the documents: which, and what an earlier scan that ended at `from` has handed on. */
  readonly documents?: DocumentsWanted | undefined;
}

export interface DocumentsWanted extends DocumentOptions {
  readonly carry: DocumentsCarry;
}

export interface ScanResult extends EdgeHashes {
  readonly facts: FileFacts;
  /** End of the last line that a line feed ends: an unfinished one is read again when the file has grown. */
  readonly bytesRead: number;
  readonly lines: number;
  /** Undefined when they were not asked for. */
  readonly documents: FoldedDocuments | undefined;
}

/** Reads all records, damaged lines and compressed files included. Throws what opening or reading the file throws. */
export function foldEveryRecord(path: string, options: ScanOptions): ScanResult {
  const { from, files, endByteOffset } = options;
  const documents = documentScan(options);
  const fold = new FactsFold(from?.facts.facts);
  let hasRecords = from?.facts.hasRecords ?? false;
  let hasLines = from?.facts.hasLines ?? false;
  let isUnfinished = false;
  let dialect = from?.facts.dialect ?? undefined;
  let lines = from?.lines ?? 0;
  let bytesRead = from?.byteOffset ?? 0;
  const batches = readRecordsSync(path, {
    files,
    startByteOffset: bytesRead,
    startLineNumber: lines + 1,
    ...(endByteOffset !== undefined && { endByteOffset }),
    ...(dialect !== undefined && { dialect }),
  });
  for (const batch of batches) {
    for (const record of batch.records) {
      fold.apply(record.line, record);
      documents?.apply(record);
    }
    hasRecords ||= batch.records.length > 0;
    hasLines ||=
      hasRecords || batch.damage.some(({ kind }) => kind !== 'nul' && kind !== 'bom') || batch.unknown.length > 0;
    dialect = batch.dialect ?? dialect;
    if (batch.last && !batch.terminated) {
      isUnfinished = true;
      lines = batch.lines - 1;
    } else {
      lines = batch.lines;
      bytesRead = batch.nextByteOffset;
    }
  }
  if (isCompressed(path)) bytesRead = files.lstatSync(path).sizeBytes;
  return {
    facts: { facts: fold.finish(), hasRecords, hasLines, isUnfinished, dialect: dialect ?? null },
    bytesRead,
    lines,
    documents: documents?.finish(),
    ...edgeHashes(path, bytesRead, files),
  };
}

/** The scan of the documents that are asked for; undefined when none are. */
export function documentScan({ documents }: ScanOptions): DocumentScan | undefined {
  return documents && new DocumentScan(documents.carry, documents);
}
