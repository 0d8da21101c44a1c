/**
 * What the index keeps of what was read in one file. Plain data: it goes from a worker to the index and back as JSON.
 */
import { NO_FACTS, type ThreadFacts } from '../../projection/thread-facts.js';
import type { Dialect } from '../../protocol/rollout-line.js';

export interface FileFacts {
  readonly facts: ThreadFacts;
  /** Messages of user and agent: in events, and in response items. */
  readonly eventMessages: number;
  readonly itemMessages: number;
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
  eventMessages: 0,
  itemMessages: 0,
  hasRecords: false,
  hasLines: false,
  isUnfinished: false,
  dialect: null,
});
