/**
 * Asks the homes, one question at a time: a new one cancels the one before, and only what answers the newest is told.
 * No question waits for the index or compares files with it; `complete` does both, beside them.
 */
import { CodicilError } from '../../base/errors.js';
import { nextTurn } from '../../platform/next-turn.js';
import type { ListQuery, SearchPage, SearchQuery, ThreadPage } from '../../thread-store/session-reader.js';
import type { Answer, Question } from './answer.js';
import { type Entry, entryOfHit, entryOfRow } from './entry.js';
import { isSearch } from './state.js';

/** The homes as far as the picker asks them. */
export interface AskedHomes {
  list(query: ListQuery): Promise<ThreadPage>;
  search(query: SearchQuery): Promise<SearchPage>;
}

export interface QuestionsOptions {
  readonly homes: AskedHomes;
  readonly onAnswer: (answer: Answer) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Rows of a page, and of all pages: further back a search leads faster than a list. */
const PAGE_ROWS = 500;
const MOST_ROWS = 5_000;
/** The answer comes from the index as it is. */
const AS_IT_IS = { indexBudgetMs: 0, indexMaxAgeMs: Number.MAX_SAFE_INTEGER } as const;
/** Any word will do to have the index completed, where no title has one. */
const ANY_WORD = 'codicil';
const THREE_LETTERS = /\p{L}{3}/u;

/** One word so far, of which there is too little to look for what begins with it. */
const HARDLY_BEGUN = /^\s*[a-z]{1,2}$/i;
const NO_WORD_YET = 'There is no word to look for yet.';

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #known = new Map<string, Entry>();
  readonly #closing = new AbortController();
  readonly #work = new Set<Promise<void>>();
  #asking = new AbortController();
  #completing = false;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Asks, for at most so many hits, and forgets what was asked before. */
  ask(question: Question, { mostHits }: { readonly mostHits: number }): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.#track(this.#answer(question, { signal, mostHits }), signal);
  }

  /** Brings the index up to date, full text included; `onDone` is told when it is, or cannot be. */
  complete(onDone: () => void): void {
    if (this.#completing) return;
    this.#completing = true;
    const { signal } = this.#closing;
    const text = this.#likelyBeginning;
    const work = this.#options.homes.search({ text, lastWordIsOpen: true, by: 'thread', limit: 1, signal }).then(
      () => this.#completed(onDone),
      (error: unknown) => {
        this.#completed(onDone);
        throw error;
      },
    );
    this.#track(work, signal);
  }

  /** What the first keys may be: asked for now, much of what answers them is at hand when they come. */
  get #likelyBeginning(): string {
    for (const { title } of this.#known.values()) {
      const letters = THREE_LETTERS.exec(title)?.[0];
      if (letters !== undefined) return letters;
    }
    return ANY_WORD;
  }

  get isCompleting(): boolean {
    return this.#completing;
  }

  /** Cancels everything, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#asking.abort();
    await Promise.all(this.#work);
  }

  #completed(onDone: () => void): void {
    this.#completing = false;
    if (!this.#closing.signal.aborted) onDone();
  }

  #track(work: Promise<void>, signal: AbortSignal): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!signal.aborted) this.#options.onFailure(error);
      })
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  async #answer(
    question: Question,
    options: { readonly signal: AbortSignal; readonly mostHits: number },
  ): Promise<void> {
    const { signal } = options;
    if (!isSearch(question)) return this.#list(question, { signal, notice: undefined });
    try {
      await this.#search(question, options);
    } catch (error) {
      if (signal.aborted || !(error instanceof CodicilError) || error.code !== 'empty-query') throw error;
      // Half a query, such as a quote or a minus: what it will be is not known yet.
      await this.#list(question, { signal, notice: NO_WORD_YET });
    }
  }

  async #search(
    question: Question,
    { signal, mostHits }: { readonly signal: AbortSignal; readonly mostHits: number },
  ): Promise<void> {
    const { homes } = this.#options;
    const page = await homes.search({
      text: question.query,
      lastWordIsOpen: true,
      by: 'thread',
      limit: mostHits,
      signal,
      ...AS_IT_IS,
    });
    if (page.total === 0 && HARDLY_BEGUN.test(question.query)) {
      await this.#list(question, { signal, notice: NO_WORD_YET });
      return;
    }
    const entries = page.hits.map((hit) => entryOfHit(hit, this.#known.get(hit.threadId)));
    const { total, totalIsBound, index } = page;
    this.#tell({ question, entries, total, totalIsBound, index, notice: undefined }, signal);
  }

  async #list(
    question: Question,
    { signal, notice }: { readonly signal: AbortSignal; readonly notice: string | undefined },
  ): Promise<void> {
    const { homes } = this.#options;
    const entries: Entry[] = [];
    let cursor: string | null = null;
    do {
      const page: ThreadPage = await homes.list({
        limit: PAGE_ROWS,
        signal,
        ...AS_IT_IS,
        ...(question.scope === 'archived' ? { archived: true } : {}),
        ...(cursor === null ? {} : { cursor }),
      });
      for (const row of page.threads) {
        const entry = entryOfRow(row);
        if (entry === undefined) continue;
        entries.push(entry);
        this.#known.set(entry.id, entry);
      }
      const { total, index } = page;
      this.#tell({ question, entries: [...entries], total, totalIsBound: false, index, notice }, signal);
      // While the index is being built, each page would look at the files again.
      cursor = index.state === 'complete' && entries.length < MOST_ROWS ? page.nextCursor : null;
      // Keys that came meanwhile go first.
      await nextTurn();
      signal.throwIfAborted();
    } while (cursor !== null);
  }

  #tell(answer: Answer, signal: AbortSignal): void {
    if (!signal.aborted) this.#options.onAnswer(answer);
  }
}
