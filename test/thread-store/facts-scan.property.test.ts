import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeFileSystem as files } from '../../src/platform/files/node-file-system.js';
import { FactsFold } from '../../src/projection/thread-facts.js';
import { readRecordsSync } from '../../src/rollout/forward-reader.js';
import { scanFacts } from '../../src/thread-store/local/scan/facts-scan.js';
import { damagedRollout, lineOf, ROLLOUTS } from './damaged-logs.js';
import { tempFolder } from './temp-home.js';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

/** What the scan must find, without its shortcuts. */
function foldEvery(path: string) {
  const fold = new FactsFold();
  let hasRecords = false;
  let dialect: string | null = null;
  for (const batch of readRecordsSync(path, { files })) {
    for (const record of batch.records) fold.apply(record.line, record);
    hasRecords ||= batch.records.length > 0;
    dialect = batch.dialect ?? dialect;
  }
  return { facts: fold.finish(), hasRecords, dialect };
}

function scanned(path: string) {
  const { facts } = scanFacts(path, { files });
  return { facts: facts.facts, hasRecords: facts.hasRecords, dialect: facts.dialect };
}

/** Reads to `cut`, then on from where that reading ended. */
function scannedInTwo(path: string, cut: number) {
  const { bytesRead, lines, facts } = scanFacts(path, { files, endByteOffset: cut });
  return scanFacts(path, { files, from: { byteOffset: bytesRead, lines, facts } });
}

const path = join(folder.path, 'rollout.jsonl');

/** A build says the same thing twice; another number explores further. */
const SEED = 20_261_130;

describe('scanFacts()', () => {
  test('finds in every fixture what folding every record finds', () => {
    for (const file of ROLLOUTS) expect({ file, ...scanned(file) }).toEqual({ file, ...foldEvery(file) });
  });

  test('reads every fixture on from anywhere', () => {
    for (const file of ROLLOUTS.filter((name) => name.endsWith('.jsonl'))) {
      const whole = scanFacts(file, { files });
      const size = statSync(file).size;
      for (const part of [0, 0.1, 0.5, 0.77, 0.999, 1]) {
        expect({ file, part, ...scannedInTwo(file, Math.floor(size * part)) }).toEqual({ file, part, ...whole });
      }
    }
  });

  test('finds a bare record behind one that was cut, although nothing closes before it', () => {
    const told = '<environment_context>\\n<cwd>/told</cwd>\\n</environment_context>';
    const meta =
      '{"id":"01a229a2-9e35-7313-bb41-f1df13f7214a","timestamp":"2026-05-04T10:00:00.000Z","instructions":null}';
    const message = `{"type":"message","role":"user","content":[{"type":"input_text","text":"${told}"}]}`;
    writeFileSync(path, `${meta}\n{"record_type":"state"${message}\n`);
    expect(scanned(path)).toEqual(foldEvery(path));
    expect(scanned(path).facts.contextCwd).toBe('/told');
  });

  test('keeps the dialect of the first session_meta when reading goes on behind it', () => {
    const meta = (mode: string): Buffer =>
      lineOf({
        timestamp: '2026-05-04T10:00:00.000Z',
        type: 'session_meta',
        payload: { id: '01a229a2-9e35-7313-bb41-f1df13f7214a', history_mode: mode },
      });
    writeFileSync(path, Buffer.concat([meta('legacy'), meta('paginated')]));
    expect(scannedInTwo(path, meta('legacy').length)).toEqual(scanFacts(path, { files }));
    expect(scanned(path).dialect).toBe('legacy');
  });

  test('finds in any damaged log what folding every record finds', () => {
    fc.assert(
      fc.property(damagedRollout, (bytes) => {
        writeFileSync(path, bytes);
        expect(scanned(path)).toEqual(foldEvery(path));
      }),
      { numRuns: 600, seed: SEED },
    );
  });

  test('reads any damaged log on from any byte', () => {
    const place = fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), behindBrace: fc.boolean() });
    fc.assert(
      fc.property(damagedRollout, place, (bytes, { part, behindBrace }) => {
        writeFileSync(path, bytes);
        const byte = Math.floor(bytes.length * part);
        // Behind a brace an unfinished line may be a whole record, until more of the line comes.
        const cut = behindBrace ? bytes.indexOf('}', byte) + 1 : byte;
        expect(scannedInTwo(path, cut)).toEqual(scanFacts(path, { files }));
      }),
      { numRuns: 600, seed: SEED },
    );
  });
});
