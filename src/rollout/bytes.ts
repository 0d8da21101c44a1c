/**
 * Small questions to bytes that are not parsed: views, beginnings, ASCII to text and back. Copies nothing but texts.
 */

/** The same bytes as a Buffer, whose searches are many times faster than those of a Uint8Array. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The bytes at `start` to `end` as a Buffer. */
export function bytesBetween(bytes: Uint8Array, start: number, end: number): Buffer {
  if (start === 0 && end === bytes.length) return asBuffer(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** True when `wanted` stands at `at`, all of it before `limit`. */
export function startsWith(bytes: Uint8Array, at: number, limit: number, wanted: Uint8Array): boolean {
  if (at + wanted.length > limit) return false;
  for (let index = 0; index < wanted.length; index += 1) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}

/** The text of bytes that are ASCII. Bounds: some thousand bytes, each of which becomes an argument of one call. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

/** The bytes of a text that is ASCII. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
