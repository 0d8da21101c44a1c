import { describe, expect, test } from 'vitest';
import {
  MAX_QUERY_TERMS,
  MAX_QUERY_UNITS,
  MAX_SEQUENCE_TOKENS,
  parseQuery,
  toFtsExpression,
} from '../../src/base/analyse/index.js';
import { DocumentIndex } from './analyse-index.js';

const sequence = (text: string, prefix = false) => ({ tokens: text.split(' '), prefix });
const only = (query: string) => parseQuery(query).terms[0];

describe('parseQuery()', () => {
  test('tells words, phrases and exclusions apart', () => {
    const terms = parseQuery('black "white cat" -dog -"red fox"').terms;
    expect(terms.map(({ surface, kind, excluded }) => [surface, kind, excluded])).toEqual([
      ['black', 'word', false],
      ['white cat', 'phrase', false],
      ['dog', 'word', true],
      ['red fox', 'phrase', true],
    ]);
  });

  test('takes a minus for an exclusion at the start of a word only', () => {
    const excluded = (query: string) => parseQuery(query).terms.map((term) => [term.surface, term.excluded]);
    expect(excluded('a-b --json - -> x -y')).toEqual([
      ['a-b', false],
      ['json', false],
      ['x', false],
      ['y', true],
    ]);
  });

  test('takes a quote that is not closed for no quote', () => {
    expect(parseQuery('say "hello world').terms.map(({ surface, kind }) => [surface, kind])).toEqual([
      ['say', 'word'],
      ['hello', 'word'],
      ['world', 'word'],
    ]);
  });

  test('keeps the surface as typed, composed, without punctuation around it', () => {
    expect(only(' (facts-scan.ts), ')?.surface).toBe('facts-scan.ts');
    expect(only('세션을'.normalize('NFD'))?.surface).toBe('세션을');
    expect(only('Café!')?.surface).toBe('Café');
  });

  test('gives the spellings of an identifier', () => {
    expect(only('getUserName')?.alternatives).toEqual([sequence('getusernam'), sequence('get user name')]);
    expect(only('user_name')?.alternatives).toEqual([sequence('usernam'), sequence('user name')]);
    expect(only('facts-scan.ts')?.alternatives).toEqual([sequence('fact scan ts')]);
    expect(only('sha-256')?.alternatives).toEqual([sequence('sha256'), sequence('sha 256')]);
  });

  test('gives the stem of a Korean word, and a prefix where it is one syllable', () => {
    expect(only('세션을')?.alternatives).toEqual([sequence('세션')]);
    expect(only('데이터에서는')?.alternatives).toEqual([sequence('데이 이터')]);
    expect(only('값을')?.alternatives).toEqual([sequence('값', true)]);
    expect(only('회의')?.alternatives).toEqual([sequence('회의')]);
    expect(only('猫')?.alternatives).toEqual([sequence('猫', true)]);
    expect(only('React를')?.alternatives).toEqual([sequence('react')]);
  });

  test('keeps each term once, in whatever form it is typed again', () => {
    expect(parseQuery('test Tests TESTING "test"').terms.map(({ surface }) => surface)).toEqual(['test', 'test']);
  });

  test('marks function words and still has them as terms', () => {
    const marks = parseQuery('the session 그리고 Don’t "to be"').terms.map((term) => [term.surface, term.isStopword]);
    expect(marks).toEqual([
      ['the', true],
      ['session', false],
      ['그리고', true],
      ['Don’t', true],
      ['to be', false],
    ]);
    expect(parseQuery('to be').isEmpty).toBe(false);
  });

  test.each([
    '',
    ' ',
    '"',
    '""',
    '" "',
    '-',
    '--',
    '-"',
    '*^():+',
    '"-" -"."',
    '\0\u0001\u001b',
    '\ud800',
    '-word',
    '-"a b"',
  ])('is empty where nothing is asked for: %j', (query) => {
    expect(parseQuery(query).isEmpty).toBe(true);
  });

  test('reads a bounded part of a huge query', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `w${index}`).join(' ');
    expect(parseQuery(many).terms).toHaveLength(MAX_QUERY_TERMS);
    expect(parseQuery('a '.repeat(500_000)).terms).toHaveLength(1);
    expect(parseQuery(`${' '.repeat(MAX_QUERY_UNITS)}late`).isEmpty).toBe(true);
    const phrase = parseQuery(`"${'abc def '.repeat(100_000)}`).terms;
    expect(phrase.map(({ surface }) => surface)).toEqual(['abc', 'def']);
    const long = parseQuery(`"${'abc def '.repeat(1000)}"`).terms[0];
    expect(long?.alternatives[0]?.tokens).toHaveLength(MAX_SEQUENCE_TOKENS);
  });
});

describe('toFtsExpression()', () => {
  test('asks for tokens side by side, or anywhere', () => {
    const term = only('데이터에서')!;
    expect(toFtsExpression(term, { exact: true })).toBe('"데이 이터"');
    expect(toFtsExpression(term, { exact: false })).toBe('("데이" AND "이터")');
    expect(toFtsExpression(only('getX값')!, { exact: true })).toBe('"getx 값" * OR "get x 값" *');
  });

  test('finds without adjacency whatever is found with it', () => {
    const documents = ['데이터베이스', '데이 그리고 이터', '데이터', 'get user name', 'name of a user', 'getUserName'];
    using index = new DocumentIndex(documents);
    for (const query of ['데이터', 'getUserName', '"user name"']) {
      const loose = index.having(only(query)!, false);
      for (const found of index.having(only(query)!, true)) expect(loose).toContain(found);
    }
    expect([...index.having(only('데이터')!, true)]).toEqual([0, 2]);
    expect([...index.having(only('데이터')!, false)]).toEqual([0, 1, 2]);
  });

  test('SQLite takes the largest query whole', () => {
    const words = Array.from({ length: MAX_QUERY_TERMS }, (_, index) => `getName${index}-of_thing`);
    const expressions = parseQuery(words.join(' ')).terms.map((term) => `(${toFtsExpression(term, { exact: false })})`);
    using index = new DocumentIndex(words);
    expect(expressions).toHaveLength(MAX_QUERY_TERMS);
    expect(index.match(expressions.join(' OR '))).toHaveLength(MAX_QUERY_TERMS);
    expect(index.match(expressions.join(' AND '))).toEqual([]);
  });
});
