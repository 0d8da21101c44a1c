/**
 * The terminal while the picker has it: raw input, the alternate screen, and only the lines that changed are written.
 *
 * Whatever `enter` changes, `leave` changes back; both may be called at any time and any number of times.
 */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Frame } from './render.js';
import type { Size } from './state.js';

/** A terminal to read from. */
export interface TerminalInput extends Readable {
  readonly isTTY: true;
  setRawMode(isRaw: boolean): unknown;
}

/** A terminal to write to. */
export interface TerminalOutput extends Writable {
  readonly columns?: number;
  readonly rows?: number;
}

export interface TerminalHandlers {
  readonly onInput: (text: string) => void;
  readonly onResize: () => void;
  /** The terminal has gone. */
  readonly onEnd: () => void;
}

/** Alternate screen, bracketed paste, and no wrapping: a line that is wider than it was measured must not push others. */
const ENTER = '\x1b[?1049h\x1b[?2004h\x1b[?7l\x1b[H\x1b[2J';
const LEAVE = '\x1b[0m\x1b[?7h\x1b[?2004l\x1b[?25h\x1b[?1049l';
/** What stands between them appears at once, where the terminal can do that. */
const BEGIN_FRAME = '\x1b[?2026h\x1b[?25l';
const END_FRAME = '\x1b[?25h\x1b[?2026l';

const FALLBACK: Size = { columns: 80, rows: 24 };

export class Terminal {
  readonly #input: TerminalInput;
  readonly #output: TerminalOutput;
  readonly #handlers: TerminalHandlers;
  /** What the screen shows; undefined when that is not known. */
  #shown: readonly string[] | undefined;
  #isEntered = false;
  #decoder = new StringDecoder('utf8');

  constructor(input: TerminalInput, output: TerminalOutput, handlers: TerminalHandlers) {
    this.#input = input;
    this.#output = output;
    this.#handlers = handlers;
  }

  /** As it is now. A terminal that does not know its size says 0. */
  get size(): Size {
    return { columns: this.#output.columns || FALLBACK.columns, rows: this.#output.rows || FALLBACK.rows };
  }

  get isEntered(): boolean {
    return this.#isEntered;
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#shown = undefined;
    this.#decoder = new StringDecoder('utf8');
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#handlers.onEnd);
    this.#input.on('error', this.#handlers.onEnd);
    this.#output.on('resize', this.#onResize);
    this.#input.setRawMode(true);
    this.#input.resume();
    this.#output.write(ENTER);
  }

  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#output.write(LEAVE);
    this.#output.off('resize', this.#onResize);
    this.#input.off('end', this.#handlers.onEnd);
    this.#input.off('error', this.#handlers.onEnd);
    this.#input.off('data', this.#onData);
    // Paused, so that what is typed next reaches the program that has the terminal next.
    this.#input.pause();
    this.#input.setRawMode(false);
  }

  /** Shows `frame`; writes nothing of it that stands there already. */
  draw({ lines, cursor }: Frame): void {
    if (!this.#isEntered) return;
    const shown = this.#shown;
    let changes = shown === undefined ? '\x1b[2J' : '';
    lines.forEach((line, row) => {
      // Erased first: behind a line that fills its row there is no place from which to erase.
      if (line !== (shown?.[row] ?? '')) changes += `\x1b[${row + 1};1H\x1b[2K${line}`;
    });
    this.#shown = lines;
    this.#output.write(`${BEGIN_FRAME}${changes}\x1b[${cursor.row + 1};${cursor.column + 1}H${END_FRAME}`);
  }

  /** The next frame is written as a whole. */
  forget(): void {
    this.#shown = undefined;
  }

  /** Hands `text` to the clipboard, where the terminal does that. */
  copy(text: string): void {
    this.#output.write(`\x1b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\x07`);
  }

  /** Resolves at the next key, in raw mode but on the usual screen. Only while the picker's own is left. */
  async anyKey(signal: AbortSignal): Promise<void> {
    const input = this.#input;
    input.setRawMode(true);
    try {
      await new Promise<void>((resolve, reject) => {
        const settle = (finish: () => void) => (): void => {
          input.off('data', onKey);
          input.off('end', onKey);
          signal.removeEventListener('abort', onAbort);
          finish();
        };
        const onKey = settle(resolve);
        const onAbort = settle(() => reject(signal.reason));
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        input.on('data', onKey);
        input.on('end', onKey);
        signal.addEventListener('abort', onAbort);
        input.resume();
      });
    } finally {
      input.pause();
      input.setRawMode(false);
    }
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#handlers.onInput(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
  };

  readonly #onResize = (): void => {
    // What a terminal makes of lines that no longer fit is its own affair.
    this.#shown = undefined;
    this.#handlers.onResize();
  };
}
