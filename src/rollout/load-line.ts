/**
 * Single lines and byte ranges of a rollout, by number or by offset, plain or compressed.
 *
 * Lines are given as they are, damaged or not. A line over 64 MiB is given as its place only.
 */
import { type FramedLine, isBlank, LineFramer } from '../base/jsonl.js';
import type { FileSystem } from '../platform/files/file-system.js';
import { allocateWindow, type ByteSink, isCompressed, openFeed, openFeedSync } from './byte-feed.js';

export interface LoadOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal;
}

/** A raw line. */
export interface LoadedLine {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** The content, decoded leniently; undefined when the line is larger than 64 MiB. */
  readonly text: string | undefined;
}

/** Loads the lines `from` to `to` (1-based, inclusive); fewer when the file has fewer. */
export async function loadLines(
  path: string,
  range: { readonly from: number; readonly to: number },
  options: LoadOptions,
): Promise<readonly LoadedLine[]> {
  const found: LoadedLine[] = [];
  await eachLine(path, options, (line) => {
    if (line.lineNumber >= range.from && line.lineNumber <= range.to) found.push(loadedLine(path, line));
    return line.lineNumber < range.to;
  });
  return found;
}

/** Finds the line that holds `byteOffset`; undefined when the file ends before. */
export async function loadLineAt(
  path: string,
  byteOffset: number,
  options: LoadOptions,
): Promise<LoadedLine | undefined> {
  let found: LoadedLine | undefined;
  await eachLine(path, options, (line) => {
    if (line.nextOffset <= byteOffset) return true;
    found = loadedLine(path, line);
    return false;
  });
  return found;
}

/** How many lines the file has: physical lines, blank ones and an unfinished last one included. */
export async function countLines(path: string, options: LoadOptions): Promise<number> {
  let count = 0;
  await eachLine(path, options, (line) => {
    count = line.lineNumber;
    return true;
  });
  return count;
}

/** Calls `visit` for every line until it says no. */
async function eachLine(path: string, options: LoadOptions, visit: (line: FramedLine) => boolean): Promise<void> {
  const feed = await openFeed(path, options.files, { start: 0, end: undefined }, options);
  try {
    const framer = new LineFramer({ allocate: allocateWindow });
    for (let more = true; more; ) {
      options.signal?.throwIfAborted();
      more = await feed.fill(framer);
      if (!more) framer.finish();
      for (let line = framer.next(); line !== undefined; line = framer.next()) if (!visit(line)) return;
    }
  } finally {
    await feed.close();
  }
}

/** Reads `byteLength` bytes at `byteOffset` of the (decompressed) file; fewer when the file ends before. */
export async function loadBytes(
  path: string,
  range: { readonly byteOffset: number; readonly byteLength: number },
  options: LoadOptions,
): Promise<Buffer> {
  if (!isCompressed(path)) {
    const file = await options.files.openRegular(path, options);
    try {
      const target = Buffer.allocUnsafe(withinFile(range, file.stat.sizeBytes));
      return target.subarray(0, await file.read(target, range.byteOffset));
    } finally {
      await file.close();
    }
  }
  const end = range.byteOffset + range.byteLength;
  const feed = await openFeed(path, options.files, { start: range.byteOffset, end }, options);
  const catcher = new ByteCatcher();
  try {
    while (await feed.fill(catcher)) options.signal?.throwIfAborted();
  } finally {
    await feed.close();
  }
  return catcher.bytes();
}

/** As `loadBytes`, without awaiting. Only for files in a folder that has just answered. */
export function loadBytesSync(
  path: string,
  range: { readonly byteOffset: number; readonly byteLength: number },
  files: FileSystem,
): Buffer {
  if (!isCompressed(path)) {
    const file = files.openRegularSync(path);
    try {
      const target = Buffer.allocUnsafe(withinFile(range, file.stat.sizeBytes));
      return target.subarray(0, file.readSync(target, range.byteOffset));
    } finally {
      file.closeSync();
    }
  }
  const end = range.byteOffset + range.byteLength;
  const feed = openFeedSync(path, files, { start: range.byteOffset, end });
  const catcher = new ByteCatcher();
  try {
    for (let more = true; more; ) more = feed.fillSync(catcher);
  } finally {
    feed.closeSync();
  }
  return catcher.bytes();
}

/** A range comes from an index that may be stale: no more is set aside than the file can fill. */
function withinFile(range: { readonly byteOffset: number; readonly byteLength: number }, sizeBytes: number): number {
  return Math.max(0, Math.min(range.byteLength, sizeBytes - range.byteOffset));
}

/** Collects what a feed gives, line ends or not. */
class ByteCatcher implements ByteSink {
  readonly #chunks: Buffer[] = [];
  #room = Buffer.alloc(0);

  reserve(least: number): Uint8Array {
    this.#room = Buffer.allocUnsafe(least);
    return this.#room;
  }

  commit(count: number): void {
    this.#chunks.push(this.#room.subarray(0, count));
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk));
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

function loadedLine(path: string, line: FramedLine): LoadedLine {
  const { lineNumber, byteOffset, byteLength } = line;
  const blank = !line.oversize && isBlank(line.bytes, line.start, line.end);
  const text = line.oversize
    ? undefined
    : blank
      ? ''
      : Buffer.from(line.bytes.subarray(line.start, line.end)).toString('utf8');
  return { path, line: lineNumber, byteOffset, byteLength, text };
}
