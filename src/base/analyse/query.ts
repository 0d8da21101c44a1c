/**
 * From what a person typed to the terms that are searched: each with the sequences of index tokens that mean it.
 *
 * The tokens are made by the `TermWriter` that made the index; what is added here is what a query alone needs:
 * Korean stems, the spellings of an identifier (`getUserName`, `get_user_name`, `getusername` find each other),
 * and prefixes where a single syllable was typed. Pure, never throws, reads a bounded part of its input.
 */
import { fold, foldCase } from './fold.js';
import { isKoreanEnding, stemKorean } from './korean-stem.js';
import { type QueryWord, queryWords } from './query-words.js';
import { isStopword } from './stopwords.js';
import { TermSink } from './term-sink.js';
import { TermWriter } from './term-writer.js';
import { HAS_APOSTROPHE, HAS_OTHER, IDEOGRAPHS, LETTERS, SYLLABLES, WordScanner } from './word-scanner.js';

/** Distinct terms of a query; what follows them is not searched. */
export const MAX_QUERY_TERMS = 64;
/** Tokens of one sequence; of a longer phrase its beginning is searched. */
export const MAX_SEQUENCE_TOKENS = 64;

/** Tokens that stand side by side in a document. */
export interface TokenSequence {
  /** At least one. */
  readonly tokens: readonly string[];
  /** The last token may go on: `값` finds `값을`, and while it is still typed `laten` finds `latency`. */
  readonly prefix: boolean;
}

export interface QueryTerm {
  /** As typed, composed (NFC), without quotes, sign and punctuation around it. */
  readonly surface: string;
  readonly kind: 'word' | 'phrase';
  readonly excluded: boolean;
  /** A document has the term when it has one of them; at least one, at most six. */
  readonly alternatives: readonly TokenSequence[];
  /** A function word: weighs little beside others, but is searched. Never of a phrase. */
  readonly isStopword: boolean;
}

export interface ParsedQuery {
  /** In the order typed, each once; at most MAX_QUERY_TERMS. */
  readonly terms: readonly QueryTerm[];
  /** Nothing to search for: no term, or only excluded ones. */
  readonly isEmpty: boolean;
}

/** One word of one script, with its tokens. */
interface Run {
  readonly kind: number;
  readonly shape: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly string[];
}

export interface QueryOptions {
  /** The word at the end is still being typed: it also finds words that begin with it. Default false. */
  readonly lastWordIsOpen?: boolean;
}

/** Understands a query. Never throws. */
export function parseQuery(typed: string, { lastWordIsOpen = false }: QueryOptions = {}): ParsedQuery {
  const terms = new Map<string, QueryTerm>();
  const words = queryWords(typed);
  const last = lastWordIsOpen ? words.at(-1) : undefined;
  for (const word of words) {
    const isOpen = word === last && word.kind === 'word' && !word.excluded && typed.endsWith(word.text);
    // A letter behind other words has only begun to ask for something.
    if (isOpen && terms.size > 0 && ONE_LETTER.test(word.text)) break;
    const term = toTerm(word, isOpen);
    if (term === undefined) continue;
    const key = JSON.stringify([term.kind, term.excluded, term.alternatives]);
    if (!terms.has(key)) terms.set(key, term);
    if (terms.size === MAX_QUERY_TERMS) break;
  }
  const list = [...terms.values()];
  return { terms: list, isEmpty: !list.some((term) => !term.excluded) };
}

function toTerm(word: QueryWord, isOpen: boolean): QueryTerm | undefined {
  const text = word.text.normalize('NFC');
  const runs = runsOf(text);
  const first = runs[0];
  const last = runs.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const surface = text.slice(first.start, last.end);
  const alternatives = word.kind === 'phrase' ? [phraseSequence(runs)] : wordSequences(runs, text);
  if (isOpen) alternatives.push(...openSequences(runs));
  return {
    surface,
    kind: word.kind,
    excluded: word.excluded,
    alternatives: smallest(alternatives.map(clip)),
    isStopword: word.kind === 'word' && isStopword(foldCase(surface)),
  };
}

const sink = new TermSink();
const writer = new TermWriter(sink);
const scanner = new WordScanner();

function runsOf(text: string): readonly Run[] {
  const runs: Run[] = [];
  scanner.reset(text);
  while (scanner.next()) {
    const { kind, shape, start, end } = scanner;
    writer.write(text, scanner);
    const tokens = sink.take();
    if (tokens !== '') runs.push({ kind, shape, text: text.slice(start, end), start, end, tokens: tokens.split(' ') });
  }
  return runs;
}

/** The words as they stand; the last of them may go on where it is only one syllable. */
function phraseSequence(runs: readonly Run[]): TokenSequence {
  const last = runs.at(-1)!;
  const ending = openEnding(last, last.tokens);
  return { tokens: [...runs.slice(0, -1).flatMap((run) => run.tokens), ...ending.tokens], prefix: ending.prefix };
}

function wordSequences(runs: readonly Run[], text: string): TokenSequence[] {
  const ending = lastOfWord(runs);
  const before = runs.slice(0, runs.length - (ending.dropped ? 2 : 1));
  const sequence = (choose: (run: Run) => readonly string[]): TokenSequence => ({
    tokens: [...before.flatMap(choose), ...(ending.run === undefined ? ending.tokens : choose(ending.run))],
    prefix: ending.prefix,
  });
  const joined = joinedTokens(runs, text);
  return [
    sequence((run) => run.tokens),
    sequence((run) => (hasParts(run) ? run.tokens.slice(0, 1) : run.tokens)),
    sequence((run) => (hasParts(run) ? run.tokens.slice(1) : run.tokens)),
    ...(joined === undefined ? [] : [{ tokens: joined, prefix: false }]),
  ];
}

