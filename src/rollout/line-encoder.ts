/**
 * From records to the bytes of lines: the envelope, the time of the moment of writing, the ordinal.
 *
 * A record becomes text when it is taken, so that what a caller does to its objects later changes nothing; its line gets its
 * time and its ordinal when it is written. Keys stand in the order of the real client. One buffer serves all lines that fit.
 */
import type { RolloutItem } from '../protocol/rollout-line.js';

const BUFFER_BYTES = 64 * 1024;

/** A record that waits to be written. */
export interface PendingRecord {
  readonly type: string;
  /** JSON. */
  readonly payload: string;
}

/** Throws TypeError for what is no JSON. */
export function pendingRecord(item: RolloutItem): PendingRecord {
  // The types promise a payload; callers without types may have none.
  const payload = JSON.stringify(item.payload) as string | undefined;
  if (payload === undefined) throw new TypeError(`Cannot write "${item.type}": it has no payload`);
  return { type: item.type, payload };
}

export class LineEncoder {
  readonly #nowMs: () => number;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #stampMs = Number.NaN;
  #stamp = '';

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The line with its line feed. The bytes are valid until the next call; `length` of them count. */
  encode(
    { type, payload }: PendingRecord,
    ordinal: number | undefined,
  ): { readonly bytes: Buffer; readonly length: number } {
    const nowMs = this.#nowMs();
    if (nowMs !== this.#stampMs) {
      this.#stamp = new Date(nowMs).toISOString();
      this.#stampMs = nowMs;
    }
    const place = ordinal === undefined ? '' : `"ordinal":${ordinal},`;
    const line = `{"timestamp":"${this.#stamp}",${place}"type":"${type}","payload":${payload}}\n`;
    // No character has more than three bytes a unit.
    if (line.length * 3 <= BUFFER_BYTES) return { bytes: this.#buffer, length: this.#buffer.write(line, 'utf8') };
    const bytes = Buffer.from(line, 'utf8');
    return { bytes, length: bytes.length };
  }
}
