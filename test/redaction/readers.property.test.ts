/** What is read character by character, held against the pattern that says the same in one line. */
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/redaction/index.js';
import { isNameLike } from '../../src/redaction/name-like.js';
import { nameWordAt } from '../../src/redaction/secret-names.js';
import { separatorAt } from '../../src/redaction/separator.js';
import { makeDraw } from './fake-secrets.js';

const SEPARATOR =
  /(\\{0,8}["'`]?)\]?\)?\*{0,2}[ \t]{0,40}(?:(:[ \t]{0,4}[A-Za-z]{1,20}(?:\[\])?\??[ \t]{0,4}=(?![=>]))|(:=|=>|->|={1,3}(?!>)|:(?!:)|%3D|%3A|：|＝))\*{0,2}([ \t]{0,40})/iy;
const WORD = /^(?:[A-Z]?[a-z]{1,24}(?:[A-Z][a-z]+)*|[A-Z]{1,24}|v?\d{1,4})$/;
const WORD_WITH_NUMBER = /^(?:[A-Z]?[a-z]{2,24}(?:[A-Z][a-z]{2,24})*|[A-Z]{2,24})\d{1,2}$/;
const NAME_WORD =
  /(pass(?:wor[dt]|wd|phrase|code)?|pwd|secret|token|credential|key|_auth)s?(?:[_-]?(?:\d{1,3}|prod|production|dev|development|staging|live|test|base64|b64|value|base|plain|plaintext|raw|string|str))?(?![A-Za-z0-9_])/iy;

const draw = makeDraw(41);
const pick = <T>(from: readonly T[]): T =>
  from[Number(draw(6, '0123456789')) % from.length] ?? expect.fail('nothing to pick from');
const several = (parts: readonly string[], most: number): string =>
  Array.from({ length: 1 + (Number(draw(3, '0123456789')) % most) }, () => pick(parts)).join('');
const ROUNDS = 5_000;

describe('separatorAt()', () => {
  const parts = ['\\', '"', "'", ']', ')', '*', ' ', '\t', '=', '==', '>', ':', '-', '%3d', '%3A', '：', '＝'];
  const typed = [': ', 'Type', '[]', '?', ' =', 'a'.repeat(21), '     ', '\n', 'x'];

  test('ends where the pattern ends, and tells the same of it', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const text = `key${several([...parts, ...typed], 8)}`;
      SEPARATOR.lastIndex = 3;
      const match = SEPARATOR.exec(text);
      const sign = match?.[3] ?? '=';
      const expected = match && {
        end: SEPARATOR.lastIndex,
        sign: sign === '=' ? 'equals' : sign === ':' || sign === '：' ? 'colon' : 'other',
        isTyped: match[2] !== undefined,
        isTight: !/[ \t]/.test(match[0]),
        isBare: match[1] === '',
      };
      expect({ text, found: separatorAt(text, 3) }).toEqual({ text, found: expected ?? undefined });
    }
  });
});

describe('isNameLike()', () => {
  const parts = [
    'a',
    'B',
    'word',
    'Word',
    'WORD',
    '1',
    '2024',
    '12345',
    'v1',
    '_',
    '-',
    '.',
    ' ',
    '/',
    'é',
    'z'.repeat(24),
  ];

  test('is true where every word fits the pattern of words', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const value = several(parts, 6);
      const expected = value
        .split(/[-_./:,@ ]+/)
        .every((word) => word === '' || WORD.test(word) || WORD_WITH_NUMBER.test(word));
      expect([value, isNameLike(value)]).toEqual([value, expected]);
    }
  });
});

describe('nameWordAt()', () => {
  const words = ['pass', 'PWD', 'secret', 'Token', 'credential', 'key', '_auth'];
  const ends = ['word', 'wd', 's', 'S', '_', '-', '1', '1234', 'prod', 'test', 'Raw', 'x', 'ing', ' ', '=', 'é', ''];

  test('is the word that the pattern finds', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const text = `a.${pick(words)}${several(ends, 4)}`;
      NAME_WORD.lastIndex = 2;
      const word = NAME_WORD.exec(text)?.[1];
      const expected = word === undefined ? undefined : { word, end: NAME_WORD.lastIndex };
      expect([text, nameWordAt(text, 2)]).toEqual([text, expected]);
    }
  });
});

describe('findSecrets() among anchors', () => {
  const secret = `a1${draw(30)}`;

  test.each([
    'token=',
    'token="',
    'api_key: ',
    'password-',
    '암호: ',
    'トークン：',
    'eyJa.',
    'ghp_',
    'sk-',
    'ß',
    'e\u0301',
    '\u200b',
    'ｔｏｋｅｎ＝',
    'x<b>',
    '\u001b[31m',
    'http://a:',
    'AKIA',
    '-----BEGIN ',
  ])('finds one behind a flood of %j', (anchor) => {
    const lead = `${anchor.repeat(5_000)}\n`;
    const text = `${lead}API_TOKEN=${secret}\n`;
    const start = lead.length + 'API_TOKEN='.length;
    expect(findSecrets(text).at(-1)).toEqual({ start, end: start + secret.length, rule: 'secret' });
  });
});
