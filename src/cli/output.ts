/**
 * A stream to write text to, with backpressure: nothing is held but one chunk.
 * A reader that went away (`head`) becomes a `ClosedPipeError`; any other failure of the stream is thrown as it is.
 */
import type { Writable } from 'node:stream';
import { ClosedPipeError } from './failure.js';

const CHUNK_CHARS = 64 * 1024;
const GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

export class Output {
  readonly #stream: Writable;
  #pending = '';

  constructor(stream: Writable) {
    this.#stream = stream;
    // The callback of each write reports its failure; without a listener the event would end the process.
    if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  }

  /** Takes `text`; the promise, when there is one, must be awaited before more is written. */
  write(text: string): Promise<void> | undefined {
    this.#pending += text;
    return this.#pending.length < CHUNK_CHARS ? undefined : this.flush();
  }

  async line(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }

  /** Resolves when everything written so far was handed to the stream. */
  async flush(): Promise<void> {
    const chunk = this.#pending;
    this.#pending = '';
    if (chunk === '') return;
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(chunk, (error) => {
        if (!error) resolve();
        else if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) {
          reject(new ClosedPipeError('Nobody reads the output', { cause: error }));
        } else reject(error);
      });
    });
  }
}
