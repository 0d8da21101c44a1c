/**
 * One file to scan and what came of it: plain data, so that it can go to a worker thread and back.
 */
import { CodicilError } from '../../../base/errors.js';
import {
  type FileStat,
  type FileSystem,
  fileErrorCode,
  type RegularFile,
} from '../../../platform/files/file-system.js';
import { type DocumentsCarry, NO_DOCUMENTS } from '../../../projection/documents.js';
import type { ThreadFacts } from '../../../projection/thread-facts.js';
import type { Dialect } from '../../../protocol/rollout-line.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { type DocumentTerms, documentTerms } from './document-terms.js';
import { edgeHashes } from './edge-hashes.js';
import { scanFacts } from './facts-scan.js';
import { type FileFacts, NO_FILE_FACTS } from './file-facts.js';
import type { ScanStart } from './record-scan.js';

/** Hashes of the file as an earlier scan left it; it is read on only while they still match. */
interface Hashes {
  readonly headHash: string;
  readonly tailHash: string;
}

/** What the beginning of a file has settled, or its end may leave unsaid. */
export type KnownFacts = Pick<ThreadFacts, 'threadId' | 'hasMeta' | 'historyBase' | 'updatedAtMs'>;

/** Where an earlier scan for documents ended. */
export interface DocumentsStart extends Hashes {
  readonly byteOffset: number;
  readonly lines: number;
  readonly dialect: Dialect;
  readonly known: KnownFacts;
  readonly carry: DocumentsCarry;
}

export interface ScanJob {
  readonly path: string;
  /** Undefined: facts are not wanted. */
  readonly facts: { readonly from: (ScanStart & Hashes) | undefined } | undefined;
  /** Undefined: documents are not wanted. */
  readonly documents: { readonly from: DocumentsStart | undefined; readonly tools: boolean } | undefined;
}

/** How far one scan read. */
export interface ScanEnd extends Hashes {
  readonly bytesRead: number;
  readonly lines: number;
  /** True when only what stands behind `from` was read. */
  readonly appended: boolean;
}

export interface FactsOutcome extends ScanEnd {
  readonly facts: FileFacts;
}

export interface DocumentsOutcome extends ScanEnd, DocumentTerms {
  /** Of what this scan read; what `KnownFacts` names, of the whole file. */
  readonly facts: FileFacts;
  readonly retracted: readonly number[];
  readonly carry: DocumentsCarry;
}

export type ScanOutcome =
  | {
      readonly path: string;
      readonly facts: FactsOutcome | undefined;
      readonly documents: DocumentsOutcome | undefined;
    }
  | { readonly path: string; readonly error: string };

/** Scans one file. Errors of the file are an outcome; anything else is thrown. */
export function runScanJob(job: ScanJob, files: FileSystem): ScanOutcome {
  const { path } = job;
  try {
    if (job.facts === undefined || job.documents === undefined || startsApart(job)) {
      return {
        path,
        facts: job.facts && scan(path, { from: job.facts.from, documents: undefined }, files).facts,
        documents:
          job.documents &&
          scan(path, { from: factsStart(job.documents.from), documents: job.documents }, files).documents,
      };
    }
    return { path, ...scan(path, { from: job.facts.from, documents: job.documents }, files) };
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === undefined && !(error instanceof CodicilError)) throw error;
    return { path, error: code ?? 'unreadable' };
  }
}

/** True when the two were last read up to different places: then each is read by itself. */
function startsApart({ facts, documents }: ScanJob): boolean {
  const [a, b] = [facts?.from, documents?.from];
  return a?.byteOffset !== b?.byteOffset || a?.headHash !== b?.headHash || a?.tailHash !== b?.tailHash;
}

/** What a scan for documents alone has to know of the file before it. */
function factsStart(from: DocumentsStart | undefined): (ScanStart & Hashes) | undefined {
  if (from === undefined) return undefined;
  const { dialect, known } = from;
  return { ...from, facts: { ...NO_FILE_FACTS, dialect, facts: { ...NO_FILE_FACTS.facts, ...known } } };
}

interface Wanted {
  readonly from: (ScanStart & Hashes) | undefined;
  readonly documents: ScanJob['documents'];
}

interface Scanned {
  readonly facts: FactsOutcome;
  readonly documents: DocumentsOutcome | undefined;
}

function scan(path: string, wanted: Wanted, files: FileSystem): Scanned {
  const file = files.openRegularSync(path);
  try {
    const scanned = scanOpen(path, wanted, holding(path, file, files));
    // What is at the path now: the file that was read may have been replaced.
    if (mayHaveBeenAppendedTo(file.stat, files.lstatSync(path))) return scanned;
    return {
      facts: { ...scanned.facts, ...NO_HASHES },
      documents: scanned.documents && { ...scanned.documents, ...NO_HASHES },
    };
  } finally {
    file.closeSync();
  }
}

function scanOpen(path: string, wanted: Wanted, files: FileSystem): Scanned {
  const from = wanted.from !== undefined && isAppendedTo(path, wanted.from, files) ? wanted.from : undefined;
  const appended = from !== undefined;
  const carry = (appended ? wanted.documents?.from?.carry : undefined) ?? NO_DOCUMENTS;
  const result = scanFacts(path, {
    files,
    from,
    documents: wanted.documents && { tools: wanted.documents.tools, carry },
  });
  const { facts, bytesRead, lines, headHash, tailHash, documents } = result;
  const end: ScanEnd = { bytesRead, lines, headHash, tailHash, appended };
  return {
    facts: { facts, ...end },
    documents: documents && {
      facts,
      ...end,
      ...documentTerms(documents.documents, { keepTexts: isCompressed(path) }),
      retracted: documents.retracted,
      carry: documents.carry,
    },
  };
}

/** The same file system, in which a file that is open is not opened again: a scan goes back to a few of its lines. */
function holding(path: string, file: RegularFile, files: FileSystem): FileSystem {
  const held: RegularFile = {
    stat: file.stat,
    read: (target, position) => file.read(target, position),
    readSync: (target, position) => file.readSync(target, position),
    close: async () => {},
    closeSync: () => {},
  };
  return { ...files, openRegularSync: (other) => (other === path ? held : files.openRegularSync(other)) };
}

function isAppendedTo(path: string, from: ScanStart & Hashes, files: FileSystem): boolean {
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
