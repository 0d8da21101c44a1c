/**
 * What every store checks of its arguments, and the row that it shows, so that all refuse and show the same.
 */
import { CodicilError } from '../base/errors.js';
import type { ThreadId } from '../base/ids.js';
import type { ThreadRow } from '../projection/thread-row.js';
import { DEFAULT_LIST_LIMIT } from './session-reader.js';
import type { StoredThread } from './thread-store.js';

const MAX_LIMIT = 1_000;

/** Throws RangeError for a number of turns that is none. */
export function checkTurn(turns: number | undefined): void {
  if (turns !== undefined && !(Number.isSafeInteger(turns) && turns >= 1)) {
    throw new RangeError(`A number of turns is a whole number from 1 on, not ${turns}`);
  }
}

/** Throws RangeError outside 1 to 1,000. */
export function checkedLimit(limit: number = DEFAULT_LIST_LIMIT): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new RangeError(`A page has 1 to ${MAX_LIMIT} threads, not ${limit}`);
}

/** The name in one line, without spaces around it. Throws TypeError for one that says nothing. */
export function checkedName(name: string): string {
  const trimmed = name.replaceAll(/\s+/g, ' ').trim();
  if (trimmed === '') throw new TypeError('The name of a thread has at least one character that is no space');
  return trimmed;
}

/** For whoever goes on with a thread that was closed. */
export function closedError(id: ThreadId): CodicilError {
  return new CodicilError('thread-closed', `Cannot go on with thread ${id}: it was closed`, {
    hint: 'Resume it to write to it again.',
  });
}

/** The part of a row that every store can show. */
export function storedThread(row: Omit<ThreadRow, 'children'>, id: ThreadId): StoredThread {
  return {
    id,
    title: row.title,
    name: row.name,
    preview: row.preview,
    cwd: row.cwd,
    source: row.source,
    modelProvider: row.modelProvider,
    model: row.model,
    cliVersion: row.cliVersion,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    archived: row.archived,
    hasUserEvent: row.hasUserEvent,
    memoryMode: row.memoryMode,
    tokensUsed: row.tokensUsed,
    git: row.git,
    dialect: row.dialect,
    forkedFromId: row.forkedFromId,
    parentThreadId: row.parentThreadId,
  };
}
