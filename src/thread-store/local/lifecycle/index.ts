/**
 * Changes of whole threads in a home on disk: each safe to repeat, and safe to be killed at any moment.
 *
 * All take the writer lock of the thread, and first complete what a killed process had begun on it. They touch files, the names
 * file, the trash and what is derived; never a database of another program.
 */
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { archiveBody } from './archive.js';
import { compressBody } from './compress.js';
import { decompressBody } from './decompress.js';
import type { OperationBody, TakeWriterLock } from './operation.js';
import { type Finished, finishUnder, type LifecycleOptions, type LifecycleResult, runOperation } from './operation.js';
import { type PurgeOptions, purgeBody } from './purge.js';
import { restoreBody } from './restore.js';
import { type TrashOptions, trashBody } from './trash.js';
import { entryFolder, readTrash, removeDoomed, removeEntry, type TrashList } from './trash-entries.js';
import { unarchiveBody } from './unarchive.js';
import { listUnfinished, type OperationName, readNote, removeUnwrittenNotes } from './unfinished.js';

export { decompressLog } from './decompress.js';
export { AttachedForksError, DerivedNotWritableError, LogChangedError, NameTakenError } from './errors.js';
export type { LifecycleOptions, LifecycleResult, MovedFile, TakeWriterLock } from './operation.js';
export type { PurgeOptions } from './purge.js';
export type { TrashOptions } from './trash.js';
export type { TrashEntry, TrashedFile, TrashList } from './trash-entries.js';

const BODIES: Readonly<Record<OperationName, OperationBody>> = {
  archive: archiveBody,
  unarchive: unarchiveBody,
  compress: compressBody,
  decompress: decompressBody,
  trash: trashBody({}),
  restore: restoreBody,
  purge: purgeBody({}),
};

export function archiveThread(options: LifecycleOptions): Promise<LifecycleResult> {
  return runOperation('archive', options, BODIES);
}

export function unarchiveThread(options: LifecycleOptions): Promise<LifecycleResult> {
  return runOperation('unarchive', options, BODIES);
}

export function compressThread(options: LifecycleOptions): Promise<LifecycleResult> {
  return runOperation('compress', options, BODIES);
}

export function decompressThread(options: LifecycleOptions): Promise<LifecycleResult> {
  return runOperation('decompress', options, BODIES);
}

export function trashThread(options: LifecycleOptions & TrashOptions): Promise<LifecycleResult> {
  return runOperation('trash', options, BODIES, trashBody(options));
}

/** Brings the newest entry of the thread and this home back. */
export function restoreThread(options: LifecycleOptions): Promise<LifecycleResult> {
  return runOperation('restore', options, BODIES);
}

export function purgeThread(options: LifecycleOptions & PurgeOptions): Promise<LifecycleResult> {
  return runOperation('purge', options, BODIES, purgeBody(options));
}

interface TrashPlace {
  readonly ownHome: string;
  readonly files: FileSystem;
}

/** What lies in the trash of our own home, from whatever homes. */
export function listTrash({ ownHome, files }: TrashPlace): Promise<TrashList> {
  return readTrash({ ownHome, files });
}

/** Removes entries for good: those of one thread, or all. What is derived from them went when they were deleted. */
export async function emptyTrash({
  ownHome,
  files,
  threadId,
}: TrashPlace & { readonly threadId?: ThreadId | undefined }): Promise<readonly string[]> {
  await removeDoomed({ ownHome, files });
  const removed: string[] = [];
  for (const { threadId: trashed, entry } of (await readTrash({ ownHome, files })).entries) {
    if (threadId !== undefined && trashed !== threadId) continue;
    await removeEntry(ownHome, entry);
    removed.push(entryFolder(ownHome, entry));
  }
  return removed;
}

export interface Repaired {
  /** The note that was found. */
  readonly path: string;
  readonly finished: Finished | undefined;
  /** Why it could not be completed; the note stays. */
  readonly error: Error | undefined;
}

/**
 * Completes what killed processes had begun; for the start of a program, and alone. An operation that is still at work holds the
 * lock of its thread and is left to it. Never rejects for one that cannot be completed: that is in the result.
 */
export async function repairUnfinished({
  ownHome,
  files,
  clock,
  lock,
}: TrashPlace & { readonly clock: () => number; readonly lock: TakeWriterLock }): Promise<readonly Repaired[]> {
  await removeDoomed({ ownHome, files });
  await removeUnwrittenNotes(ownHome, files);
  const repaired: Repaired[] = [];
  for (const path of await listUnfinished(ownHome, files)) {
    try {
      repaired.push({ path, finished: await repairOne(path, { ownHome, files, clock, lock }), error: undefined });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      repaired.push({ path, finished: undefined, error });
    }
  }
  return repaired;
}

async function repairOne(
  path: string,
  { ownHome, files, clock, lock }: Parameters<typeof repairUnfinished>[0],
): Promise<Finished | undefined> {
  const begun = await readNote(path, files);
  if (begun === undefined) return undefined;
  const { home, threadId } = begun;
  const held = await lock(threadId, home);
  try {
    return await finishUnder({ home, ownHome, threadId, files, clock }, BODIES);
  } finally {
    await held.release();
  }
}
