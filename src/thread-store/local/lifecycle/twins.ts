/**
 * A log and its compressed form beside it: what a process that was killed between two steps of compressing or
 * decompressing leaves, and what releases leave that append to the plain one alone. The plain one counts.
 */
import { createHash } from 'node:crypto';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { decompressZstd } from '../../../platform/zstd/decompress.js';
import { isCompressed } from '../../../rollout/byte-feed.js';

const WINDOW_BYTES = 1024 * 1024;
const SUFFIX = '.zst';

/** The same log in its other form. */
export function twinOf(path: string): string {
  return isCompressed(path) ? path.slice(0, -SUFFIX.length) : path + SUFFIX;
}

/** Length and hash of a text. */
export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

interface TextOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** The bytes of a regular file as they are on disk, window by window, at most `maxBytes`. */
export async function* readBytes(
  path: string,
  { files, signal }: TextOptions,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const file = await files.openRegular(path);
  try {
    for (let at = 0; at < maxBytes; ) {
      signal?.throwIfAborted();
      // Fresh each time: whoever takes it may keep it.
      const window = new Uint8Array(Math.min(WINDOW_BYTES, maxBytes - at, Math.max(1, file.stat.sizeBytes - at)));
      const count = await file.read(window, at);
      if (count === 0) return;
      yield window.subarray(0, count);
      at += count;
    }
  } finally {
    await file.close();
  }
}

/** Of the first `maxBytes` of a plain file. */
export async function digestPlain(path: string, options: TextOptions, maxBytes?: number): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readBytes(path, options, maxBytes)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Of the text of a compressed file; `problem` when it is damaged. */
export async function digestCompressed(
  path: string,
  options: TextOptions,
): Promise<Digest & { readonly problem: string | undefined }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const { signal, files } = options;
  const inputBytes = (await files.lstat(path)).sizeBytes;
  const text = decompressZstd(readBytes(path, options), { inputBytes, ...(signal !== undefined && { signal }) });
  for (;;) {
    const step = await text.next();
    if (step.done === true) return { bytes, sha256: hash.digest('hex'), problem: step.value.problem };
    hash.update(step.value);
    bytes += step.value.length;
  }
}

/** True when the plain file begins with all that the compressed one holds, so that the latter may go. */
export async function isCovered(plain: string, compressed: string, options: TextOptions): Promise<boolean> {
  const { bytes, sha256, problem } = await digestCompressed(compressed, options);
  if (problem !== undefined) return false;
  const begin = await digestPlain(plain, options, bytes);
  return begin.bytes === bytes && begin.sha256 === sha256;
}
