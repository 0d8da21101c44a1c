/**
 * What only the text of a message tells: how literally the query stands in it, terms too common to list, whether it opens
 * with a name or ends as a question. And the order that comes of it.
 */
import { createMatcher, type TermFrequency, type TermMatcher } from '../../../base/analyse/index.js';
import type { ReadText } from './read-texts.js';
import type { TypedTerm, WeighedQuery } from './terms.js';
import { SHORT_STEPS, SHORT_WORDS, WEIGHTS } from './weights.js';

/** How literally a text has the query: 3 as typed, in one piece; 2 all words as typed; 1 all words in some form; 0 not all. */
export type Tier = 0 | 1 | 2 | 3;

export interface Judged {
  readonly tier: Tier;
  readonly score: number;
}

export interface JudgeOptions {
  readonly query: WeighedQuery;
  readonly meanLength: number;
  readonly isQuestion: boolean;
  /** Documents that begin with a name of the query. */
  readonly openers: ReadonlyMap<TypedTerm, ReadonlySet<number>>;
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;
/** What stands in square brackets behind a question belongs to it. */
const ENDS_AS_QUESTION = /\?\s*(?:\[[^\]]*\])?$/;
const LOOKED_AT_END = 400;
/** Between two words of one piece. */
const MAX_GAP = 16;

export class Judge {
  readonly matcher: TermMatcher;
  readonly #options: JudgeOptions;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.matcher = createMatcher(options.query.parsed);
  }

  /** Undefined for a text that does not hold what was looked for, or that holds what is excluded. */
  judge({ document, text }: ReadText, before: number): Judged | undefined {
    const { query, isQuestion } = this.#options;
    const frequencies = this.matcher.frequencies(text);
    if (!this.#isAnswer(frequencies)) return undefined;
    const tier = this.#tierOf(text, frequencies);
    let score = before + this.#commonTerms(text, frequencies);
    if (isQuestion && ENDS_AS_QUESTION.test(text.slice(-LOOKED_AT_END))) score *= 1 - WEIGHTS.question;
    for (const term of query.typed) {
      if (term.isName && this.#options.openers.get(term)?.has(document)) score += WEIGHTS.opener * term.idf;
    }
    return { tier, score };
  }

  #isAnswer(frequencies: readonly TermFrequency[]): boolean {
    const { parsed, required } = this.#options.query;
    const isThere = (at: number): boolean => (frequencies[at]?.count ?? 0) > 0;
    if (parsed.terms.some(({ excluded }, at) => excluded && isThere(at))) return false;
    if (!required.every(({ at }) => isThere(at))) return false;
    return this.#options.isQuestion || parsed.terms.some(({ excluded }, at) => !excluded && isThere(at));
  }

  #commonTerms(text: string, frequencies: readonly TermFrequency[]): number {
    const { saturation, lengthWeight } = WEIGHTS;
    const norm = 1 - lengthWeight + (lengthWeight * text.length) / this.#options.meanLength;
    let sum = 0;
    for (const { documents, at, gain } of this.#options.query.typed) {
      if (documents !== undefined || (frequencies[at]?.count ?? 0) === 0) continue;
      sum += (gain * (saturation + 1)) / (1 + saturation * norm);
    }
    return sum;
  }

  #tierOf(text: string, frequencies: readonly TermFrequency[]): Tier {
    const { typed, required } = this.#options.query;
    const phrases = typed.filter(({ term }) => term.kind === 'phrase');
    if (required.length === 0 && phrases.length > 0 && phrases.every(({ at }) => (frequencies[at]?.count ?? 0) > 0))
      return 3;
    if (typed.some(({ at }) => (frequencies[at]?.count ?? 0) === 0)) return 0;
    if (typed.some(({ at }) => (frequencies[at]?.exact ?? 0) === 0)) return 1;
    return typed.length === 1 || this.#isInOnePiece(text) ? 3 : 2;
  }

  #isInOnePiece(text: string): boolean {
    const order = this.#options.query.typed.map(({ at }) => at);
    let next = 0;
    let end = 0;
    for (const match of this.matcher.locate(text)) {
      const follows = next > 0 && match.start - end <= MAX_GAP && !WORD_CHARACTER.test(text.slice(end, match.start));
      if (next > 0 && !(follows && match.exact && match.term === order[next])) next = 0;
      if (match.exact && match.term === order[next]) next += 1;
      if (next === order.length) return true;
      end = match.end;
    }
    return false;
  }
}

export interface Orderable extends Judged {
  readonly atMs: number;
  readonly document: number;
}

/** Room for scores behind the whole number that the tier is. */
const HALF_SCORE = 10;
const SCORE_DIGITS = 1e6;

/** Gives each its score for the outside, by which answers of several homes can be put in one order, and sorts. */
export function inOrder<T extends Orderable>(hits: readonly T[], words: number): readonly T[] {
  const top = hits.reduce((highest, { score }) => Math.max(highest, score), 0);
  const isShort = words <= SHORT_WORDS && top > 0;
  const scored = hits.map((hit) => {
    const score = isShort ? (Math.ceil((hit.score / top) * SHORT_STEPS) / SHORT_STEPS) * top : hit.score;
    return { ...hit, score: Math.round((hit.tier + score / (score + HALF_SCORE)) * SCORE_DIGITS) / SCORE_DIGITS };
  });
  return scored.sort((a, b) => b.score - a.score || b.atMs - a.atMs || b.document - a.document);
}
