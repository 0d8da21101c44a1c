/**
 * Taking a thread out of the archive: its files go to the folder of the day in their names, which is the writer's day in
 * whatever zone this machine is.
 */
import { dateFolderOf, SESSIONS_FOLDER } from '../../../rollout/paths.js';
import { DamagedError } from '../../errors.js';
import type { MovedFile, Operation } from './operation.js';
import { inFolder, requireFreeNames } from './thread-places.js';

/** Names, forms, permissions and times stay. Rejects as archiving does. */
export async function unarchiveBody(operation: Operation): Promise<string | null> {
  const places = await operation.places();
  places.require();
  const moves = places.own
    .filter(({ walked }) => walked.location === 'archived')
    .map(({ path, walked }): MovedFile => {
      const day = dateFolderOf(walked.name?.startedAtText ?? '');
      if (day === undefined) throw new DamagedError('Cannot tell the day of a log from its name', { path });
      return { from: path, to: inFolder(path, operation.home, SESSIONS_FOLDER, ...day) };
    });
  if (moves.length === 0) return places.headAfter();
  await requireFreeNames(moves, operation);
  await operation.begin();
  for (const { from, to } of moves) await operation.move(from, to);
  return places.headAfter(moves);
}
