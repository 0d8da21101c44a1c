/**
 * Finds many sequences of tokens in one pass over a text's tokens, however they overlap (Aho and Corasick's automaton
 * over tokens instead of letters). Owns states and transitions; never sees a text.
 */
import type { TokenSequence } from './query.js';

/** One sequence that ends at the token just read. */
export interface SequenceHit {
  /** What was given with the sequence. */
  readonly term: number;
  /** Tokens of the sequence. */
  readonly length: number;
  /** Its last token was asked for as a prefix. */
  readonly prefix: boolean;
  /** Its tokens are bigrams of one word, and mean nothing when they stand in several. */
  readonly oneWord: boolean;
}

export interface WantedSequence extends TokenSequence {
  readonly term: number;
  readonly oneWord: boolean;
}

interface State {
  readonly next: Map<string, State>;
  /** The state of the longest end of this one's sequence that begins another; undefined for the first state. */
  fallback: State | undefined;
  hits: readonly SequenceHit[];
}

const NONE: readonly SequenceHit[] = [];

/** Prefixes are single characters: a token asks for them by its first. The star stands in no token. */
const prefixKey = (token: string): string => `${String.fromCodePoint(token.codePointAt(0)!)}*`;

export class TokenAutomaton {
  readonly #first: State = { next: new Map(), fallback: undefined, hits: [] };
  /** First code units of the prefixes: few tokens have to be looked up twice. */
  readonly #prefixUnits: ReadonlySet<number>;
  #state = this.#first;

  constructor(sequences: readonly WantedSequence[]) {
    for (const sequence of sequences) this.#add(sequence);
    this.#prefixUnits = new Set(
      sequences.filter(({ prefix }) => prefix).map(({ tokens }) => tokens.at(-1)!.charCodeAt(0)),
    );
    this.#link();
  }

  /** Forgets what was read: the next token follows none of them. */
  reset(): void {
    this.#state = this.#first;
  }

  /** Reads one token; the sequences that end with it. */
  read(token: string): readonly SequenceHit[] {
    // A prefix ends its sequence, so nothing goes on from there: it is looked up, and the state stays.
    const byPrefix = this.#prefixUnits.has(token.charCodeAt(0)) ? follow(this.#state, prefixKey(token)).hits : NONE;
    this.#state = follow(this.#state, token);
    return byPrefix.length === 0 ? this.#state.hits : [...this.#state.hits, ...byPrefix];
  }

  #add({ tokens, prefix, term, oneWord }: WantedSequence): void {
    let state = this.#first;
    for (const [index, token] of tokens.entries()) {
      const key = prefix && index === tokens.length - 1 ? prefixKey(token) : token;
      let next = state.next.get(key);
      if (next === undefined) state.next.set(key, (next = { next: new Map(), fallback: this.#first, hits: [] }));
      state = next;
    }
    state.hits = [...state.hits, { term, length: tokens.length, prefix, oneWord }];
  }

  /** Breadth first, so that a shorter state is complete before a longer one leans on it. */
  #link(): void {
    const pending = [...this.#first.next.values()];
    for (let index = 0; index < pending.length; index++) {
      const state = pending[index]!;
      for (const [key, next] of state.next) {
        next.fallback = follow(state.fallback!, key);
        next.hits = [...next.hits, ...next.fallback.hits];
        pending.push(next);
      }
    }
  }
}

function follow(from: State, key: string): State {
  let state = from;
  for (;;) {
    const next = state.next.get(key);
    if (next !== undefined) return next;
    if (state.fallback === undefined) return state;
    state = state.fallback;
  }
}
