/**
 * From what the walk and the scan found of one file to what the full-text index keeps of it, and back to where the next
 * scan of it starts.
 */
import { type DocumentsCarry, NO_DOCUMENTS } from '../../../projection/documents.js';
import { NO_FACTS, type ThreadFacts } from '../../../projection/thread-facts.js';
import type { Dialect } from '../../../protocol/rollout-line.js';
import type { WalkedFile } from '../../../rollout/walk.js';
import type { NewDocuments, SearchFile, Watermark } from '../../../state/index.js';
import type { DocumentsOutcome, DocumentsStart, KnownFacts } from '../scan/scan-job.js';
import { identityOf, watermarkOf } from './file-record.js';

interface Carry {
  readonly documents: DocumentsCarry;
  readonly known: KnownFacts;
  readonly dialect: Dialect | null;
  /** True when the last line lacked its end. */
  readonly isUnfinished: boolean;
}

const NOTHING: NewDocuments = {
  terms: new Uint8Array(),
  ends: [],
  places: new Uint8Array(),
  texts: undefined,
  retracted: [],
};

export interface SearchEntry {
  readonly record: SearchFile;
  readonly documents: NewDocuments;
  readonly appended: boolean;
}

/** A file that was scanned. */
export function searchEntry(file: WalkedFile, outcome: DocumentsOutcome): SearchEntry {
  const { facts, terms, ends, places, texts, retracted, appended } = outcome;
  const carry: Carry = {
    documents: outcome.carry,
    known: knownOf(facts.facts),
    dialect: facts.dialect,
    isUnfinished: facts.isUnfinished,
  };
  return {
    record: {
      path: file.path,
      threadId: identityOf(file, facts).threadId,
      compressed: file.name?.compressed ?? false,
      updatedAtMs: facts.facts.updatedAtMs ?? Number(file.mtimeNs / 1_000_000n),
      watermark: watermarkOf(file, 'full', outcome),
      carry: JSON.stringify(carry),
    },
    documents: { terms, ends, places, texts, retracted },
    appended,
  };
}

function knownOf({ threadId, hasMeta, historyBase, updatedAtMs }: ThreadFacts): KnownFacts {
  return { threadId, hasMeta, historyBase, updatedAtMs };
}

/** A file in which nothing can be searched, as it is. */
export function silentEntry(file: WalkedFile, stage: 'head' | 'full'): SearchEntry {
  const nothing = { bytesRead: 0, lines: 0, headHash: '', tailHash: '' };
  const carry: Carry = { documents: NO_DOCUMENTS, known: knownOf(NO_FACTS), dialect: null, isUnfinished: false };
  return {
    record: {
      path: file.path,
      threadId: file.name?.threadId ?? null,
      compressed: file.name?.compressed ?? false,
      updatedAtMs: Number(file.mtimeNs / 1_000_000n),
      watermark: watermarkOf(file, stage, nothing),
      carry: JSON.stringify(carry),
    },
    documents: NOTHING,
    appended: false,
  };
}

/** Where the scan of a file that has grown starts; undefined where it must begin at its start. */
export function documentsStart(file: WalkedFile, known: SearchFile | undefined): DocumentsStart | undefined {
  if (known === undefined || known.compressed || !mayHaveGrown(file, known.watermark)) return undefined;
  // Written by searchEntry(), in a database that is ours alone.
  const carry = JSON.parse(known.carry) as Carry;
  if (carry.isUnfinished || carry.dialect === null) return undefined;
  const { bytesRead, lines, headHash, tailHash } = known.watermark;
  return {
    byteOffset: bytesRead,
    lines,
    headHash,
    tailHash,
    dialect: carry.dialect,
    known: carry.known,
    carry: carry.documents,
  };
}

/** True when a file may have been appended to since; what else became of it, hashes tell. */
export function mayHaveGrown(file: WalkedFile, { stage, bytesRead, sizeBytes, inode, device }: Watermark): boolean {
  if (stage !== 'full' || bytesRead === 0) return false;
  return file.sizeBytes > sizeBytes && file.inode === inode && file.device === device;
}
