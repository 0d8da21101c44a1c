/**
 * The newest documents that match an expression, for terms that too many documents hold to rank them all.
 *
 * Newest by the order of writing: what was appended since the first fill, newest first; then the first fill, which wrote
 * the newest file first and each file in its own order.
 */
import type { SearchIndex } from '../../../state/index.js';
import type { Catalog } from './catalog.js';
import type { DocumentsFilter } from './documents-filter.js';

export interface NewestOptions {
  readonly index: SearchIndex;
  readonly catalog: Catalog;
  readonly filter: DocumentsFilter;
}

export interface NewestWanted {
  readonly limit: number;
  /** Of each thread the newest only. */
  readonly onePerThread: boolean;
}

/** Documents listed at first, in multiples of what is wanted; more only where these are not enough. */
const FIRST_LOOK = 3;
/** Of one thread there are many. */
const FIRST_LOOK_BY_THREAD = 100;
const SECOND_LOOK = 20_000;
const LAST_LOOK = 1_000_000_000;

/** At most so many documents that match an expression, newest first. */
export function newestMatches(expression: string, wanted: NewestWanted, options: NewestOptions): readonly number[] {
  const { index, catalog, filter } = options;
  const { firstFill } = catalog;
  const firstLook = wanted.limit * (wanted.onePerThread ? FIRST_LOOK_BY_THREAD : FIRST_LOOK);
  for (const look of filter.isActive ? [LAST_LOOK] : [firstLook, SECOND_LOOK, LAST_LOOK]) {
    const appended = index.list(expression, { from: firstFill + 1, order: 'descending', limit: look });
    const isAll = appended.length < look;
    const picker = new Picker(wanted, options);
    picker.takeAll(appended);
    if (picker.isFull) return picker.picked;
    if (!isAll && look !== LAST_LOOK) continue;
    const filled =
      firstFill === 0 ? new Int32Array(0) : index.list(expression, { to: firstFill, order: 'ascending', limit: look });
    const isWhole = filled.length < look;
    const last = isWhole ? undefined : rangeOfRun(filled.at(-1) ?? 0, catalog);
    const before = last === undefined ? filled : filled.filter((document) => document < last.from);
    picker.takeAll(lastOfEachFileFirst(before, catalog));
    // The look ended within a file, whose newest documents stand at its end.
    if (last !== undefined && !picker.isFull) {
      picker.takeAll(index.list(expression, { ...last, order: 'descending', limit: look }));
    }
    if (picker.isFull || isWhole) return picker.picked;
  }
  return [];
}

/** At most so many of `documents`, which ascend, newest first. */
export function newestOf(documents: Int32Array, wanted: NewestWanted, options: NewestOptions): readonly number[] {
  const { firstFill } = options.catalog;
  const picker = new Picker(wanted, options);
  picker.takeAll(documents.filter((document) => document > firstFill).reverse());
  picker.takeAll(
    lastOfEachFileFirst(
      documents.filter((document) => document <= firstFill),
      options.catalog,
    ),
  );
  return picker.picked;
}

class Picker {
  readonly picked: number[] = [];
  readonly #wanted: NewestWanted;
  readonly #options: NewestOptions;
  readonly #threads = new Set<string>();

  constructor(wanted: NewestWanted, options: NewestOptions) {
    this.#wanted = wanted;
    this.#options = options;
  }

  get isFull(): boolean {
    return this.picked.length >= this.#wanted.limit;
  }

  takeAll(documents: Iterable<number>): void {
    for (const document of documents) {
      if (this.isFull) return;
      this.#take(document);
    }
  }

  #take(document: number): void {
    const { catalog, filter } = this.#options;
    if (!filter.fits(document)) return;
    if (this.#wanted.onePerThread) {
      const thread = catalog.file(catalog.spanOf(document))?.threadId ?? '';
      if (this.#threads.has(thread)) return;
      this.#threads.add(thread);
    }
    this.picked.push(document);
  }
}

function rangeOfRun(document: number, catalog: Catalog): { readonly from: number; readonly to: number } {
  const span = catalog.spanOf(document);
  const from = catalog.layout.firstDocuments[span] ?? 0;
  return { from, to: from + (catalog.layout.documents[span] ?? 0) - 1 };
}

function* lastOfEachFileFirst(documents: Int32Array, catalog: Catalog): Generator<number> {
  const { firstDocuments, documents: lengths } = catalog.layout;
  for (let from = 0; from < documents.length; ) {
    const span = catalog.spanOf(documents[from] ?? 0);
    const end = (firstDocuments[span] ?? 0) + (lengths[span] ?? 0);
    let to = from + 1;
    while (to < documents.length && (documents[to] ?? 0) < end) to += 1;
    for (let at = to - 1; at >= from; at -= 1) yield documents[at] ?? 0;
    from = to;
  }
}
