/**
 * Builds the index of a home from nothing, beside the one in use, and can prove that the two are equal.
 */
import type { FileRecord, StateDatabase, StateIndex, ThreadRecord } from '../../state/index.js';
import { UnreadableHomeError } from '../errors.js';
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
    const { bytes, unreadableFolders = 0 } = await indexer.refresh(fresh, {
      signal: options.signal,
      headsFirst: false,
      onProgress: options.onProgress,
    });
    if (unreadableFolders > 0) throw new UnreadableHomeError(unreadableFolders);
    const differences = options.prove ? await prove(state, fresh, indexer, options.signal) : undefined;
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

/** How often both indexes look again at a home that is being written. */
const MAX_LOOKS = 4;

/** Compares the two at a moment at which both have seen the same files; what never holds still is left out. */
async function prove(
  current: StateIndex,
  fresh: StateIndex,
  indexer: Indexer,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  let moving = movingFiles(current, fresh);
  for (let look = 0; moving.size > 0 && look < MAX_LOOKS; look += 1) {
    for (const index of [fresh, current]) await indexer.refresh(index, { signal, headsFirst: false });
    moving = movingFiles(current, fresh);
  }
  return differencesOf(current, fresh, moving);
}

/** Files that one index has seen in another state than the other. */
function movingFiles(current: StateIndex, fresh: StateIndex): ReadonlySet<string> {
  const [before, after] = [current.watermarks(), fresh.watermarks()];
  const paths = new Set([...before.keys(), ...after.keys()]);
  return new Set([...paths].filter((path) => text(before.get(path)) !== text(after.get(path))));
}

/** What differs between two indexes, one sentence each; `moving` files, and threads that have one, are not compared. */
export function differencesOf(
  current: StateIndex,
  fresh: StateIndex,
  moving: ReadonlySet<string> = new Set(),
): readonly string[] {
  const steady = (
    index: StateIndex,
  ): { readonly threads: readonly ThreadRecord[]; readonly files: readonly FileRecord[] } => {
    const files = index.allFiles();
    if (moving.size === 0) return { threads: index.allThreads(), files };
    const ids = new Set(files.filter(({ path }) => moving.has(path)).map(({ threadId }) => threadId));
    return {
      threads: index.allThreads().filter(({ id }) => !ids.has(id)),
      files: files.filter(({ path }) => !moving.has(path)),
    };
  };
  const [before, after] = [steady(current), steady(fresh)];
  const found = [
    ...compareRecords('thread', byKey(before.threads, threadKey), byKey(after.threads, threadKey)),
    ...compareRecords('file', byKey(before.files, fileKey), byKey(after.files, fileKey)),
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
