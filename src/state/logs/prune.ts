/**
 * Takes out of the log what is over its bounds. A partition keeps its newest rows, as many as fit in rows and in bytes; a
 * single row above the bytes goes, and takes no other with it.
 */
import type { Statements } from '../statements.js';
import type { LogBounds } from './bounds.js';
import type { LogRecord } from './log-entry.js';

/** The two kinds of partition, by the column that names one. */
const PARTITIONS = [
  ['thread_id', 'thread_id = ?'],
  ['process_uuid', 'thread_id IS NULL AND process_uuid = ?'],
] as const;

/** Prunes the partitions that `records` belong to; resolves the number of rows that went. */
export function prunePartitions(statements: Statements, records: readonly LogRecord[], bounds: LogBounds): number {
  const touched = {
    thread_id: new Set(records.flatMap(({ threadId }) => threadId ?? [])),
    process_uuid: new Set(records.flatMap(({ threadId, processId }) => (threadId === undefined ? processId : []))),
  };
  let removed = 0;
  for (const [column, where] of PARTITIONS) {
    for (const key of touched[column]) removed += prunePartition(statements, where, key, bounds);
  }
  return removed;
}

function prunePartition(statements: Statements, where: string, key: string, bounds: LogBounds): number {
  const { partitionBytes, partitionRows } = bounds;
  const size = statements
    .prepare<{ readonly bytes: number | null; readonly rows: number }>(
      `SELECT SUM(estimated_bytes) AS bytes, COUNT(*) AS rows FROM logs WHERE ${where}`,
    )
    .get(key);
  if (size === undefined || ((size.bytes ?? 0) <= partitionBytes && size.rows <= partitionRows)) return 0;
  const tooLarge = statements
    .prepare(`DELETE FROM logs WHERE ${where} AND estimated_bytes > ?`)
    .run(key, partitionBytes).changes;
  const tooMany = statements
    .prepare(
      `DELETE FROM logs WHERE id IN (
         SELECT id FROM (
           SELECT id,
             SUM(estimated_bytes) OVER newest AS bytes,
             ROW_NUMBER() OVER newest AS number
           FROM logs WHERE ${where}
           WINDOW newest AS (ORDER BY ts DESC, ts_nanos DESC, id DESC ROWS UNBOUNDED PRECEDING)
         ) WHERE bytes > ? OR number > ?
       )`,
    )
    .run(key, partitionBytes, partitionRows).changes;
  return tooLarge + tooMany;
}

/** Deletes rows from before `instantMs`. */
export function pruneOlder(statements: Statements, instantMs: number): number {
  return statements.prepare('DELETE FROM logs WHERE ts < ?').run(Math.floor(instantMs / 1000)).changes;
}

/** Deletes the oldest rows of the whole log until their text is at most `bytes`. */
export function pruneWhole(statements: Statements, bytes: number): number {
  return statements
    .prepare(
      `DELETE FROM logs WHERE id IN (
         SELECT id FROM (
           SELECT id, SUM(estimated_bytes) OVER (ORDER BY ts DESC, ts_nanos DESC, id DESC ROWS UNBOUNDED PRECEDING) AS bytes
           FROM logs
         ) WHERE bytes > ?
       )`,
    )
    .run(bytes).changes;
}
