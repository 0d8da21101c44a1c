/**
 * Searches the full text of one home: lists from the index, ranking, the texts that decide, snippets.
 *
 * Everything of one query is read in one snapshot of the full text, without awaiting. Keeps what it loaded of the index
 * while that does not change. Changes nothing; what it finds stale it counts.
 */
import { type ParsedQuery, parseQuery, type TermMatch } from '../../../base/analyse/index.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { formatInstant } from '../../../projection/instant.js';
import type { SearchFile, SearchIndex, StateIndex, StoredPlace } from '../../../state/index.js';
import { SearchError } from '../../errors.js';
import { DEFAULT_SEARCH_LIMIT, type SearchQuery } from '../../session-reader.js';
import { FIRST_FILL } from '../index/search-writer.js';
import { Catalog } from './catalog.js';
import { DocumentsFilter } from './documents-filter.js';
import { inOrder, Judge, type Judged, type Tier } from './judge.js';
import { type NewestWanted, newestMatches, newestOf } from './newest.js';
import { type DateRange, dateRangeOf, isQuestion, namesIn } from './query-intent.js';
import { accumulate, type RankedTerm, type RankInput, rankRows } from './rank.js';
import { type ReadText, TextReader } from './read-texts.js';
import { Scratch } from './scratch.js';
import { type Snippet, snippetOf } from './snippet.js';
import { type TypedTerm, type WeighedQuery, weighQuery } from './terms.js';
import { countMessages, type Total } from './total.js';
import { LIST_MAX, READ_MAX } from './weights.js';

export interface LocalHit {
  readonly file: SearchFile;
  readonly place: StoredPlace;
  readonly timestamp: string | null;
  readonly score: number;
  readonly snippet: Snippet;
}

export interface LocalResult extends Total {
  /** Best first. */
  readonly hits: readonly LocalHit[];
  /** True when a log no longer holds what was indexed of it. */
  readonly isStale: boolean;
}

export interface LocalSearchOptions {
  readonly state: StateIndex;
  readonly index: SearchIndex;
  readonly files: FileSystem;
}

/** `threads`: ids of those that may answer. */
export type LocalQuery = Pick<
  SearchQuery,
  'text' | 'lastWordIsOpen' | 'by' | 'limit' | 'role' | 'sinceMs' | 'untilMs'
> & {
  readonly threads?: ReadonlySet<string> | undefined;
};

/**
 * Bytes of records that ranking reads; and snippets, of hits that ranking did not read. A megabyte that is nothing but
 * beginnings of secrets takes a sixth of a second to mask. What does not fit is ranked by its words alone, and has no
 * snippet.
 */
const RANKING_BYTES = 1024 * 1024;
const SNIPPET_BYTES = 512 * 1024;
/** UTF-16 units of a text in which a place for its snippet is looked for first. */
const LOCATED_CHARS = 32 * 1024;
const THREADS_RANKED = 400;
/** Queries of more words are not looked for as a whole. */
const MAX_ALL_WORDS = 16;

interface Loaded {
  readonly index: SearchIndex;
  readonly mark: string;
  readonly catalog: Catalog;
}

/** A message that may be an answer. */
interface Candidate {
  readonly document: number;
  readonly score: number;
}

interface Hit extends Judged {
  readonly document: number;
  readonly atMs: number;
}

export class LocalSearch {
  #loaded: Loaded | undefined;
  #scratch: Scratch | undefined;
  #scratchOf: Catalog | undefined;

  /** Throws SearchError `empty-query`. */
  search(query: LocalQuery, options: LocalSearchOptions): LocalResult {
    const parsed = parseQuery(query.text, query);
    if (parsed.isEmpty) throw new SearchError();
    return options.index.snapshot(() => {
      const catalog = this.#catalogOf(options);
      return new OneSearch(query, parsed, { ...options, catalog, scratch: () => this.#room(catalog) }).run();
    });
  }

  #catalogOf({ index, state }: LocalSearchOptions): Catalog {
    const withheld = state.withheld();
    const mark = `${index.changeMark()} ${JSON.stringify(withheld)}`;
    if (this.#loaded?.index !== index || this.#loaded.mark !== mark) {
      const firstFill = Number(index.note(FIRST_FILL) ?? 0);
      this.#loaded = { index, mark, catalog: new Catalog(index, { withheld, firstFill }) };
    }
    return this.#loaded.catalog;
  }

  #room(catalog: Catalog): Scratch {
    if (this.#scratch === undefined || this.#scratchOf !== catalog) {
      this.#scratch = new Scratch(catalog.rows, catalog.threads.count);
      this.#scratchOf = catalog;
    }
    return this.#scratch;
  }
}

