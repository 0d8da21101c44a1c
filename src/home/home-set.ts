/**
 * Several homes as one: their lists merged page by page, a thread that two of them have counted once.
 */
import type { ThreadId } from '../base/ids.js';
import type { ThreadRow } from '../projection/thread-row.js';
import { comparePositions, encodeCursor, type RowPosition, rowPosition } from '../state/index.js';
import { ThreadNotFoundError } from '../thread-store/errors.js';
import { mergeIndexStates } from '../thread-store/index-state.js';
import {
  DEFAULT_LIST_LIMIT,
  DEFAULT_SEARCH_LIMIT,
  type ListQuery,
  MAX_SEARCH_LIMIT,
  type ReadOptions,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
  type SessionReader,
  type ThreadCandidate,
  type ThreadPage,
  type ThreadReader,
} from '../thread-store/session-reader.js';
import { candidateOf } from '../thread-store/thread-candidate.js';
import type { Diagnostics } from './diagnostics.js';

export interface HomeSet extends AsyncDisposable {
  /** Ours first, then the foreign ones. */
  readonly readers: readonly SessionReader[];
  readonly diagnostics: Diagnostics;
  /** Merged over all homes, the cursor too; of a thread that two homes have, the first home's counts. */
  list(query?: ListQuery): Promise<ThreadPage>;
  candidates(reference: string, options?: ReadOptions): Promise<readonly ThreadCandidate[]>;
  latest(options?: ReadOptions & { readonly cwd?: string }): Promise<ThreadCandidate | undefined>;
  open(candidate: { readonly id: ThreadId; readonly home: string }, options?: ReadOptions): Promise<ThreadReader>;
  why(reference: string, options?: ReadOptions): Promise<readonly ThreadRow[]>;
  /** Merged over all homes, best first; of a thread that two homes have, the first home's counts. Throws SearchError. */
  search(query: SearchQuery): Promise<SearchPage>;
  /** Throws ThreadNotFoundError for a home that is not in the set. */
  readerOf(homePath: string): SessionReader;
  close(): Promise<void>;
}

export class MergedHomes implements HomeSet {
  readonly readers: readonly SessionReader[];
  readonly diagnostics: Diagnostics;

  constructor(readers: readonly SessionReader[], diagnostics: Diagnostics) {
    this.readers = readers;
    this.diagnostics = diagnostics;
  }

  async list(query: ListQuery = {}): Promise<ThreadPage> {
    const [only, ...others] = this.readers;
    if (only !== undefined && others.length === 0) return only.list(query);
    const limit = query.limit ?? DEFAULT_LIST_LIMIT;
    const first = await this.#eachHome((reader) => reader.list(query));
    const twice = query.all ? new Map<string, ReadonlySet<ThreadId>>() : await this.#knownBefore(query, first);
    const threads: ThreadRow[] = [];
    let pages = first;
    let nextCursor: string | null;
    for (;;) {
      const merged = mergePages(pages, { ...query, limit: limit - threads.length });
      for (const row of merged.rows) if (row.id === null || !twice.get(row.home)?.has(row.id)) threads.push(row);
      nextCursor = merged.nextCursor;
      if (nextCursor === null || threads.length >= limit) break;
      const following = { ...query, cursor: nextCursor, limit: limit - threads.length };
      pages = await this.#eachHome((reader) => reader.list(following));
    }
    const duplicates = [...twice.values()].reduce((sum, ids) => sum + ids.size, 0);
    return {
      threads,
      nextCursor,
      total: first.reduce((sum, page) => sum + page.total, 0) - duplicates,
      hidden: hiddenOf(first, duplicates),
      index: mergeIndexStates(first.map(({ index }) => index)),
    };
  }

