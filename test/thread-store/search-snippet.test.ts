import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMatcher, parseQuery } from '../../src/base/analyse/index.js';
import { snippetOf } from '../../src/thread-store/local/search/snippet.js';

function snip(text: string, query: string) {
  const snippet = snippetOf(text, createMatcher(parseQuery(query)).locate(text), () => 1);
  return { ...snippet, marks: snippet.matches.map(([start, end]) => snippet.text.slice(start, end)) };
}

describe('snippetOf()', () => {
  test('gives a short text whole, on one line, with what is hidden made visible', () => {
    const { text, marks } = snip('  A\n\n grey\u202eheron\u001b[31m\there\u200b ', 'grey here');
    expect(text).toBe('A grey<U+202E>heron␛[31m here<U+200B>');
    expect(marks).toEqual(['grey', 'here']);
  });

  test('chooses the place where most words of the query stand, and cuts between words', () => {
    const filler = 'filler words of no use '.repeat(30);
    const { text, marks } = snip(`heron ${filler}a heron eats an eel and a frog ${filler}eel`, 'heron eel frog');
    expect(marks).toEqual(['heron', 'eel', 'frog']);
    expect(text).toMatch(/^…\w.*\w…$/);
    expect(text.length).toBeLessThan(260);
    expect(
      text
        .slice(1, -1)
        .split(' ')
        .every((word) => `${filler} a heron eats an eel and a frog`.includes(word)),
    ).toBe(true);
  });

  test('marks exactly what was found, behind stand-ins too', () => {
    const { text, matches } = snip('\u0000\u0001 heron \u0002 heron', 'heron');
    expect(matches.map(([start, end]) => text.slice(start, end))).toEqual(['heron', 'heron']);
  });

  test('gives the beginning of a text in which nothing was found', () => {
    expect(snip(`start ${'x '.repeat(500)}`, 'nothing').text).toMatch(/^start x .*x…$/);
  });

  test('keeps characters whole, and its ranges within the text', () => {
    const piece = fc.constantFrom(
      'heron',
      ' ',
      '\n',
      '👩‍👩‍👧',
      '🇰🇷',
      'e\u0301',
      '한글',
      '漢',
      'x'.repeat(150),
      '\u0000',
      '\u202e',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const { text, matches } = snip(pieces.join(''), 'heron');
        expect(text).not.toMatch(/[\n\t\p{Cc}]/u);
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(text.length).toBeLessThan(1_200);
        let end = 0;
        for (const [start, to] of matches) {
          expect(start).toBeGreaterThanOrEqual(end);
          expect(text.slice(start, to)).toMatch(/^heron/);
          end = to;
        }
      }),
      { numRuns: 300 },
    );
  });
});
