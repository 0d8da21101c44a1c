/**
 * From a parsed query to terms with the documents that hold them: words and phrases as typed, and what weighs beside
 * them (words side by side, two words that others write as one, look-alikes of words that no document has).
 *
 * Lists are bounded: a term that too many documents hold has none, and is seen only in the texts that are read.
 * FTS5 expressions are made of tokens of the analyser alone, so no query can be one that SQLite refuses.
 */
import { type ParsedQuery, parseQuery, type QueryTerm, toFtsExpression } from '../../../base/analyse/index.js';
import type { SearchIndex } from '../../../state/index.js';
import type { Catalog } from './catalog.js';
import type { DocumentsFilter } from './documents-filter.js';
import { lookAlikes, mayBeMistyped, SHARED_LETTERS } from './look-alikes.js';
import { idf, LIST_BUDGET, LIST_MAX, WEIGHTS } from './weights.js';

/** A word or phrase that was typed. */
export interface TypedTerm {
  /** Its place among the terms of `WeighedQuery.parsed`. */
  readonly at: number;
  readonly term: QueryTerm;
  readonly expression: string;
  /** Ascending; undefined when they are too many to list. */
  readonly documents: Int32Array | undefined;
  /** With a filter, also of a term with too many documents: those that fit. */
  readonly fitting: Int32Array | undefined;
  /** Exact when listed; else from the vocabulary, or an estimate. */
  readonly frequency: number;
  readonly isName: boolean;
  readonly idf: number;
  readonly gain: number;
  readonly threadWeight: number;
}

/** What the ranking adds up. */
export interface Weighed {
  readonly documents: Int32Array;
  /** In messages. */
  readonly gain: number;
  readonly threadWeight: number;
  /** Whether a message that holds it is an answer by that. */
  readonly isContent: boolean;
  readonly isName: boolean;
}

export interface WeighedQuery {
  /** With look-alikes and joined words: what is looked for in texts. */
  readonly parsed: ParsedQuery;
  readonly typed: readonly TypedTerm[];
  readonly weighed: readonly Weighed[];
  /** Phrases that every answer holds: they stand somewhere. */
  readonly required: readonly TypedTerm[];
  /** `NOT (…)` behind an expression in parentheses; empty when nothing is excluded. */
  readonly exclusion: string;
  /** Typed terms that make an answer: not function words, unless there is nothing else. */
  readonly content: readonly TypedTerm[];
  /** Expressions of content beside what was typed. */
  readonly substitutes: readonly string[];
}

/** Words that no document has are looked up in the vocabulary for a longer query only, and not for many of them. */
const LOOK_ALIKE_WORDS = 4;
const MAX_LOOKED_UP = 4;
const MAX_VOCABULARY = 500;
/** Words of a query of which the common ones are counted exactly. */
const COUNTED_WORDS = 3;
const ALL = 1_000_000_000;
/** Documents that a filter looks through for terms that are too common to list. */
const FILTER_BUDGET = 400_000;
/** Queries of more words are prose, of which side-by-side words matter less than the time to find them. */
const MAX_PAIRS = 24;

export interface WeighOptions {
  readonly index: SearchIndex;
  readonly catalog: Catalog;
  readonly filter: DocumentsFilter;
  readonly names: ReadonlySet<string>;
  readonly isQuestion: boolean;
}

export function weighQuery(typedQuery: ParsedQuery, options: WeighOptions): WeighedQuery {
  const weigher = new Weigher(typedQuery, options);
  return weigher.weigh();
}

class Weigher {
  readonly #options: WeighOptions;
  readonly #exclusion: string;
  readonly #typedQuery: ParsedQuery;
  #terms: QueryTerm[] = [];
  #filterBudget = FILTER_BUDGET;

  constructor(typedQuery: ParsedQuery, options: WeighOptions) {
    this.#options = options;
    this.#typedQuery = typedQuery;
    const excluded = typedQuery.terms.filter((term) => term.excluded);
    this.#exclusion =
      excluded.length === 0
        ? ''
        : ` NOT (${excluded.map((term) => toFtsExpression(term, { exact: true })).join(' OR ')})`;
  }

