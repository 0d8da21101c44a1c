/**
 * Reads the texts of documents from their logs, each at its offset, and makes of them what the index was made of:
 * parsed, decoded, masked, then cut. Nothing that was not masked leaves this module.
 *
 * A log may have changed since it was indexed. A place that no longer holds the message that was indexed gives nothing,
 * and is counted: the index is behind. Of a compressed log the kept texts are read.
 */
import { wholeLine } from '../../../base/jsonl.js';
import { type FileSystem, fileErrorCode, type RegularFile } from '../../../platform/files/file-system.js';
import { messageOf } from '../../../projection/documents.js';
import { formatInstant, parseInstant } from '../../../projection/instant.js';
import { emptyContents, FileTraits, readLine } from '../../../rollout/records.js';
import type { SearchFile, SearchIndex, StoredPlace } from '../../../state/index.js';
import { maskedText, unpackTexts } from '../scan/document-terms.js';
import type { Catalog } from './catalog.js';

export interface ReadText {
  readonly document: number;
  readonly file: SearchFile;
  readonly place: StoredPlace;
  /** Masked. */
  readonly text: string;
  /** ISO 8601; null where the log has none. */
  readonly timestamp: string | null;
}

export interface ReadTextsOptions {
  readonly catalog: Catalog;
  readonly index: SearchIndex;
  readonly files: FileSystem;
}

/** So much of a record is parsed and masked at most; of a longer one there is no text. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

export class TextReader {
  readonly #options: ReadTextsOptions;
  readonly #known = new Map<number, ReadText | undefined>();
  readonly #kept = new Map<number, readonly string[]>();
  /** Bytes of records read so far. */
  bytesRead = 0;
  /** Places that did not hold what was indexed. */
  stale = 0;

  constructor(options: ReadTextsOptions) {
    this.#options = options;
  }

  /** Bytes that reading a document takes; 0 for one that is known. */
  cost(document: number): number {
    return this.#known.has(document) ? 0 : (this.#options.catalog.place(document)?.byteLength ?? 0);
  }

  /** Those that are still there, each file opened once. */
  read(documents: readonly number[]): ReadonlyMap<number, ReadText> {
    const bySpan = new Map<number, number[]>();
    for (const document of documents) {
      if (this.#known.has(document)) continue;
      const span = this.#options.catalog.spanOf(document);
      const known = bySpan.get(span);
      if (known === undefined) bySpan.set(span, [document]);
      else known.push(document);
    }
    for (const [span, wanted] of bySpan) this.#readSpan(span, wanted);
    const found = new Map<number, ReadText>();
    for (const document of documents) {
      const text = this.#known.get(document);
      if (text !== undefined) found.set(document, text);
    }
    return found;
  }

  #readSpan(span: number, documents: readonly number[]): void {
    const { catalog, files } = this.#options;
    const file = span === -1 ? undefined : catalog.file(span);
    if (file === undefined) {
      for (const document of documents) this.#known.set(document, undefined);
      return;
    }
    if (file.compressed) {
      for (const document of documents) this.#keep(document, this.#keptText(span, document, file));
      return;
    }
    let open: RegularFile | undefined;
    try {
      open = files.openRegularSync(file.path);
      for (const document of documents) this.#keep(document, this.#textInLog(open, document, file));
    } catch (error) {
      // A log that went away, or may no longer be read, since it was indexed.
      if (fileErrorCode(error) === undefined) throw error;
      for (const document of documents) this.#keep(document, undefined);
    } finally {
      open?.closeSync();
    }
  }

  #keep(document: number, text: ReadText | undefined): void {
    this.#known.set(document, text);
    if (text === undefined) this.stale += 1;
  }

  #textInLog(open: RegularFile, document: number, file: SearchFile): ReadText | undefined {
    const place = this.#options.catalog.place(document);
    if (place === undefined || place.byteLength > MAX_RECORD_BYTES) return undefined;
    const { byteOffset, byteLength, line: lineNumber } = place;
    if (byteOffset + byteLength > open.stat.sizeBytes) return undefined;
    const bytes = Buffer.allocUnsafe(byteLength);
    if (open.readSync(bytes, byteOffset) < byteLength) return undefined;
    this.bytesRead += byteLength;
    const contents = emptyContents();
    readLine(wholeLine(bytes, lineNumber, byteOffset), new FileTraits(), contents);
    for (const { line } of contents.records) {
      const message = messageOf(line, { tools: place.role === 'tool' });
      if (message === undefined || message.role !== place.role) continue;
      const text = maskedText(message.text);
      // Another message may stand there by now.
      if (text.length !== place.chars) continue;
      const atMs = parseInstant(line.timestamp);
      return { document, file, place, text, timestamp: atMs === undefined ? null : formatInstant(atMs) };
    }
    return undefined;
  }

  #keptText(span: number, document: number, file: SearchFile): ReadText | undefined {
    const { catalog, index } = this.#options;
    const first = catalog.layout.firstDocuments[span] ?? 0;
    let texts = this.#kept.get(span);
    if (texts === undefined) {
      const pack = index.places(first)?.texts;
      texts = pack == null ? [] : unpackTexts(pack);
      this.#kept.set(span, texts);
    }
    const place = catalog.place(document);
    const text = texts[document - first];
    if (place === undefined || text === undefined) return undefined;
    const timestamp = place.atSeconds === undefined ? null : formatInstant(place.atSeconds * 1000);
    return { document, file, place, text, timestamp };
  }
}
