/**
 * Where the terms of a query stand in a text: for highlighting, for counting, and to verify what the index found by
 * tokens alone. Walks the text as the indexer does, so that what was found is found again; never changes the text.
 *
 * Time is linear in the text; offsets are UTF-16 units of the text as given, also where it is not composed.
 */
import { foldCase } from './fold.js';
import { MAX_SEQUENCE_TOKENS, type ParsedQuery } from './query.js';
import { TermSink } from './term-sink.js';
import { endOfCharacter, TermWriter } from './term-writer.js';
import { type SequenceHit, TokenAutomaton } from './token-automaton.js';
import { IDEOGRAPHS, LETTERS, SYLLABLES, WordScanner } from './word-scanner.js';

export interface TermMatch {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Index into `terms` of the query. */
  readonly term: number;
  /** The surface as typed but for capitals and white space, from the beginning of a word to the end of one. */
  readonly exact: boolean;
}

export interface TermFrequency {
  /** Occurrences that do not overlap. */
  readonly count: number;
  /** Those of them that are exact. */
  readonly exact: number;
}

/** The longest sequence, and so how far back a match can begin. */
const HISTORY = MAX_SEQUENCE_TOKENS;
const PLAIN_ASCII = /^[!-~]*$/;
/** Words of a text repeat; what the analyser makes of one is worth keeping for a while. */
const MAX_KEPT = 2048;
const MAX_KEPT_UNITS = 32;

/** What the analyser makes of one word. */
interface WordTokens {
  readonly tokens: readonly string[];
  /** Begin and end of each token, counted from the beginning of the word. */
  readonly spans: readonly number[];
}

/** For one query and many texts. Not for two texts at once. */
export class TermMatcher {
  readonly #surfaces: readonly string[];
  readonly #excluded: readonly boolean[];
  readonly #automaton: TokenAutomaton;
  /** First code units of all tokens: a word that begins otherwise is not looked at closer. */
  readonly #firstUnits: ReadonlySet<number>;
  readonly #scanner = new WordScanner();
  readonly #spans: number[] = [];
  readonly #sink = new TermSink();
  readonly #writer = new TermWriter(this.#sink, this.#spans);
  readonly #kept = new Map<string, WordTokens>();
  readonly #starts = new Int32Array(HISTORY);
  readonly #startsWord = new Uint8Array(HISTORY);
  #read = 0;
  #text = '';
  #found: TermMatch[] = [];
  /** By term: index into `#found` of its last match, -1 for none. */
  readonly #latest: Int32Array;

  constructor(query: ParsedQuery) {
    this.#surfaces = query.terms.map(({ surface }) => comparable(surface));
    this.#excluded = query.terms.map(({ excluded }) => excluded);
    this.#latest = new Int32Array(query.terms.length);
    const sequences = query.terms.flatMap(({ alternatives, kind }, term) =>
      alternatives.map((sequence) => ({ ...sequence, term, oneWord: kind === 'word' && overlap(sequence.tokens) })),
    );
    this.#automaton = new TokenAutomaton(sequences);
    this.#firstUnits = new Set(sequences.flatMap(({ tokens }) => tokens.map((token) => token.charCodeAt(0))));
  }

  /** Matches of the terms that are not excluded, sorted, none over another; of two the earlier, then the longer stays. */
  locate(text: string): readonly TermMatch[] {
    const found = this.#matches(text).filter(({ term }) => !this.#excluded[term]);
    found.sort((a, b) => a.start - b.start || b.end - a.end || a.term - b.term);
    const kept: TermMatch[] = [];
    let end = 0;
    for (const match of found) {
      if (match.start < end) continue;
      kept.push(match);
      end = match.end;
    }
    return kept;
  }

  /** For each term of the query, excluded ones too, how often the text has it. A phrase is there when its count is not 0. */
  frequencies(text: string): readonly TermFrequency[] {
    const counts = this.#surfaces.map(() => ({ count: 0, exact: 0 }));
    for (const { term, exact } of this.#matches(text)) {
      const count = counts[term]!;
      count.count++;
      if (exact) count.exact++;
    }
    return counts;
  }

