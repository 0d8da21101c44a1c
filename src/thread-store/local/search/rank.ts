/**
 * The ranking: which messages and threads are worth reading for a query, by what the index alone tells.
 *
 * A message counts with its neighbours: each term's mentions in and around it are summed and saturate together, so that
 * neighbours fill in what a message lacks and do not pile up what it has. A thread counts by how many of its messages
 * hold a term. Pure: lists, lengths and room come in as arguments. Time is linear in the documents listed.
 */
import type { Threads } from './catalog.js';
import type { DateRange } from './query-intent.js';
import type { Scratch } from './scratch.js';
import { idf, WEIGHTS } from './weights.js';

export interface RankedTerm {
  /** Each once. */
  readonly rows: Int32Array;
  readonly gain: number;
  readonly threadWeight: number;
  readonly isContent: boolean;
  readonly isName: boolean;
}

export interface RankInput {
  readonly threads: Threads;
  /** Characters of the text of each row that a term has, and of its neighbours. */
  readonly lengths: Uint32Array;
  readonly meanLength: number;
  readonly dates: DateRange | undefined;
  /** Whether an answer holds a word of the query itself; else one beside it will do. */
  readonly needsWord: boolean;
  /** Whether a row may be an answer. */
  readonly fits: (row: number) => boolean;
}

export interface Scored {
  /** A row, or a thread. */
  readonly at: number;
  readonly score: number;
}

const STEPS: readonly (readonly [by: number, share: number])[] = [
  [0, 1],
  ...WEIGHTS.after.map((share, index) => [index + 1, share] as const),
  ...WEIGHTS.before.map((share, index) => [-index - 1, share] as const),
];
const STEP_BY = Int32Array.from(STEPS, ([by]) => by);
const STEP_SHARE = Float64Array.from(STEPS, ([, share]) => share);
const DAY_SECONDS = 86_400;

/** Fills `scratch` with what the terms say of every row and thread. `scratch.opens` is known by then. */
export function accumulate(scratch: Scratch, terms: readonly RankedTerm[], input: RankInput): void {
  for (const term of terms) {
    const reached = spreadTerm(scratch, term, input);
    addToRows(scratch, term.gain, reached.rows, input);
    addToThreads(scratch, term.threadWeight, reached.threads, input.threads);
  }
  for (let at = 0; at < scratch.touchedCount; at += 1) {
    const row = scratch.touched[at] ?? 0;
    const score = scratch.score[row] ?? 0;
    const thread = input.threads.threadOfRow[row] ?? 0;
    if (score > (scratch.best[thread] ?? 0)) scratch.best[thread] = score;
  }
}

/** Marks in and around each row of a term, and counts the rows of each thread. */
function spreadTerm(
  { share, reached, threadShare, threadsReached, opens }: Scratch,
  { rows, isName }: RankedTerm,
  { threads: { threadOfRow, starts } }: RankInput,
): { readonly rows: number; readonly threads: number } {
  let rowCount = 0;
  let threadCount = 0;
  for (const row of rows) {
    const thread = threadOfRow[row] as number;
    const from = starts[thread] as number;
    const to = starts[thread + 1] as number;
    if (threadShare[thread] === 0) threadsReached[threadCount++] = thread;
    threadShare[thread] =
      (threadShare[thread] as number) + (opens[row] === 1 && !isName ? 1 + WEIGHTS.openerThread : 1);
    for (let step = 0; step < STEP_BY.length; step += 1) {
      const near = row + (STEP_BY[step] as number);
      if (near < from || near >= to) continue;
      if (share[near] === 0) reached[rowCount++] = near;
      share[near] = (share[near] as number) + (STEP_SHARE[step] as number);
    }
  }
  return { rows: rowCount, threads: threadCount };
}

function addToRows(
  scratch: Scratch,
  gain: number,
  count: number,
  { lengths, meanLength }: Pick<RankInput, 'lengths' | 'meanLength'>,
): void {
  const { score, share, reached, touched } = scratch;
  const { saturation, lengthWeight } = WEIGHTS;
  for (let at = 0; at < count; at += 1) {
    const row = reached[at] as number;
    const mentions = share[row] as number;
    share[row] = 0;
    if (gain <= 0) continue;
    const norm = 1 - lengthWeight + (lengthWeight * (lengths[row] as number)) / meanLength;
    if (score[row] === 0) touched[scratch.touchedCount++] = row;
    score[row] = (score[row] as number) + (gain * mentions * (saturation + 1)) / (mentions + saturation * norm);
  }
}

function addToThreads(scratch: Scratch, weight: number, count: number, threads: Threads): void {
  const { threadScore, threadShare, threadsReached } = scratch;
  const { threadSaturation, threadLength } = WEIGHTS;
  const gain = idf(threads.count, count) * weight;
  const mean = meanOf(threads.chars);
  for (let at = 0; at < count; at += 1) {
    const thread = threadsReached[at] as number;
    const messages = threadShare[thread] as number;
    threadShare[thread] = 0;
    const norm = 1 - threadLength + (threadLength * (threads.chars[thread] as number)) / mean;
    threadScore[thread] =
      (threadScore[thread] as number) +
      (gain * messages * (threadSaturation + 1)) / (messages + threadSaturation * norm);
  }
}