  weigh(): WeighedQuery {
    this.#terms = [...this.#resolvePhrases()];
    const listed = this.#terms.map((term, at) => (term.excluded ? undefined : this.#typed(term, at)));
    const typed = withinBudget(listed.filter((term) => term !== undefined));
    const content = contentOf(typed);
    const isContent = new Set(content);
    const weighed: Weighed[] = typed.flatMap((term) =>
      term.documents === undefined || term.documents.length === 0
        ? []
        : [{ ...term, documents: term.documents, isContent: isContent.has(term) }],
    );
    const pairs = this.#pairs(typed);
    const joined = this.#joined(typed);
    const alike = this.#lookAlikes(typed);
    return {
      parsed: { terms: this.#terms, isEmpty: this.#typedQuery.isEmpty },
      typed,
      weighed: [...weighed, ...pairs, ...joined.weighed, ...alike.weighed],
      required: this.#options.isQuestion ? [] : typed.filter(({ term }) => term.kind === 'phrase'),
      exclusion: this.#exclusion,
      content,
      substitutes: [...joined.expressions, ...alike.expressions],
    };
  }

  /** A phrase that stands nowhere is as good as its words. */
  #resolvePhrases(): readonly QueryTerm[] {
    const terms = new Map<string, QueryTerm>();
    const add = (term: QueryTerm): void => {
      const key = JSON.stringify([term.excluded, term.alternatives]);
      if (!terms.has(key)) terms.set(key, term);
    };
    for (const term of this.#typedQuery.terms) {
      const isNowhere =
        term.kind === 'phrase' && !term.excluded && this.#list(toFtsExpression(term, { exact: true }), 1).length === 0;
      if (isNowhere) for (const word of parseQuery(term.surface).terms) add({ ...word, excluded: false });
      else add(term);
    }
    return [...terms.values()];
  }

