/**
 * Whether two logs are the same, whatever of them is compressed, and up to which byte they are. Reads both in windows.
 */
import type { FileSystem } from '../../../platform/files/file-system.js';
import { decompressZstd } from '../../../platform/zstd/decompress.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { fileChunks } from '../../bundle/file-chunks.js';

export interface LogBytes {
  readonly compressed: boolean;
  readonly bytes: number;
  chunks(): AsyncIterable<Uint8Array>;
}

export interface Comparison {
  readonly equal: boolean;
  /** How many bytes of the decompressed logs are the same, from their beginning. */
  readonly common: number;
}

/** Compares byte for byte; of logs that are compressed both ways, what they hold. */
export async function compareLogs(a: LogBytes, b: LogBytes): Promise<Comparison> {
  if (a.compressed && b.compressed && a.bytes === b.bytes) {
    const raw = await firstDifference(a.chunks(), b.chunks());
    if (raw.equal) return { equal: true, common: Number.POSITIVE_INFINITY };
  }
  return firstDifference(contentOf(a), contentOf(b));
}

/** A log of a home. */
export function logOfFile(path: string, bytes: number, files: FileSystem, signal: AbortSignal | undefined): LogBytes {
  async function* chunks(): AsyncGenerator<Uint8Array, void> {
    const file = await files.openRegular(path);
    try {
      yield* fileChunks(file, { start: 0, end: file.stat.sizeBytes }, signal);
    } finally {
      await file.close();
    }
  }
  return { compressed: isCompressed(path), bytes, chunks };
}

function contentOf({ compressed, bytes, chunks }: LogBytes): AsyncIterable<Uint8Array> {
  return compressed ? decompressZstd(chunks(), { inputBytes: bytes }) : chunks();
}

async function firstDifference(a: AsyncIterable<Uint8Array>, b: AsyncIterable<Uint8Array>): Promise<Comparison> {
  const one = a[Symbol.asyncIterator]();
  const two = b[Symbol.asyncIterator]();
  let left: Uint8Array = new Uint8Array(0);
  let right: Uint8Array = new Uint8Array(0);
  let common = 0;
  try {
    for (;;) {
      if (left.length === 0) left = await nextChunk(one);
      if (right.length === 0) right = await nextChunk(two);
      const length = Math.min(left.length, right.length);
      // An empty one is at its end.
      if (length === 0) return { equal: left.length === right.length, common };
      if (Buffer.compare(left.subarray(0, length), right.subarray(0, length)) !== 0) {
        let at = 0;
        while (left[at] === right[at]) at += 1;
        return { equal: false, common: common + at };
      }
      common += length;
      left = left.subarray(length);
      right = right.subarray(length);
    }
  } finally {
    await one.return?.();
    await two.return?.();
  }
}

/** Empty at the end only. */
async function nextChunk(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  for (;;) {
    const step = await source.next();
    if (step.done) return new Uint8Array(0);
    if (step.value.length > 0) return step.value;
  }
}
