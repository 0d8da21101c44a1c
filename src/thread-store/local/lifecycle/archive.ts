/** Archiving: the files of a thread, segments too, from `sessions` to `archived_sessions`, where they lie flat. */
import { ARCHIVED_FOLDER } from '../../../rollout/paths.js';
import type { MovedFile, Operation } from './operation.js';
import { inFolder, requireFreeNames } from './thread-places.js';

/** Names, forms and permissions stay. Rejects with ThreadNotFoundError, NameTakenError, UnreadableFoldersError. */
export async function archiveBody(operation: Operation): Promise<string | null> {
  const places = await operation.places();
  places.require();
  const moves = places.own
    .filter(({ walked }) => walked.location === 'sessions')
    .map(({ path }): MovedFile => ({ from: path, to: inFolder(path, operation.home, ARCHIVED_FOLDER) }));
  if (moves.length === 0) return places.headAfter();
  await requireFreeNames(moves, operation);
  await operation.begin();
  for (const { from, to } of moves) await operation.move(from, to);
  return places.headAfter(moves);
}
