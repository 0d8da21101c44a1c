/**
 * Does a byte offset of a rollout end the record before a given ordinal?
 *
 * A plain file is asked backwards from the offset, which costs one block; only a file that says no is read from its beginning, and
 * then only headers. A compressed file is always read forwards.
 */
import { isJsonObject, type JsonValue } from '../base/json.js';
import type { FileSystem } from '../platform/files/file-system.js';
import type { HistoryBase } from '../protocol/session-meta.js';
import { isCompressed } from './byte-feed.js';
import { readRecords } from './forward-reader.js';
import { readHeader } from './header.js';
import { readLinesReverse } from './reverse-reader.js';

export interface PrefixEnd {
  /** The offset ends the record before the ordinal. */
  readonly exact: boolean;
  /** Where the line of that record ends, wherever the offset points; undefined when the file does not hold it. */
  readonly ordinalEnd: number | undefined;
  /** The offset lies within the file. */
  readonly holdsOffset: boolean;
}

export interface PrefixOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal;
}

/** Looks for the end of the prefix that `base` names. Rejects when the file cannot be read. */
export async function findPrefixEnd(path: string, base: HistoryBase, options: PrefixOptions): Promise<PrefixEnd> {
  const { end_byte_offset: offset, end_ordinal_exclusive: ordinal } = base;
  if (!isCompressed(path) && (await endsAt(path, base, options))) {
    return { exact: true, ordinalEnd: offset, holdsOffset: true };
  }
  let ordinalEnd: number | undefined;
  const reading = readRecords(path, {
    ...options,
    want: (header) => header.ordinal === undefined || header.ordinal === ordinal - 1,
    // Values, not records: a line of unknown type has its ordinal too.
    observe: (_decode, value, line) => {
      if (ordinalOf(value) === ordinal - 1 && ordinalEnd !== offset) ordinalEnd = line.nextOffset;
    },
  });
  let bytes = 0;
  for await (const batch of reading) {
    bytes = batch.nextByteOffset;
    if (ordinalEnd === offset) return { exact: true, ordinalEnd, holdsOffset: true };
  }
  return { exact: false, ordinalEnd, holdsOffset: offset > 0 && offset <= bytes };
}

async function endsAt(path: string, base: HistoryBase, options: PrefixOptions): Promise<boolean> {
  const { end_byte_offset: endByteOffset, end_ordinal_exclusive: ordinal } = base;
  for await (const line of readLinesReverse(path, { ...options, endByteOffset })) {
    if (line.nextOffset !== endByteOffset || !line.terminated) return false;
    const header = readHeader(line.bytes, line.start, line.end, 'envelope');
    return header?.ordinal === ordinal - 1;
  }
  return false;
}

function ordinalOf(value: JsonValue): JsonValue | undefined {
  return isJsonObject(value) ? value['ordinal'] : undefined;
}
