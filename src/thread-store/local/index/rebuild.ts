/**
 * Builds the index of a home from nothing, beside the one in use, and can prove that the two are equal.
 */
import type { SearchDatabase, StateDatabase } from '../../../state/index.js';
import { UnreadableHomeError } from '../../errors.js';
import type { IndexProgress, RebuildResult } from '../../session-reader.js';
import { REDACTION } from './index-notes.js';
import type { Indexer, IndexTarget, WorkAhead } from './indexer.js';
import { differencesOf, type IndexSide, movingFiles } from './prove.js';
import { RULES } from './search-writer.js';

export interface RebuildOptions {
  readonly signal?: AbortSignal;
  readonly prove?: boolean;
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly clock: () => number;
  /** Of this home, taken before; without `prove`. */
  readonly ahead?: WorkAhead | undefined;
}

/** What is derived from one home, each with its generations. */
export interface RebuildTarget {
  readonly state: StateDatabase;
  readonly search: SearchDatabase;
}

/** Readers see the old index until the new one is whole; killed on the way, the old one stays. */
export async function rebuildIndex(
  { state, search }: RebuildTarget,
  indexer: Indexer,
  options: RebuildOptions,
): Promise<RebuildResult> {
  const startedAt = options.clock();
  const { signal, onProgress } = options;
  const current: IndexSide = { state, search };
  const refreshed = options.prove
    ? await indexer.refresh(targetOf(current), { signal, fullText: 'complete' })
    : undefined;
  const stateGeneration = state.beginGeneration();
  const searchGeneration = search.beginGeneration();
  try {
    const fresh: IndexSide = {
      state: state.inGeneration(stateGeneration),
      search: search.inGeneration(searchGeneration),
    };
    const { bytes, unreadableFolders = 0 } = await indexer.refresh(targetOf(fresh), {
      signal,
      headsFirst: false,
      fullText: 'complete',
      alone: true,
      onProgress,
      ahead: options.ahead,
    });
    if (unreadableFolders > 0) throw new UnreadableHomeError(unreadableFolders);
    const differences = options.prove ? await prove(current, fresh, indexer, signal) : undefined;
    const messages = fresh.search.countDocuments();
    const isRemasked = refreshed?.remasked === true || hasOtherRules(current, fresh);
    state.flipGeneration(stateGeneration);
    search.flipGeneration(searchGeneration);
    // Texts that older rules left unmasked may still lie in pages that are free.
    if (isRemasked) for (const database of [state, search]) database.vacuum();
    return {
      threads: state.countAllThreads(),
      messages,
      bytes,
      tookMs: Math.round(options.clock() - startedAt),
      ...(differences !== undefined && { equal: differences.length === 0, differences }),
    };
  } catch (error) {
    state.abandonGeneration(stateGeneration);
    search.abandonGeneration(searchGeneration);
    throw error;
  }
}

/** True when the index in use has texts that were masked or analysed by other rules than those of the new one. */
function hasOtherRules(current: IndexSide, fresh: IndexSide): boolean {
  const { state, search } = current;
  return (
    (state.note(REDACTION) !== fresh.state.note(REDACTION) && state.stamps().size > 0) ||
    (search.note(RULES) !== fresh.search.note(RULES) && search.stamps().size > 0)
  );
}

function targetOf({ state, search }: IndexSide): IndexTarget {
  return { state, search: async () => search };
}

/** How often both indexes look again at a home that is being written. */
const MAX_LOOKS = 4;

/** Compares the two at a moment at which both have seen the same files; what never holds still is left out. */
async function prove(
  current: IndexSide,
  fresh: IndexSide,
  indexer: Indexer,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  let moving = movingFiles(current, fresh);
  for (let look = 0; moving.size > 0 && look < MAX_LOOKS; look += 1) {
    for (const index of [fresh, current])
      await indexer.refresh(targetOf(index), { signal, headsFirst: false, fullText: 'complete' });
    moving = movingFiles(current, fresh);
  }
  const differences = differencesOf(current, fresh, moving);
  if (differences.length === 0) return differences;
  // What was written to in the meantime tells nothing of the index.
  const since = await indexer.changedSince(fresh.state, signal);
  return differencesOf(current, fresh, new Set([...moving, ...since]));
}
