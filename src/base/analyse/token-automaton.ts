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
  /** UTF-16 units of its last token, which was asked for as a prefix; 0 when it was not. */
  readonly prefixUnits: number;
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

/** The star stands in no token. */
const prefixKey = (prefix: string): string => `${prefix}*`;

export class TokenAutomaton {
  readonly #first: State = { next: new Map(), fallback: undefined, hits: [] };
  /** How long the prefixes are, by their first code units: few tokens have to be looked up more than once. */
  readonly #prefixUnits = new Map<number, Set<number>>();
  #state = this.#first;

  constructor(sequences: readonly WantedSequence[]) {
    for (const sequence of sequences) this.#add(sequence);
    for (const { tokens, prefix } of sequences) {
      if (!prefix) continue;
      const last = tokens.at(-1)!;
      const lengths = this.#prefixUnits.get(last.charCodeAt(0)) ?? new Set();
      this.#prefixUnits.set(last.charCodeAt(0), lengths.add(last.length));
    }
    this.#link();
  }

  /** Forgets what was read: the next token follows none of them. */
  reset(): void {
    this.#state = this.#first;
  }

  /** Reads one token; the sequences that end with it. */
  read(token: string): readonly SequenceHit[] {
    // A prefix ends its sequence, so nothing goes on from there: it is looked up, and the state stays.
    const lengths = this.#prefixUnits.get(token.charCodeAt(0));
    const byPrefix = lengths === undefined ? NONE : [...lengths].flatMap((length) => this.#begun(token, length));
    this.#state = follow(this.#state, token);
    return byPrefix.length === 0 ? this.#state.hits : [...this.#state.hits, ...byPrefix];
  }

  /** Sequences that end with a prefix of so many units of a token. */
  #begun(token: string, length: number): readonly SequenceHit[] {
    return token.length < length ? NONE : follow(this.#state, prefixKey(token.slice(0, length))).hits;
  }

  #add({ tokens, prefix, term, oneWord }: WantedSequence): void {
    let state = this.#first;
    for (const [index, token] of tokens.entries()) {
      const key = prefix && index === tokens.length - 1 ? prefixKey(token) : token;
      let next = state.next.get(key);
      if (next === undefined) state.next.set(key, (next = { next: new Map(), fallback: this.#first, hits: [] }));
      state = next;
    }
    const prefixUnits = prefix ? tokens.at(-1)!.length : 0;
    state.hits = [...state.hits, { term, length: tokens.length, prefixUnits, oneWord }];
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
