/**
 * Where documents stand in their logs, packed: 24 bytes each, little-endian, in the order of their numbers.
 *
 * | bytes | what |
 * |---|---|
 * | 0–3 | line, 1-based |
 * | 4–9 | byte offset of the record |
 * | 10 | role: 0 user, 1 assistant, 2 tool; 128 more for a document that was taken back |
 * | 11 | 0 |
 * | 12–15 | bytes of the record |
 * | 16–19 | characters of the masked text |
 * | 20–23 | instant in epoch seconds; 0 for none |
 */
import type { DocumentRole } from '../../projection/documents.js';

export interface StoredPlace {
  /** 1-based. */
  readonly line: number;
  /** Of the record, in the decompressed file. */
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly role: DocumentRole;
  /** UTF-16 units of the masked text. */
  readonly chars: number;
  /** Epoch seconds; undefined where the record has none. */
  readonly atSeconds: number | undefined;
}

export const PLACE_BYTES = 24;
const TAKEN_BACK = 0x80;
const ROLES: readonly DocumentRole[] = ['user', 'assistant', 'tool'];
const MAX_UINT32 = 0xffff_ffff;

export function packPlaces(places: readonly StoredPlace[]): Uint8Array {
  const bytes = new Uint8Array(places.length * PLACE_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, place] of places.entries()) {
    const at = index * PLACE_BYTES;
    view.setUint32(at, Math.min(place.line, MAX_UINT32), true);
    view.setUint32(at + 4, place.byteOffset % 2 ** 32, true);
    view.setUint16(at + 8, Math.floor(place.byteOffset / 2 ** 32), true);
    view.setUint8(at + 10, ROLES.indexOf(place.role));
    view.setUint32(at + 12, Math.min(place.byteLength, MAX_UINT32), true);
    view.setUint32(at + 16, Math.min(place.chars, MAX_UINT32), true);
    view.setUint32(at + 20, Math.min(Math.max(place.atSeconds ?? 0, 0), MAX_UINT32), true);
  }
  return bytes;
}

/** How many documents a pack has. */
export function countPlaces(pack: Uint8Array): number {
  return Math.floor(pack.length / PLACE_BYTES);
}

/** One of a pack; undefined behind its end, and for a document that was taken back. */
export function placeAt(pack: Uint8Array, index: number): StoredPlace | undefined {
  const at = index * PLACE_BYTES;
  if (index < 0 || at + PLACE_BYTES > pack.length) return undefined;
  const view = new DataView(pack.buffer, pack.byteOffset + at, PLACE_BYTES);
  const role = ROLES[view.getUint8(10)];
  if (role === undefined) return undefined;
  const atSeconds = view.getUint32(20, true);
  return {
    line: view.getUint32(0, true),
    byteOffset: view.getUint32(4, true) + view.getUint16(8, true) * 2 ** 32,
    role,
    byteLength: view.getUint32(12, true),
    chars: view.getUint32(16, true),
    atSeconds: atSeconds === 0 ? undefined : atSeconds,
  };
}

/** The same pack with one document taken back. */
export function withoutPlace(pack: Uint8Array, index: number): Uint8Array {
  const copy = Uint8Array.from(pack);
  const at = index * PLACE_BYTES + 10;
  copy[at] = (copy[at] ?? 0) | TAKEN_BACK;
  return copy;
}

/** What the documents of a pack that count say as a whole. */
export interface PlacesSummary {
  /** Characters of all masked texts. */
  readonly chars: number;
  /** Epoch seconds of the first and the last instant; 0 where no record has one. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

export function summarizePlaces(pack: Uint8Array): PlacesSummary {
  let chars = 0;
  let fromSeconds = 0;
  let toSeconds = 0;
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  for (let at = 0; at + PLACE_BYTES <= pack.length; at += PLACE_BYTES) {
    if (view.getUint8(at + 10) >= TAKEN_BACK) continue;
    chars += view.getUint32(at + 16, true);
    const seconds = view.getUint32(at + 20, true);
    if (seconds === 0) continue;
    if (fromSeconds === 0 || seconds < fromSeconds) fromSeconds = seconds;
    if (seconds > toSeconds) toSeconds = seconds;
  }
  return { chars, fromSeconds, toSeconds };
}

/** Writes the characters of each text of a pack into `target` from `from` on. */
export function copyChars(pack: Uint8Array, target: Uint32Array, from: number): void {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  for (let at = 0, to = from; at + PLACE_BYTES <= pack.length; at += PLACE_BYTES, to += 1) {
    target[to] = view.getUint32(at + 16, true);
  }
}
