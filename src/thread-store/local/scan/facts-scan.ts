/**
 * Folds the facts of one file, and its documents, without parsing what they do not need: most lines are only looked at.
 *
 * Where the last line of a kind decides, its place is remembered and the line is parsed when the file ends.
 * Law: the result equals folding every record of the file; what the scan cannot settle is read again record by record.
 * Synchronous, for worker threads; memory is one line and a window.
 */
import { type FramedLine, isBlank, LineFramer, wholeLine } from '../../../base/jsonl.js';
import { factNeed, isUsable, mayChangeFacts } from '../../../projection/fact-lines.js';
import { parseInstant } from '../../../projection/instant.js';
import { FactsFold, type ThreadFacts } from '../../../projection/thread-facts.js';
import type { Dialect } from '../../../protocol/rollout-line.js';
import { allocateWindow, isCompressed, openFeedSync } from '../../../rollout/byte-feed.js';
import { ascii, startsWith } from '../../../rollout/bytes.js';
import { GluedLines } from '../../../rollout/glued-lines.js';
import { type LineHeader, readHeader } from '../../../rollout/header.js';
import { headerTimestamp } from '../../../rollout/header-instant.js';
import { loadBytesSync } from '../../../rollout/load-line.js';
import { emptyContents, FileTraits, type RolloutRecord, readLine } from '../../../rollout/records.js';
import type { DocumentScan } from './document-scan.js';
import { type EdgeHashes, edgeHashes, type HeldBytes } from './edge-hashes.js';
import { NO_FILE_FACTS } from './file-facts.js';
import { type Place, placeOf, RecentPlaces } from './recent-places.js';
import { documentScan, foldEveryRecord, type ScanOptions, type ScanResult, type ScanStart } from './record-scan.js';

/** Throws what opening or reading the file throws. */
export function scanFacts(path: string, given: ScanOptions): ScanResult {
  // Before the first record, a line may have told the shape of those that follow; that is not kept.
  const options = given.from?.facts.dialect === null ? { ...given, from: undefined } : given;
  if (isCompressed(path)) return foldEveryRecord(path, options);
  const scan = new FactsScan(options.from, documentScan(options));
  const feed = openFeedSync(path, options.files, { start: options.from?.byteOffset ?? 0, end: options.endByteOffset });
  try {
    for (let more = true; more; ) {
      more = feed.fillSync(scan.framer);
      if (!more) scan.framer.finish();
      scan.drain();
    }
  } finally {
    feed.closeSync();
  }
  const load = (place: Place): Uint8Array =>
    scan.framer.held(place.byteOffset, place.byteLength) ?? loadBytesSync(path, place, options.files);
  const settled = scan.finish(load);
  if (settled !== undefined) {
    const held: HeldBytes = (byteOffset, byteLength) => scan.framer.held(byteOffset, byteLength);
    return { ...settled, ...edgeHashes(path, settled.bytesRead, options.files, held) };
  }
  const { facts, ...end } = foldEveryRecord(path, options);
  // Whether there is a line must not depend on which way the file was read.
  return { facts: { ...facts, hasLines: scan.hasLines }, ...end };
}

/** The first session_meta settles the dialect; one that comes later changes nothing. */
function settledDialect(from: ScanStart | undefined): Dialect | undefined {
  return from?.facts.facts.hasMeta ? (from.facts.dialect ?? undefined) : undefined;
}

const WINDOW_BYTES = 1024 * 1024;
let window: Uint8Array | undefined;

/** One window for all files: scans are synchronous, so that no two are at work in a thread. */
function reusedWindow(size: number): Uint8Array {
  if (size !== WINDOW_BYTES) return allocateWindow(size);
  window ??= allocateWindow(size);
  return window;
}

class FactsScan {
  readonly framer: LineFramer;
  readonly #traits: FileTraits;
  readonly #fold: FactsFold;
  readonly #glued = new GluedLines();
  readonly #recent = new RecentPlaces();
  readonly #documents: DocumentScan | undefined;
  readonly #settledDialect: Dialect | undefined;
  #facts: ThreadFacts;
  #hasRecords: boolean;
  #hasLines: boolean;
  #isUnfinished = false;
  #lines: number;
  #bytesRead: number;
  #contextSeen: boolean;
  #lastContext: Place | undefined;
  #lastTokens: Place | undefined;
  /** True when a line that was only looked at has an ordinal. */
  #ordinals = false;
  /** The last line that is too long for the window, as its header tells it. */
  #long: (LastTouch & { readonly lineNumber: number }) | undefined;
  /** True when such a line must be parsed. */
  #unsettled = false;

