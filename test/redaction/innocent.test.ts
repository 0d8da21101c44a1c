/**
 * What only looks like a secret stays as it is, alone and within other text.
 */
import { describe, expect, test } from 'vitest';
import { findSecrets, maskJson, maskSecrets } from '../../src/redaction/index.js';
import { INNOCENT } from './innocent-texts.js';

const all = Object.values(INNOCENT).flat();

describe('innocent look-alikes', () => {
  test('there are at least two hundred different ones', () => {
    expect(new Set(all).size).toBeGreaterThanOrEqual(200);
  });

  test.each(Object.entries(INNOCENT))('%s are not masked', (_, texts) => {
    expect(texts.map((text) => maskSecrets(text)).filter((masked, index) => masked !== texts[index])).toEqual([]);
  });

  test.each([
    ['in a patch', (text: string) => `@@\n+${text.replaceAll('\n', '\n+')}\n-old`],
    ['in JSON as text', (text: string) => JSON.stringify({ output: `a\n${text}\nb` })],
    ['between Korean sentences', (text: string) => `이렇게 합니다.\n${text}\n다음 단계로 갑니다.`],
    ['between lines', (text: string) => `first\n  ${text}\nlast`],
  ])('none is masked %s', (_, wrap) => {
    const masked = all.filter((text) => maskSecrets(wrap(text)) !== wrap(text)).map((text) => maskSecrets(wrap(text)));
    expect(masked).toEqual([]);
  });

  test('a text without secrets comes back as the same string, a value as the same object', () => {
    const value = { usage: { total_tokens: 5 }, list: ['key: value', { password: '' }] };
    expect(maskJson(value)).toBe(value);
    expect(findSecrets('nothing here')).toEqual([]);
  });
});