/** Fewer letters begin too many words to be a question, were it not for what stands before them in `get_us`. */
const MIN_OPEN_UNITS = 3;
const MIN_OPEN_PART_UNITS = 2;

const ONE_LETTER = /^[a-z]$/i;

/** What a word may become that is still being typed. */
function openSequences(runs: readonly Run[]): readonly TokenSequence[] {
  const last = runs.at(-1)!;
  const least = runs.length > 1 ? MIN_OPEN_PART_UNITS : MIN_OPEN_UNITS;
  if (last.kind !== LETTERS || last.text.length < least) return [];
  const before = runs.slice(0, -1).flatMap((run) => (hasParts(run) ? run.tokens.slice(0, 1) : run.tokens));
  if (last.shape !== 0) {
    const parts = hasParts(last) ? last.tokens.slice(1) : last.tokens;
    return [{ tokens: [...before, ...parts], prefix: true }];
  }
  const word = last.text.toLowerCase();
  const whole = { tokens: [...before, word], prefix: true };
  // The index has the stem, which is shorter than a word whose ending has been begun.
  const ending = BEGUN_ENDING.exec(word)?.[0];
  if (ending === undefined) return [whole];
  const rest = (ending === 'e' ? 'ed' : 'ing').slice(ending.length);
  return [whole, { tokens: [...before, ...runsOf(`${word}${rest}`).flatMap((run) => run.tokens)], prefix: false }];
}

const BEGUN_ENDING = /(?:i|in|e)$/;

interface Ending {
  /** The last run when its tokens are its own; else `tokens` counts. */
  readonly run?: Run;
  readonly tokens: readonly string[];
  readonly prefix: boolean;
  /** A particle behind another script was left out: the run before it is the last. */
  readonly dropped: boolean;
}

/** What the last run of a word asks for: a Korean stem, a prefix, or just its tokens. */
function lastOfWord(runs: readonly Run[]): Ending {
  const last = runs.at(-1)!;
  const before = runs.at(-2);
  if (last.kind === SYLLABLES) {
    const word = fold(last.text);
    if (before !== undefined && before.end === last.start && isKoreanEnding(word)) {
      if (before.kind === LETTERS) return { run: before, tokens: [], prefix: false, dropped: true };
      return { ...openEnding(before, before.tokens), dropped: true };
    }
    const stem = stemKorean(word);
    const tokens = stem === word ? last.tokens : runsOf(stem).flatMap((run) => run.tokens);
    return { ...openEnding(last, tokens), dropped: false };
  }
  if (last.kind === IDEOGRAPHS) return { ...openEnding(last, last.tokens), dropped: false };
  return { run: last, tokens: [], prefix: false, dropped: false };
}

/** A document's word may go on where the query's ends, so the last character is no token by itself. */
function openEnding(run: Run, tokens: readonly string[]): TokenSequence {
  if (run.kind !== SYLLABLES && run.kind !== IDEOGRAPHS) return { tokens, prefix: false };
  if (tokens.length === 1) return { tokens, prefix: [...tokens[0]!].length === 1 };
  return { tokens: run.kind === IDEOGRAPHS ? tokens.slice(0, -1) : tokens, prefix: false };
}

/** A word that was written whole and by part. */
function hasParts(run: Run): boolean {
  return run.kind === LETTERS && (run.shape & HAS_APOSTROPHE) === 0 && run.tokens.length > 1;
}

/** `e-mail` and `user_name` written as one word; undefined when that would be no word. */
function joinedTokens(runs: readonly Run[], text: string): readonly string[] | undefined {
  if (runs.length < 2 || runs.some((run) => run.kind !== LETTERS || run.shape & (HAS_OTHER | HAS_APOSTROPHE))) {
    return undefined;
  }
  const separators = runs.slice(1).map((run, index) => text.slice(runs[index]!.end, run.start));
  if (separators.some((between) => between !== '-' && between !== '_')) return undefined;
  const word = runs.map((run) => run.text.toLowerCase()).join('');
  return /^[a-z]/.test(word) ? runsOf(word)[0]?.tokens.slice(0, 1) : undefined;
}

function clip(sequence: TokenSequence): TokenSequence {
  if (sequence.tokens.length <= MAX_SEQUENCE_TOKENS) return sequence;
  return { tokens: sequence.tokens.slice(0, MAX_SEQUENCE_TOKENS), prefix: false };
}

/** Without those that find nothing that a shorter one does not find. */
function smallest(sequences: readonly TokenSequence[]): readonly TokenSequence[] {
  const byLength = [...sequences].sort((a, b) => a.tokens.length - b.tokens.length);
  const kept: TokenSequence[] = [];
  for (const sequence of byLength) {
    if (!kept.some((shorter) => contains(sequence, shorter))) kept.push(sequence);
  }
  return kept;
}

function contains(longer: TokenSequence, shorter: TokenSequence): boolean {
  const within = ` ${shorter.tokens.join(' ')} `;
  if (shorter.prefix) return longer.prefix && ` ${longer.tokens.join(' ')} `.endsWith(within);
  const usable = longer.prefix ? longer.tokens.slice(0, -1) : longer.tokens;
  return ` ${usable.join(' ')} `.includes(within);
}
