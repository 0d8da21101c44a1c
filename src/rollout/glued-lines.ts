/**
 * Finds lines that may hold more records than the one they begin with, on their bytes, without parsing them.
 *
 * Never says that a line does hold more: what looks like a beginning may be text. Whoever is told so parses the line.
 */
import type { FramedLine } from '../base/jsonl.js';
import type { LineShape } from '../protocol/decode-line.js';
import { bytesBetween } from './bytes.js';
import { ENVELOPE_START, isInsideStructure } from './json-bytes.js';

/**
 * Finds lines that may hold a further record behind their first one (glued by a lost line feed, or a cut record and its
 * retry), whose header therefore says too little. Lines must be asked in file order.
 */
export class GluedLines {
  /** File offset of the next beginning of a record that is known, or up to which none was found. */
  #nextOffset = 0;

  mayHoldMore(line: FramedLine, shape: LineShape): boolean {
    if (line.oversize) return false;
    const { bytes, start, end, byteOffset } = line;
    if (shape === 'bare') return holdsMoreBare(bytesBetween(bytes, start, end));
    const endOffset = byteOffset + end - start;
    if (this.#nextOffset <= byteOffset) {
      // Looks past the line: mostly the hit is the beginning of the next one, so all searches together are one pass.
      const hit = bytesBetween(bytes, 0, bytes.length).indexOf(ENVELOPE_START, start + 1);
      this.#nextOffset = byteOffset + (hit === -1 ? bytes.length : hit) - start;
    }
    return this.#nextOffset < endOffset;
  }
}

/** True when an object begins behind the start of a bare line that does not stand inside another one. */
function holdsMoreBare(line: Buffer): boolean {
  for (let at = line.indexOf(OBJECT_START, 1); at !== -1; at = line.indexOf(OBJECT_START, at + 1)) {
    if (!isInsideStructure(line[at - 1])) return true;
  }
  return false;
}

const OBJECT_START = Buffer.from('{"');
