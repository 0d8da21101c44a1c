/**
 * Restoring: the files of an entry of the trash go back to where they were, and never over another file.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ThreadNotFoundError, UnsupportedError } from '../../errors.js';
import type { MovedFile, Operation } from './operation.js';
import { isThere, requireFreeNames } from './thread-places.js';
import { readEntry, readTrash, removeEntry, type TrashEntry, trashedPath } from './trash-entries.js';

/** Rejects with ThreadNotFoundError, NameTakenError, UnsupportedError (the home is gone). */
export async function restoreBody(operation: Operation): Promise<string | null> {
  const entry = await entryOf(operation);
  if (entry === undefined) {
    const places = await operation.places();
    if (operation.resumed?.entry !== undefined) await removeEntry(operation.ownHome, operation.resumed.entry);
    else if (places.own.length === 0) throw new ThreadNotFoundError(operation.threadId);
    return places.headAfter();
  }
  if (!existsSync(operation.home)) {
    throw new UnsupportedError(`Cannot restore thread ${operation.threadId}: its home is gone`, {
      path: operation.home,
      hint: 'Nothing was changed. Make the folder again, then repeat the command.',
    });
  }
  const moves: MovedFile[] = [];
  for (const file of entry.files) {
    const from = trashedPath(operation.ownHome, entry.entry, file);
    const to = join(operation.home, ...file.relativePath.split('/'));
    if (await isThere(from)) moves.push({ from, to });
  }
  await requireFreeNames(moves, operation);
  await operation.begin({ entry: entry.entry });
  for (const { from, to } of moves) await operation.move(from, to);
  await removeEntry(operation.ownHome, entry.entry);
  return (await operation.places()).headAfter();
}

/** The newest of the thread and this home; the one that an interrupted run had chosen. */
async function entryOf(operation: Operation): Promise<TrashEntry | undefined> {
  const chosen = operation.resumed?.entry;
  if (chosen !== undefined) {
    const found = await readEntry(chosen, operation);
    return typeof found === 'object' ? found : undefined;
  }
  const { entries } = await readTrash(operation);
  return entries.find((entry) => entry.threadId === operation.threadId && join(entry.home) === join(operation.home));
}
