/**
 * Where a log that this program begins lies, and what it is called.
 */
import path from 'node:path';
import type { ThreadId } from '../../../base/ids.js';
import { dateFolderOf, localTimeText, renderRolloutName, SESSIONS_FOLDER } from '../../../rollout/paths.js';

export interface NewLog {
  readonly threadId: ThreadId;
  readonly startedAtMs: number;
}

/** The absolute path of a new active log: its folder and its name are of this machine's local time, as other programs expect. */
export function newLogPath(home: string, { threadId, startedAtMs }: NewLog): string {
  const startedAtText = localTimeText(new Date(startedAtMs));
  const name = renderRolloutName({
    startedAtText,
    threadId,
    compressed: false,
  });
  return path.join(home, SESSIONS_FOLDER, ...(dateFolderOf(startedAtText) ?? []), name);
}
