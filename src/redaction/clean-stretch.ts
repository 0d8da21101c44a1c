/**
 * Remembers a stretch of the text being looked at that was read to its end, for readers that many anchors begin within
 * one another's reach. What does not depend on where the reading began is not read again, so a text full of anchors is
 * read a few times and not once for each of them.
 *
 * Holds offsets and no text: comparing two long texts for each anchor would cost more than reading. Whoever begins with
 * another text calls `forgetStretches` first.
 */

/** Shorter stretches cost less to read than to remember. */
const LEAST = 32;

const made: { forget(): void }[] = [];

/** `Kind` is what the stretch was read for; one of another kind takes its place. */
export class CleanStretch<Kind> {
  #kind: Kind | undefined;
  #start = 0;
  #end = 0;

  constructor() {
    made.push(this);
  }

  /** How far nothing is known to end a reading that begins at `from`; `from` itself when nothing is known. */
  endOf(kind: Kind, from: number): number {
    return from >= this.#start && from < this.#end && this.#kind === kind ? this.#end : from;
  }

  /** Nothing in `[start, end)` ends a reading for `kind`. */
  keep(kind: Kind, start: number, end: number): void {
    if (start >= this.#start && start <= this.#end && this.#kind === kind) {
      this.#end = Math.max(this.#end, end);
      return;
    }
    if (end - start < LEAST) return;
    this.#kind = kind;
    this.#start = start;
    this.#end = end;
  }

  forget(): void {
    this.#kind = undefined;
    this.#start = this.#end = 0;
  }
}

/** To be called before another text is looked at. */
export function forgetStretches(): void {
  for (const stretch of made) stretch.forget();
}
