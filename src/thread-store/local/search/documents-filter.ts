/**
 * Which documents a query may answer with at all: role, folder and time, and that they are part of a thread that is shown.
 */
import type { DocumentRole } from '../../../projection/documents.js';
import type { Catalog } from './catalog.js';

export interface FilterOptions {
  readonly role?: DocumentRole | undefined;
  /** Ids of the threads that may answer; undefined for all. */
  readonly threads?: ReadonlySet<string> | undefined;
  /** Inclusive, and exclusive. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

export class DocumentsFilter {
  /** True when the query itself narrows: more than the documents of threads that are not shown is left out. */
  readonly isActive: boolean;
  readonly #catalog: Catalog;
  readonly #options: FilterOptions;
  /** By run: 0 not asked yet, 1 none of it fits, 2 all of it does, 3 each has to be looked at. */
  readonly #spans: Uint8Array;

  constructor(catalog: Catalog, options: FilterOptions) {
    const { role, threads, sinceMs, untilMs } = options;
    this.isActive = role !== undefined || threads !== undefined || sinceMs !== undefined || untilMs !== undefined;
    this.#catalog = catalog;
    this.#options = options;
    this.#spans = new Uint8Array(catalog.layout.firstDocuments.length);
  }

  fits(document: number): boolean {
    const span = this.#catalog.spanOf(document);
    if (span === -1) return false;
    if (this.#spans[span] === 0) this.#spans[span] = this.#look(span);
    const known = this.#spans[span];
    return known === 3 ? this.#fitsPlace(document) : known === 2;
  }

  /** Those that fit, in the same order. */
  select(documents: Int32Array): Int32Array {
    return this.isActive || !this.#catalog.isWhole ? documents.filter((document) => this.fits(document)) : documents;
  }

  #look(span: number): number {
    const { threads, role, sinceMs, untilMs } = this.#options;
    if (!this.#catalog.counts(span)) return 1;
    if (threads !== undefined && !threads.has(this.#catalog.file(span)?.threadId ?? '')) return 1;
    const { fromSeconds, toSeconds } = this.#catalog.layout;
    const [first, last] = [(fromSeconds[span] ?? 0) * 1000, ((toSeconds[span] ?? 0) + 1) * 1000];
    if (sinceMs !== undefined && last <= sinceMs) return 1;
    if (untilMs !== undefined && first >= untilMs) return 1;
    return role !== undefined || sinceMs !== undefined || untilMs !== undefined ? 3 : 2;
  }

  #fitsPlace(document: number): boolean {
    const { role, sinceMs, untilMs } = this.#options;
    const place = this.#catalog.place(document);
    if (place === undefined || (role !== undefined && place.role !== role)) return false;
    if (sinceMs === undefined && untilMs === undefined) return true;
    if (place.atSeconds === undefined) return false;
    const atMs = place.atSeconds * 1000;
    // Places have whole seconds: what lies within the second of a bound counts.
    return (sinceMs === undefined || atMs + 999 >= sinceMs) && (untilMs === undefined || atMs < untilMs);
  }
}
