/**
 * Where a row stands in a list, so that lists of several homes can be merged and continued with one cursor.
 */
import type { ThreadRow } from '../projection/thread-row.js';
import type { ListOrder, RowPosition } from './cursor.js';
import { homePaths } from './home-paths.js';

/** The position of a row that listThreads() or listFiles() gave. */
export function rowPosition(row: ThreadRow, order: ListOrder): RowPosition {
  return {
    sort: order.sort,
    files: order.files,
    valueMs: Date.parse(order.sort === 'created' ? row.createdAt : row.updatedAt),
    key: order.files ? homePaths(row.home).toStored(row.path) : (row.id ?? ''),
  };
}

/** Negative when `a` comes first: newest first; ties by id, descending, or by path, ascending. */
export function comparePositions(a: RowPosition, b: RowPosition): number {
  if (a.valueMs !== b.valueMs) return b.valueMs - a.valueMs;
  // The order of the bytes, as SQLite has it, not that of UTF-16.
  const byKey = Buffer.compare(Buffer.from(a.key, 'utf8'), Buffer.from(b.key, 'utf8'));
  return a.files ? byKey : -byKey;
}
