import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'vitest';
import type { ThreadId } from '../../../src/base/ids.js';
import { threadStoreContract } from '../../../src/thread-store/contract/thread-store-contract.js';
import type { ThreadStore } from '../../../src/thread-store/thread-store.js';
import { openLocalStore } from './open-local-store.js';

const homes = new WeakMap<ThreadStore, string>();
let made = 0;
let ms = Date.parse('2026-01-02T03:04:05.000Z');

function open(home: string): ThreadStore {
  const store = openLocalStore(home, {
    writer: { originator: 'codicil', version: '1.0.0', source: 'cli' },
    now: () => (ms += 1_000),
    newId: () => `01900000-0000-7000-8000-${String((made += 1)).padStart(12, '0')}` as ThreadId,
  });
  homes.set(store, home);
  return store;
}

threadStoreContract({
  describe,
  test,
  open: async () => open(await mkdtemp(path.join(tmpdir(), 'codicil-store-'))),
  reopen: async (store) => open(homes.get(store)!),
  capabilities: { durable: true },
});
