/**
 * The lines of a byte stream, of any length; never more than one line and one chunk in memory.
 * `\n` ends a line; a last line without one counts. Bytes that are no UTF-8 become replacement characters.
 */
import type { Readable } from 'node:stream';

const NEWLINE = 0x0a;
/** Below the longest string that V8 can make. Of a longer line this much is passed on, which is then no whole JSON. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** The lines that ended in each chunk: whoever answers for them can do so before it waits for the next chunk. */
export async function* readLines(stream: Readable, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const assembler = new LineAssembler();
  const stop = (): void => {
    stream.destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) yield assembler.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  } catch (error) {
    // A stream that was destroyed by `stop` ends with an error of its own; the signal's reason is the true one.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  yield assembler.rest();
}

class LineAssembler {
  #parts: Buffer[] = [];
  #size = 0;

  add(bytes: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#take(bytes.subarray(start, end));
      lines.push(this.#finish());
      start = end + 1;
    }
    this.#take(bytes.subarray(start));
    return lines;
  }

  /** The last line, when no newline ended it. */
  rest(): readonly string[] {
    return this.#size === 0 ? [] : [this.#finish()];
  }

  #take(bytes: Buffer): void {
    const kept = bytes.subarray(0, MAX_LINE_BYTES - this.#size);
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#size += kept.length;
  }

  #finish(): string {
    const [first] = this.#parts;
    const line = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    return line.toString('utf8');
  }
}
