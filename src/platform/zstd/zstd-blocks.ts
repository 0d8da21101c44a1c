/**
 * The outer structure of zstd data (RFC 8878): frames, their headers and blocks, skippable frames.
 *
 * Nothing is decompressed here. Knowing where each block ends lets a decoder be fed block by block, so that one step makes at
 * most 128 KiB of output, whatever the input claims, and everything before a damaged block is kept.
 */

/** The largest block that the format allows, compressed or not. */
const MAX_BLOCK_BYTES = 128 * 1024;
/** What decoders accept by default; more would let eight bytes of input claim gigabytes of memory. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;
const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const CHECKSUM_BYTES = 4;

export type ZstdPart =
  | { readonly kind: 'frame'; readonly header: Uint8Array; readonly windowBytes: number }
  /** A whole block with its header; the last one of a frame includes the frame's checksum. */
  | { readonly kind: 'block'; readonly bytes: Uint8Array; readonly last: boolean };

/** Thrown when bytes are no zstd data; `message` says why. */
export class ZstdSyntaxError extends SyntaxError {
  override readonly name = 'ZstdSyntaxError';
}

/** Cuts chunks into frame headers and blocks. */
export class ZstdBlocks {
  #pending: Uint8Array = new Uint8Array(0);
  #at = 0;
  #inFrame = false;
  #checksum = false;
  #skip = 0;

  push(chunk: Uint8Array): void {
    const rest = this.#pending.length - this.#at;
    const joined = new Uint8Array(rest + chunk.length);
    joined.set(this.#pending.subarray(this.#at));
    joined.set(chunk, rest);
    this.#pending = joined;
    this.#at = 0;
  }

  /** True when the input may end here. */
  get complete(): boolean {
    return !this.#inFrame && this.#skip === 0 && this.#at === this.#pending.length;
  }

  /** The next part, or undefined when more bytes are needed. Throws ZstdSyntaxError. */
  next(): ZstdPart | undefined {
    for (;;) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, this.#pending.length - this.#at);
        this.#at += step;
        this.#skip -= step;
        if (this.#skip > 0) return undefined;
      }
      if (this.#inFrame) return this.#block();
      if (this.#left() < 4) return undefined;
      const magic = this.#uint32(this.#at);
      if (magic === FRAME_MAGIC) return this.#frame();
      if ((magic & 0xfffffff0) >>> 0 !== SKIPPABLE_MAGIC) throw new ZstdSyntaxError('No zstd frame begins here');
      if (this.#left() < 8) return undefined;
      this.#skip = 8 + this.#uint32(this.#at + 4);
    }
  }

  #frame(): ZstdPart | undefined {
    const flags = this.#pending[this.#at + 4];
    if (flags === undefined) return undefined;
    if ((flags & 0x08) !== 0) throw new ZstdSyntaxError('A reserved bit of the frame header is set');
    const singleSegment = (flags & 0x20) !== 0;
    const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
    const sizeCode = flags >> 6;
    const sizeBytes = sizeCode === 0 ? (singleSegment ? 1 : 0) : 1 << sizeCode;
    const length = 5 + (singleSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
    if (this.#left() < length) return undefined;
    const header = this.#pending.subarray(this.#at, this.#at + length);
    if (header.subarray(length - sizeBytes - dictionaryBytes, length - sizeBytes).some((byte) => byte !== 0)) {
      throw new ZstdSyntaxError('The frame needs a dictionary');
    }
    const windowBytes = singleSegment
      ? contentSize(header.subarray(length - sizeBytes), sizeCode)
      : windowSize(header[5] ?? 0);
    if (windowBytes > MAX_WINDOW_BYTES) {
      throw new ZstdSyntaxError(`The frame asks for a window of ${windowBytes} bytes, over ${MAX_WINDOW_BYTES}`);
    }
    this.#at += length;
    this.#inFrame = true;
    this.#checksum = (flags & 0x04) !== 0;
    return { kind: 'frame', header, windowBytes };
  }

  #block(): ZstdPart | undefined {
    if (this.#left() < 3) return undefined;
    const at = this.#at;
    const head = (this.#pending[at] ?? 0) | ((this.#pending[at + 1] ?? 0) << 8) | ((this.#pending[at + 2] ?? 0) << 16);
    const last = (head & 1) === 1;
    const type = (head >> 1) & 3;
    const size = head >> 3;
    if (type === 3) throw new ZstdSyntaxError('A block has the reserved type');
    if (size > MAX_BLOCK_BYTES) throw new ZstdSyntaxError(`A block claims ${size} bytes, over ${MAX_BLOCK_BYTES}`);
    const runLength = type === 1;
    const length = 3 + (runLength ? 1 : size) + (last && this.#checksum ? CHECKSUM_BYTES : 0);
    if (this.#left() < length) return undefined;
    const bytes = this.#pending.subarray(at, at + length);
    this.#at += length;
    this.#inFrame = !last;
    return { kind: 'block', bytes, last };
  }

  #left(): number {
    return this.#pending.length - this.#at;
  }

  #uint32(at: number): number {
    const bytes = this.#pending;
    return (
      ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>>
      0
    );
  }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(field: Uint8Array, sizeCode: number): number {
  let size = 0;
  for (let at = field.length - 1; at >= 0; at -= 1) size = size * 256 + (field[at] ?? 0);
  return sizeCode === 1 ? size + 256 : size;
}
