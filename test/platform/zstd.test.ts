import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultZstdEngine } from '../../src/platform/zstd/decompress.js';
import { decompressAll, decompressAllSync, runLengthFrame, zstdContract } from './zstd.contract.js';

const compressed = readFileSync(
  new URL(
    '../../fixtures/codex/0.171.0/lineage/home/sessions/2026/11/30/rollout-2026-11-30T00-52-17-01a229f0-33cb-7640-9f8a-be05d676e4aa.jsonl.zst',
    import.meta.url,
  ),
);

zstdContract('portable', { compressed });
if (defaultZstdEngine() === 'native') zstdContract('native', { compressed });

test('decompressZstdSync() gives what the asynchronous reader gives', async () => {
  expect(decompressAllSync(compressed, 100)).toEqual(await decompressAll(compressed, defaultZstdEngine()));
});

test('decompressZstd() refuses tiny blocks in a window that would be moved for hours', async () => {
  const frame = runLengthFrame(20_000, 1);
  // A window of 128 MiB.
  frame[5] = 17 << 3;
  expect((await decompressAll(frame, 'portable')).end.problem).toMatch(/window is far larger/);
});
