/**
 * From a row to what a reference may mean.
 */
import type { ThreadRow } from '../projection/thread-row.js';
import type { ThreadCandidate } from './session-reader.js';

/** The thread of a row; undefined for a row of a file without an id, which nothing can name. */
export function candidateOf({ id, path, title, name, updatedAt, home }: ThreadRow): ThreadCandidate | undefined {
  return id === null ? undefined : { id, path, title, name, updatedAt, home };
}
