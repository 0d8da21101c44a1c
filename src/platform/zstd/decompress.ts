/**
 * Streaming decompression of zstd data for reading logs: `node:zlib` where it has zstd, else a decoder in JavaScript.
 *
 * Never holds the whole output. Damage is not thrown: what was decoded before it is given, and the end says what was wrong.
 * Output is bounded by max(64 MiB, 1,000 times the input), so that a small file cannot fill memory or time.
 * Frame checksums are verified by `node:zlib` only.
 */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { ZstdBlocks, ZstdSyntaxError } from './zstd-blocks.js';

const LEAST_OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
const MAX_RATIO = 1_000;

// The types describe the oldest Node that is supported, which lacks it; newer ones have it.
const createZstdDecompress = (zlib as { readonly createZstdDecompress?: (options: zlib.ZlibOptions) => Transform })
  .createZstdDecompress;

/** How the data ended: `problem` is undefined when all of it was sound. */
export interface ZstdEnd {
  readonly outputBytes: number;
  readonly problem: string | undefined;
}

export interface ZstdOptions {
  /** Length of the whole compressed input: sets the bound of the output. */
  readonly inputBytes: number;
  readonly signal?: AbortSignal;
}

/** Which decoders this runtime has; tests run the same contract over both. */
export type ZstdEngine = 'native' | 'portable';

/** `native` where this Node has zstd in `node:zlib` (22.15, 23.8 and later). */
export function defaultZstdEngine(): ZstdEngine {
  return createZstdDecompress === undefined ? 'portable' : 'native';
}

/** Yields the decompressed bytes chunk by chunk and returns how they ended. */
export async function* decompressZstd(
  input: AsyncIterable<Uint8Array>,
  options: ZstdOptions,
  engine: ZstdEngine = defaultZstdEngine(),
): AsyncGenerator<Uint8Array, ZstdEnd> {
  if (engine === 'portable' || createZstdDecompress === undefined) return yield* portable(input, options);
  const budget = new OutputBudget(options.inputBytes);
  const blocks = new ZstdBlocks();
  let frame: NativeFrame | undefined;
  try {
    for await (const chunk of input) {
      options.signal?.throwIfAborted();
      blocks.push(chunk);
      for (let part = blocks.next(); part !== undefined; part = blocks.next()) {
        if (part.kind === 'frame') {
          frame?.close();
          frame = new NativeFrame(createZstdDecompress({ chunkSize: 128 * 1024 }));
          await frame.write(part.header);
          continue;
        }
        const output = await frame?.write(part.bytes);
        for (const bytes of output ?? []) {
          budget.take(bytes.length);
          yield bytes;
        }
        frame?.throwIfFailed();
        options.signal?.throwIfAborted();
      }
    }
    return budget.end(blocks.complete ? undefined : 'The data ends inside a frame');
  } catch (error) {
    return budget.end(problemOf(error));
  } finally {
    frame?.close();
  }
}

/** As `decompressZstd`, in one thread without awaiting, for worker threads; always the decoder in JavaScript. */
export function* decompressZstdSync(
  input: Iterable<Uint8Array>,
  options: Omit<ZstdOptions, 'signal'>,
): Generator<Uint8Array, ZstdEnd> {
  const decoder = new PortableDecoder(options.inputBytes);
  try {
    for (const chunk of input) {
      for (const output of decoder.decode(chunk)) yield output;
    }
    return decoder.end();
  } catch (error) {
    return decoder.failed(error);
  }
}

async function* portable(input: AsyncIterable<Uint8Array>, options: ZstdOptions): AsyncGenerator<Uint8Array, ZstdEnd> {
  const decoder = new PortableDecoder(options.inputBytes);
  try {
    for await (const chunk of input) {
      options.signal?.throwIfAborted();
      for (const output of decoder.decode(chunk)) yield output;
    }
    return decoder.end();
  } catch (error) {
    return decoder.failed(error);
  }
}

/** Thrown inside this file when decoding must stop; reported, never passed on. */
class ZstdStop extends Error {}

/** The text for a fault of the data; a fault of anything else (an aborted read, a failed file) is thrown on. */
function problemOf(error: unknown): string {
  if (error instanceof ZstdSyntaxError || error instanceof ZstdStop) return error.message;
  throw error;
}

class OutputBudget {
  readonly #limit: number;
  #bytes = 0;

  constructor(inputBytes: number) {
    this.#limit = Math.max(LEAST_OUTPUT_LIMIT_BYTES, MAX_RATIO * inputBytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  take(count: number): void {
    if (this.#bytes + count > this.#limit) {
      throw new ZstdStop(`The data expands to more than ${this.#limit} bytes`);
    }
    this.#bytes += count;
  }

  end(problem: string | undefined): ZstdEnd {
    return { outputBytes: this.#bytes, problem };
  }
}

/** One frame in `node:zlib`. Blocks are written one at a time, so that its output needs no back-pressure. */
class NativeFrame {
  readonly #stream: Transform;
  #output: Uint8Array[] = [];
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: Transform) {
    this.#stream = stream;
    this.#stream.on('data', (chunk: Uint8Array) => this.#output.push(chunk));
    this.#stream.on('error', (error: Error) => {
      this.#failure = error;
      this.#wake?.();
    });
  }

  async write(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    if (this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#stream.write(bytes, () => resolve());
      });
    }
    const output = this.#output;
    this.#output = [];
    return output;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw new ZstdStop(this.#failure.message);
  }

  close(): void {
    this.#stream.destroy();
  }
}

/**
 * The decoder in JavaScript, one object a frame. It moves its whole window for every block, so the moved bytes are bounded
 * against the output: tiny blocks in a huge window would cost hours.
 */
class PortableDecoder {
  readonly #blocks = new ZstdBlocks();
  readonly #budget: OutputBudget;
  #frame: Decompress | undefined;
  #output: Uint8Array[] = [];
  #windowBytes = 0;
  #movedBytes = 0;

  constructor(inputBytes: number) {
    this.#budget = new OutputBudget(inputBytes);
  }

  *decode(chunk: Uint8Array): Generator<Uint8Array> {
    this.#blocks.push(chunk);
    for (let part = this.#blocks.next(); part !== undefined; part = this.#blocks.next()) {
      if (part.kind === 'frame') {
        this.#frame = new Decompress((bytes) => {
          if (bytes.length > 0) this.#output.push(bytes);
        });
        this.#windowBytes = part.windowBytes;
        this.#feed(part.header, false);
        continue;
      }
      this.#movedBytes += this.#windowBytes;
      if (this.#movedBytes > 8192 * (this.#budget.bytes + 1024 * 1024)) {
        throw new ZstdStop('The window is far larger than what its blocks hold');
      }
      this.#feed(part.bytes, part.last);
      const output = this.#output;
      this.#output = [];
      for (const bytes of output) {
        this.#budget.take(bytes.length);
        yield bytes;
      }
    }
  }

  end(): ZstdEnd {
    return this.#budget.end(this.#blocks.complete ? undefined : 'The data ends inside a frame');
  }

  failed(error: unknown): ZstdEnd {
    return this.#budget.end(problemOf(error));
  }

  #feed(bytes: Uint8Array, last: boolean): void {
    try {
      this.#frame?.push(bytes, last);
    } catch (error) {
      // The library throws plain errors and, on bad tables, range and type errors: all of them are faults of the data.
      throw new ZstdStop(error instanceof Error ? error.message : String(error));
    }
  }
}
