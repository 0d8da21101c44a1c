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
  {
    floor: 0,
    folder: 'base',
    owns: 'ids, errors, addresses, JSONL framing, visible text, text analysis',
    browser: true,
  },
  {
    floor: 1,
    folder: 'protocol',
    owns: 'the vocabulary: items, events, ops; wire names; unknown-type policies; codecs',
    browser: true,
  },
  {
    floor: 1,
    folder: 'redaction',
    owns: 'detection and masking of secrets in parsed strings',
    browser: true,
  },
  {
    floor: 1,
    folder: 'platform',
    owns: 'regular files, atomic writes, path identity; SQLite, zstd and flock behind small ports',
  },
  {
    floor: 2,
    folder: 'projection',
    owns: 'pure folds from items: thread row, turns, model-visible history, search documents, origins, usage',
    browser: true,
  },
  {
    floor: 3,
    folder: 'rollout',
    owns: 'logs: paths, dialects, byte scanner, forward and reverse readers, lineage, verification; recorder, writer lock, names',
  },
  { floor: 3, folder: 'state', owns: 'the SQLite files: migrations, rows, listing, full text, program logs, audit' },
  {
    floor: 4,
    folder: 'thread-store',
    owns: 'the SessionReader and ThreadStore ports and their contract; `local` holds the indexer, the only place where log and index meet; `memory`; bundles',
  },
  { floor: 7, folder: 'home', owns: 'composition root: finds and opens homes, merges them into one view' },
  { floor: 8, folder: 'cli', owns: 'the command line' },
  { floor: 9, folder: 'bin.ts', owns: 'dispatch; imports each face lazily' },
];
