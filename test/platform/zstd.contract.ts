/**
 * What every zstd engine does with sound, cut and hostile data.
 */
import { describe, expect, test } from 'vitest';
import {
  decompressZstd,
  decompressZstdSync,
  type ZstdEnd,
  type ZstdEngine,
} from '../../src/platform/zstd/decompress.js';

export interface Decompressed {
  readonly bytes: Buffer;
  readonly end: ZstdEnd;
}

export async function decompressAll(
  data: Uint8Array,
  engine: ZstdEngine,
  chunkBytes = 64 * 1024,
): Promise<Decompressed> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < data.length; at += chunkBytes) yield data.subarray(at, at + chunkBytes);
  }
  const out: Buffer[] = [];
  const reader = decompressZstd(chunks(), { inputBytes: data.length }, engine);
  for (;;) {
    const step = await reader.next();
    if (step.done) return { bytes: Buffer.concat(out), end: step.value };
    out.push(Buffer.from(step.value));
  }
}

export function decompressAllSync(data: Uint8Array, chunkBytes = 64 * 1024): Decompressed {
  function* chunks(): Generator<Uint8Array> {
    for (let at = 0; at < data.length; at += chunkBytes) yield data.subarray(at, at + chunkBytes);
  }
  const out: Buffer[] = [];
  const reader = decompressZstdSync(chunks(), { inputBytes: data.length });
  for (;;) {
    const step = reader.next();
    if (step.done) return { bytes: Buffer.concat(out), end: step.value };
    out.push(Buffer.from(step.value));
  }
}

/** A frame of run-length blocks: `count` times `size` bytes `value`. */
export function runLengthFrame(count: number, size: number, value = 0x61): Buffer {
  const blocks: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const head = (index === count - 1 ? 1 : 0) | (1 << 1) | (size << 3);
    blocks.push(head & 0xff, (head >> 8) & 0xff, head >> 16, value);
  }
  // A window of 128 KiB, no content size, no checksum.
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, ...blocks]);
}

/** A frame of one raw block. */
export function rawFrame(content: Uint8Array): Buffer {
  const head = 1 | (content.length << 3);
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, head & 0xff, (head >> 8) & 0xff, head >> 16, ...content]);
}

export function zstdContract(engine: ZstdEngine, samples: { readonly compressed: Buffer }): void {
  describe(`decompressZstd() with the ${engine} engine`, () => {
    test('reads a rollout that Codex compressed, in chunks of any size', async () => {
      const whole = await decompressAll(samples.compressed, engine);
      expect(whole.end).toEqual({ outputBytes: whole.bytes.length, problem: undefined });
      expect(whole.bytes.toString('utf8').split('\n').at(-1)).toBe('');
      expect(JSON.parse(whole.bytes.toString('utf8').split('\n')[0] ?? '')).toMatchObject({ type: 'session_meta' });
      for (const size of [1, 7, 1000]) {
        expect(await decompressAll(samples.compressed, engine, size)).toEqual(whole);
      }
    });

    test('reads frames one after another and skips skippable ones', async () => {
      const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9]);
      const data = Buffer.concat([
        rawFrame(Buffer.from('one\n')),
        skippable,
        rawFrame(Buffer.from('two\n')),
        runLengthFrame(3, 5),
      ]);
      const { bytes, end } = await decompressAll(data, engine);
      expect(bytes.toString()).toBe('one\ntwo\naaaaaaaaaaaaaaa');
      expect(end.problem).toBeUndefined();
    });

    test('keeps everything before the cut of a truncated frame and reports it', async () => {
      const data = Buffer.concat([rawFrame(Buffer.from('one\n')), runLengthFrame(100, 50_000)]);
      const { bytes, end } = await decompressAll(data.subarray(0, data.length - 4 * 50), engine);
      expect(bytes.length).toBe(4 + 50 * 50_000);
      expect(end.problem).toMatch(/inside a frame/);
    });

    test('keeps everything before a damaged block and reports it', async () => {
      const data = Buffer.concat([
        rawFrame(Buffer.from('one\n')),
        runLengthFrame(4, 1000),
        Buffer.from('no zstd at all'),
      ]);
      const { bytes, end } = await decompressAll(data, engine);
      expect(bytes.length).toBe(4004);
      expect(end.problem).toMatch(/No zstd frame/);
    });

    test('reports garbage and an empty compressed block without output', async () => {
      expect((await decompressAll(Buffer.from('garbage that is no zstd data'), engine)).end.problem).toBeDefined();
      const corrupt = Buffer.from(samples.compressed);
      corrupt.fill(0xff, 40, 400);
      const { bytes, end } = await decompressAll(corrupt, engine);
      expect(end.problem === undefined && bytes.equals((await decompressAll(samples.compressed, engine)).bytes)).toBe(
        false,
      );
    });

    test('stops a bomb at the output limit', async () => {
      const { bytes, end } = await countOnly(runLengthFrame(4000, 128 * 1024), engine);
      expect(bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
      expect(bytes).toBeGreaterThan(63 * 1024 * 1024);
      expect(end.problem).toMatch(/expands to more than/);
    });

    test('refuses a window of gigabytes before it makes one', async () => {
      const data = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa0, 1, 0, 0]);
      expect((await decompressAll(data, engine)).end.problem).toMatch(/window/);
    });
  });
}

async function countOnly(data: Uint8Array, engine: ZstdEngine): Promise<{ bytes: number; end: ZstdEnd }> {
  async function* one(): AsyncGenerator<Uint8Array> {
    yield data;
  }
  let bytes = 0;
  const reader = decompressZstd(one(), { inputBytes: data.length }, engine);
  for (;;) {
    const step = await reader.next();
    if (step.done) return { bytes, end: step.value };
    bytes += step.value.length;
  }
}
