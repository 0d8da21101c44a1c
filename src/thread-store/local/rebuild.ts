/**
 * Builds the index of a home from nothing, beside the one in use, and can prove that the two are equal.
 */
import type { FileRecord, StateDatabase, StateIndex, ThreadRecord } from '../../state/index.js';
import type { IndexProgress, RebuildResult } from '../session-reader.js';
import { factsOf } from './file-record.js';
import type { Indexer } from './indexer.js';

export interface RebuildOptions {
  readonly signal?: AbortSignal;
  readonly prove?: boolean;
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly clock: () => number;
}

/** More differences than a person reads are counted, not listed. */
const MAX_DIFFERENCES = 100;

/** Readers see the old index until the new one is whole; killed on the way, the old one stays. */
export async function rebuildIndex(
  state: StateDatabase,
  indexer: Indexer,
  options: RebuildOptions,
): Promise<RebuildResult> {
  const startedAt = options.clock();
  if (options.prove) await indexer.refresh(state, { signal: options.signal });
  const generation = state.beginGeneration();
  try {
    const fresh = state.inGeneration(generation);
    const { bytes } = await indexer.refresh(fresh, {
      signal: options.signal,
      headsFirst: false,
      onProgress: options.onProgress,
    });
    const differences = options.prove ? differencesOf(state, fresh) : undefined;
    const messages = fresh.allFiles().reduce((sum, file) => sum + messagesOf(file), 0);
    state.flipGeneration(generation);
    return {
      threads: state.allThreads().length,
      messages,
      bytes,
      tookMs: Math.round(options.clock() - startedAt),
      ...(differences !== undefined && { equal: differences.length === 0, differences }),
    };
  } catch (error) {
    state.abandonGeneration(generation);
    throw error;
  }
}

/** Messages of user and agent: from the events where the release wrote them, else from the response items. */
function messagesOf(file: FileRecord): number {
  const { eventMessages, itemMessages } = factsOf(file);
  return eventMessages > 0 ? eventMessages : itemMessages;
}

/** What differs between two indexes of the same files, one sentence each. */
export function differencesOf(current: StateIndex, fresh: StateIndex): readonly string[] {
  const found = [
    ...compareRecords('thread', byKey(current.allThreads(), threadKey), byKey(fresh.allThreads(), threadKey)),
    ...compareRecords('file', byKey(current.allFiles(), fileKey), byKey(fresh.allFiles(), fileKey)),
  ];
  if (found.length <= MAX_DIFFERENCES) return found;
  return [...found.slice(0, MAX_DIFFERENCES), `${found.length - MAX_DIFFERENCES} more differences`];
}

const threadKey = (record: ThreadRecord): string => record.id;
const fileKey = (record: FileRecord): string => record.path;

function byKey<T>(records: readonly T[], key: (record: T) => string): ReadonlyMap<string, T> {
  return new Map(records.map((record) => [key(record), record]));
}

function* compareRecords<T extends object>(
  what: string,
  current: ReadonlyMap<string, T>,
  fresh: ReadonlyMap<string, T>,
): Generator<string> {
  for (const [key, record] of fresh) {
    const other = current.get(key);
    if (other === undefined) {
      yield `${what} ${key} is missing in the index`;
      continue;
    }
    // Both are plain records that state made from the same columns in the same order.
    for (const [field, value] of Object.entries(record)) {
      const before: unknown = other[field as keyof T];
      if (text(before) !== text(value))
        yield `${what} ${key}: ${field} is ${text(before)}, the log says ${text(value)}`;
    }
  }
  for (const key of current.keys()) if (!fresh.has(key)) yield `${what} ${key} is in the index, but not on disk`;
}

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'undefined'
  );
}
