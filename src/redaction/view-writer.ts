/**
 * Writes the view of a text, and remembers of what each part of it was made. Owns offsets and room; knows nothing of
 * what is kept and what is changed.
 */
import type { Span } from './secret-rule.js';

/** Numbers of a run. */
const RUN = 4;
const FIRST_RUNS = 64;
/** Units that are made a string at a time: they are arguments of a call. */
const CHUNK = 2048;
/** Longer stretches are strings of their own. */
const SLICED = 48;

/** Keeps runs of parts that are alike, by where they begin in the view and in the text. */
export class ViewWriter {
  readonly #text: string;
  readonly #parts: string[] = [];
  /** Units that are not in `#parts` yet. */
  readonly #units = new Uint16Array(CHUNK);
  #waiting = 0;
  /** Units of the view so far. */
  #length = 0;
  /** Four numbers a run: where it begins in the view and in the text, and of what sizes its parts are there and here. */
  #runs = new Int32Array(FIRST_RUNS * RUN);
  #end = 0;
  /** Where the last run ends in the text, and the sizes of its parts. */
  #runEnd = -1;
  #viewSize = 0;
  #textSize = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Writes `[start, end)` of the text as it is. */
  keep(start: number, end: number): void {
    if (start === end) return;
    this.#addPart(start, end, 1, 1);
    this.#length += end - start;
    if (end - start >= SLICED) {
      this.#flush();
      this.#parts.push(this.#text.slice(start, end));
      return;
    }
    if (this.#waiting + SLICED > CHUNK) this.#flush();
    for (let from = start; from < end; from++) this.#units[this.#waiting++] = this.#text.charCodeAt(from);
  }

  /** Writes `read` for `[start, end)` of the text. */
  write(start: number, end: number, read: string): void {
    const size = read.length;
    if (size === 0) return;
    // What is as long as it was goes on with what is around it, unit by unit.
    if (size === end - start) this.#addPart(start, end, 1, 1);
    else this.#addPart(start, end, size, end - start);
    this.#length += size;
    if (size >= SLICED) {
      this.#flush();
      this.#parts.push(read);
      return;
    }
    if (this.#waiting + SLICED > CHUNK) this.#flush();
    for (let from = 0; from < size; from++) this.#units[this.#waiting++] = read.charCodeAt(from);
  }

  #flush(): void {
    if (this.#waiting === 0) return;
    // An array of numbers to every intent of `apply`; spread out it would be walked by an iterator.
    const units = this.#units.subarray(0, this.#waiting) as unknown as number[];
    this.#parts.push(String.fromCharCode.apply(undefined, units));
    this.#waiting = 0;
  }

  #addPart(start: number, end: number, viewSize: number, textSize: number): void {
    const goesOn = this.#runEnd === start && this.#viewSize === viewSize && this.#textSize === textSize;
    this.#runEnd = end;
    if (goesOn) return;
    this.#viewSize = viewSize;
    this.#textSize = textSize;
    if (this.#end === this.#runs.length) {
      const larger = new Int32Array(this.#end * 2);
      larger.set(this.#runs);
      this.#runs = larger;
    }
    const runs = this.#runs;
    const at = this.#end;
    runs[at] = this.#length;
    runs[at + 1] = start;
    runs[at + 2] = viewSize;
    runs[at + 3] = textSize;
    this.#end = at + RUN;
  }

  take(): { readonly text: string; readonly toOriginal: (start: number, end: number) => Span } {
    this.#flush();
    const text = this.#parts.join('');
    return {
      text,
      toOriginal: (start, end) => ({ start: this.#originOf(start).start, end: this.#originOf(end - 1).end }),
    };
  }

  /** Where the unit of the view at `offset` comes from. */
  #originOf(offset: number): Span {
    const runs = this.#runs;
    let low = 0;
    let high = this.#end / RUN - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (runs[middle * RUN]! <= offset) low = middle;
      else high = middle - 1;
    }
    const at = low * RUN;
    const textSize = runs[at + 3]!;
    const part = Math.floor((offset - runs[at]!) / runs[at + 2]!);
    const start = runs[at + 1]! + part * textSize;
    return { start, end: start + textSize };
  }
}
