/**
 * Writes of the index. Each call is one transaction, or a part of the one that is open; the caller groups what one
 * file changes with `transaction`. A file's row goes in only while its watermark is the one the work started from.
 */
import type { ThreadId } from '../base/ids.js';
import { findFile } from './file-queries.js';
import { FILE_COLUMNS, fileParameters, stampText, THREAD_COLUMNS, threadParameters, upsertSql } from './record-sql.js';
import { clampInstant, type FileRecord, type SpawnEdge, type ThreadRecord, type Watermark } from './rows.js';
import type { GenerationScope } from './statements.js';

const PUT_FILE = upsertSql('rollout_files', [...FILE_COLUMNS, 'listed_created_at_ms', 'listed_updated_at_ms']);
const PUT_STAMP = upsertSql('rollout_stamps', ['path', 'stamp']);
const PUT_THREAD = upsertSql('threads', THREAD_COLUMNS);
const PUT_NOTE = upsertSql('index_notes', ['key', 'value']);
const PUT_EDGE = upsertSql('thread_spawn_edges', ['child', 'parent']);

export interface PutFileOptions {
  /** Null: the file has no row yet. */
  readonly expected: Watermark | null;
  /** The row (null: none) as the transaction that is open has read it; default: it is read. */
  readonly current?: FileRecord | null | undefined;
}

/**
 * Writes a file's row if its watermark still is `expected` (null: the file has no row yet).
 * False, and nothing written, when another process moved it on.
 */
export function putFile(scope: GenerationScope, record: FileRecord, { expected, current }: PutFileOptions): boolean {
  return scope.write((generation) => {
    const known = current === undefined ? findFile(scope, record.path) : current;
    if (!sameWatermark(known?.watermark ?? null, expected)) return false;
    scope.statements
      .prepare(PUT_FILE)
      .run(
        generation,
        ...fileParameters(record, scope.paths),
        clampInstant(record.createdAtMs),
        clampInstant(record.updatedAtMs),
      );
    scope.statements
      .prepare(PUT_STAMP)
      .run(generation, scope.paths.toStored(record.path), stampText(record.watermark, record.watermark.stage));
    return true;
  });
}

/** Forgets a file; false when it had no row. */
export function removeFile(scope: GenerationScope, path: string): boolean {
  return scope.write((generation) => {
    const stored = scope.paths.toStored(path);
    scope.statements.prepare('DELETE FROM rollout_stamps WHERE generation = ? AND path = ?').run(generation, stored);
    const { changes } = scope.statements
      .prepare('DELETE FROM rollout_files WHERE generation = ? AND path = ?')
      .run(generation, stored);
    return changes > 0;
  });
}

/** Instants that a file is listed under. */
export type ListedInstants = Pick<FileRecord, 'createdAtMs' | 'updatedAtMs'>;

/**
 * Writes a thread's row, over the one that is there, and lists its head under its instants: put files first.
 * `listed`: what the head is listed under, where the caller knows it.
 */
export function putThread(
  scope: GenerationScope,
  record: ThreadRecord,
  { listed }: { readonly listed?: ListedInstants | undefined } = {},
): void {
  scope.write((generation) => {
    scope.statements.prepare(PUT_THREAD).run(generation, ...threadParameters(record, scope.paths));
    if (listed?.createdAtMs === record.createdAtMs && listed.updatedAtMs === record.updatedAtMs) return;
    scope.statements
      .prepare(
        `UPDATE rollout_files SET listed_created_at_ms = :created, listed_updated_at_ms = :updated
         WHERE generation = :generation AND path = :path
           AND (listed_created_at_ms <> :created OR listed_updated_at_ms <> :updated)`,
      )
      .run({
        created: clampInstant(record.createdAtMs),
        updated: clampInstant(record.updatedAtMs),
        generation,
        path: scope.paths.toStored(record.path),
      });
  });
}

/** Forgets a thread and the edge to its parent, which its own log told; false when it had no row. */
export function removeThread(scope: GenerationScope, id: ThreadId): boolean {
  return scope.write((generation) => {
    scope.statements.prepare('DELETE FROM thread_spawn_edges WHERE generation = ? AND child = ?').run(generation, id);
    const { changes } = scope.statements
      .prepare('DELETE FROM threads WHERE generation = ? AND id = ?')
      .run(generation, id);
    return changes > 0;
  });
}

/** Keeps a short text of the caller's with the generation, over the one under the same key. */
export function putNote(scope: GenerationScope, key: string, value: string): void {
  scope.write((generation) => {
    scope.statements.prepare(PUT_NOTE).run(generation, key, value);
  });
}

/** Sets the parent of each child, or takes the edge away where it is null. */
export function putEdges(scope: GenerationScope, edges: readonly SpawnEdge[]): void {
  if (edges.length === 0) return;
  scope.write((generation) => {
    const put = scope.statements.prepare(PUT_EDGE);
    const remove = scope.statements.prepare('DELETE FROM thread_spawn_edges WHERE generation = ? AND child = ?');
    for (const { child, parent } of edges) {
      if (parent === null) remove.run(generation, child);
      else put.run(generation, child, parent);
    }
  });
}

/** Two nulls are the same. */
export function sameWatermark(a: Watermark | null, b: Watermark | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    stampText(a, a.stage) === stampText(b, b.stage) &&
    a.bytesRead === b.bytesRead &&
    a.lines === b.lines &&
    a.headHash === b.headHash &&
    a.tailHash === b.tailHash
  );
}
