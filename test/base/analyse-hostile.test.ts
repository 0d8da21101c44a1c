import { describe, expect, test } from 'vitest';
import { createMatcher, indexTerms, parseQuery } from '../../src/base/analyse/index.js';

const MEGA = 1_000_000;
const HOSTILE: readonly (readonly [string, string])[] = [
  ['one endless word', 'x'.repeat(20 * MEGA)],
  ['one endless identifier', 'aB1'.repeat(MEGA)],
  ['marks without a letter', '\u0301'.repeat(MEGA)],
  ['a letter with marks in two orders', `e${'\u0301\u0323'.repeat(MEGA / 2)}`],
  ['one endless word of syllables', '가'.repeat(MEGA)],
  ['one endless word of jamo', '\u1112\u1161\u11ab'.repeat(MEGA / 2)],
  ['vowels of syllables only', '\u1161'.repeat(MEGA)],
  ['one endless word of ideographs', '猫'.repeat(MEGA)],
  ['ideographs with marks', 'か\u3099'.repeat(MEGA / 2)],
  ['halves of pairs', '\ud800'.repeat(MEGA)],
  ['halves of pairs in the wrong order', '\udc00\ud800'.repeat(MEGA / 2)],
  ['apostrophes', "a'".repeat(MEGA)],
  ['curly apostrophes', 'é’'.repeat(MEGA)],
  ['one endless word of Cyrillic', 'д'.repeat(MEGA)],
  ['pictures', '🚀'.repeat(MEGA / 2)],
  ['joiners', '\u200d'.repeat(MEGA)],
  ['spaces', ' '.repeat(5 * MEGA)],
  ['NULs', '\0'.repeat(MEGA)],
  ['letters by themselves', 'a '.repeat(MEGA)],
  ['quotes', '"'.repeat(MEGA)],
  ['minuses', '-'.repeat(MEGA)],
  ['quoted letters', '"a" '.repeat(MEGA / 4)],
];

describe.each(HOSTILE)('%s', (_name, text) => {
  test('has tokens of a length that follows the text', () => {
    expect(indexTerms(text).length).toBeLessThanOrEqual(4 * text.length);
  });

  test('is a query like any other', () => {
    expect(parseQuery(text).terms.length).toBeLessThanOrEqual(64);
  });

  test('is looked through', () => {
    const matcher = createMatcher(parseQuery('a "a a a b" 가 猫 x 값을 "é d" 🚀 x1'));
    expect(matcher.locate(text).length).toBeLessThanOrEqual(text.length);
  });
});

test('many phrases that begin alike are found in one pass', () => {
  const phrases = Array.from({ length: 60 }, (_, index) => `"${'a '.repeat(index + 2)}b"`).join(' ');
  const matcher = createMatcher(parseQuery(phrases));
  expect(matcher.frequencies('a '.repeat(200_000)).every(({ count }) => count === 0)).toBe(true);
});
