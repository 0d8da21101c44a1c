/**
 * What the index keeps of what was read in one file. Plain data: it goes from a worker to the index and back as JSON.
 */
import { NO_FACTS, type ThreadFacts } from '../../../projection/thread-facts.js';
import type { Dialect } from '../../../protocol/rollout-line.js';

export interface FileFacts {
  readonly facts: ThreadFacts;
  /** False when nothing in the file is a record. */
  readonly hasRecords: boolean;
  /** False when the file holds nothing but white space. */
  readonly hasLines: boolean;
  /** True when the last line lacks its end: what was folded of it may yet become something else. */
  readonly isUnfinished: boolean;
  readonly dialect: Dialect | null;
}

export const NO_FILE_FACTS: FileFacts = Object.freeze({
  facts: NO_FACTS,
  hasRecords: false,
  hasLines: false,
  isUnfinished: false,
  dialect: null,
});
