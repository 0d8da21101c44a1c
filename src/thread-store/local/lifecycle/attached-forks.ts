/**
 * Threads whose logs continue the log of another one by reference (`history_base`): what they show of it is read from
 * its files. A copy needs nobody.
 */
import type { ThreadId } from '../../../base/ids.js';
import { LF } from '../../../base/jsonl.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { readHistoryBase } from '../../../rollout/lineage.js';
import type { WalkedFile } from '../../../rollout/walk.js';
import type { ThreadPlaces } from './thread-places.js';

const CHUNK_BYTES = 64 * 1024;
/** A first record is not longer, whatever instructions it holds. */
const MAX_META_BYTES = 4 * 1024 * 1024;
const KEY = Buffer.from('"history_base"');

/** Their ids, each once. A file that cannot be read continues nothing that could be shown. */
export async function attachedForks(
  { own, all, threadId }: ThreadPlaces,
  options: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
): Promise<readonly ThreadId[]> {
  const { files, signal } = options;
  const ids = new Set<string>([threadId, ...own.flatMap(({ segmentId }) => segmentId ?? [])]);
  const forks = new Set<ThreadId>();
  for (const file of all.files) {
    signal?.throwIfAborted();
    const fork = file.name?.threadId;
    if (fork === undefined || fork === threadId || file.hidden !== null || forks.has(fork)) continue;
    try {
      if (!(await mayHaveBase(file, files))) continue;
      const base = await readHistoryBase(file.path, { files, ...(signal !== undefined && { signal }) });
      if (base !== undefined && ids.has(base.thread_id.toLowerCase())) forks.add(fork);
    } catch (error) {
      if (fileErrorCode(error) === undefined) throw error;
    }
  }
  return [...forks].sort();
}

/** Looks at the bytes of the first line: most logs have no base, and to find that out they need not be parsed. */
async function mayHaveBase({ path, sizeBytes }: WalkedFile, files: FileSystem): Promise<boolean> {
  if (isCompressed(path)) return true;
  const file = await files.openRegular(path);
  try {
    const window = Buffer.alloc(Math.min(CHUNK_BYTES, sizeBytes) + KEY.length);
    for (let at = 0; at < Math.min(sizeBytes, MAX_META_BYTES); at += CHUNK_BYTES) {
      // A key that two windows share lies whole in the first of them.
      const bytes = window.subarray(0, await file.read(window, at));
      const end = bytes.indexOf(LF);
      const key = bytes.indexOf(KEY);
      if (key >= 0 && (end < 0 || key < end)) return true;
      if (end >= 0) return false;
    }
    return false;
  } finally {
    await file.close();
  }
}
