/**
 * Streaming compression to zstd, at the level and in the form in which Codex compresses its logs.
 *
 * `node:zlib` where it has zstd (22.15, 23.8 and later): one frame with a checksum. Elsewhere a WebAssembly build of the
 * reference encoder, an optional dependency: a frame for every few MiB, without checksums, which every decoder reads as one text.
 * Never holds more than one frame's input. Whoever compresses decodes the result before anything is deleted.
 */
import { createRequire } from 'node:module';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { CodicilError } from '../../base/errors.js';
import type { ZstdEngine } from './decompress.js';

/** What Codex takes. */
const LEVEL = 3;
/** At this level the window is 2 MiB: a longer frame finds no more to repeat. */
const PORTABLE_FRAME_BYTES = 4 * 1024 * 1024;
/** `ZSTD_c_compressionLevel` and `ZSTD_c_checksumFlag` of the format's own interface. */
const PARAMETER_LEVEL = 100;
const PARAMETER_CHECKSUM = 201;

interface ZstdStreamOptions {
  readonly params: Readonly<Record<number, number>>;
}

// The types describe the oldest Node that is supported, which lacks it; newer ones have it.
const createZstdCompress = (zlib as { readonly createZstdCompress?: (options: ZstdStreamOptions) => Transform })
  .createZstdCompress;

/** The part of `@bokuweb/zstd-wasm` that is used here. */
interface WasmZstd {
  init(): Promise<void>;
  compress(bytes: Uint8Array, level: number): Uint8Array;
}

/** Thrown where neither this Node nor an installed module can write zstd. */
export class ZstdEncoderError extends CodicilError {
  override readonly name = 'ZstdEncoderError';

  constructor(cause: unknown) {
    super('zstd-no-encoder', 'Cannot compress: this Node has no zstd, and the module that has it cannot be loaded', {
      cause,
      hint: 'Nothing was changed. Use Node 22.15 or later, or install "@bokuweb/zstd-wasm@0.0.27" beside this package; reading compressed logs works without.',
    });
  }
}

/** `native` where this Node can write zstd by itself. */
export function defaultZstdEncoder(): ZstdEngine {
  return createZstdCompress === undefined ? 'portable' : 'native';
}

/** Yields the compressed bytes. Rejects with ZstdEncoderError, with what `input` throws, and with the signal's reason. */
export async function* compressZstd(
  input: AsyncIterable<Uint8Array>,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
  engine: ZstdEngine = defaultZstdEncoder(),
): AsyncGenerator<Uint8Array> {
  if (engine === 'portable' || createZstdCompress === undefined) yield* portable(input, signal);
  else yield* native(createZstdCompress, input, signal);
}

async function* native(
  create: NonNullable<typeof createZstdCompress>,
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const stream = create({ params: { [PARAMETER_LEVEL]: LEVEL, [PARAMETER_CHECKSUM]: 1 } });
  let output: Uint8Array[] = [];
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  stream.on('data', (chunk: Uint8Array) => output.push(chunk));
  stream.on('error', (error: Error) => {
    failure = error;
    wake?.();
  });
  const step = async (run: (done: () => void) => void): Promise<readonly Uint8Array[]> => {
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (failure === undefined) run(resolve);
      else resolve();
    });
    if (failure !== undefined) throw failure;
    const made = output;
    output = [];
    return made;
  };
  try {
    for await (const chunk of input) {
      signal?.throwIfAborted();
      yield* await step((done) => stream.write(chunk, () => done()));
    }
    yield* await step((done) => {
      stream.once('end', done);
      stream.end();
    });
  } finally {
    stream.destroy();
  }
}

async function* portable(
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const zstd = await wasmZstd();
  const frame = Buffer.allocUnsafe(PORTABLE_FRAME_BYTES);
  let filled = 0;
  let frames = 0;
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length; ) {
      signal?.throwIfAborted();
      const part = chunk.subarray(at, at + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < frame.length) continue;
      yield zstd.compress(frame, LEVEL);
      frames += 1;
      filled = 0;
    }
  }
  // An empty text is a frame as well: a file without a byte is no zstd data.
  if (filled > 0 || frames === 0) yield zstd.compress(frame.subarray(0, filled), LEVEL);
}

let loading: Promise<WasmZstd> | undefined;

function wasmZstd(): Promise<WasmZstd> {
  loading ??= loadWasmZstd();
  return loading;
}

async function loadWasmZstd(): Promise<WasmZstd> {
  try {
    // require() gives untyped exports; see WasmZstd.
    const zstd = createRequire(import.meta.url)('@bokuweb/zstd-wasm') as WasmZstd;
    await zstd.init();
    return zstd;
  } catch (error) {
    throw new ZstdEncoderError(error);
  }
}
