/**
 * The bytes of a part of an open file, window by window.
 */
import type { RegularFile } from '../../platform/files/file-system.js';

const CHUNK_BYTES = 256 * 1024;

/** From `start` to `end`; fewer when the file has become shorter. Each chunk is the taker's to keep. */
export async function* fileChunks(
  file: RegularFile,
  { start, end }: { readonly start: number; readonly end: number },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  for (let at = start; at < end; ) {
    signal?.throwIfAborted();
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
    const count = await file.read(chunk, at);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    at += count;
  }
}
