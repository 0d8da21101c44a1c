/**
 * What a writer must know of a log before it adds to it: whose it is, how its lines look, and how it ends.
 *
 * Only reads. The first record must be the session_meta of the thread: a log that begins with anything else would be refused
 * by the real client too. Of the end: whether the last line is whole, and the ordinal of the newest record that can be read.
 */
import type { ThreadId } from '../base/ids.js';
import { isJsonObject } from '../base/json.js';
import { type FramedLine, isBlank, LF, LineFramer } from '../base/jsonl.js';
import type { FileSystem } from '../platform/files/file-system.js';
import type { WrittenDialect } from '../protocol/persistence.js';
import type { SessionMeta } from '../protocol/session-meta.js';
import { allocateWindow, openFeedSync } from './byte-feed.js';
import { DamagedError, OrdinalOverflowError, UnsupportedError } from './errors.js';
import { loadBytesSync } from './load-line.js';
import { emptyContents, FileTraits, MAX_PARSED_BYTES, readLine } from './records.js';
import { readLinesReverseSync } from './reverse-reader.js';

const WINDOW_BYTES = 64 * 1024;

export interface LogBeginning {
  readonly meta: SessionMeta;
  readonly dialect: WrittenDialect;
}

export interface LogTail {
  readonly sizeBytes: number;
  /** False for a torn last line, and for one that lacks nothing but its newline. */
  readonly endsLine: boolean;
  /** Of the record that comes next; undefined in `legacy`. */
  readonly nextOrdinal: number | undefined;
}

/**
 * Reads the first record. Throws DamagedError when it is not the session_meta of this thread, UnsupportedError for a dialect
 * that nobody writes (a bare log, an unknown history mode), and the system's error.
 */
export function readBeginning(path: string, threadId: ThreadId | undefined, files: FileSystem): LogBeginning {
  const { record, line, shape } = readFirstLine(path, files);
  if (record === undefined) {
    const message = `Cannot go on with ${JSON.stringify(path)}: ${line === 0 ? 'it has no record' : `its first record, on line ${line}, cannot be read`}`;
    throw new DamagedError(message, { path, ...(line > 0 && { line }) });
  }
  if (record.type !== 'session_meta') {
    throw new DamagedError(
      `Cannot go on with ${JSON.stringify(path)}: it begins with "${record.type}", not with session metadata`,
      { path, line },
    );
  }
  const meta = record.payload;
  if (shape === 'bare') {
    throw new UnsupportedError(
      `Cannot go on with ${JSON.stringify(path)}: no release reads what is added to a bare log`,
      {
        path,
        hint: 'Fork the thread: the copy is written as releases of today read it.',
      },
    );
  }
  if (threadId !== undefined && meta.id.toLowerCase() !== threadId) {
    throw new DamagedError(
      `Cannot go on with ${JSON.stringify(path)}: it is the log of thread ${meta.id}, not of ${threadId}`,
      { path, line },
    );
  }
  const mode = meta.history_mode ?? 'legacy';
  if (mode !== 'legacy' && mode !== 'paginated') {
    throw new UnsupportedError(
      `Cannot go on with ${JSON.stringify(path)}: its history mode "${mode}" is of a release that is not known`,
      { path, hint: 'It can be read and shown. Update this program, or fork the thread.' },
    );
  }
  return { meta, dialect: mode };
}

/** Reads the end. Throws DamagedError when the newest record of a paginated log has no ordinal, and the system's error. */
export function readTail(path: string, dialect: WrittenDialect, files: FileSystem): LogTail {
  const file = files.openRegularSync(path);
  let endsLine = true;
  try {
    const { sizeBytes } = file.stat;
    if (sizeBytes > 0) {
      const last = new Uint8Array(1);
      endsLine = file.readSync(last, sizeBytes - 1) === 1 && last[0] === LF;
    }
    const nextOrdinal = dialect === 'legacy' ? undefined : nextOrdinalOf(path, sizeBytes, files);
    return { sizeBytes, endsLine, nextOrdinal };
  } finally {
    file.closeSync();
  }
}

/**
 * Lines that cannot be read are passed over, as the real client passes over them: their ordinals are used again. A newest
 * record without an ordinal is refused, since that client would refuse the log for good after one more line.
 */
function nextOrdinalOf(path: string, endByteOffset: number, files: FileSystem): number {
  for (const found of readLinesReverseSync(path, { files, endByteOffset })) {
    const line = found.oversize ? wholeOf(path, found, files) : found;
    const contents = emptyContents();
    let overflow = false;
    readLine(line, new FileTraits({ dialect: 'paginated' }), contents, (_decode, value) => {
      const ordinal = isJsonObject(value) ? value['ordinal'] : undefined;
      overflow ||= typeof ordinal === 'number' && ordinal >= Number.MAX_SAFE_INTEGER;
    });
    if (overflow) throw new OrdinalOverflowError(path);
    const newest = contents.records.at(-1);
    if (newest === undefined) continue;
    if (newest.line.ordinal === undefined) {
      throw new DamagedError(`Cannot go on with ${JSON.stringify(path)}: its newest record has no ordinal`, {
        path,
        hint: 'Nothing was changed. An older release has added to it; fork the thread to go on with a sound copy.',
      });
    }
    return newest.line.ordinal + 1;
  }
  throw new DamagedError(`Cannot go on with ${JSON.stringify(path)}: it has no record`, { path });
}

function wholeOf(path: string, line: FramedLine, files: FileSystem): FramedLine {
  if (line.byteLength > MAX_PARSED_BYTES) {
    throw new DamagedError(`Cannot go on with ${JSON.stringify(path)}: its last line is too long to be read`, { path });
  }
  const bytes = loadBytesSync(path, line, files);
  return { ...line, bytes, start: 0, end: bytes.length, oversize: false };
}

type FirstRecord = ReturnType<typeof emptyContents>['records'][number]['line']['item'];

interface FirstLine {
  readonly record: FirstRecord | undefined;
  /** 1-based; 0 when all lines are blank. */
  readonly line: number;
  readonly shape: FileTraits['shape'];
}

function readFirstLine(path: string, files: FileSystem): FirstLine {
  const feed = openFeedSync(path, files, { start: 0, end: undefined });
  const framer = new LineFramer({ allocate: allocateWindow, windowBytes: WINDOW_BYTES });
  try {
    for (let more = true; more; ) {
      more = feed.fillSync(framer);
      if (!more) framer.finish();
      for (let line = framer.next(); line !== undefined; line = framer.next()) {
        if (line.oversize) return { record: undefined, line: line.lineNumber, shape: undefined };
        if (!isBlank(line.bytes, line.start, line.end)) return readOne(line);
      }
    }
  } finally {
    feed.closeSync();
  }
  return { record: undefined, line: 0, shape: undefined };
}

function readOne(line: FramedLine): FirstLine {
  const traits = new FileTraits();
  const contents = emptyContents();
  readLine(line, traits, contents);
  return { record: contents.records[0]?.line.item, line: line.lineNumber, shape: traits.shape };
}
