/**
 * One pass over the bytes of a log: their checksum, how much log they hold, and whose it says it is.
 * Takes the bytes as they come, from a home or out of a bundle; holds one window of them.
 */
import { createHash } from 'node:crypto';
import { parseThreadId, type ThreadId } from '../../base/ids.js';
import { LineFramer } from '../../base/jsonl.js';
import { decompressZstd, type ZstdEnd } from '../../platform/zstd/decompress.js';
import { allocateWindow } from '../../rollout/byte-feed.js';
import { emptyContents, FileTraits, readLine } from '../../rollout/records.js';

/** Where the first session_meta is looked for. */
const HEAD_BYTES = 1024 * 1024;

export interface MeasuredLog {
  readonly bytes: number;
  readonly sha256: string;
  /** Of a compressed log: what it expands to. */
  readonly contentBytes: number;
  /** What the first session_meta says; undefined when there is none near the beginning. */
  readonly id: ThreadId | undefined;
  /** Why compressed data ended early. */
  readonly problem: string | undefined;
}

export interface MeasureOptions {
  readonly compressed: boolean;
  /** How many bytes will come; sets how far compressed ones may expand. */
  readonly bytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads all of `chunks`, also what stands behind damage. */
export async function measureLog(
  chunks: AsyncIterable<Uint8Array>,
  { compressed, bytes: inputBytes, signal }: MeasureOptions,
): Promise<MeasuredLog> {
  const hash = createHash('sha256');
  const head = new HeadReader();
  let bytes = 0;
  const source = chunks[Symbol.asyncIterator]();
  // Not closed with the one who asks: a decoder that gives up leaves the rest to be counted.
  async function* counted(): AsyncGenerator<Uint8Array> {
    for (let step = await source.next(); !step.done; step = await source.next()) {
      signal?.throwIfAborted();
      hash.update(step.value);
      bytes += step.value.length;
      yield step.value;
    }
  }
  let contentBytes = 0;
  let end: ZstdEnd | undefined;
  try {
    const content = compressed ? decompressZstd(counted(), { inputBytes, ...(signal && { signal }) }) : counted();
    for (;;) {
      const step = await content.next();
      if (step.done) {
        // Only the decoder says how it ended.
        end = step.value as ZstdEnd | undefined;
        break;
      }
      head.push(step.value);
      contentBytes += step.value.length;
    }
    for await (const _rest of counted());
  } finally {
    await source.return?.();
  }
  return { bytes, sha256: hash.digest('hex'), contentBytes, id: head.finish(), problem: end?.problem };
}

/** Looks for the first session_meta. */
class HeadReader {
  readonly #framer = new LineFramer({ allocate: allocateWindow, windowBytes: 64 * 1024 });
  readonly #traits = new FileTraits();
  #bytes = 0;
  #id: ThreadId | undefined;
  #done = false;

  push(chunk: Uint8Array): void {
    if (this.#done) return;
    this.#framer.push(chunk);
    this.#bytes += chunk.length;
    this.#read();
    this.#done ||= this.#bytes > HEAD_BYTES;
  }

  finish(): ThreadId | undefined {
    if (!this.#done) {
      this.#framer.finish();
      this.#read();
    }
    return this.#id;
  }

  #read(): void {
    for (let line = this.#framer.next(); line !== undefined && !this.#done; line = this.#framer.next()) {
      if (line.oversize) continue;
      const contents = emptyContents();
      readLine(line, this.#traits, contents);
      for (const { line: record } of contents.records) {
        if (record.item.type !== 'session_meta' || this.#done) continue;
        this.#id = parseThreadId(record.item.payload.id);
        this.#done = true;
      }
    }
  }
}
