/** A store over a folder, as the program wires it, with a clock and ids of the test. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ThreadId } from '../../../src/base/ids.js';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import { readFirstMeta } from '../../../src/rollout/lineage.js';
import { acquireWriterLock } from '../../../src/rollout/writer-lock.js';
import { UnsupportedError } from '../../../src/thread-store/errors.js';
import type { Writer } from '../../../src/thread-store/first-record.js';
import { LocalSessionReader } from '../../../src/thread-store/local/local-session-reader.js';
import { LocalThreadStore } from '../../../src/thread-store/local/local-thread-store.js';

export interface LocalStoreOptions {
  readonly writer: Writer;
  readonly now: () => number;
  readonly newId: () => ThreadId;
}

export function openLocalStore(home: string, { writer, now, newId }: LocalStoreOptions): LocalThreadStore {
  const reader = new LocalSessionReader({
    home: { path: home, kind: 'codicil', own: true },
    files: nodeFileSystem,
    indexPaths: async () => undefined,
    clock: () => performance.now(),
  });
  const all = (dir: string): string[] => {
    try {
      return readdirSync(path.join(home, dir), { recursive: true, withFileTypes: true })
        .filter((e) => e.isFile())
        .map((e) => path.join(e.parentPath, e.name));
    } catch {
      return [];
    }
  };
  const locked = async (id: ThreadId, work: () => void | Promise<void>) => {
    const lock = await acquireWriterLock({ home, threadId: id });
    try {
      await work();
    } finally {
      await lock.release();
    }
  };
  return new LocalThreadStore({
    reader,
    files: nodeFileSystem,
    prepare: async () => undefined,
    durability: 'written',
    writer,
    now,
    newId,
    lifecycle: {
      archive: (id) =>
        locked(id, () => {
          mkdirSync(path.join(home, 'archived_sessions'), { recursive: true });
          for (const f of all('sessions'))
            if (f.includes(`-${id}`)) renameSync(f, path.join(home, 'archived_sessions', path.basename(f)));
        }),
      unarchive: (id) =>
        locked(id, () => {
          for (const f of all('archived_sessions'))
            if (f.includes(`-${id}`)) {
              const [, y, m, d] = /rollout-(\d+)-(\d+)-(\d+)T/.exec(path.basename(f))!;
              mkdirSync(path.join(home, 'sessions', y!, m!, d!), { recursive: true });
              renameSync(f, path.join(home, 'sessions', y!, m!, d!, path.basename(f)));
            }
        }),
      remove: (id) =>
        locked(id, async () => {
          const mine = [...all('sessions'), ...all('archived_sessions')].filter((f) => f.includes(`-${id}`));
          const names = new Set(mine.map((f) => /([0-9a-f-]{36})\.jsonl/.exec(f)![1]));
          for (const f of [...all('sessions'), ...all('archived_sessions')]) {
            if (mine.includes(f)) continue;
            const base = (await readFirstMeta(f, { files: nodeFileSystem }))?.history_base;
            if (base && names.has(base.thread_id)) throw new UnsupportedError('fork');
          }
          for (const f of mine) rmSync(f);
        }),
    },
  });
}
