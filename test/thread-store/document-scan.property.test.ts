import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeFileSystem as files } from '../../src/platform/files/node-file-system.js';
import {
  type Document,
  type DocumentsCarry,
  DocumentsFold,
  type FoldedDocuments,
  messageOf,
  NO_DOCUMENTS,
} from '../../src/projection/documents.js';
import { parseInstant } from '../../src/projection/instant.js';
import { readRecordsSync } from '../../src/rollout/forward-reader.js';
import { scanFacts } from '../../src/thread-store/local/scan/facts-scan.js';
import type { ScanResult, ScanStart } from '../../src/thread-store/local/scan/record-scan.js';
import { damagedRollout, ROLLOUTS } from './damaged-logs.js';
import { storedZstd } from './home-changes.js';
import { messageLog } from './message-logs.js';
import { tempFolder } from './temp-home.js';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());
const path = join(folder.path, 'rollout.jsonl');

/** A build says the same thing twice; another number explores further. */
const SEED = Number(process.env['SEED'] ?? 20_261_130);
const RUNS = Number(process.env['RUNS'] ?? 160);

const BOUNDARIES: ReadonlySet<string> = new Set(['task_started', 'task_complete', 'turn_aborted']);

/** What the scan must find, without its shortcuts. */
function foldEvery(file: string, { tools }: { readonly tools: boolean }): FoldedDocuments {
  const fold = new DocumentsFold(NO_DOCUMENTS, (mark) =>
    createHash('sha256').update(mark).digest('base64url').slice(0, 22),
  );
  for (const { records } of readRecordsSync(file, { files })) {
    for (const { line, lineNumber, byteOffset, byteLength } of records) {
      if (line.item.type === 'event_msg' && BOUNDARIES.has(line.item.payload.type)) fold.boundary();
      const message = messageOf(line, { tools });
      if (message !== undefined)
        fold.add(message, { lineNumber, byteOffset, byteLength, atMs: parseInstant(line.timestamp) });
    }
  }
  return fold.finish();
}

interface Scanned extends ScanResult {
  readonly documents: FoldedDocuments;
}

function scan(
  file: string,
  options: {
    readonly tools: boolean;
    readonly end?: number | undefined;
    readonly from?: ScanStart & { readonly carry: DocumentsCarry };
  },
): Scanned {
  const { tools, end, from } = options;
  const documents = { tools, carry: from?.carry ?? NO_DOCUMENTS };
  const result = scanFacts(file, { files, endByteOffset: end, from, documents });
  if (result.documents === undefined) throw new Error('No documents');
  return { ...result, documents: result.documents };
}

/** What two scans of one file leave, the second behind where the first one ended: as the index does it. */
function scannedInTwo(
  file: string,
  cut: number,
  tools: boolean,
): { readonly documents: readonly Document[]; readonly carry: DocumentsCarry } {
  const first = scan(file, { tools, end: cut });
  // What an unfinished line told cannot be taken back, and before the first record nothing is known.
  if (first.facts.isUnfinished || first.facts.dialect === null) return scan(file, { tools }).documents;
  const { bytesRead: byteOffset, lines, facts } = first;
  const second = scan(file, { tools, from: { byteOffset, lines, facts, carry: first.documents.carry } });
  const gone = new Set(second.documents.retracted);
  const kept = first.documents.documents.filter((_, at) => !gone.has(at));
  return { documents: [...kept, ...second.documents.documents], carry: second.documents.carry };
}

describe('scanFacts() for documents', () => {
  test('finds in every fixture what folding every record finds', () => {
    for (const file of ROLLOUTS) {
      for (const tools of [false, true])
        expect({ file, ...scan(file, { tools }).documents }).toEqual({ file, ...foldEvery(file, { tools }) });
    }
  });

  test('finds in any log of messages what folding every record finds', () => {
    fc.assert(
      fc.property(messageLog, fc.boolean(), (bytes, tools) => {
        writeFileSync(path, bytes);
        expect(scan(path, { tools }).documents).toEqual(foldEvery(path, { tools }));
      }),
      { numRuns: RUNS * 2, seed: SEED },
    );
  });

  test('finds in any damaged log of a release what folding every record finds', () => {
    fc.assert(
      fc.property(damagedRollout, fc.boolean(), (bytes, tools) => {
        writeFileSync(path, bytes);
        expect(scan(path, { tools }).documents).toEqual(foldEvery(path, { tools }));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test('finds the same in a compressed copy, its places as in the log that it holds', () => {
    fc.assert(
      fc.property(messageLog, (bytes) => {
        writeFileSync(path, bytes);
        writeFileSync(`${path}.zst`, storedZstd(bytes));
        expect(scan(`${path}.zst`, { tools: false }).documents).toEqual(scan(path, { tools: false }).documents);
      }),
      { numRuns: RUNS / 4, seed: SEED },
    );
  });

  test('leaves, read in two parts, what it finds at once', () => {
    fc.assert(
      fc.property(messageLog, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (bytes, part, atLine) => {
        writeFileSync(path, bytes);
        const byte = Math.floor(bytes.length * part);
        const cut = atLine ? bytes.indexOf(10, byte) + 1 : byte;
        const { documents } = scannedInTwo(path, cut, false);
        expect(documents).toEqual(scan(path, { tools: false }).documents.documents);
      }),
      { numRuns: RUNS * 2, seed: SEED },
    );
  });
});