const means = new WeakMap<Float64Array, number>();

function meanOf(numbers: Float64Array): number {
  let mean = means.get(numbers);
  if (mean === undefined) {
    mean = Math.max(1, numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length));
    means.set(numbers, mean);
  }
  return mean;
}

export interface Ranking {
  /** Rows, and threads, best first. */
  readonly messages: readonly Scored[];
  readonly threads: readonly Scored[];
  /** How many may be answers at all. */
  readonly counts: { readonly messages: number; readonly threads: number };
  /** Of a row, before its text is read; while the room is not put in order again. */
  readonly scoreOf: (row: number) => number;
}

/** Messages and threads that may be answers, best first, at most so many. */
export function rankRows(
  scratch: Scratch,
  input: RankInput,
  { messages, threads: threadLimit }: { readonly messages: number; readonly threads: number },
): Ranking {
  const { threads } = input;
  const dates = gradeDates(input.dates, threads);
  const top = new TopList(messages);
  const { best, bestRow, threadScore, score, holds, touched } = scratch;
  const bestHeld = new Float64Array(threads.count);
  const scoreOf = (row: number): number => {
    const thread = threads.threadOfRow[row] as number;
    return (score[row] as number) + WEIGHTS.threadShare * ((threadScore[thread] as number) + dates(thread));
  };
  const counts = { messages: 0, threads: 0 };
  for (let at = 0; at < scratch.touchedCount; at += 1) {
    const row = touched[at] as number;
    if ((input.needsWord && holds[row] === 0) || !input.fits(row)) continue;
    const thread = threads.threadOfRow[row] as number;
    const own = score[row] as number;
    top.add(row, scoreOf(row));
    counts.messages += 1;
    if (bestRow[thread] === -1) counts.threads += 1;
    if (bestRow[thread] === -1 || own > (bestHeld[thread] as number)) {
      bestHeld[thread] = own;
      bestRow[thread] = row;
    }
  }
  const topThreads = new TopList(threadLimit);
  for (let thread = 0; thread < threads.count; thread += 1) {
    if (bestRow[thread] === -1) continue;
    const total = (threadScore[thread] as number) + WEIGHTS.bestWindow * (best[thread] as number) + dates(thread);
    topThreads.add(thread, total);
  }
  return { messages: top.sorted(), threads: topThreads.sorted(), counts, scoreOf };
}

/** A date is one more term of threads: its idf over those that are in its range, part of it for what follows soon. */
function gradeDates(range: DateRange | undefined, threads: Threads): (thread: number) => number {
  if (range === undefined) return () => 0;
  const [from, to] = [range.fromMs / 1000, range.toMs / 1000];
  const late = to + WEIGHTS.dateLateDays * DAY_SECONDS;
  const grade = (thread: number): number => {
    const first = threads.fromSeconds[thread] ?? 0;
    if (first === 0) return 0;
    if (first < to && (threads.toSeconds[thread] ?? 0) >= from) return 1;
    return first >= to && first < late ? WEIGHTS.dateLate : 0;
  };
  let dated = 0;
  for (let thread = 0; thread < threads.count; thread += 1) if (grade(thread) > 0) dated += 1;
  const weight = dated === 0 ? 0 : WEIGHTS.date * idf(threads.count, dated);
  return (thread) => weight * grade(thread);
}

/** The highest scores of many, among equals the highest places: one pass and a bounded heap. */
export class TopList {
  readonly #limit: number;
  readonly #at: Int32Array;
  readonly #scores: Float64Array;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#at = new Int32Array(limit);
    this.#scores = new Float64Array(limit);
  }

  /** Scores of 0 and below are left out. */
  add(at: number, score: number): void {
    if (score <= 0) return;
    if (this.#size < this.#limit) {
      this.#rise(this.#size++, at, score);
    } else if (this.#limit > 0 && isLess(this.#scores[0] as number, this.#at[0] as number, score, at)) {
      this.#sink(at, score);
    }
  }

  /** Best first. */
  sorted(): readonly Scored[] {
    return Array.from({ length: this.#size }, (_, index) => ({
      at: this.#at[index] as number,
      score: this.#scores[index] as number,
    })).sort((a, b) => b.score - a.score || b.at - a.at);
  }

  #rise(from: number, at: number, score: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isLess(score, at, this.#scores[parent] as number, this.#at[parent] as number)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#at[index] = at;
    this.#scores[index] = score;
  }

  #sink(at: number, score: number): void {
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#size) break;
      const other = child + 1;
      if (
        other < this.#size &&
        isLess(
          this.#scores[other] as number,
          this.#at[other] as number,
          this.#scores[child] as number,
          this.#at[child] as number,
        )
      ) {
        child = other;
      }
      if (!isLess(this.#scores[child] as number, this.#at[child] as number, score, at)) break;
      this.#move(child, index);
      index = child;
    }
    this.#at[index] = at;
    this.#scores[index] = score;
  }

  #move(from: number, to: number): void {
    this.#at[to] = this.#at[from] as number;
    this.#scores[to] = this.#scores[from] as number;
  }
}

function isLess(score: number, at: number, otherScore: number, otherAt: number): boolean {
  return score < otherScore || (score === otherScore && at < otherAt);
}
