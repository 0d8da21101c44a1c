/**
 * What a list needs of a rollout without reading its body: who it is, how its lines look, the first thing that the user
 * said and the time of the last record.
 *
 * Reads at most 256 KiB at the beginning and 64 KiB at the end. The base instructions, nearly all of a session_meta, are cut out of
 * its bytes before it is parsed, so the text is missing from `meta`. Of a compressed file the end is not known.
 */
import { type FramedLine, isBlank, LineFramer, MAX_LINE_BYTES } from '../base/jsonl.js';
import type { FileSystem } from '../platform/files/file-system.js';
import type { LineShape } from '../protocol/decode-line.js';
import type { Dialect } from '../protocol/rollout-line.js';
import { allocateWindow, isCompressed, openFeedSync } from './byte-feed.js';
import { type LineHeader, readHeader } from './header.js';
import { BACKSLASH, QUOTE } from './json-bytes.js';
import { emptyContents, FileTraits, type RolloutRecord, readLine } from './records.js';
import { readLinesReverseSync } from './reverse-reader.js';

const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 64 * 1024;
/** Injected texts (instructions, environment) come as user messages before the first that a user wrote. */
const MAX_USER_ITEMS = 16;

export interface RolloutHead {
  readonly shape: LineShape | undefined;
  readonly dialect: Dialect | undefined;
  /** The first session_meta, without the text of its base instructions. */
  readonly meta: RolloutRecord | undefined;
  /** The first event that says what the user typed (`user_message`, or `item_completed` of a UserMessage). */
  readonly userEvent: RolloutRecord | undefined;
  /** The first message items of role user, injected ones included: for logs without events. */
  readonly userItems: readonly RolloutRecord[];
  readonly turnContext: RolloutRecord | undefined;
  /** Newest valid record; undefined for a compressed file, or when the last 64 KiB hold none. */
  readonly lastRecord: RolloutRecord | undefined;
  /** True when not one byte of the file is a record's: empty, or white space and NULs only. */
  readonly empty: boolean;
}

/** Reads the head. Only for files in a folder that has just answered. Throws when the file cannot be opened. */
export function readHeadSync(path: string, files: FileSystem): RolloutHead {
  const scan = new HeadScan();
  const feed = openFeedSync(path, files, { start: 0, end: undefined });
  const framer = new LineFramer({ allocate: allocateWindow, windowBytes: TAIL_BYTES });
  try {
    for (let more = true; more && !scan.done; ) {
      more = feed.fillSync(framer);
      if (!more) framer.finish();
      for (let line = framer.next(); line !== undefined && !scan.done; line = framer.next()) scan.read(line);
      // A first line may be longer than the head: without it nothing is known. A hole of NULs may be endless.
      if (framer.offset >= (scan.sawLine ? HEAD_BYTES : MAX_LINE_BYTES)) break;
    }
  } finally {
    feed.closeSync();
  }
  const dialect = scan.dialect;
  const lastRecord = dialect === undefined || isCompressed(path) ? undefined : readLastRecord(path, files, dialect);
  return scan.head(lastRecord);
}

function readLastRecord(path: string, files: FileSystem, dialect: Dialect): RolloutRecord | undefined {
  let firstOffset: number | undefined;
  for (const line of readLinesReverseSync(path, { files, blockBytes: TAIL_BYTES })) {
    firstOffset ??= line.nextOffset;
    if (!line.oversize) {
      const contents = emptyContents();
      readLine(line, new FileTraits({ dialect }), contents);
      const newest = contents.records.at(-1);
      if (newest !== undefined) return newest;
    }
    if (firstOffset - line.lineOffset > TAIL_BYTES) return undefined;
  }
  return undefined;
}

class HeadScan {
  readonly #traits = new FileTraits();
  readonly #userItems: RolloutRecord[] = [];
  #meta: RolloutRecord | undefined;
  #userEvent: RolloutRecord | undefined;
  #turnContext: RolloutRecord | undefined;
  #empty = true;

