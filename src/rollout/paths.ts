/**
 * Names and folders of rollout files.
 *
 * `rollout-<time>-<thread>.jsonl`, for a segment `rollout-<time>-<thread>_<segment>.jsonl`, either with `.zst` behind it.
 * The time is the writer's LOCAL time, without a zone: it orders and names, but is no instant. Active files lie in
 * `sessions/YYYY/MM/DD` (of the same local time), archived ones flat in `archived_sessions`.
 */
import { parseSegmentId, parseThreadId, type SegmentId, type ThreadId } from '../base/ids.js';

export const SESSIONS_FOLDER = 'sessions';
export const ARCHIVED_FOLDER = 'archived_sessions';
/** The names that users gave their threads: `names-file.ts` reads it. */
export const NAMES_FILE = 'session_index.jsonl';
/** What came into a home from elsewhere. */
export const IMPORTS_FILE = 'imports.jsonl';

export interface RolloutName {
  /** `YYYY-MM-DDThh-mm-ss` as written: local time of the writer. */
  readonly startedAtText: string;
  readonly threadId: ThreadId;
  readonly segmentId?: SegmentId;
  readonly compressed: boolean;
}

const NAME =
  /^rollout-(\d{4,6}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\.jsonl(\.zst)?$/i;

/** Parses the last step of a path; undefined when it is no name of a rollout. */
export function parseRolloutName(name: string): RolloutName | undefined {
  const match = NAME.exec(name);
  const startedAtText = match?.[1];
  const threadId = parseThreadId(match?.[2]);
  if (startedAtText === undefined || threadId === undefined) return undefined;
  const segmentId = parseSegmentId(match?.[3]);
  return {
    startedAtText,
    threadId,
    ...(segmentId !== undefined && { segmentId }),
    compressed: match?.[4] !== undefined,
  };
}

/** The name for a new file; `startedAtText` as `localTimeText` makes it. */
export function renderRolloutName(name: RolloutName): string {
  const segment = name.segmentId === undefined ? '' : `_${name.segmentId}`;
  return `rollout-${name.startedAtText}-${name.threadId}${segment}.jsonl${name.compressed ? '.zst' : ''}`;
}

/** The last step of a path of either platform. */
export function fileNameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Local time as file names and folders have it: `YYYY-MM-DDThh-mm-ss`. */
export function localTimeText(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}-${two(date.getMinutes())}-${two(date.getSeconds())}`;
}

/** The folder of a file below `sessions`, from the time in its name: `YYYY/MM/DD`. */
export function dateFolderOf(startedAtText: string): readonly [year: string, month: string, day: string] | undefined {
  const match = /^(\d{4,6})-(\d{2})-(\d{2})T/.exec(startedAtText);
  const [, year, month, day] = match ?? [];
  return year === undefined || month === undefined || day === undefined ? undefined : [year, month, day];
}

/**
 * The instant that a name's time would be in this machine's zone, in epoch milliseconds: the best guess where the log itself
 * says nothing. Undefined for a date that does not exist.
 */
export function guessStartedAtMs(startedAtText: string): number | undefined {
  const match = /^(\d{4,6})-(\d{2})-(\d{2})T(\d{2})-(\d{2})-(\d{2})$/.exec(startedAtText);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
  const date = new Date(year, month - 1, day, hours, minutes, seconds);
  const exists = date.getMonth() === month - 1 && date.getDate() === day && hours < 24 && minutes < 60 && seconds < 60;
  return exists ? date.getTime() : undefined;
}