  /** By end; those of one term do not overlap. */
  #matches(text: string): readonly TermMatch[] {
    const scanner = this.#scanner;
    this.#automaton.reset();
    this.#read = 0;
    this.#text = text;
    this.#found = [];
    this.#latest.fill(-1);
    scanner.reset(text);
    while (scanner.next()) {
      const { kind, shape } = scanner;
      if (kind === LETTERS && shape === 0) {
        if (this.#firstUnits.has(text.charCodeAt(scanner.start) | 0x20)) this.#readWord();
        else this.#automaton.reset();
      } else if ((kind === SYLLABLES || kind === IDEOGRAPHS) && shape === 0) this.#readBigrams();
      else this.#readWord();
    }
    const found = this.#found;
    scanner.reset('');
    this.#text = '';
    this.#found = [];
    return found;
  }

  #readWord(): void {
    const { start, end } = this.#scanner;
    const { tokens, spans } = this.#tokensOf(start, end);
    for (let index = 0; index < tokens.length; index++) {
      this.#readToken(tokens[index]!, start + spans[index * 2]!, start + spans[index * 2 + 1]!);
    }
  }

  /** The tokens that the `TermWriter` makes of composed characters, those only that the query may want. */
  #readBigrams(): void {
    const { start, end, kind } = this.#scanner;
    const last = kind === IDEOGRAPHS || end - start === 1 ? end - 1 : end - 2;
    for (let index = start; index <= last; index++) {
      if (this.#firstUnits.has(this.#text.charCodeAt(index))) {
        const to = Math.min(index + 2, end);
        this.#readToken(this.#text.slice(index, to), index, to);
      } else this.#automaton.reset();
    }
  }

  #tokensOf(start: number, end: number): WordTokens {
    const word = end - start <= MAX_KEPT_UNITS ? this.#text.slice(start, end) : undefined;
    const known = word === undefined ? undefined : this.#kept.get(word);
    if (known !== undefined) return known;
    this.#spans.length = 0;
    this.#writer.write(this.#text, this.#scanner);
    const written = this.#sink.take();
    const made: WordTokens = {
      tokens: written === '' ? [] : written.split(' '),
      spans: this.#spans.map((offset) => offset - start),
    };
    if (word === undefined) return made;
    if (this.#kept.size === MAX_KEPT) this.#kept.clear();
    this.#kept.set(word, made);
    return made;
  }

  #readToken(token: string, start: number, end: number): void {
    const { start: wordStart, end: wordEnd, kind } = this.#scanner;
    const slot = this.#read++ % HISTORY;
    this.#starts[slot] = start;
    this.#startsWord[slot] = start === wordStart || kind === IDEOGRAPHS ? 1 : 0;
    for (const hit of this.#automaton.read(token)) {
      const last = hit.prefixUnits === 0 ? end : this.#endOfPrefix(hit.prefixUnits, start, end);
      this.#add(hit, last, last === wordEnd || kind === IDEOGRAPHS);
    }
  }

  #endOfPrefix(units: number, start: number, end: number): number {
    const first = endOfCharacter(this.#text, start, this.#scanner.end);
    return Math.max(first, Math.min(start + units, end));
  }

  #add(hit: SequenceHit, end: number, endsWord: boolean): void {
    const { term } = hit;
    const slot = (this.#read - hit.length) % HISTORY;
    const start = this.#starts[slot]!;
    if (hit.oneWord && start < this.#scanner.start) return;
    const exact = endsWord && this.#startsWord[slot] === 1 && this.#isExact(start, end, term);
    const before = this.#latest[term]!;
    if (before === -1 || this.#found[before]!.end <= start) {
      this.#latest[term] = this.#found.length;
      this.#found.push({ start, end, term, exact });
    } else if (exact && !this.#found[before]!.exact) this.#found[before] = { start, end, term, exact };
  }

  #isExact(start: number, end: number, term: number): boolean {
    const surface = this.#surfaces[term]!;
    // Decomposed text is longer than composed, but not by more than this.
    if (end - start > surface.length * 4 + 64) return false;
    const piece = this.#text.slice(start, end);
    return piece === surface || (PLAIN_ASCII.test(piece) ? piece.toLowerCase() : comparable(piece)) === surface;
  }
}

/** Makes ready to look for the terms of `query` in many texts. */
export function createMatcher(query: ParsedQuery): TermMatcher {
  return new TermMatcher(query);
}

/** Each begins with the character that the one before it ends with: bigrams of one word. */
function overlap(tokens: readonly string[]): boolean {
  return tokens.every((token, index) => {
    const before = tokens[index - 1];
    const first = String.fromCodePoint(token.codePointAt(0)!);
    return first > '\x7f' && (before === undefined || (before !== first && before.endsWith(first)));
  });
}

function comparable(text: string): string {
  return foldCase(text).replaceAll(/\s+/g, ' ');
}
