/**
 * Where a log that this program begins lies, and what it is called.
 */
import path from 'node:path';
import type { SegmentId, ThreadId } from '../../../base/ids.js';
import {
  ARCHIVED_FOLDER,
  dateFolderOf,
  fileNameOf,
  localTimeText,
  parseRolloutName,
  renderRolloutName,
  SESSIONS_FOLDER,
} from '../../../rollout/paths.js';

export interface NewLog {
  readonly threadId: ThreadId;
  readonly segmentId?: SegmentId;
  readonly startedAtMs: number;
}

/** The absolute path of a new active log: its folder and its name are of this machine's local time, as other programs expect. */
export function newLogPath(home: string, { threadId, segmentId, startedAtMs }: NewLog): string {
  const startedAtText = localTimeText(new Date(startedAtMs));
  const name = renderRolloutName({
    startedAtText,
    threadId,
    ...(segmentId !== undefined && { segmentId }),
    compressed: false,
  });
  return path.join(home, SESSIONS_FOLDER, ...(dateFolderOf(startedAtText) ?? []), name);
}

/** The path of a new segment of a thread whose log is at `head`: an archived thread stays archived. */
export function newSegmentPath(home: string, head: string, segment: NewLog): string {
  const active = newLogPath(home, segment);
  if (path.basename(path.dirname(head)) !== ARCHIVED_FOLDER) return active;
  return path.join(home, ARCHIVED_FOLDER, fileNameOf(active));
}

/** The name that a `history_base` gives a log. */
export function logName(file: string): string | undefined {
  const name = parseRolloutName(fileNameOf(file));
  return name === undefined ? undefined : (name.segmentId ?? name.threadId);
}
