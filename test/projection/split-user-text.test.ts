import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitUserText } from '../../src/projection/split-user-text.js';

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');
const origins = (text: string): readonly string[] => splitUserText(text).map(({ origin }) => origin);

describe('splitUserText()', () => {
  test('splitUserText() lowers fenced code and quoted lines', () => {
    expect(splitUserText('Always use this:\n```sh\nrm -rf\n```\nand\n> never\nthat\n')).toEqual([
      { text: 'Always use this:\n', origin: 'user' },
      { text: '```sh\nrm -rf\n```\n', origin: 'external' },
      { text: 'and\n', origin: 'user' },
      { text: '> never\n', origin: 'external' },
      { text: 'that\n', origin: 'user' },
    ]);
  });

  test('splitUserText() lets a fence end only at one of its own kind', () => {
    expect(origins('~~~~\n```\n~~~\n~~~~\nend')).toEqual(['external', 'user']);
    expect(origins('```\n``` not an end\n```\nend')).toEqual(['external', 'user']);
  });

  test('splitUserText() lowers all after a fence that never ends', () => {
    expect(origins('a\n```\nb\nc')).toEqual(['user', 'external']);
  });

  test('splitUserText() lowers a paste of more than twenty lines, but for one line before and after it', () => {
    expect(origins(lines(20))).toEqual(['user']);
    expect(origins(lines(21))).toEqual(['external']);
    expect(splitUserText(`look\n\n${lines(21)}\nfix it`).map(({ text, origin }) => [text.slice(0, 6), origin])).toEqual(
      [
        ['look\n\n', 'user'],
        ['line 0', 'external'],
        ['fix it', 'user'],
      ],
    );
  });

  test('splitUserText() of nothing is nothing', () => {
    expect(splitUserText('')).toEqual([]);
  });

  test('splitUserText() loses no character, and joins what has the same origin', () => {
    const text = fc
      .array(fc.constantFrom('a\n', '\n', '```\n', '> q\n', '~~~', 'b', lines(7), '\r\n'))
      .map((p) => p.join(''));
    fc.assert(
      fc.property(text, (input) => {
        const parts = splitUserText(input);
        expect(parts.map((part) => part.text).join('')).toBe(input);
        for (const [index, { origin }] of parts.entries()) expect(parts[index + 1]?.origin).not.toBe(origin);
      }),
    );
  });
});
