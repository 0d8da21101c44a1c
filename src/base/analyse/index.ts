/** The text analyser: tokens of documents, queries over them, and where a query's terms stand in a text. */
export { foldSpelling } from './fold.js';
export { type FtsOptions, toFtsExpression } from './fts-expression.js';
export { ANALYSER_VERSION, indexTerms, TermIndexer } from './index-terms.js';
export { createMatcher, type TermFrequency, type TermMatch, TermMatcher } from './matcher.js';
export {
  MAX_QUERY_TERMS,
  MAX_SEQUENCE_TOKENS,
  type ParsedQuery,
  parseQuery,
  type QueryTerm,
  type TokenSequence,
} from './query.js';
export { MAX_QUERY_UNITS } from './query-words.js';
export { TermSink } from './term-sink.js';
export { MAX_TERM_UNITS } from './term-writer.js';
