import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createMatcher,
  indexTerms,
  MAX_TERM_UNITS,
  parseQuery,
  toFtsExpression,
} from '../../src/base/analyse/index.js';
import { indexTermsPlainly } from '../../src/base/analyse/index-terms.js';
import { DocumentIndex } from './analyse-index.js';

/** Pieces that meet each other badly: scripts, marks, joiners, halves of pairs, what identifiers are made of. */
const PIECES = [
  ...['a', 'B', 'user', 'Name', 'HTTP', 'tests', 'running', 'cities', '7', '256', "'", '’', "n't", '-', '_', '.', '/'],
  ...[
    '가',
    '값',
    '세션',
    '을',
    '했다',
    '\u1112',
    '\u1161',
    '\u11ab',
    'ㅋ',
    '猫',
    '東京',
    'か',
    '\u3099',
    'ｶ',
    'ﾞ',
    '\uf900',
  ],
  ...['é', 'e', '\u0301', '\u0308', 'ß', 'İ', 'Σ', 'ς', 'д', 'й', 'ё', 'Ａ', '１', 'ﬁ', 'ก', '\u0e33', 'Å', 'K'],
  ...[
    ' ',
    '\n',
    '\0',
    '"',
    '*',
    '(',
    ')',
    ':',
    '^',
    '+',
    '—',
    '🚀',
    '✅',
    '\u200d',
    '\ufe0f',
    '\u00ad',
    '\ud800',
    '\udc00',
    '𠮷',
  ],
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
const query = fc.oneof(
  text,
  fc
    .array(fc.constantFrom('"', '-', ' ', 'AND', 'NEAR(', ')', '*', '{', 'a', '값', 't:', '+', '^', '\0', "'"), {
      maxLength: 30,
    })
    .map((parts) => parts.join('')),
);
const RUNS = { numRuns: 600 };

describe('the analyser', () => {
  let index: DocumentIndex;
  beforeAll(() => {
    index = new DocumentIndex(['a b', '값을', 'x']);
  });
  afterAll(() => index[Symbol.dispose]());

  test('gives NFD and NFC of a text the same tokens', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(indexTerms(given.normalize('NFD'))).toBe(indexTerms(given.normalize('NFC')));
      }),
      RUNS,
    );
  });

  test('writes by its shortcut what it writes plainly', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(indexTerms(given)).toBe(indexTermsPlainly(given));
      }),
      RUNS,
    );
  });

  test('gives tokens that a tokenizer for ASCII takes as they are, none too long', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const token of indexTerms(given).split(' ').filter(Boolean)) {
          expect(token).toMatch(/^[a-z0-9\u0080-\u{10ffff}]+$/u);
          expect(token.length).toBeLessThanOrEqual(MAX_TERM_UNITS);
          expect(token).not.toMatch(/\p{Cs}/u);
        }
      }),
      RUNS,
    );
  });

  test('never throws on a query, and no expression makes SQLite fail', () => {
    fc.assert(
      fc.property(query, fc.boolean(), (typed, exact) => {
        const { terms } = parseQuery(typed);
        for (const term of terms) index.having(term, exact);
        if (terms.length > 0) index.match(terms.map((term) => `(${toFtsExpression(term, { exact })})`).join(' AND '));
      }),
      RUNS,
    );
  });

  test('finds a text by each of its words, in the index and in the text', () => {
    fc.assert(
      fc.property(text, (given) => {
        index.replace([given]);
        for (const word of given.split(/[\s"\0]+/u)) {
          const parsed = parseQuery(word.replace(/^-+/, ''));
          const located = createMatcher(parsed).frequencies(given);
          for (const [place, term] of parsed.terms.entries()) {
            if (term.excluded) continue;
            expect([...index.having(term)], `${term.surface} in the index`).toEqual([0]);
            expect(located[place]?.count, `${term.surface} in the text`).toBeGreaterThan(0);
          }
        }
      }),
      RUNS,
    );
  });

  test('finds in a text what the index finds, but for bigrams that stand in several words of it', () => {
    fc.assert(
      fc.property(text, query, (given, typed) => {
        index.replace([given]);
        const parsed = parseQuery(typed);
        const located = createMatcher(parsed).frequencies(given);
        for (const [place, term] of parsed.terms.entries()) {
          const inIndex = index.having(term).size === 1;
          const bigrams = term.alternatives.some(
            ({ tokens }) => tokens.length > 1 && /[^\0-\x7f]/.test(tokens.join('')),
          );
          if (bigrams) expect(inIndex || located[place]!.count === 0, term.surface).toBe(true);
          else expect(located[place]!.count > 0, term.surface).toBe(inIndex);
        }
      }),
      RUNS,
    );
  });

  test('locates ranges in order, inside the text, none over another', () => {
    fc.assert(
      fc.property(text, query, (given, typed) => {
        let at = 0;
        for (const { start, end } of createMatcher(parseQuery(typed)).locate(given)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(given.length);
      }),
      RUNS,
    );
  });
});
