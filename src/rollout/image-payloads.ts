/**
 * Finds the base64 payloads of data URLs in a stream of bytes, wherever lines begin and end, and tells equal ones by their hash.
 * Never holds a payload: memory is one window, whatever the size of an image.
 */
import { createHash, type Hash } from 'node:crypto';
import type { ByteSink } from './byte-feed.js';

export interface ImagePayload {
  /** Of the text as it stands in the log. */
  readonly bytes: number;
  /** The same for the same payload. */
  readonly hash: string;
}

const MARK = Buffer.from(';base64,');
const WINDOW_BYTES = 256 * 1024;
/** What is shorter is not worth telling twice from once. */
const LEAST_BYTES = 1_024;

const IS_BASE64: readonly boolean[] = Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=]/.test(String.fromCharCode(byte)),
);

/** Takes the bytes of one log after another, and gives each payload to `onPayload` when it has ended. */
export class ImagePayloads implements ByteSink {
  readonly #onPayload: (payload: ImagePayload) => void;
  readonly #window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  /** Bytes at the start of the window that may be the beginning of a mark. */
  #kept = 0;
  #hash: Hash | undefined;
  #payloadBytes = 0;

  constructor(onPayload: (payload: ImagePayload) => void) {
    this.#onPayload = onPayload;
  }

  reserve(): Uint8Array {
    return this.#window.subarray(this.#kept);
  }

  commit(count: number): void {
    this.#take(this.#window.subarray(0, this.#kept + count));
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const room = this.reserve();
      const count = Math.min(room.length, chunk.length - at);
      room.set(chunk.subarray(at, at + count));
      this.commit(count);
      at += count;
    }
  }

  /** Ends the log, and a payload that it breaks off in; the next bytes are another's. */
  finish(): void {
    this.#endPayload();
    this.#kept = 0;
  }

  #take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#hash === undefined) {
        const mark = bytes.indexOf(MARK, at);
        if (mark === -1) break;
        at = mark + MARK.length;
        this.#hash = createHash('sha256');
        this.#payloadBytes = 0;
      }
      let end = at;
      while (end < bytes.length && IS_BASE64[bytes[end]!]) end += 1;
      this.#hash.update(bytes.subarray(at, end));
      this.#payloadBytes += end - at;
      at = end;
      if (end < bytes.length) this.#endPayload();
    }
    // The beginning of a mark may stand at the end.
    const rest = this.#hash === undefined ? Math.min(MARK.length - 1, bytes.length - Math.min(at, bytes.length)) : 0;
    this.#kept = rest;
    if (rest > 0) this.#window.copyWithin(0, bytes.length - rest, bytes.length);
  }

  #endPayload(): void {
    const hash = this.#hash;
    this.#hash = undefined;
    if (hash === undefined || this.#payloadBytes < LEAST_BYTES) return;
    this.#onPayload({ bytes: this.#payloadBytes, hash: hash.digest('base64url') });
  }
}
