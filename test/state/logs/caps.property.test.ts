import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LogRecord, openLogsDatabase } from '../../../src/state/logs/index.js';
import { NOW, record, thread } from './records.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-logs-caps-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const BOUNDS = { partitionRows: 7, partitionBytes: 400 };

const sizeOf = ({ level, target, message }: LogRecord): number =>
  Buffer.byteLength(level) + Buffer.byteLength(target) + Buffer.byteLength(message);

/** What must be left of a partition, said without SQL: the newest rows, none of which is too large alone. */
function expected(written: readonly LogRecord[]): string[] {
  const newestFirst = written
    .map((row, order) => ({ row, order }))
    .filter(({ row }) => sizeOf(row) <= BOUNDS.partitionBytes)
    .sort((a, b) => b.row.atMs - a.row.atMs || b.order - a.order);
  const kept: string[] = [];
  let bytes = 0;
  for (const { row } of newestFirst) {
    bytes += sizeOf(row);
    if (bytes > BOUNDS.partitionBytes || kept.length === BOUNDS.partitionRows) break;
    kept.unshift(row.message);
  }
  return kept;
}

const entry = fc.record({
  partition: fc.integer({ min: 0, max: 3 }),
  size: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 150, max: 450 })),
  letter: fc.constantFrom('x', '한', '😀'),
  step: fc.integer({ min: 0, max: 2 }),
});

describe('the caps of a partition', () => {
  test('hold after every batch, and keep the newest, for any mix of partitions and sizes', () => {
    let run = 0;
    fc.assert(
      fc.property(
        fc.array(fc.array(entry, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 }),
        (batches) => {
          run += 1;
          using logs = openLogsDatabase({ path: join(folder, `${run}.sqlite`), now: () => NOW, bounds: BOUNDS });
          const written = new Map<string, LogRecord[]>();
          let atMs = NOW;
          let number = 0;
          for (const batch of batches) {
            const rows = batch.map(({ partition, size, letter, step }) => {
              atMs += step;
              number += 1;
              const message = `${number} ${letter.repeat(size)}`;
              // Two partitions are threads; the others processes. A thread's rows come from either process.
              const threadId = partition < 2 ? thread(partition) : undefined;
              return record({ message, atMs, threadId, processId: `pid:${partition % 2}` });
            });
            logs.append(rows);
            // What an earlier batch has pruned stays gone: older rows can only come back if time went backwards.
            for (const row of rows) {
              const key = row.threadId ?? row.processId;
              written.set(key, [...(written.get(key) ?? []), row]);
            }
          }
          const left = logs.rows({ limit: 10_000 });
          for (const [key, rows] of written) {
            expect(left.filter((row) => (row.threadId ?? row.processId) === key).map(({ message }) => message)).toEqual(
              expected(rows),
            );
          }
          for (const { rows, bytes } of logs.partitions()) {
            expect(rows).toBeLessThanOrEqual(BOUNDS.partitionRows);
            expect(bytes).toBeLessThanOrEqual(BOUNDS.partitionBytes);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
