/**
 * Which bytes of which files make up one thread.
 *
 * A fork or a revert segment of a paginated thread does not copy what came before: its session_meta has a `history_base` that names
 * a prefix of another file by ordinal and by byte offset (of the decompressed bytes). The name there is a thread id or the id of
 * a segment, and several files may carry it; the right one is that in which the offset ends the record before the ordinal.
 * What is missing, circular or endless is reported; the parts that are known are given.
 */
import type { SegmentId, ThreadId } from '../base/ids.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import type { HistoryBase, SessionMeta } from '../protocol/session-meta.js';
import { isCompressed } from './byte-feed.js';
import type { FileDamage } from './damage.js';
import { readRecords } from './forward-reader.js';
import { findPrefixEnd } from './prefix.js';

/** One file of a thread, as its name tells. */
export interface LineageFile {
  readonly path: string;
  readonly threadId: ThreadId;
  readonly segmentId?: SegmentId | undefined;
}

/** One file in reading order. `endByteOffset` cuts a prefix. */
export interface LineagePart {
  readonly path: string;
  readonly endByteOffset: number | null;
}

export interface Lineage {
  /** Oldest first; the last one is the file itself. */
  readonly parts: readonly LineagePart[];
  /** The path is that of the file whose base is wrong. */
  readonly damage: readonly FileDamage[];
}

/** All files whose thread id or segment id is `id`, archived and compressed ones included. */
export type FileLookup = (id: string) => readonly LineageFile[] | Promise<readonly LineageFile[]>;

export interface LineageOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal;
}

const MAX_DEPTH = 1_000;

/** Resolves the files that a thread's file continues. Rejects only when `file` itself cannot be read. */
export async function resolveLineage(file: string, lookup: FileLookup, options: LineageOptions): Promise<Lineage> {
  const parts: LineagePart[] = [{ path: file, endByteOffset: null }];
  const damage: FileDamage[] = [];
  const visited = new Set([file]);
  let current = file;
  let base = await readHistoryBase(file, options);
  while (base !== undefined) {
    const report = (message: string, lost: boolean): void => {
      damage.push({ path: current, line: 1, byteOffset: 0, kind: 'history-base', message, lost });
    };
    if (parts.length > MAX_DEPTH) {
      report(`The thread continues over more than ${MAX_DEPTH} files`, true);
      break;
    }
    const named = await lookup(base.thread_id.toLowerCase());
    const candidates = orderOldestFirst(withoutTwins(named)).filter((candidate) => !visited.has(candidate.path));
    if (candidates.length === 0) {
      const circle = named.length > 0;
      report(
        circle
          ? `The base ${base.thread_id} leads back to files that are already part of the thread`
          : `The base ${base.thread_id} is missing`,
        true,
      );
      break;
    }
    const found = await chooseBase(candidates, base, options);
    if (found === undefined) {
      report(`No file of the base ${base.thread_id} holds record ${base.end_ordinal_exclusive - 1}`, true);
      break;
    }
    if (!found.exact) {
      report(
        `Byte ${base.end_byte_offset} of the base ${base.thread_id} does not end record ${base.end_ordinal_exclusive - 1}`,
        false,
      );
    }
    parts.unshift({ path: found.path, endByteOffset: found.endByteOffset });
    visited.add(found.path);
    current = found.path;
    try {
      base = await readHistoryBase(current, options);
    } catch (error) {
      if (fileErrorCode(error) === undefined || options.signal?.aborted) throw error;
      report(`The base cannot be read: ${fileErrorCode(error)}`, true);
      break;
    }
  }
  return { parts, damage };
}

/** The `history_base` of a file's first session_meta. */
export async function readHistoryBase(path: string, options: LineageOptions): Promise<HistoryBase | undefined> {
  return (await readFirstMeta(path, options))?.history_base ?? undefined;
}

/** What the first session_meta of a file says; undefined when there is none near its beginning. */
export async function readFirstMeta(path: string, options: LineageOptions): Promise<SessionMeta | undefined> {
  for await (const batch of readRecords(path, { ...options, want: (header) => header.type === 'session_meta' })) {
    const meta = batch.records.find((record) => record.line.item.type === 'session_meta');
    if (meta?.line.item.type === 'session_meta') return meta.line.item.payload;
    // It is the first record; a file that has none by now begins in the middle.
    if (batch.nextByteOffset > 1024 * 1024) return undefined;
  }
  return undefined;
}

interface FoundBase {
  readonly path: string;
  readonly endByteOffset: number;
  readonly exact: boolean;
}

async function chooseBase(
  candidates: readonly LineageFile[],
  base: HistoryBase,
  options: LineageOptions,
): Promise<FoundBase | undefined> {
  let byOrdinal: FoundBase | undefined;
  let byOffset: FoundBase | undefined;
  for (const { path } of candidates) {
    let end: Awaited<ReturnType<typeof findPrefixEnd>>;
    try {
      end = await findPrefixEnd(path, base, options);
    } catch (error) {
      // A candidate that cannot be read is no candidate; when none is left, that is what gets reported.
      if (fileErrorCode(error) === undefined || options.signal?.aborted) throw error;
      continue;
    }
    if (end.exact) return { path, endByteOffset: base.end_byte_offset, exact: true };
    if (end.ordinalEnd !== undefined) byOrdinal ??= { path, endByteOffset: end.ordinalEnd, exact: false };
    if (end.holdsOffset) byOffset ??= { path, endByteOffset: base.end_byte_offset, exact: false };
  }
  return byOrdinal ?? byOffset;
}

/**
 * The file that a resume appends to: the newest segment (ids are UUIDv7, so they order by time), else the thread's own file.
 * Undefined for no files. A plain file wins over its compressed twin.
 */
export function headOfThread<T extends LineageFile>(files: readonly T[]): T | undefined {
  return orderOldestFirst(withoutTwins(files)).at(-1);
}

/** The thread's own file first, then segments by id. */
export function orderOldestFirst<T extends LineageFile>(files: readonly T[]): readonly T[] {
  return files.toSorted((a, b) => {
    const first = a.segmentId ?? '';
    const second = b.segmentId ?? '';
    return first < second ? -1 : first > second ? 1 : 0;
  });
}

/** Leaves out a compressed file beside which its plain form lies. */
function withoutTwins<T extends LineageFile>(files: readonly T[]): readonly T[] {
  const plain = new Set(files.filter((file) => !isCompressed(file.path)).map((file) => file.path));
  return files.filter((file) => !isCompressed(file.path) || !plain.has(file.path.slice(0, -'.zst'.length)));
}
