/**
 * The numbers of the ranking, chosen by measuring on questions over long conversations. All are flat around the value
 * given: halving or doubling one changes little.
 */
export const WEIGHTS = {
  /** k1 of BM25 in a message: one mention is nearly everything. */
  saturation: 0.5,
  /** b of BM25 in a message. */
  lengthWeight: 0.2,
  /** What of a mention the first and the second message behind it inherit: answers follow. */
  after: [0.3, 0.15],
  /** And the two before it. */
  before: [0.1, 0.1],
  /** What a function word weighs in a message, and in a thread. */
  stopword: 0.35,
  stopwordThread: 0.4,
  /** k1 and b of a thread, whose term frequency is the number of its messages that hold a term. */
  threadSaturation: 2,
  threadLength: 0.5,
  /** Share of its best message in a thread's score. */
  bestWindow: 0.4,
  /** Share of its thread's score in a message's score. */
  threadShare: 0.9,
  /** Two words of the query side by side in a message, and in a thread; less when one is a function word. */
  pair: 0.8,
  pairThread: 0.3,
  pairStop: 0.4,
  /** A word in place of one that no document has. */
  lookAlike: 0.6,
  lookAlikeThread: 0.5,
  /** A date in the query, in multiples of its idf over threads; and what is said soon after. */
  date: 3,
  dateLate: 0.5,
  dateLateDays: 10,
  /** A message that begins with a name of the query, in multiples of the name's idf; and what it adds in its thread. */
  opener: 3.5,
  openerThread: 0.3,
  /** What a question loses when the query is one, too: the answer is wanted. */
  question: 0.2,
} as const;

/** A term in more documents is not listed: it is seen only in the texts that are read. */
export const LIST_MAX = 5_000;
/** Documents listed for one query, rarest terms first. */
export const LIST_BUDGET = 40_000;
/** Texts read for one query, unless more hits are wanted. */
export const READ_MAX = 100;
/** Queries of so few words are ordered in steps, so that among equals the newest comes first. */
export const SHORT_WORDS = 2;
export const SHORT_STEPS = 4;

/** Inverse document frequency of BM25; never negative. */
export function idf(documents: number, frequency: number): number {
  return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
}
