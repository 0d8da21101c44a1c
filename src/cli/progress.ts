/**
 * One line of progress on stderr, drawn over itself; silent where stderr is no terminal.
 */
import type { CliContext } from './context.js';

const REDRAW_MS = 80;
const CLEAR = '\r\u001b[2K';

export class ProgressLine {
  readonly #context: CliContext;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #visible = false;

  constructor(context: CliContext) {
    this.#context = context;
  }

  show(text: string): void {
    if (!this.#context.stderrIsTTY) return;
    const nowMs = this.#context.now();
    if (nowMs - this.#drawnAtMs < REDRAW_MS) return;
    this.#drawnAtMs = nowMs;
    this.#visible = true;
    // Progress is ASCII words and numbers, so code units are columns.
    this.#context.stderr.write(CLEAR + text.slice(0, this.#context.columns - 1));
  }

  clear(): void {
    if (this.#visible) this.#context.stderr.write(CLEAR);
    this.#visible = false;
  }
}