  get done(): boolean {
    return this.#meta !== undefined && this.#userEvent !== undefined && this.#turnContext !== undefined;
  }

  get sawLine(): boolean {
    return !this.#empty;
  }

  get dialect(): Dialect | undefined {
    return this.#traits.dialect;
  }

  read(line: FramedLine): void {
    if (line.oversize || !isBlank(line.bytes, line.start, line.end)) this.#empty = false;
    if (line.oversize) return;
    const header = readHeader(line.bytes, line.start, line.end, this.#traits.shape ?? 'envelope');
    if (header !== undefined && this.#traits.dialect !== undefined && !this.#isOfUse(header)) return;
    const contents = emptyContents();
    const shorter = header?.type === 'session_meta' ? withoutInstructions(line) : line;
    readLine(shorter, this.#traits, contents);
    for (const record of contents.records) {
      this.#note(shorter === line ? record : { ...record, byteLength: line.byteLength });
    }
  }

  head(lastRecord: RolloutRecord | undefined): RolloutHead {
    return {
      shape: this.#traits.shape,
      dialect: this.#traits.dialect,
      meta: this.#meta,
      userEvent: this.#userEvent,
      userItems: this.#userItems,
      turnContext: this.#turnContext,
      lastRecord,
      empty: this.#empty,
    };
  }

  #isOfUse(header: LineHeader): boolean {
    if (header.type === 'session_meta') return this.#meta === undefined;
    if (header.type === 'turn_context') return this.#turnContext === undefined;
    if (header.payloadType === 'user_message') return this.#userEvent === undefined;
    if (header.payloadType === 'item_completed') {
      return this.#userEvent === undefined && (header.detail === undefined || header.detail === 'UserMessage');
    }
    if (header.payloadType !== 'message' || this.#userItems.length >= MAX_USER_ITEMS) return false;
    return header.detail === undefined || header.detail === 'user';
  }

  #note(record: RolloutRecord): void {
    const { item } = record.line;
    if (item.type === 'session_meta') {
      this.#meta ??= record;
    } else if (item.type === 'turn_context') {
      this.#turnContext ??= record;
    } else if (item.type === 'response_item') {
      const { type, role } = item.payload;
      if (type === 'message' && role === 'user' && this.#userItems.length < MAX_USER_ITEMS)
        this.#userItems.push(record);
    } else if (item.type === 'event_msg') {
      const event = item.payload;
      const typed =
        event.type === 'user_message' || (event.type === 'item_completed' && event.item.type === 'UserMessage');
      if (typed) this.#userEvent ??= record;
    }
  }
}

const INSTRUCTIONS = Buffer.from('"base_instructions":{"text":"');

/** The same line without the text of its base instructions; the line itself when that is not there as expected. */
function withoutInstructions(line: FramedLine): FramedLine {
  const content = Buffer.from(line.bytes.buffer, line.bytes.byteOffset + line.start, line.end - line.start);
  const found = content.indexOf(INSTRUCTIONS);
  if (found === -1) return line;
  const textStart = found + INSTRUCTIONS.length;
  const textEnd = closingQuote(content, textStart);
  if (textEnd === undefined) return line;
  const bytes = Buffer.concat([content.subarray(0, textStart), content.subarray(textEnd)]);
  const contents = emptyContents();
  const shorter = { ...line, bytes, start: 0, end: bytes.length };
  readLine(shorter, new FileTraits(), contents);
  // Anything but one sound record: the whole line says what is wrong with it.
  return contents.records.length === 1 && contents.damage.length === 0 ? shorter : line;
}

/** Index of the quote that ends the string whose text begins at `from`. */
function closingQuote(content: Buffer, from: number): number | undefined {
  for (let at = content.indexOf(QUOTE, from); at !== -1; at = content.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (content[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return undefined;
}
