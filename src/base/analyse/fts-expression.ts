/**
 * A term of a query as an FTS5 expression over tokens of the analyser. Owns quoting; never meets what a person typed:
 * tokens hold letters, digits and non-ASCII characters only, so that no query makes SQLite fail.
 */
import type { QueryTerm, TokenSequence } from './query.js';

export interface FtsOptions {
  /**
   * True: the tokens side by side. False: all tokens anywhere in the document, which SQLite finds faster when they
   * are many (a Korean word of four syllables has three) and which finds every document that true finds, and some
   * more: then the text has to be looked at. Never false for an excluded term: it would exclude too much.
   */
  readonly exact: boolean;
}

/** An expression for the right side of MATCH; to be put in parentheses by itself when others stand beside it. */
export function toFtsExpression(term: QueryTerm, { exact }: FtsOptions): string {
  return term.alternatives.map((sequence) => (exact ? sideBySide(sequence) : anywhere(sequence))).join(' OR ');
}

function sideBySide({ tokens, prefix }: TokenSequence): string {
  return `"${tokens.join(' ')}"${prefix ? ' *' : ''}`;
}

function anywhere({ tokens, prefix }: TokenSequence): string {
  const last = tokens.length - 1;
  const each = tokens.map((token, index) => `"${token}"${prefix && index === last ? ' *' : ''}`);
  return `(${[...new Set(each)].join(' AND ')})`;
}
