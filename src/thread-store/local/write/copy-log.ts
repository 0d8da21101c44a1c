/**
 * A copy of what is sound in a log, byte for byte, up to a place.
 *
 * A line that holds one record is copied as it stands, whatever this program knows of it; of a damaged line what could be
 * recovered is written anew, one record a line. A log without envelopes gets them. The source is only read.
 */
import { isBlank, LineFramer } from '../../../base/jsonl.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import type { FileSink } from '../../../platform/files/new-file.js';
import { encodeLine } from '../../../protocol/decode-line.js';
import type { RolloutLine } from '../../../protocol/rollout-line.js';
import { allocateWindow, openFeed } from '../../../rollout/byte-feed.js';
import { readRecords } from '../../../rollout/forward-reader.js';
import { loadBytes } from '../../../rollout/load-line.js';

export interface CopyOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  /** Of records that have no time of their own. */
  readonly timestamp: string;
}

/** Copies the log up to the offset (null: its end) in the `legacy` dialect. */
export async function copyLog(
  path: string,
  endByteOffset: number | null,
  sink: FileSink,
  { files, signal, timestamp }: CopyOptions,
): Promise<void> {
  const options = { files, ...(signal !== undefined && { signal }) };
  const rewritten = new Map<number, string[]>();
  const damaged = new Set<number>();
  let dialect: string | undefined;
  for await (const batch of readRecords(path, { ...options, endByteOffset })) {
    dialect ??= batch.dialect;
    for (const { line } of batch.damage) damaged.add(line);
    for (const { lineNumber, line } of batch.records) {
      if (dialect !== 'bare' && !damaged.has(lineNumber)) continue;
      const lines = rewritten.get(lineNumber) ?? [];
      lines.push(encodeLine(inEnvelope(line, timestamp)));
      rewritten.set(lineNumber, lines);
    }
  }
  const feed = await openFeed(path, files, { start: 0, end: endByteOffset ?? undefined }, options);
  try {
    const framer = new LineFramer({ allocate: allocateWindow });
    for (let more = true; more; ) {
      signal?.throwIfAborted();
      more = await feed.fill(framer);
      if (!more) framer.finish();
      for (let line = framer.next(); line !== undefined; line = framer.next()) {
        const anew = rewritten.get(line.lineNumber);
        if (anew !== undefined) await sink(`${anew.join('\n')}\n`);
        else if (!damaged.has(line.lineNumber) && dialect !== 'bare' && !isBlank(line.bytes, line.start, line.end)) {
          await sink(line.oversize ? await loadBytes(path, line, options) : line.bytes.subarray(line.start, line.end));
          await sink('\n');
        }
      }
    }
  } finally {
    await feed.close();
  }
}

function inEnvelope(line: RolloutLine, timestamp: string): RolloutLine {
  const { ordinal: _none, ...rest } = line;
  return { ...rest, ordinal: undefined, timestamp: line.timestamp ?? timestamp };
}
