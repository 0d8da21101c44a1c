/**
 * Where lines stand in a file, so that few of many can be read again: the last ones in a ring, others by the caller.
 */
import type { FramedLine } from '../../../base/jsonl.js';

/** A line by its content, not by its physical bytes. */
export interface Place {
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly lineNumber: number;
}

/** How many of the last lines may be no records before the whole file is read again to find the last one. */
const LAST_LINES = 16;

/** A ring of the places of the last lines; plain numbers, since every line passes through it. */
export class RecentPlaces {
  readonly #numbers = new Float64Array(LAST_LINES * 3);
  #count = 0;

  get isFull(): boolean {
    return this.#count >= LAST_LINES;
  }

  /** A line may come twice in a row; it is kept once. */
  add({ byteOffset, byteLength, lineNumber }: FramedLine): void {
    const numbers = this.#numbers;
    if (this.#count > 0 && numbers[((this.#count - 1) % LAST_LINES) * 3] === byteOffset) return;
    const at = (this.#count % LAST_LINES) * 3;
    numbers[at] = byteOffset;
    numbers[at + 1] = byteLength;
    numbers[at + 2] = lineNumber;
    this.#count += 1;
  }

  newestFirst(): readonly Place[] {
    return Array.from({ length: Math.min(this.#count, LAST_LINES) }, (_, back) => {
      const at = ((this.#count - 1 - back) % LAST_LINES) * 3;
      const [byteOffset = 0, byteLength = 0, lineNumber = 0] = this.#numbers.subarray(at, at + 3);
      return { byteOffset, byteLength, lineNumber };
    });
  }
}

export function placeOf({ byteOffset, byteLength, lineNumber }: FramedLine): Place {
  return { byteOffset, byteLength, lineNumber };
}
