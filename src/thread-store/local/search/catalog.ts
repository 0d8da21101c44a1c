/**
 * Which document stands where: numbers of the full-text index to files, threads, and rows.
 *
 * A row is a document's place when all documents are put in the order of conversations: the files of a thread one behind
 * the other, each in its own order. So the neighbours of a message are the rows beside it. Documents that are no answer
 * (twins, duplicates, threads of the program itself) have no row.
 * Loaded once for a state of the index, in typed arrays; what a query of one common word does not need is loaded when
 * it is first asked for. Never reads a log.
 */
import { fileNameOf } from '../../../rollout/paths.js';
import {
  copyChars,
  placeAt,
  type SearchFile,
  type SearchIndex,
  type SearchLayout,
  type StoredPlace,
} from '../../../state/index.js';

/** Files that are no part of a thread, and threads that are not shown. */
export interface Withheld {
  readonly paths: readonly string[];
  readonly threads: readonly string[];
}

/** Rows in the order of threads. */
export interface Threads {
  readonly count: number;
  /** The rows of thread `t` are `starts[t]` up to `starts[t + 1]`. */
  readonly starts: Int32Array;
  readonly threadOfRow: Int32Array;
  /** Runs in the order of their rows, and the row that each begins with. */
  readonly spans: Int32Array;
  readonly spanStarts: Int32Array;
  /** First row of a run by its index; -1 for one without rows. */
  readonly rowOfSpan: Int32Array;
  /** Characters of all texts of a thread. */
  readonly chars: Float64Array;
  /** Epoch seconds of its first and last message; 0 for none. */
  readonly fromSeconds: Float64Array;
  readonly toSeconds: Float64Array;
  readonly ids: readonly string[];
}

/** Bulk loading reads everything; from so many runs on, that is what single ones would cost. */
const BULK_SPANS = 200;

export class Catalog {
  readonly layout: SearchLayout;
  /** All documents, those without a row included. */
  readonly documents: number;
  /** Whether every document has a row. */
  readonly isWhole: boolean;
  /** Rows, and characters of all their texts. */
  readonly rows: number;
  readonly chars: number;
  /** Up to this number documents were written newest first; behind it in the order in which they came. */
  readonly firstFill: number;
  readonly #index: SearchIndex;
  /** By run. */
  readonly #counts: Uint8Array;
  readonly #packs = new Map<number, Uint8Array>();
  readonly #files = new Map<number, SearchFile | undefined>();
  readonly #frequencies = new Map<string, number>();
  #threads: Threads | undefined;
  #lengths: Uint32Array | undefined;
  #measured: Uint8Array | undefined;
  #hasAllLengths = false;
  #hasAllPacks = false;

  constructor(
    index: SearchIndex,
    { withheld, firstFill }: { readonly withheld: Withheld; readonly firstFill: number },
  ) {
    this.#index = index;
    this.firstFill = firstFill;
    this.layout = index.layout();
    const { firstDocuments, documents, chars, files } = this.layout;
    const off = withheldFiles(index, withheld);
    this.#counts = new Uint8Array(firstDocuments.length);
    let all = 0;
    let rows = 0;
    let total = 0;
    for (let span = 0; span < firstDocuments.length; span += 1) {
      all += documents[span] ?? 0;
      if (off.has(files[span] ?? 0)) continue;
      this.#counts[span] = 1;
      rows += documents[span] ?? 0;
      total += chars[span] ?? 0;
    }
    this.documents = all;
    this.rows = rows;
    this.chars = total;
    this.isWhole = rows === all;
  }

  /** The highest number of a document; 0 for none. */
  get lastDocument(): number {
    const { firstDocuments, documents } = this.layout;
    return (firstDocuments.at(-1) ?? 1) - 1 + (documents.at(-1) ?? 0);
  }

