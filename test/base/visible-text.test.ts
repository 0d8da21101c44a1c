import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleLine, visibleText } from '../../src/base/visible-text.js';

describe('visibleText()', () => {
  test('shows terminal controls by their picture and keeps newline and tab', () => {
    expect(visibleText('a\u001b[2Jb\u0000\u007f\tc\nd')).toBe('a␛[2Jb␀␡\tc\nd');
  });

  test('shows C1 controls, which some terminals obey like ESC', () => {
    expect(visibleText('a\u009b2Jb')).toBe('a<U+009B>2Jb');
  });

  test.each([
    ['\u202e', '<U+202E>'],
    ['\u2066', '<U+2066>'],
    ['\u2069', '<U+2069>'],
    ['\u200b', '<U+200B>'],
    ['\u200f', '<U+200F>'],
    ['\ufeff', '<U+FEFF>'],
    ['\u2028', '<U+2028>'],
    ['\u061c', '<U+061C>'],
    ['\u3164', '<U+3164>'],
    ['\u{e0041}', '<U+E0041>'],
    ['\ud83d', '<U+D83D>'],
    ['\udc00', '<U+DC00>'],
  ])('shows what takes no room or turns the direction: %j', (character, shown) => {
    expect(visibleText(`a${character}b`)).toBe(`a${shown}b`);
  });

  test('keeps joined emoji whole, and shows a joiner anywhere else', () => {
    expect(visibleText('👨‍👩‍👧 ❤️‍🔥 👩🏽‍💻')).toBe('👨‍👩‍👧 ❤️‍🔥 👩🏽‍💻');
    expect(visibleText('a\u200db')).toBe('a<U+200D>b');
  });

  test('turns \\r\\n into \\n and shows a lone \\r', () => {
    expect(visibleText('a\r\nb\rc')).toBe('a\nb␍c');
  });

  test('leaves Korean, old Korean and accents alone', () => {
    expect(visibleText('한글 \u1112\u119e\u11ab \u1160 é')).toBe('한글 \u1112\u119e\u11ab \u1160 é');
  });

  test('leaves no control and no half of a pair in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visibleText(text);
        expect(/[\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff]/u.test(shown)).toBe(false);
        expect([...shown].some((c) => /\p{Cc}/u.test(c) && c !== '\n' && c !== '\t')).toBe(false);
      }),
    );
  });
});

describe('visibleLine()', () => {
  test('makes one line of any text', () => {
    expect(visibleLine('  a\r\n\tb\u2028c\u001bd ')).toBe('a b c␛d');
  });

  test('never holds a line break', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(/[\n\r\t\u0085\u2028\u2029]/.test(visibleLine(text))).toBe(false);
      }),
    );
  });
});