interface OneSearchOptions extends LocalSearchOptions {
  readonly catalog: Catalog;
  readonly scratch: () => Scratch;
}

class OneSearch {
  readonly #query: LocalQuery;
  readonly #options: OneSearchOptions;
  readonly #filter: DocumentsFilter;
  readonly #weighed: WeighedQuery;
  readonly #isQuestion: boolean;
  readonly #limit: number;
  readonly #reader: TextReader;
  readonly #judge: Judge;
  readonly #openers: ReadonlyMap<TypedTerm, ReadonlySet<number>>;
  #isStale = false;

  constructor(query: LocalQuery, parsed: ParsedQuery, options: OneSearchOptions) {
    const { catalog, index } = options;
    this.#query = query;
    this.#options = options;
    this.#limit = query.limit ?? DEFAULT_SEARCH_LIMIT;
    this.#isQuestion = isQuestion(query.text);
    this.#filter = new DocumentsFilter(catalog, query);
    this.#weighed = weighQuery(parsed, {
      index,
      catalog,
      filter: this.#filter,
      names: namesIn(query.text),
      isQuestion: this.#isQuestion,
    });
    this.#reader = new TextReader(options);
    this.#openers = this.#listOpeners();
    this.#judge = new Judge({
      query: this.#weighed,
      meanLength: this.#meanLength,
      isQuestion: this.#isQuestion,
      openers: this.#openers,
    });
  }

  run(): LocalResult {
    const byThread = this.#query.by === 'thread';
    const ranked = this.#rank(Math.max(READ_MAX, this.#limit));
    const candidates = new Map(ranked.messages.map((candidate) => [candidate.document, candidate]));
    const add = (documents: readonly number[]): void => {
      for (const document of documents) {
        if (!candidates.has(document)) candidates.set(document, { document, score: ranked.scoreOf(document) });
      }
    };
    // By thread, one message of each is enough.
    const wanted = { limit: byThread ? this.#limit : Math.max(READ_MAX, this.#limit), onePerThread: byThread };
    const allWords = this.#withAllWords(wanted);
    add(allWords);
    // Which have all words that are too common, the second list only repeats.
    const isEnough = allWords.length >= wanted.limit || (!byThread && candidates.size >= wanted.limit);
    if (!isEnough) add(this.#withCommonWord(wanted));
    const messages = this.#judgeAll([...candidates.values()]);
    const hits = byThread ? this.#byThread(messages, ranked.threads) : this.#byMessage(messages);
    const total = countMessages(this.#weighed, {
      index: this.#options.index,
      catalog: this.#options.catalog,
      filter: this.#filter,
      listed: ranked.listed,
      byThread,
    });
    ranked.done();
    return { hits, ...total, isStale: this.#isStale || this.#reader.stale > 0 };
  }

  get #meanLength(): number {
    const { chars, rows } = this.#options.catalog;
    return Math.max(1, chars / Math.max(1, rows));
  }

  #listOpeners(): ReadonlyMap<TypedTerm, ReadonlySet<number>> {
    const names = this.#weighed.typed.filter(({ isName, documents }) => isName && documents !== undefined);
    const openers = new Map<TypedTerm, ReadonlySet<number>>();
    for (const name of names) {
      const [sequence] = name.term.alternatives;
      if (sequence === undefined) continue;
      const expression = `^ "${sequence.tokens.join(' ')}"`;
      const found = this.#options.index.list(expression, { order: 'ascending', limit: LIST_MAX + 1 });
      if (found.length <= LIST_MAX) openers.set(name, new Set(found));
    }
    return openers;
  }

  /** What the lists alone tell. `done` puts the room in order again: no score is asked for behind it. */
  #rank(wanted: number): Ranked {
    const { weighed } = this.#weighed;
    if (!weighed.some(({ isContent }) => isContent)) return NOTHING_RANKED;
    const { catalog } = this.#options;
    const scratch = this.#options.scratch();
    try {
      const terms = weighed.map((term): RankedTerm => ({ ...term, rows: catalog.rowsOf(term.documents) }));
      for (const { rows, isContent } of terms) if (isContent) for (const row of rows) scratch.holds[row] = 1;
      for (const documents of this.#openers.values()) {
        scratch.open(catalog.rowsOf(Int32Array.from(documents)));
      }
      const input: RankInput = {
        threads: catalog.threads,
        lengths: catalog.lengthsFor(weighed.map(({ documents }) => documents)),
        meanLength: this.#meanLength,
        dates: this.#dates(),
        // What answers a question often has none of its words.
        needsWord: !this.#isQuestion,
        fits: this.#fitsRow(),
      };
      accumulate(scratch, terms, input);
      const found = rankRows(scratch, input, { messages: wanted, threads: Math.max(THREADS_RANKED, this.#limit) });
      return {
        messages: found.messages.map(({ at, score }) => ({ document: catalog.documentOf(at), score })),
        threads: found.threads.map(({ at, score }) => ({
          id: catalog.threads.ids[at] ?? '',
          score,
          atMs: (catalog.threads.toSeconds[at] ?? 0) * 1000,
          document: catalog.documentOf(scratch.bestRow[at] ?? 0),
        })),
        listed: found.counts,
        scoreOf: (document) => {
          const [row] = catalog.rowsOf(Int32Array.of(document));
          return row === undefined ? 0 : found.scoreOf(row);
        },
        done: () => scratch.reset(),
      };
    } catch (error) {
      scratch.reset();
      throw error;
    }
  }

  #dates(): DateRange | undefined {
    const { toSeconds } = this.#options.catalog.layout;
    return dateRangeOf(this.#query.text, toSeconds.reduce((newest, seconds) => Math.max(newest, seconds), 0) * 1000);
  }

  /** Rows stand for documents that are answers at all; what is left is what the query asks for. */
  #fitsRow(): (row: number) => boolean {
    const { catalog } = this.#options;
    const required = this.#weighed.required
      .filter(({ documents }) => documents !== undefined)
      .map(({ documents }) => new Set(documents));
    if (required.length === 0 && !this.#filter.isActive) return () => true;
    return (row) => {
      const document = catalog.documentOf(row);
      return required.every((documents) => documents.has(document)) && this.#filter.fits(document);
    };
  }

  /** The newest messages that hold all words: they come first, whatever their score. */
  #withAllWords(wanted: NewestWanted): readonly number[] {
    const { typed, exclusion } = this.#weighed;
    if (typed.length > MAX_ALL_WORDS || typed.some(({ frequency }) => frequency === 0)) return [];
    const lists = typed.map(({ documents }) => documents).filter((documents) => documents !== undefined);
    if (lists.length === typed.length) return newestOf(inAll(lists), wanted, this.#newestOptions);
    const all = typed.map(({ expression }) => `(${expression})`).join(' AND ');
    return newestMatches(`(${all})${exclusion}`, wanted, this.#newestOptions);
  }

  /** The newest messages with a term that is too common to be listed; with all phrases where there are any. */
  #withCommonWord(wanted: NewestWanted): readonly number[] {
    const { content, required, exclusion } = this.#weighed;
    const sought = required.length > 0 ? required : content.filter(({ frequency }) => frequency > 0);
    if (sought.every(({ documents }) => documents !== undefined)) return [];
    const expression = sought.map((term) => `(${term.expression})`).join(required.length > 0 ? ' AND ' : ' OR ');
    return newestMatches(`(${expression})${exclusion}`, wanted, this.#newestOptions);
  }

  get #newestOptions() {
    const { index, catalog } = this.#options;
    return { index, catalog, filter: this.#filter };
  }

  /** Reads as many texts as may be read, best first; the others are taken by what the lists say. */
  #judgeAll(candidates: readonly Candidate[]): readonly Hit[] {
    const read: Candidate[] = [];
    const unread: Candidate[] = [];
    let bytes = 0;
    for (const candidate of candidates) {
      // One that is too large takes no room from those behind it.
      const cost = this.#reader.cost(candidate.document);
      const fits = bytes + cost <= RANKING_BYTES;
      if (fits) bytes += cost;
      (fits ? read : unread).push(candidate);
    }
    const texts = this.#reader.read(read.map(({ document }) => document));
    const hits: Hit[] = [];
    for (const { document, score } of read) {
      const hit = this.#judged(texts.get(document), document, score);
      if (hit !== undefined) hits.push(hit);
    }
    for (const { document, score } of unread) {
      hits.push({ document, tier: 0, score, atMs: (this.#options.catalog.place(document)?.atSeconds ?? 0) * 1000 });
    }
    return hits;
  }

  #judged(text: ReadText | undefined, document: number, score: number): Hit | undefined {
    if (text === undefined) return undefined;
    const judged = this.#judge.judge(text, score);
    return judged && { document, ...judged, atMs: instantOf(text) };
  }

  #byMessage(messages: readonly Hit[]): readonly LocalHit[] {
    return this.#firstHits(inOrder(messages, this.#weighed.typed.length));
  }

  #byThread(messages: readonly Hit[], ranked: readonly RankedThread[]): readonly LocalHit[] {
    const { catalog } = this.#options;
    const threads = new Map<string, { tier: Tier; score: number; atMs: number; document: number }>();
    for (const { id, score, atMs, document } of ranked) threads.set(id, { tier: 0, score, atMs, document });
    const told = new Set<string>();
    for (const { document, tier, score, atMs } of inOrder(messages, this.#weighed.typed.length)) {
      const id = catalog.file(catalog.spanOf(document))?.threadId ?? '';
      const known = threads.get(id);
      if (known === undefined) threads.set(id, { tier, score, atMs, document });
      // The best message of a thread stands for it.
      else if (!told.has(id)) threads.set(id, { ...known, tier, document });
      told.add(id);
    }
    return this.#firstHits(inOrder([...threads.values()], this.#weighed.typed.length));
  }

  /** The first hits with their snippets; one whose log no longer holds it gives its place to the next. */
  #firstHits(hits: readonly Hit[]): readonly LocalHit[] {
    const found: LocalHit[] = [];
    for (let from = 0; found.length < this.#limit && from < hits.length; ) {
      const next = hits.slice(from, from + this.#limit - found.length);
      from += next.length;
      const affordable = next.filter(({ document }) => this.#isAffordable(document));
      const texts = this.#reader.read(affordable.map(({ document }) => document));
      const isRead = new Set(affordable.map(({ document }) => document));
      for (const hit of next) {
        const text = texts.get(hit.document);
        const local =
          text === undefined ? (isRead.has(hit.document) ? undefined : this.#unread(hit)) : this.#local(text, hit);
        if (local !== undefined) found.push(local);
      }
    }
    return found;
  }

  #snippetBytes = 0;

  #isAffordable(document: number): boolean {
    const bytes = this.#snippetBytes + this.#reader.cost(document);
    if (bytes > SNIPPET_BYTES) return false;
    this.#snippetBytes = bytes;
    return true;
  }

  #local({ file, place, text, timestamp }: ReadText, { score }: Hit): LocalHit | undefined {
    const matches = this.#locate(text);
    if (matches.length === 0 && !this.#isQuestion) {
      this.#isStale = true;
      return undefined;
    }
    const gains = new Map(this.#weighed.typed.map(({ at, gain }) => [at, gain]));
    const snippet = snippetOf(text, matches, (term) => gains.get(term) ?? 1);
    return { file, place, timestamp, score, snippet };
  }

  /** Of a very long text its beginning is enough, when something stands there. */
  #locate(text: string): readonly TermMatch[] {
    const { matcher } = this.#judge;
    const early = text.length > LOCATED_CHARS ? matcher.locate(text.slice(0, LOCATED_CHARS)) : [];
    return early.length > 0 ? early : matcher.locate(text);
  }

  /** A hit whose record is too large to be read only for its snippet. */
  #unread({ document, score }: Hit): LocalHit | undefined {
    const { catalog } = this.#options;
    const file = catalog.file(catalog.spanOf(document));
    const place = catalog.place(document);
    if (file === undefined || place === undefined) return undefined;
    const timestamp = place.atSeconds === undefined ? null : formatInstant(place.atSeconds * 1000);
    return { file, place, timestamp, score, snippet: { text: '', matches: [] } };
  }
}

/** What stands in all of the lists, which ascend. */
function inAll(lists: readonly Int32Array[]): Int32Array {
  const [shortest = new Int32Array(0), ...others] = lists.toSorted((a, b) => a.length - b.length);
  return others.reduce((kept, list) => {
    const known = new Set(list);
    return kept.filter((document) => known.has(document));
  }, shortest);
}

interface RankedThread {
  readonly id: string;
  readonly score: number;
  readonly atMs: number;
  /** Its best message. */
  readonly document: number;
}

interface Ranked {
  readonly messages: readonly Candidate[];
  readonly threads: readonly RankedThread[];
  /** Messages and threads with a term that is listed; undefined when nothing was ranked. */
  readonly listed: { readonly messages: number; readonly threads: number } | undefined;
  readonly scoreOf: (document: number) => number;
  readonly done: () => void;
}

const NOTHING_RANKED: Ranked = {
  messages: [],
  threads: [],
  listed: undefined,
  scoreOf: () => 0,
  done: () => undefined,
};

function instantOf({ timestamp }: ReadText): number {
  return timestamp === null ? 0 : Date.parse(timestamp);
}
