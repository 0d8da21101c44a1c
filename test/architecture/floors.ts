/**
 * The one table of floors. A folder of `src/` imports only from lower floors, never sideways.
 * `docs/ARCHITECTURE.md` shows the same table; a test holds both against the code.
 */
export interface Floor {
  readonly floor: number;
  readonly folder: string;
  readonly owns: string;
  /** Runs in a browser: no `node:` module and no Node global, transitively. */
  readonly browser?: true;
}

export const FLOORS: readonly Floor[] = [
  { floor: 0, folder: 'base', owns: 'ids, errors, addresses, JSONL framing, visible text', browser: true },
  {
    floor: 1,
    folder: 'protocol',
    owns: 'the vocabulary: items, events, ops; wire names; unknown-type policies; codecs',
    browser: true,
  },
  {
    floor: 1,
    folder: 'platform',
    owns: 'regular files, atomic writes, path identity; SQLite and zstd behind small ports',
  },
  {
    floor: 2,
    folder: 'projection',
    owns: 'pure folds from items: thread row, turns, model-visible history, origins, usage',
    browser: true,
  },
  {
    floor: 3,
    folder: 'rollout',
    owns: 'reading logs: paths, dialects, byte scanner, forward and reverse readers, lineage, verification',
  },
  { floor: 3, folder: 'state', owns: 'the derived SQLite index: migrations, rows, listing' },
  {
    floor: 4,
    folder: 'thread-store',
    owns: 'the SessionReader port; `local` holds the indexer, the only place where log and index meet',
  },
  { floor: 7, folder: 'home', owns: 'composition root: finds and opens homes, merges them into one view' },
  { floor: 8, folder: 'cli', owns: 'the command line' },
  { floor: 9, folder: 'bin.ts', owns: 'dispatch; imports each face lazily' },
];