  #list(expression: string, limit: number): Int32Array {
    return this.#options.index.list(`(${expression})${this.#exclusion}`, { order: 'ascending', limit });
  }

  #typed(term: QueryTerm, at: number): TypedTerm {
    const { catalog, filter, names } = this.#options;
    const expression = toFtsExpression(term, { exact: true });
    const common = this.#commonFrequency(term, expression);
    const found = common === undefined ? this.#list(expression, LIST_MAX + 1) : undefined;
    const fitting = found !== undefined || !filter.isActive ? undefined : this.#fitting(expression);
    // What fits is few enough to be ranked by itself.
    const documents = found ?? (fitting !== undefined && fitting.length <= LIST_MAX ? fitting : undefined);
    const frequency = common ?? found?.length ?? 0;
    const weight = idf(catalog.documents, frequency);
    return {
      at,
      term,
      expression,
      documents,
      fitting,
      frequency,
      isName: !term.isStopword && term.kind === 'word' && names.has(term.surface.toLowerCase().replace(/['’]s$/, '')),
      idf: weight,
      gain: weight * (term.isStopword ? WEIGHTS.stopword : 1),
      threadWeight: term.isStopword ? WEIGHTS.stopwordThread : 1,
    };
  }

  #fitting(expression: string): Int32Array | undefined {
    if (this.#filterBudget <= 0) return undefined;
    const all = this.#list(expression, ALL);
    this.#filterBudget -= all.length;
    return this.#options.filter.select(all);
  }

  /** How many documents have a term that is too common to be listed; undefined for any other. */
  #commonFrequency(term: QueryTerm, expression: string): number | undefined {
    const { index, catalog } = this.#options;
    const token = onlyTokens(term);
    // The vocabulary counts exactly, and longer the more there is to count: a long query makes do with an estimate.
    const isCounted = token?.length === 1 && this.#terms.length <= COUNTED_WORDS;
    const frequency = catalog.frequency(`${isCounted ? 'counted' : 'estimated'} ${expression}`, () => {
      if (isCounted) return index.countTerm(token[0] ?? '');
      const reached = index.matchBehind(expression, LIST_MAX);
      if (reached === undefined) return 0;
      // The first numbers tell how dense the others are.
      return Math.round((LIST_MAX * catalog.lastDocument) / Math.max(1, reached));
    });
    return frequency > LIST_MAX ? frequency : undefined;
  }

  /** Words that stand side by side in the query, where they do so in a text. */
  #pairs(typed: readonly TypedTerm[]): readonly Weighed[] {
    const weighed: Weighed[] = [];
    for (const [first, second] of neighbours(typed)) {
      if (first.term.isStopword && second.term.isStopword) continue;
      if (first.documents === undefined && second.documents === undefined) continue;
      if (first.frequency === 0 || second.frequency === 0) continue;
      const tokens = [onlyTokens(first.term), onlyTokens(second.term)];
      if (tokens[0] === undefined || tokens[1] === undefined) continue;
      const documents = this.#list(`"${[...tokens[0], ...tokens[1]].join(' ')}"`, LIST_MAX + 1);
      if (documents.length === 0 || documents.length > LIST_MAX) continue;
      const factor = first.term.isStopword || second.term.isStopword ? WEIGHTS.pairStop : 1;
      weighed.push({
        documents,
        gain: (WEIGHTS.pair * factor * (first.gain + second.gain)) / 2,
        threadWeight: WEIGHTS.pairThread * factor,
        isContent: false,
        isName: false,
      });
    }
    return weighed;
  }

  /** Two words that others write as one: `ice cream`, `icecream`. */
  #joined(typed: readonly TypedTerm[]): Substitutes {
    const found = new SubstituteList();
    for (const [first, second] of neighbours(typed)) {
      if (first.term.isStopword || second.term.isStopword) continue;
      const [one, two] = [first.term.surface, second.term.surface];
      if (!/^[\p{Ll}\p{Lu}]+$/u.test(one) || !/^[\p{Ll}\p{Lu}]+$/u.test(two)) continue;
      const token = onlyTokens(parseQuery(`${one}${two}`.toLowerCase()).terms[0])?.[0];
      if (token !== undefined) this.#substitute(token, { weight: 1, threadWeight: 1 }, found);
    }
    return found;
  }

  #lookAlikes(typed: readonly TypedTerm[]): Substitutes {
    const found = new SubstituteList();
    if (typed.length < LOOK_ALIKE_WORDS) return found;
    const unknown = typed.filter(({ term, frequency }) => frequency === 0 && !term.isStopword);
    for (const { term } of unknown.slice(0, MAX_LOOKED_UP)) {
      const token = onlyTokens(term)?.[0];
      if (token === undefined || !mayBeMistyped(token)) continue;
      const terms = this.#options.index.termsFrom(token.slice(0, SHARED_LETTERS), MAX_VOCABULARY);
      const weights = { weight: WEIGHTS.lookAlike, threadWeight: WEIGHTS.lookAlikeThread };
      for (const alike of lookAlikes(
        token,
        terms.map((known) => known.term),
      ))
        this.#substitute(alike, weights, found);
    }
    return found;
  }

  #substitute(
    token: string,
    { weight, threadWeight }: { readonly weight: number; readonly threadWeight: number },
    into: SubstituteList,
  ): void {
    const term: QueryTerm = {
      surface: token,
      kind: 'word',
      excluded: false,
      alternatives: [{ tokens: [token], prefix: false }],
      isStopword: false,
    };
    if (this.#terms.some((known) => onlyTokens(known)?.join(' ') === token)) return;
    const expression = toFtsExpression(term, { exact: true });
    const documents = this.#list(expression, LIST_MAX + 1);
    if (documents.length === 0 || documents.length > LIST_MAX) return;
    const gain = weight * idf(this.#options.catalog.documents, documents.length);
    into.weighed.push({ documents, gain, threadWeight, isContent: true, isName: false });
    into.expressions.push(expression);
    this.#terms.push(term);
  }
}

interface Substitutes {
  readonly weighed: readonly Weighed[];
  readonly expressions: readonly string[];
}

class SubstituteList implements Substitutes {
  readonly weighed: Weighed[] = [];
  readonly expressions: string[] = [];
}

function contentOf(typed: readonly TypedTerm[]): readonly TypedTerm[] {
  const content = typed.filter(({ term }) => !term.isStopword);
  return content.length > 0 ? content : typed;
}

/** The rarest terms keep their lists; the others count as too common. */
function withinBudget(typed: readonly TypedTerm[]): readonly TypedTerm[] {
  let listed = 0;
  const kept = new Set<TypedTerm>();
  for (const term of typed.toSorted((a, b) => (a.documents?.length ?? 0) - (b.documents?.length ?? 0))) {
    listed += term.documents?.length ?? 0;
    if (listed <= LIST_BUDGET) kept.add(term);
  }
  return typed.map((term) => (kept.has(term) ? term : { ...term, documents: undefined }));
}

function neighbours(typed: readonly TypedTerm[]): readonly (readonly [TypedTerm, TypedTerm])[] {
  return typed.slice(1, MAX_PAIRS + 1).flatMap((second, before) => {
    const first = typed[before];
    return first === undefined ? [] : [[first, second] as const];
  });
}

/** The tokens of a word that has one sequence of them, and that a whole one. */
function onlyTokens(term: QueryTerm | undefined): readonly string[] | undefined {
  const [only, ...others] = term?.alternatives ?? [];
  return term?.kind !== 'word' || only === undefined || others.length > 0 || only.prefix ? undefined : only.tokens;
}
