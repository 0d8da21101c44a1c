import { describe, test } from 'vitest';
import type { ThreadId } from '../../../src/base/ids.js';
import { threadStoreContract } from '../../../src/thread-store/contract/thread-store-contract.js';
import { MemoryThreadStore } from '../../../src/thread-store/memory/memory-thread-store.js';

threadStoreContract({
  describe,
  test,
  open: async () => {
    let made = 0;
    let ms = Date.parse('2026-01-02T03:04:05.000Z');
    return new MemoryThreadStore({
      writer: { originator: 'codicil', version: '1.0.0', source: 'cli' },
      now: () => (ms += 1_000),
      newId: () => `01900000-0000-7000-8000-${String((made += 1)).padStart(12, '0')}` as ThreadId,
    });
  },
  capabilities: { durable: false },
});