  constructor(from: ScanStart | undefined, documents: DocumentScan | undefined) {
    const facts = from?.facts ?? NO_FILE_FACTS;
    this.framer = new LineFramer({
      byteOffset: from?.byteOffset ?? 0,
      lineNumber: (from?.lines ?? 0) + 1,
      windowBytes: WINDOW_BYTES,
      allocate: reusedWindow,
    });
    this.#documents = documents;
    this.#traits = new FileTraits(facts.dialect === null ? {} : { dialect: facts.dialect });
    this.#settledDialect = settledDialect(from);
    this.#facts = facts.facts;
    this.#fold = new FactsFold(facts.facts);
    this.#hasRecords = facts.hasRecords;
    this.#hasLines = facts.hasLines;
    this.#contextSeen = facts.facts.contextCwd !== null;
    this.#lines = from?.lines ?? 0;
    this.#bytesRead = from?.byteOffset ?? 0;
  }

  /** Looks at every line that the window holds. */
  drain(): void {
    for (let line = this.framer.next(); line !== undefined; line = this.framer.next()) {
      if (line.terminated) {
        this.#lines = line.lineNumber;
        this.#bytesRead = line.nextOffset;
      } else {
        this.#isUnfinished = true;
      }
      if (line.oversize) this.#lookAtLong(line);
      else this.#look(line);
    }
  }

  /** True when the file holds anything but white space. */
  get hasLines(): boolean {
    return this.#hasLines;
  }

