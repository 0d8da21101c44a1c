/**
 * A thread as its log lines: those of every file that it stands in, oldest first, each up to where the next one takes over.
 * Byte for byte, or line by line without secrets.
 */
import type { FileSystem } from '../../platform/files/file-system.js';
import { openFeed } from '../../rollout/byte-feed.js';
import type { LineagePart } from '../../rollout/lineage.js';
import type { SecretCounts } from '../bundle/mask-line.js';
import { maskLog } from '../bundle/mask-log.js';
import { DamagedError } from '../errors.js';

export interface LogLinesOptions {
  readonly files: FileSystem;
  readonly masked: boolean;
  /** Filled with what was masked. */
  readonly counts: SecretCounts;
  readonly signal?: AbortSignal | undefined;
}

const LINE_FEED = 10;

/** Throws DamagedError for compressed data that is damaged, after what stands before the damage. */
export async function* logLines(
  parts: readonly LineagePart[],
  { files, masked, counts, signal }: LogLinesOptions,
): AsyncGenerator<Uint8Array, void> {
  let last: number | undefined;
  for (const { path, endByteOffset } of parts) {
    // A line that was cut is a line of its own.
    if (last !== undefined && last !== LINE_FEED) yield Uint8Array.of(LINE_FEED);
    const end = endByteOffset ?? undefined;
    const chunks = masked
      ? maskLog(path, { files, endByteOffset: end, counts, signal })
      : rawBytes(path, { files, end, signal });
    for await (const chunk of chunks) {
      last = chunk.at(-1) ?? last;
      yield chunk;
    }
  }
}

async function* rawBytes(
  path: string,
  {
    files,
    end,
    signal,
  }: { readonly files: FileSystem; readonly end: number | undefined; readonly signal: AbortSignal | undefined },
): AsyncGenerator<Uint8Array, void> {
  const feed = await openFeed(path, files, { start: 0, end }, signal === undefined ? {} : { signal });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const chunk = new OneChunk();
      if (!(await feed.fill(chunk))) break;
      yield chunk.bytes;
    }
    if (feed.problem === undefined) return;
    throw new DamagedError(`Cannot export all of ${JSON.stringify(path)}: its compressed data is damaged`, { path });
  } finally {
    await feed.close();
  }
}

class OneChunk {
  bytes: Uint8Array = new Uint8Array(0);
  #room: Uint8Array = new Uint8Array(0);

  reserve(least: number): Uint8Array {
    this.#room = new Uint8Array(least);
    return this.#room;
  }

  commit(count: number): void {
    this.bytes = this.#room.subarray(0, count);
  }

  push(chunk: Uint8Array): void {
    this.bytes = Uint8Array.from(chunk);
  }
}
