/**
 * A log without its secrets, line by line, in memory bounded by its longest line.
 *
 * Masking moves bytes: a log that continues another names a byte of it, so whoever masks both is told where the old offsets are
 * now, and gives the new one for the log that continues. Compressed logs come out plain. The same log masked twice gives the
 * same bytes.
 */
import { isBlank, LineFramer } from '../../base/jsonl.js';
import type { FileSystem } from '../../platform/files/file-system.js';
import { allocateWindow, openFeed } from '../../rollout/byte-feed.js';
import { loadBytes } from '../../rollout/load-line.js';
import { MAX_PARSED_BYTES } from '../../rollout/records.js';
import { DamagedError } from '../errors.js';
import { maskLine, type SecretCounts, withBaseEnd } from './mask-line.js';

export interface MaskLogOptions {
  readonly files: FileSystem;
  /** Where a plain log ended when it was first looked at; undefined for a compressed one, which is never appended to. */
  readonly endByteOffset: number | undefined;
  /** Where the prefix that this log continues ends in its masked form; undefined to leave it as it is. */
  readonly baseEndByteOffset?: number | undefined;
  /** Offsets in the log as it is (ends of lines) whose masked places are wanted. */
  readonly offsets?: ReadonlySet<number> | undefined;
  /** Told the place of each wanted offset. */
  readonly onOffset?: ((from: number, to: number) => void) | undefined;
  /** Filled with what was masked. */
  readonly counts: SecretCounts;
  readonly signal?: AbortSignal | undefined;
}

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = Buffer.from('\n');

/**
 * Yields the masked bytes. Throws DamagedError for what cannot be looked through: compressed data that is damaged, a line too
 * long to be parsed.
 */
export async function* maskLog(path: string, options: MaskLogOptions): AsyncGenerator<Uint8Array, void> {
  const { files, counts, signal, offsets, onOffset } = options;
  const range = { start: 0, end: options.endByteOffset };
  const feed = await openFeed(path, files, range, signal === undefined ? {} : { signal });
  let base = options.baseEndByteOffset;
  let written = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  try {
    const framer = new LineFramer({ allocate: allocateWindow });
    for (let more = true; more; ) {
      signal?.throwIfAborted();
      more = await feed.fill(framer);
      if (!more) {
        if (feed.problem !== undefined) throw unreadable(path, `its compressed data is damaged: ${feed.problem}`, 0);
        framer.finish();
      }
      for (let line = framer.next(); line !== undefined; line = framer.next()) {
        const { lineNumber, byteOffset, byteLength, terminated, nextOffset } = line;
        if (byteLength > MAX_PARSED_BYTES) throw unreadable(path, `the line has ${byteLength} bytes`, lineNumber);
        const held = { byteOffset, byteLength };
        const bytes = line.oversize
          ? await loadBytes(path, held, { files, ...(signal && { signal }) })
          : Buffer.from(line.bytes.subarray(line.start, line.end));
        let out = bytes;
        if (!isBlank(bytes, 0, bytes.length)) {
          const text = maskLine(bytes, {
            terminated,
            counts,
            edit: (value) => {
              const moved = base === undefined ? undefined : withBaseEnd(value, base);
              // Only the first session_meta counts.
              if (moved !== undefined) base = undefined;
              return moved ?? value;
            },
          });
          if (text !== undefined) out = Buffer.from(text);
        }
        pending.push(out, ...(terminated ? [LINE_FEED] : []));
        written += out.length + (terminated ? 1 : 0);
        pendingBytes += out.length + 1;
        if (offsets?.has(nextOffset)) onOffset?.(nextOffset, written);
        if (pendingBytes < CHUNK_BYTES) continue;
        yield Buffer.concat(pending);
        pending = [];
        pendingBytes = 0;
      }
    }
    if (pending.length > 0) yield Buffer.concat(pending);
  } finally {
    await feed.close();
  }
}

function unreadable(path: string, why: string, line: number): DamagedError {
  return new DamagedError(`Cannot mask the log ${JSON.stringify(path)}: ${why}`, {
    path,
    ...(line > 0 && { line }),
    hint: 'What cannot be read may hold secrets. Export it with --raw, which changes no byte, or leave the thread out.',
  });
}
