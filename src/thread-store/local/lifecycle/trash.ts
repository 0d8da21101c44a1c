/**
 * Deleting: all files of a thread go to the trash of our own home, from where they can be restored. The manifest is
 * there before the first file is moved, so that whatever happens it is known what belongs where.
 */
import { join } from 'node:path';
import { readThreadNames } from '../../../rollout/names-file.js';
import { attachedForks } from './attached-forks.js';
import { AttachedForksError } from './errors.js';
import type { Operation, OperationBody } from './operation.js';
import type { ThreadPlaces } from './thread-places.js';
import { freeEntry, readEntry, readTrash, type TrashedFile, trashedPath, writeManifest } from './trash-entries.js';

export interface TrashOptions {
  /** Masked, as a list shows it: so that a list of the trash can tell threads apart. */
  readonly title?: string | null | undefined;
  /** Deletes a thread even though others continue it. */
  readonly force?: boolean | undefined;
}

/** Rejects with ThreadNotFoundError, AttachedForksError (`unsupported`), UnreadableFoldersError. */
export function trashBody({ title, force = false }: TrashOptions): OperationBody {
  return async (operation) => {
    const { resumed } = operation;
    const places = await operation.places();
    if (resumed?.entry !== undefined) return moveIntoTrash(operation, places, resumed.entry, resumed.title ?? null);
    if (places.own.length === 0 && (await isInTrash(operation))) return null;
    places.require();
    if (!force) await requireUnattached(operation, places);
    const fresh = await freeEntry(operation.ownHome, operation.threadId);
    await operation.begin({ entry: fresh, ...(title != null && { title }) });
    return moveIntoTrash(operation, places, fresh, title ?? null);
  };
}

/** Rejects with AttachedForksError when another thread continues this one by reference. */
export async function requireUnattached(operation: Operation, places: ThreadPlaces): Promise<void> {
  const forks = await attachedForks(places, operation);
  if (forks.length > 0) throw new AttachedForksError(operation.threadId, forks, places.headAfter() ?? operation.home);
}

async function moveIntoTrash(
  operation: Operation,
  places: ThreadPlaces,
  entry: string,
  title: string | null,
): Promise<null> {
  const { home, ownHome, threadId, files, signal } = operation;
  const known = await readEntry(entry, operation);
  if (known === undefined) {
    const { names } = await readThreadNames(home, { files, ...(signal !== undefined && { signal }) });
    await writeManifest(ownHome, {
      entry,
      threadId,
      title,
      name: names.get(threadId)?.name ?? null,
      trashedAt: new Date(operation.clock()).toISOString(),
      home,
      files: places.own.map(
        ({ walked }): TrashedFile => ({
          relativePath: walked.relativePath,
          sizeBytes: walked.sizeBytes,
          mtimeNs: String(walked.mtimeNs),
        }),
      ),
    });
  }
  for (const { walked, path } of places.own) {
    await operation.move(path, trashedPath(ownHome, entry, walked));
    operation.removed.push(path);
  }
  for (const path of places.temporaries) await operation.remove(path);
  return null;
}

async function isInTrash({ home, ownHome, threadId, files }: Operation): Promise<boolean> {
  const { entries } = await readTrash({ ownHome, files });
  return entries.some((entry) => entry.threadId === threadId && join(entry.home) === join(home));
}
