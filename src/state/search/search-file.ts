/**
 * One file as the full-text index keeps it: its record, its row, and the SQL between the two.
 */
import { parseThreadId, type ThreadId } from '../../base/ids.js';
import type { HomePaths } from '../home-paths.js';
import { upsertSql, type WatermarkColumns, watermarkOfRow } from '../record-sql.js';
import type { Watermark } from '../rows.js';

/** One file as the full-text index knows it. */
export interface SearchFile {
  /** Absolute. */
  readonly path: string;
  readonly threadId: ThreadId | null;
  readonly compressed: boolean;
  readonly updatedAtMs: number;
  readonly watermark: Watermark;
  /** JSON text of the caller's: what the next scan of the file starts from. */
  readonly carry: string;
}

export interface FileSqlRow extends WatermarkColumns {
  readonly path: string;
  readonly file: number;
  readonly thread_id: string | null;
  readonly compressed: number;
  readonly updated_at_ms: number;
  readonly carry: string;
}

const FILE_COLUMNS = [
  'path',
  'file',
  'thread_id',
  'compressed',
  'updated_at_ms',
  'bytes_read',
  'lines',
  'head_hash',
  'tail_hash',
  'carry',
] as const;
export const PUT_FILE = upsertSql('search_files', FILE_COLUMNS);
export const PUT_STAMP = upsertSql('search_stamps', ['path', 'stamp']);
/** What FileSqlRow selects, of the files of one generation. */
export const SELECT_FILE =
  `SELECT ${FILE_COLUMNS.map((column) => `f.${column}`).join(', ')}, s.stamp FROM search_files f ` +
  'JOIN search_stamps s ON s.generation = f.generation AND s.path = f.path WHERE f.generation = ?';

export function searchFile(row: FileSqlRow, paths: HomePaths): SearchFile {
  return {
    path: paths.fromStored(row.path),
    threadId: parseThreadId(row.thread_id) ?? null,
    compressed: row.compressed !== 0,
    updatedAtMs: row.updated_at_ms,
    watermark: watermarkOfRow(row),
    carry: row.carry,
  };
}