  /** The result; undefined when only reading record by record can settle the file. */
  finish(load: (place: Place) => Uint8Array): Omit<ScanResult, keyof EdgeHashes> | undefined {
    if (this.#unsettled) return undefined;
    for (const place of [this.#lastContext, this.#lastTokens]) {
      if (place === undefined) continue;
      const [record, more] = this.#parseAt(place, load);
      if (record === undefined || more !== undefined || (place === this.#lastTokens && !hasFigures(record)))
        return undefined;
      this.#fold.apply(record.line, record);
    }
    const last = this.#lastTouch(load);
    if (last === undefined) return undefined;
    this.#hasRecords ||= last.found;
    this.#fold.touch(last.timestamp, last.ordinal);
    return {
      facts: {
        facts: this.#fold.finish(),
        hasLines: this.#hasLines,
        hasRecords: this.#hasRecords,
        isUnfinished: this.#isUnfinished,
        dialect: this.#settledDialect ?? this.#traits.dialect ?? null,
      },
      bytesRead: this.#bytesRead,
      lines: this.#lines,
      documents: this.#documents?.finish(),
    };
  }

  #look(line: FramedLine): void {
    const { bytes, start, end } = line;
    const shape = this.#traits.shape;
    const header =
      shape === undefined || this.#traits.dialect === undefined ? undefined : readHeader(bytes, start, end, shape);
    if (header === undefined || shape === undefined) {
      if (!isBlank(bytes, start, end)) this.#parse(line, EVERYTHING);
      return;
    }
    this.#hasLines = true;
    if (!line.terminated || this.#glued.mayHoldMore(line, shape)) {
      this.#parse(line, EVERYTHING);
      return;
    }
    this.#recent.add(line);
    if (header.ordinal !== undefined) this.#ordinals = true;
    const forFacts = this.#mustParse(line, header);
    const documents = this.#documents?.look(line, header) ?? false;
    if (forFacts || documents) this.#parse(line, { facts: forFacts, documents, header });
  }

  /** A line over 64 MiB is parsed only when it decides something; else its header is taken at its word. */
  #lookAtLong(line: FramedLine): void {
    this.#hasLines = true;
    const shape = this.#traits.shape;
    const header = shape === undefined ? undefined : readHeader(line.bytes, line.start, line.end, shape);
    const isNeeded = (found: LineHeader): boolean =>
      this.#mustParse(line, found) || (this.#documents?.mayHoldOne(found) ?? false);
    if (header === undefined || !line.terminated || isNeeded(header)) {
      this.#unsettled = true;
      return;
    }
    if (header.ordinal !== undefined) this.#ordinals = true;
    const { lineNumber } = line;
    this.#long = { lineNumber, found: true, timestamp: headerTimestamp(line.bytes, header), ordinal: header.ordinal };
  }

  /** Keeps the place of a line that decides if it is the last of its kind. */
  #mustParse(line: FramedLine, header: LineHeader): boolean {
    switch (factNeed(header)) {
      case 'every':
        return true;
      case 'until-found':
        return mayChangeFacts(this.#facts, header);
      case 'edges':
        if (!this.#contextSeen) return true;
        this.#lastContext = placeOf(line);
        return false;
      case 'last':
        if (!hasNullInfo(line, header)) this.#lastTokens = placeOf(line);
        return false;
      case undefined:
        return false;
    }
  }

  #parse(line: FramedLine, take: Taking): void {
    const contents = emptyContents();
    readLine(line, this.#traits, contents);
    this.#hasLines = true;
    if (contents.records.length === 0) return;
    this.#hasRecords = true;
    this.#recent.add(line);
    for (const record of contents.records) {
      if (take.facts) this.#fold.apply(record.line, record);
      const isWhole = record.byteLength === line.byteLength;
      if (take.documents) this.#documents?.apply(record, isWhole ? line : undefined, take.header);
      // What stands between the places that were remembered and this line is older than it.
      if (record.line.item.type === 'turn_context') {
        this.#contextSeen = true;
        this.#lastContext = undefined;
      } else if (hasFigures(record)) {
        this.#lastTokens = undefined;
      }
    }
    if (take.facts) this.#facts = this.#fold.finish();
  }

  /** Time and ordinal of the last records that have them; undefined when those may stand before the lines that are remembered. */
  #lastTouch(load: (place: Place) => Uint8Array): LastTouch | undefined {
    let found = false;
    let timestamp: string | undefined;
    let ordinal: number | undefined;
    const take = (line: { readonly timestamp: string | undefined; readonly ordinal: number | undefined }): void => {
      found = true;
      if (timestamp === undefined && parseInstant(line.timestamp) !== undefined) timestamp = line.timestamp;
      ordinal ??= line.ordinal;
    };
    const settled = (): boolean => timestamp !== undefined && (ordinal !== undefined || !this.#ordinals);
    let long = this.#long;
    for (const place of this.#recent.newestFirst()) {
      if (long !== undefined && long.lineNumber > place.lineNumber) {
        take(long);
        long = undefined;
      }
      if (settled()) break;
      for (const { line } of this.#parseAt(place, load).toReversed()) take(line);
    }
    if (long !== undefined) take(long);
    return settled() || !this.#recent.isFull ? { found, timestamp, ordinal } : undefined;
  }

  #parseAt(place: Place, load: (place: Place) => Uint8Array): readonly RolloutRecord[] {
    const bytes = load(place);
    const contents = emptyContents();
    const { dialect } = this.#traits;
    readLine(
      wholeLine(bytes, place.lineNumber, place.byteOffset),
      new FileTraits(dialect === undefined ? {} : { dialect }),
      contents,
    );
    return contents.records;
  }
}

/** What the records of a line are parsed for. */
interface Taking {
  readonly facts: boolean;
  readonly documents: boolean;
  /** Of a line that by it is one record, from its beginning to its end. */
  readonly header: LineHeader | undefined;
}

const EVERYTHING: Taking = { facts: true, documents: true, header: undefined };

interface LastTouch {
  readonly found: boolean;
  readonly timestamp: string | undefined;
  readonly ordinal: number | undefined;
}

const NULL_INFO = ascii('"info":null');
/** How far behind its type the `info` of a token_count stands in every known release. */
const INFO_BYTES = 16;

/** True for a token_count that carries no figures; such a one says nothing of the tokens used. */
function hasNullInfo({ bytes, end }: FramedLine, { typeEnd }: LineHeader): boolean {
  const last = Math.min(end, typeEnd + INFO_BYTES);
  for (let at = typeEnd; at < last; at += 1) if (startsWith(bytes, at, end, NULL_INFO)) return true;
  return false;
}

/** True for a token_count that says how many tokens were used. */
function hasFigures({ line: { item } }: RolloutRecord): boolean {
  if (item.type !== 'event_msg' || item.payload.type !== 'token_count') return false;
  return isUsable({ type: item.type, payloadType: item.payload.type }, item.payload);
}