  async candidates(reference: string, options: ReadOptions = {}): Promise<readonly ThreadCandidate[]> {
    const found = (await this.#eachHome((reader) => reader.candidates(reference, options))).flat();
    const first = new Map<ThreadId, ThreadCandidate>();
    for (const candidate of found) if (!first.has(candidate.id)) first.set(candidate.id, candidate);
    return [...first.values()];
  }

  async latest({ cwd, signal }: ReadOptions & { readonly cwd?: string } = {}): Promise<ThreadCandidate | undefined> {
    // As the list has it, so that of a thread that two homes have, the same one is meant.
    const page = await this.list({
      limit: 1,
      ...(cwd !== undefined && { cwd }),
      ...(signal !== undefined && { signal }),
    });
    return page.threads.map(candidateOf).find((candidate) => candidate !== undefined);
  }

  open(candidate: { readonly id: ThreadId; readonly home: string }, options: ReadOptions = {}): Promise<ThreadReader> {
    return this.readerOf(candidate.home).open(candidate.id, options);
  }

  async why(reference: string, options: ReadOptions = {}): Promise<readonly ThreadRow[]> {
    return (await this.#eachHome((reader) => reader.why(reference, options))).flat();
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const pages = await this.#eachHome((reader) => reader.search(query));
    const [only, ...others] = pages;
    if (only !== undefined && others.length === 0) return only;
    const { kept, dropped } = await this.#withoutKnown(query, pages);
    return {
      hits: kept
        .sort((a, b) => b.score - a.score || (b.timestamp ?? '').localeCompare(a.timestamp ?? ''))
        .slice(0, query.limit ?? DEFAULT_SEARCH_LIMIT),
      total: pages.reduce((sum, { total }) => sum + total, 0) - dropped,
      // Of what stands on no page, nobody knows whether two homes have it.
      totalIsBound: dropped > 0 || pages.some(({ totalIsBound }) => totalIsBound),
      tookMs: Math.round(pages.reduce((sum, { tookMs }) => sum + tookMs, 0) * 100) / 100,
      index: mergeIndexStates(pages.map(({ index }) => index)),
    };
  }

  readerOf(homePath: string): SessionReader {
    const reader = this.readers.find(({ home }) => home.path === homePath);
    if (reader === undefined) throw new ThreadNotFoundError(homePath);
    return reader;
  }

  /** Closes every reader; failures are reported together. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.readers.map((reader) => reader.close()));
    const failures = closed.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failures.length > 0) throw new AggregateError(failures, 'Cannot close every home');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** One after the other: homes mostly share a disk, and a first index uses all cores by itself. */
  async #eachHome<T>(ask: (reader: SessionReader) => Promise<T>): Promise<readonly T[]> {
    const answers: T[] = [];
    for (const reader of this.readers) answers.push(await ask(reader));
    return answers;
  }

  /** The hits of all pages but those of threads that a home before has, too; these are counted. */
  async #withoutKnown(
    query: SearchQuery,
    pages: readonly SearchPage[],
  ): Promise<{ readonly kept: SearchHit[]; readonly dropped: number }> {
    const kept: SearchHit[] = [];
    const seen = new Set<ThreadId>();
    let dropped = 0;
    const last = pages.findLastIndex(({ hits }) => hits.length > 0);
    for (const [place, reader] of this.readers.slice(0, last + 1).entries()) {
      const hits = await unseenHits(pages[place]?.hits ?? [], { seen, reader, query });
      kept.push(...hits.unseen);
      dropped += hits.dropped;
      if (place === last) break;
      for (const archived of [false, true]) {
        const signal = query.signal !== undefined && { signal: query.signal };
        for (const id of await reader.listedIds({ archived, ...signal })) seen.add(id);
      }
    }
    return { kept, dropped };
  }

  /**
   * For each home, the threads of this query that a home before it has too, whatever it makes of them there: a filter
   * never brings back the copy that the list without it leaves out.
   */
  async #knownBefore(
    query: ListQuery,
    pages: readonly ThreadPage[],
  ): Promise<ReadonlyMap<string, ReadonlySet<ThreadId>>> {
    const twice = new Map<string, ReadonlySet<ThreadId>>();
    const seen = new Set<ThreadId>();
    const last = pages.findLastIndex((page) => page.total > 0);
    for (const [place, reader] of this.readers.slice(0, last + 1).entries()) {
      const signal = query.signal !== undefined && { signal: query.signal };
      if (seen.size > 0 && (pages[place]?.total ?? 0) > 0) {
        const ids = await reader.listedIds(query);
        twice.set(reader.home.path, new Set(ids.filter((id) => seen.has(id))));
      }
      if (place === last) break;
      for (const archived of [false, true]) {
        for (const id of await reader.listedIds({ archived, ...signal })) seen.add(id);
      }
    }
    return twice;
  }
}

/** Hits of one home without those of threads that were seen; asked for anew when too many of a full page were. */
async function unseenHits(
  first: readonly SearchHit[],
  options: { readonly seen: ReadonlySet<ThreadId>; readonly reader: SessionReader; readonly query: SearchQuery },
): Promise<{ readonly unseen: readonly SearchHit[]; readonly dropped: number }> {
  const { seen, reader, query } = options;
  const wanted = query.limit ?? DEFAULT_SEARCH_LIMIT;
  let hits = first;
  for (let limit = wanted; ; ) {
    const unseen = hits.filter(({ threadId }) => !seen.has(threadId));
    const isEnough = unseen.length >= wanted || hits.length < limit || limit === MAX_SEARCH_LIMIT;
    if (isEnough) return { unseen, dropped: hits.length - unseen.length };
    limit = Math.min(MAX_SEARCH_LIMIT, limit * 4);
    ({ hits } = await reader.search({ ...query, limit, indexMaxAgeMs: Number.POSITIVE_INFINITY }));
  }
}

/** The first rows of all pages together, and where the next page begins. */
function mergePages(
  pages: readonly ThreadPage[],
  query: ListQuery & { readonly limit: number },
): { readonly rows: readonly ThreadRow[]; readonly nextCursor: string | null } {
  const sort = query.sort ?? 'updated';
  const position = (row: ThreadRow): RowPosition => rowPosition(row, { sort, files: query.all ?? false });
  const all = pages.flatMap((page) => page.threads).map((row) => ({ row, at: position(row) }));
  all.sort((a, b) => comparePositions(a.at, b.at));
  let end = Math.min(query.limit, all.length);
  // A cursor stands behind everything at its position: files of two homes may share one.
  while (end > 0 && end < all.length && comparePositions(all[end - 1]!.at, all[end]!.at) === 0) end += 1;
  const last = all[end - 1];
  const more = end < all.length || pages.some((page) => page.nextCursor !== null);
  return {
    rows: all.slice(0, end).map(({ row }) => row),
    nextCursor: more && last !== undefined ? encodeCursor(last.at) : null,
  };
}

function hiddenOf(pages: readonly ThreadPage[], duplicates: number): ThreadPage['hidden'] {
  const counts: { [reason: string]: number } = {};
  for (const page of pages) {
    for (const [reason, count] of Object.entries(page.hidden)) counts[reason] = (counts[reason] ?? 0) + count;
  }
  if (duplicates > 0) counts['duplicate'] = (counts['duplicate'] ?? 0) + duplicates;
  return counts;
}
