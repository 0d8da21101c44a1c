/**
 * Purging: nothing of a thread is left on disk. Its logs, its entries in the trash, its names, what is derived from it.
 *
 * What could stand in the way is looked at first: a database that cannot be written fails the purge before a file is gone.
 * Files go first, what is derived from them after: killed in between, the next look at the home finds no file, and the note of
 * what was begun completes the rest.
 */
import { removeThreadLines, removeThreadNames } from '../../../rollout/names-removal.js';
import { NAMES_FILE } from '../../../rollout/paths.js';
import { type DerivedPlaces, DerivedTraces } from './derived-traces.js';
import type { Operation, OperationBody } from './operation.js';
import { requireUnattached } from './trash.js';
import { entryFolder, readTrash, removeDoomed, removeEntry } from './trash-entries.js';

export interface PurgeOptions extends DerivedPlaces {
  /** Purges a thread even though others continue it. */
  readonly force?: boolean | undefined;
  /** Holds the names file of a home for writing; default: nobody else writes it. */
  readonly lockNames?: ((home: string) => Promise<{ release(): Promise<void> }>) | undefined;
}

/** Rejects with AttachedForksError (`unsupported`), DerivedNotWritableError, UnreadableFoldersError. */
export function purgeBody({ force = false, lockNames, ...given }: PurgeOptions): OperationBody {
  return async (operation) => {
    const { home, ownHome, threadId, files, clock, resumed } = operation;
    const { derived, logs, imports } = resumed ?? given;
    const places = await operation.places();
    if (!force && resumed === undefined && places.own.length > 0) await requireUnattached(operation, places);
    using traces = DerivedTraces.open({ home, threadId, files, clock, derived, logs });
    await operation.begin({
      ...(derived !== undefined && { derived }),
      ...(logs !== undefined && { logs }),
      ...(imports !== undefined && { imports }),
    });
    for (const { path } of places.own) await operation.remove(path);
    for (const path of places.impostors) await operation.remove(path);
    for (const path of places.temporaries) await operation.remove(path);
    await removeDoomed(operation);
    for (const { threadId: trashed, entry } of (await readTrash(operation)).entries) {
      if (trashed !== threadId) continue;
      await removeEntry(ownHome, entry);
      operation.removed.push(entryFolder(ownHome, entry));
    }
    const names = await lockNames?.(home);
    try {
      const lines = await removeThreadNames(home, threadId, { files });
      noteLines(operation, files.join(home, NAMES_FILE), lines);
      if (imports !== undefined) noteLines(operation, imports, await removeThreadLines(imports, threadId, { files }));
    } finally {
      await names?.release();
    }
    operation.removed.push(...(await traces.remove()));
    return null;
  };
}

function noteLines({ removed }: Operation, path: string, lines: number): void {
  if (lines > 0) removed.push(`${path}: ${lines === 1 ? '1 line' : `${lines} lines`}`);
}