  /** Index of the run that holds a document; -1 for none. */
  spanOf(document: number): number {
    const { firstDocuments, documents } = this.layout;
    let low = 0;
    let high = firstDocuments.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if ((firstDocuments[middle] ?? 0) <= document) low = middle + 1;
      else high = middle - 1;
    }
    return high >= 0 && document < (firstDocuments[high] ?? 0) + (documents[high] ?? 0) ? high : -1;
  }

  /** Whether the documents of a run are answers at all. */
  counts(span: number): boolean {
    return this.#counts[span] === 1;
  }

  file(span: number): SearchFile | undefined {
    const number = this.layout.files[span] ?? 0;
    if (!this.#files.has(number)) this.#files.set(number, this.#index.fileByNumber(number));
    return this.#files.get(number);
  }

  /** Undefined for a document that was taken back. */
  place(document: number): StoredPlace | undefined {
    const span = this.spanOf(document);
    const pack = span === -1 ? undefined : this.#pack(span);
    return pack && placeAt(pack, document - (this.layout.firstDocuments[span] ?? 0));
  }

  get threads(): Threads {
    this.#threads ??= groupThreads(this, this.#index);
    return this.#threads;
  }

  /** The row of each document that has one, in the order of the documents, which ascend. */
  rowsOf(documents: Int32Array): Int32Array {
    const { firstDocuments, documents: lengths } = this.layout;
    const { rowOfSpan } = this.threads;
    const rows = new Int32Array(documents.length);
    let count = 0;
    let span = documents.length === 0 ? 0 : Math.max(0, this.spanOf(documents[0] ?? 0));
    for (const document of documents) {
      while (span < firstDocuments.length && (firstDocuments[span] ?? 0) + (lengths[span] ?? 0) <= document) span += 1;
      const first = rowOfSpan[span] ?? -1;
      if (first !== -1) rows[count++] = first + document - (firstDocuments[span] ?? 0);
    }
    return count === rows.length ? rows : rows.slice(0, count);
  }

  documentOf(row: number): number {
    const { spans, spanStarts } = this.threads;
    let low = 0;
    let high = spanStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((spanStarts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return (this.layout.firstDocuments[spans[low] ?? 0] ?? 0) + row - (spanStarts[low] ?? 0);
  }

  /** Characters of texts by row; right for rows of the documents that were given, and for their neighbours. */
  lengthsFor(lists: readonly Int32Array[]): Uint32Array {
    this.#lengths ??= new Uint32Array(this.rows);
    if (this.#hasAllLengths) return this.#lengths;
    const { rowOfSpan, threadOfRow, starts } = this.threads;
    this.#measured ??= new Uint8Array(rowOfSpan.length);
    const wanted = new Set<number>();
    for (const list of lists) {
      for (let at = 0; at < list.length; ) {
        const span = this.spanOf(list[at] ?? 0);
        const end = (this.layout.firstDocuments[span] ?? 0) + (this.layout.documents[span] ?? 0);
        if (span !== -1 && this.#measured[span] === 0 && this.counts(span)) wanted.add(span);
        at += 1;
        while (at < list.length && (list[at] ?? 0) < end) at += 1;
      }
    }
    if (wanted.size > BULK_SPANS) this.#measureAll();
    else {
      for (const span of this.#withNeighbours(wanted, { rowOfSpan, threadOfRow, starts }))
        this.#measure(span, this.#pack(span));
    }
    return this.#lengths;
  }

  /** How many documents a text of the index stands in; remembered. */
  frequency(key: string, count: () => number): number {
    const known = this.#frequencies.get(key);
    if (known !== undefined) return known;
    const counted = count();
    this.#frequencies.set(key, counted);
    return counted;
  }

  /** A neighbour may stand in the next run of the same thread. */
  #withNeighbours(
    spans: ReadonlySet<number>,
    { rowOfSpan, threadOfRow, starts }: Pick<Threads, 'rowOfSpan' | 'threadOfRow' | 'starts'>,
  ): ReadonlySet<number> {
    const all = new Set(spans);
    for (const span of spans) {
      const first = rowOfSpan[span] ?? -1;
      const last = first + (this.layout.documents[span] ?? 0);
      const thread = threadOfRow[first] ?? 0;
      for (const row of [first - 2, first - 1, last, last + 1]) {
        if (row >= (starts[thread] ?? 0) && row < (starts[thread + 1] ?? 0)) all.add(this.spanOf(this.documentOf(row)));
      }
    }
    return all;
  }

  #measureAll(): void {
    this.#index.eachPlaces((firstDocument, places) => this.#measure(this.spanOf(firstDocument), places));
    this.#hasAllLengths = true;
  }

  #measure(span: number, pack: Uint8Array | undefined): void {
    const row = this.threads.rowOfSpan[span] ?? -1;
    if (row === -1 || pack === undefined || this.#lengths === undefined) return;
    copyChars(pack, this.#lengths, row);
    if (this.#measured !== undefined) this.#measured[span] = 1;
  }

  #pack(span: number): Uint8Array | undefined {
    const first = this.layout.firstDocuments[span] ?? 0;
    let pack = this.#packs.get(first);
    if (pack === undefined && this.#packs.size > BULK_SPANS && !this.#hasAllPacks) {
      this.#hasAllPacks = true;
      this.#index.eachPlaces((document, places) => this.#packs.set(document, places));
      pack = this.#packs.get(first);
    }
    if (pack === undefined) {
      pack = this.#index.places(first)?.places;
      if (pack !== undefined) this.#packs.set(first, pack);
    }
    return pack;
  }
}

function withheldFiles(index: SearchIndex, { paths, threads }: Withheld): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const path of paths) {
    const number = index.numberOfFile(path);
    if (number !== undefined) numbers.add(number);
  }
  if (threads.length === 0) return numbers;
  const hidden = new Set(threads);
  for (const [file, thread] of index.threadsOfFiles()) if (thread !== null && hidden.has(thread)) numbers.add(file);
  return numbers;
}

/** Lays the runs out by thread, then by the time in the names of files, then by number. */
function groupThreads(catalog: Catalog, index: SearchIndex): Threads {
  const { firstDocuments, documents, files, chars, fromSeconds, toSeconds } = catalog.layout;
  const spansOfThread = new Map<string, number[]>();
  const threadOfFile = index.threadsOfFiles();
  for (let span = 0; span < firstDocuments.length; span += 1) {
    const thread = threadOfFile.get(files[span] ?? 0);
    if (thread == null || !catalog.counts(span)) continue;
    const known = spansOfThread.get(thread);
    if (known === undefined) spansOfThread.set(thread, [span]);
    else known.push(span);
  }
  const count = spansOfThread.size;
  const starts = new Int32Array(count + 1);
  const threadOfRow = new Int32Array(catalog.rows);
  const rowOfSpan = new Int32Array(firstDocuments.length).fill(-1);
  const sums = { chars: new Float64Array(count), from: new Float64Array(count), to: new Float64Array(count) };
  const order: number[] = [];
  const spanStarts: number[] = [];
  let thread = 0;
  let row = 0;
  for (const spans of spansOfThread.values()) {
    starts[thread] = row;
    for (const span of inOrder(catalog, spans)) {
      order.push(span);
      spanStarts.push(row);
      rowOfSpan[span] = row;
      const end = row + (documents[span] ?? 0);
      threadOfRow.fill(thread, row, end);
      row = end;
      sums.chars[thread] = (sums.chars[thread] ?? 0) + (chars[span] ?? 0);
      const [from, to] = [fromSeconds[span] ?? 0, toSeconds[span] ?? 0];
      if (from > 0 && (sums.from[thread] === 0 || from < (sums.from[thread] ?? 0))) sums.from[thread] = from;
      if (to > (sums.to[thread] ?? 0)) sums.to[thread] = to;
    }
    thread += 1;
  }
  starts[count] = row;
  return {
    count,
    starts,
    threadOfRow,
    spans: Int32Array.from(order),
    spanStarts: Int32Array.from(spanStarts),
    rowOfSpan,
    chars: sums.chars,
    fromSeconds: sums.from,
    toSeconds: sums.to,
    ids: [...spansOfThread.keys()],
  };
}

function inOrder(catalog: Catalog, spans: readonly number[]): readonly number[] {
  const { files } = catalog.layout;
  if (spans.every((span) => files[span] === files[spans[0] ?? 0])) return spans;
  const nameOf = new Map(spans.map((span) => [span, fileNameOf(catalog.file(span)?.path ?? '')]));
  // The name of a later file of a thread sorts behind that of the first one.
  const byName = (a: number, b: number): number => {
    const [nameA, nameB] = [nameOf.get(a) ?? '', nameOf.get(b) ?? ''];
    return nameA === nameB ? a - b : nameA < nameB ? -1 : 1;
  };
  return spans.toSorted(byName);
}
