/**
 * Where a thread on disk is cut: for a fork at a turn, for a revert, and at its end.
 *
 * A cut is a byte offset of one of the thread's files that ends a record; damaged lines before it are left behind it.
 */
import type { FileSystem } from '../../../platform/files/file-system.js';
import { type TurnBoundary, TurnsFold } from '../../../projection/turns.js';
import type { HistoryBase } from '../../../protocol/session-meta.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { readRecords } from '../../../rollout/forward-reader.js';
import { readHeadSync } from '../../../rollout/head.js';
import { fileNameOf, parseRolloutName } from '../../../rollout/paths.js';
import type { RolloutRecord } from '../../../rollout/records.js';
import { readRecordsReverse } from '../../../rollout/reverse-records.js';
import { DamagedError } from '../../errors.js';
import type { ThreadPart } from '../../session-reader.js';

interface CutOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** A place in one of the files of a thread; without an offset, the end of the last one. */
export interface Cut {
  /** Index of the part in which it lies. */
  readonly part: number;
  readonly endByteOffset: number | null;
}

export interface ThreadTurns {
  /** How many turns in which the user spoke a rollback of so many takes, and how many of all turns it leaves. */
  rollbackOf(turns: number): { readonly taken: number; readonly left: number };
  /** Where the thread is cut so that this turn (1-based) is its last; 0 is before the first turn. */
  cutAfter(turn: number): Cut;
}

/** Reads the thread from its beginning. */
export async function readTurns(parts: readonly ThreadPart[], { files, signal }: CutOptions): Promise<ThreadTurns> {
  // No turn is kept: what counts is where they begin.
  const fold = new TurnsFold({ from: 1, to: 0 });
  for (const { path, endByteOffset } of parts) {
    for await (const batch of readRecords(path, { files, endByteOffset, ...(signal !== undefined && { signal }) })) {
      for (const { line, lineNumber, byteOffset } of batch.records) fold.apply({ line, lineNumber, byteOffset, path });
    }
  }
  fold.finish();
  return {
    rollbackOf: (turns) => fold.rollbackOf(turns),
    cutAfter: (turn) => cutAt(fold.endOf(turn), parts),
  };
}

function cutAt(boundary: TurnBoundary | undefined, parts: readonly ThreadPart[]): Cut {
  if (boundary === undefined) return endOf(parts);
  const part = parts.findIndex(({ path }) => path === boundary.path);
  return { part, endByteOffset: boundary.byteOffset };
}

/** The end of the thread. */
export function endOf(parts: readonly ThreadPart[]): Cut {
  return { part: parts.length - 1, endByteOffset: null };
}

/** How another log says that it continues this one up to the cut. Throws DamagedError when there is no record before it. */
export async function baseAt(parts: readonly ThreadPart[], cut: Cut, options: CutOptions): Promise<HistoryBase> {
  const path = parts[cut.part]?.path;
  const name = path === undefined ? undefined : parseRolloutName(fileNameOf(path));
  if (path === undefined || name === undefined) {
    throw new DamagedError('Cannot continue a log whose name has no thread id', { path });
  }
  const last = await lastOrdinalBefore(path, cut.endByteOffset, options);
  if (last === undefined) {
    throw new DamagedError(`Cannot continue the log of thread ${name.threadId}: no record in it has an ordinal`, {
      path,
    });
  }
  return {
    thread_id: name.segmentId ?? name.threadId,
    end_ordinal_exclusive: last.ordinal + 1,
    end_byte_offset: last.endByteOffset,
  };
}

interface LastOrdinal {
  readonly ordinal: number;
  /** Where the line of the record ends, line feed included. */
  readonly endByteOffset: number;
}

async function lastOrdinalBefore(
  path: string,
  endByteOffset: number | null,
  { files, signal }: CutOptions,
): Promise<LastOrdinal | undefined> {
  const options = { files, endByteOffset, ...(signal !== undefined && { signal }) };
  if (!isCompressed(path)) {
    const { dialect } = readHeadSync(path, files);
    if (dialect === undefined) return undefined;
    for await (const batch of readRecordsReverse(path, { ...options, dialect })) {
      for (const { records, nextOffset } of batch) {
        const ordinal = records[0]?.line.ordinal;
        if (ordinal !== undefined) return { ordinal, endByteOffset: nextOffset };
      }
    }
    return undefined;
  }
  let last: { readonly record: RolloutRecord; readonly ordinal: number } | undefined;
  let end = 0;
  let terminated = true;
  for await (const batch of readRecords(path, options)) {
    for (const record of batch.records) {
      const { ordinal } = record.line;
      if (ordinal !== undefined) last = { record, ordinal };
    }
    end = batch.nextByteOffset;
    ({ terminated } = batch);
  }
  if (last === undefined) return undefined;
  const afterRecord = last.record.byteOffset + last.record.byteLength;
  return { ordinal: last.ordinal, endByteOffset: afterRecord >= end && !terminated ? afterRecord : afterRecord + 1 };
}
