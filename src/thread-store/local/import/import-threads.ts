/**
 * Places the threads of a source in a home: all of a thread or nothing of it, byte for byte, never over anything.
 *
 * Everything was looked through before (`import-source.ts`, `import-plan.ts`). Of each thread all logs are staged beside their
 * places, synced and read back, and the ledger has its line, before the first log gets its name; then the names follow, what
 * others continue first, so that a kill in between leaves an earlier, sound state of the thread or nothing. A repeat completes.
 */
import path from 'node:path';
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { makeFolderSync } from '../../../platform/files/make-folder.js';
import { removeLeftovers, StagedFile } from '../../../platform/files/place-file.js';
import { appendThreadName } from '../../../rollout/append-name.js';
import { readThreadNames } from '../../../rollout/names-file.js';
import { acquireWriterLock } from '../../../rollout/writer-lock.js';
import { BundleError } from '../../bundle/errors.js';
import type { BundleFile } from '../../bundle/format.js';
import { appendImport, type FolderMapping, type Imports, ledgerNameOf, readImports } from './import-ledger.js';
import { type PlannedThread, planImport } from './import-plan.js';
import type { ImportSource } from './import-source.js';

export type ImportOutcome = 'imported' | 'present' | 'conflict';

export interface ImportedThread {
  readonly id: ThreadId;
  /** Absolute: the file that a resume appends to. */
  readonly path: string;
  readonly outcome: ImportOutcome;
  /** Why it stays out. */
  readonly reason: string | undefined;
  /** Logs that were placed, and their bytes. */
  readonly files: number;
  readonly bytes: number;
}

export interface ImportOptions {
  readonly home: string;
  /** Where the ledger of the home lies; its folder must be there. */
  readonly ledger: string;
  readonly files: FileSystem;
  /** Whether the home is another program's; default false. */
  readonly foreign?: boolean | undefined;
  /** The time, ISO 8601. */
  readonly now: () => string;
  readonly cwd?: readonly FolderMapping[] | undefined;
  /** Told how many threads are done, of how many. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves with what became of each thread; what was placed is synced by then. An abort ends between two threads or while one
 * is staged: that one leaves nothing. Rejects with the system's errors, after taking back what the thread at work had placed.
 */
export async function importThreads(source: ImportSource, options: ImportOptions): Promise<readonly ImportedThread[]> {
  const { home, files, signal } = options;
  const plans = await planImport(source, options);
  const { names } = await readThreadNames(home, { files, ...(signal && { signal }) });
  const before = await readImports(options.ledger, { files, signal });
  const imported: ImportedThread[] = [];
  for (const plan of plans) {
    options.onProgress?.(imported.length, plans.length);
    signal?.throwIfAborted();
    const placed = plan.absent.length > 0 && (await placeAlone(plan, source, options));
    const raced = plan.absent.length > 0 && !placed;
    const { thread, path: head } = plan;
    const conflict = raced ? 'another program placed a file of it at the same time' : plan.conflict;
    // An import that was killed after its last file left temporary names, and no name of the thread.
    for (const file of plan.present) await removeLeftovers(file);
    const isOurs = placed || plan.present.some((file) => before.importedBytes(file) > 0);
    if (conflict === undefined && !placed) await mapFolders(thread.id, before, options);
    if (isOurs && thread.name !== null && !names.has(thread.id)) await appendName(thread.id, thread.name, options);
    imported.push({
      id: thread.id,
      path: head,
      outcome: conflict !== undefined ? 'conflict' : placed ? 'imported' : 'present',
      reason: conflict,
      files: placed ? plan.absent.length : 0,
      bytes: placed ? plan.absent.reduce((sum, { bytes }) => sum + bytes, 0) : 0,
    });
  }
  options.onProgress?.(imported.length, plans.length);
  return imported;
}

/** As `placeThread`; of a thread that is there in part nobody else writes meanwhile. Rejects with ThreadBusyError. */
async function placeAlone(plan: PlannedThread, source: ImportSource, options: ImportOptions): Promise<boolean> {
  if (plan.present.length === 0) return placeThread(plan, source, options);
  const { home, foreign = false, signal } = options;
  const threadId = plan.thread.id;
  const lock = await acquireWriterLock({ home, threadId, foreign, ...(signal && { signal }) });
  try {
    return await placeThread(plan, source, options);
  } finally {
    await lock.release();
  }
}

/** False when a name was taken meanwhile; then nothing of the thread is left. */
async function placeThread(plan: PlannedThread, source: ImportSource, options: ImportOptions): Promise<boolean> {
  const { home, files, ledger, now, cwd = [], signal } = options;
  const staged: StagedFile[] = [];
  try {
    for (const log of plan.absent) {
      const target = files.join(home, log.path);
      makeFolderSync(path.dirname(target));
      const file = await StagedFile.write(target, source.chunks(log, signal), { signal });
      staged.push(file);
      if (file.sha256 !== log.sha256 || file.sizeBytes !== log.bytes) throw notAsWritten(target, log);
    }
    await appendImport(ledger, {
      at: now(),
      threadId: plan.thread.id,
      from: source.kind,
      sha256: source.sha256,
      masked: source.masked,
      files: plan.absent.map((log) => ({
        file: ledgerNameOf({ threadId: log.threadId, ...(log.segmentId !== null && { segmentId: log.segmentId }) }),
        bytes: log.contentBytes,
        sha256: log.sha256,
      })),
      cwd,
    });
    for (const file of staged) {
      if (await file.place()) continue;
      await takeBack(staged);
      return false;
    }
    return true;
  } catch (error) {
    await takeBack(staged);
    throw error;
  } finally {
    for (const file of staged) await file.discard();
  }
}

async function takeBack(staged: readonly StagedFile[]): Promise<void> {
  for (const file of staged.toReversed()) await file.takeBack();
}

/** Says where the folder of a thread is that was there already. */
async function mapFolders(
  threadId: ThreadId,
  before: Imports,
  { ledger, now, cwd = [] }: ImportOptions,
): Promise<void> {
  if (cwd.length === 0 || JSON.stringify(before.foldersOf(threadId)) === JSON.stringify(cwd)) return;
  await appendImport(ledger, { at: now(), threadId, from: 'log', sha256: null, masked: false, files: [], cwd });
}

async function appendName(
  threadId: ThreadId,
  { text, updatedAt }: { readonly text: string; readonly updatedAt: string | null },
  { home, files, foreign = false, now, signal }: ImportOptions,
): Promise<void> {
  // A name of several lines, or of blanks, is one that no client gives.
  const name = text.replace(/\s+/g, ' ').trim();
  if (name === '') return;
  const toldMs = Date.parse(updatedAt ?? '');
  const updatedAtMs = Number.isNaN(toldMs) ? Date.parse(now()) : toldMs;
  await appendThreadName(home, { threadId, name, updatedAtMs }, { foreign, files, ...(signal && { signal }) });
}

function notAsWritten(target: string, log: BundleFile): BundleError {
  return new BundleError(
    'bundle-damaged',
    `Cannot import ${log.path}: the disk gave back other bytes than were written`,
    {
      path: target,
      entry: log.path,
      hint: 'Nothing of the thread was placed. The source changed, or the disk is failing.',
    },
  );
}
