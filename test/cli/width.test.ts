import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleLine } from '../../src/base/visible-text.js';
import { nearest } from '../../src/cli/nearest.js';
import { clipToWidth, displayWidth, padToWidth, wrapToWidth } from '../../src/cli/width.js';

/** Any text as the views get it: already made visible. */
const shown = fc
  .array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('한글', '👨‍👩‍👧', 'é', ' ', '🇰🇷', '\u1112\u1161\u11ab')),
  )
  .map((parts) => visibleLine(parts.join('')));

function graphemesOf(text: string): readonly string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

describe('clipToWidth()', () => {
  test('counts a Korean syllable and an emoji as two columns', () => {
    expect(clipToWidth('한국어 제목', 11)).toBe('한국어 제목');
    expect(clipToWidth('한국어 제목', 10)).toBe('한국어 제…');
    expect(clipToWidth('한국어', 4)).toBe('한…');
    expect(clipToWidth('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 5)).toBe('👨‍👩‍👧👨‍👩‍👧…');
    expect(clipToWidth('abc', 0)).toBe('');
  });

  test('stays within any width and begins with whole graphemes of the text', () => {
    fc.assert(
      fc.property(shown, fc.integer({ min: 1, max: 40 }), (text, width) => {
        const clipped = clipToWidth(text, width);
        expect(displayWidth(clipped)).toBeLessThanOrEqual(width);
        if (clipped === text) return;
        const kept = graphemesOf(clipped.slice(0, -1));
        expect(graphemesOf(text).slice(0, kept.length)).toEqual(kept);
      }),
    );
  });

  test('measures no more of a huge text than it may show', () => {
    expect(displayWidth(clipToWidth(`e${'\u0301'.repeat(2_000_000)}`, 20))).toBeLessThanOrEqual(20);
    expect(clipToWidth('한'.repeat(5_000_000), 5)).toBe('한한…');
  });
});

describe('wrapToWidth()', () => {
  test('breaks at spaces, else between graphemes', () => {
    expect(wrapToWidth('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrapToWidth('한국어한국어', 6)).toEqual(['한국어', '한국어']);
    expect(wrapToWidth('a\n\nb', 8)).toEqual(['a', '', 'b']);
    expect(wrapToWidth('a\tb', 80)).toEqual(['a    b']);
  });

  test('loses nothing but spaces at breaks, and stays within the width', () => {
    fc.assert(
      fc.property(shown, fc.integer({ min: 2, max: 40 }), (text, width) => {
        const lines = wrapToWidth(text, width);
        for (const line of lines) {
          const single = graphemesOf(line).length === 1;
          // A grapheme that is wider than the window cannot be broken.
          if (!single) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        }
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});

describe('padToWidth()', () => {
  test('fills to the width in columns', () => {
    expect(padToWidth('한', 4)).toBe('한  ');
    expect(padToWidth('long', 2)).toBe('long');
  });
});

describe('nearest()', () => {
  test('finds a slip of one or two letters, a swap, and a beginning', () => {
    expect(nearest('lsit', ['list', 'show'])).toBe('list');
    expect(nearest('verfy', ['verify', 'list'])).toBe('verify');
    expect(nearest('comp', ['completion', 'list'])).toBe('completion');
    expect(nearest('tcsh', ['bash', 'zsh', 'fish'])).toBeUndefined();
    expect(nearest('x'.repeat(1_000_000), ['list'])).toBeUndefined();
  });
});
