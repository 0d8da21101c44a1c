/** A store over a folder, as the program wires it, with a clock and ids of the test. */
import type { ThreadId } from '../../../src/base/ids.js';
import { LocalThreadHome } from '../../../src/home/local-thread-home.js';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import type { Writer } from '../../../src/thread-store/first-record.js';
import { LocalSessionReader } from '../../../src/thread-store/local/local-session-reader.js';
import type { ThreadStore } from '../../../src/thread-store/thread-store.js';

export interface LocalStoreOptions {
  readonly writer: Writer;
  readonly now: () => number;
  readonly newId: () => ThreadId;
}

export function openLocalStore(home: string, { writer, now, newId }: LocalStoreOptions): ThreadStore {
  const info = { path: home, kind: 'codicil', own: true } as const;
  const reader = new LocalSessionReader({
    home: info,
    files: nodeFileSystem,
    indexPaths: async () => undefined,
    clock: () => performance.now(),
  });
  const opened = new LocalThreadHome({
    home: info,
    reader,
    files: nodeFileSystem,
    ownHome: home,
    derived: undefined,
    logs: undefined,
    imports: undefined,
    foreign: false,
    now,
    log: undefined,
    store: { prepare: async () => undefined, dialect: undefined, durability: 'written', writer, newId },
  });
  return opened.store;
}
