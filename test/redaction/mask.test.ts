/**
 * What masking keeps: keys, separators, quotes, hosts; and that hostile text costs no more than other text.
 */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { findSecrets, maskJson, maskSecrets, REDACTION_VERSION, SECRET_RULES } from '../../src/redaction/index.js';
import { fakeSecrets, makeDraw } from './fake-secrets.js';

const draw = makeDraw(3);
const value = draw(24);
const jwt = `eyJ${draw(30)}.${draw(60)}.${draw(43)}`;

describe('maskSecrets()', () => {
  test.each([
    [`OPENAI_API_KEY=sk-${draw(40)}`, 'OPENAI_API_KEY=[REDACTED:openai-key]'],
    [`SOME_API_KEY="${value}" # the key`, 'SOME_API_KEY="[REDACTED:secret]" # the key'],
    [`Authorization: Bearer ${value}`, 'Authorization: Bearer [REDACTED:authorization]'],
    [`postgres://user:${value}@host/db`, 'postgres://user:[REDACTED:url-password]@host/db'],
    [`{\\"password\\":\\"${value}\\",\\"n\\":1}`, '{\\"password\\":\\"[REDACTED:password]\\",\\"n\\":1}'],
    [`+API_KEY=${value}\n-API_KEY=old`, '+API_KEY=[REDACTED:secret]\n-API_KEY=old'],
    [`a=1&password=${value}&b=2`, 'a=1&password=[REDACTED:password]&b=2'],
    [`Server=x;Password=${value};Timeout=3`, 'Server=x;Password=[REDACTED:password];Timeout=3'],
    [`curl -H "X-Api-Key: ${value}" https://x.io`, 'curl -H "X-Api-Key: [REDACTED:secret]" https://x.io'],
    [`tool --token ${value} --verbose`, 'tool --token [REDACTED:secret] --verbose'],
    [`비밀번호는 ${value} 입니다`, '비밀번호는 [REDACTED:password] 입니다'],
    [`{"session":"${jwt}"}`, '{"session":"[REDACTED:jwt]"}'],
    [`see ghp_${draw(20)}\n    ${draw(16)} now`, 'see [REDACTED:github-token] now'],
  ])('keeps what is around the secret: %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test('masks a value whose tail was cut off, quotes and all', () => {
    expect(maskSecrets(`{"client_secret": "${value}`)).toBe('{"client_secret": "[REDACTED:secret]');
  });

  test('finds nothing in what it has masked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...fakeSecrets(5).map((fake) => fake.line), 'a: 1', '\\n', '"', '한글')),
        (parts) => {
          const masked = maskSecrets(parts.join('\n'));
          expect(maskSecrets(masked)).toBe(masked);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('takes any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        let last = 0;
        for (const { start, end, rule } of findSecrets(`password=${text}`)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(SECRET_RULES.some(({ name }) => name === rule)).toBe(true);
          last = end;
        }
      }),
    );
  });
});

describe('maskJson()', () => {
  test('counts the name of a field, at any depth, and keeps the rest', () => {
    const masked = maskJson({
      a: [{ password: 'hunter2hunter2', n: 1, ok: null }],
      env: [{ name: 'DB_PASSWORD', value: 'pw12pw12' }],
    });
    expect(masked).toEqual({
      a: [{ password: '[REDACTED:password]', n: 1, ok: null }],
      env: [{ name: 'DB_PASSWORD', value: '[REDACTED:password]' }],
    });
  });

  test('masks secrets in names of fields and keeps a field named __proto__', () => {
    const masked = maskJson(JSON.parse(`{"sk-${draw(40)}": 1, "__proto__": {"token": "${value}"}}`));
    expect(JSON.stringify(masked)).toBe('{"[REDACTED:openai-key]":1,"__proto__":{"token":"[REDACTED:secret]"}}');
  });
});

describe('SECRET_RULES', () => {
  test('names each rule once, in kebab case, with one line', () => {
    const names = SECRET_RULES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(SECRET_RULES.filter(({ description }) => description === '' || description.includes('\n'))).toEqual([]);
    expect(REDACTION_VERSION).toBeGreaterThan(0);
  });
});

describe('hostile text', () => {
  const pieces =
    'a|sk-|"|password=|password="|-----BEGIN|-----BEGIN PRIVATE KEY-----\n|eyJ|eyJ\n|_eyJ|sk-\n|ghp_\n|key:|"key":|://|://a@|://a:|' +
    '\\n|\\"| |\n|curl -u |authorization:|비밀번호: |암호:|AKIA |MTA|1:AA|atlasv1.|token: "a\n|password is |A_KEY=b|token=|key=sk-|-token=|ß|．|á|<b>|a<b>a|\u200b|a\u0000|\u001b[|\u0301|ghp_"+"|… 1 bytes omitted …';
  test.each([...pieces.split('|'), '|', 'password |'])('of %j repeated comes to an end', (piece) => {
    const text = piece.repeat(Math.ceil(250_000 / piece.length));
    expect(maskSecrets(text).length).toBeGreaterThan(0);
  });

  test.each([
    'token=',
    'key=sk-',
    'password：password%3D',
    '-token=',
    'token=a.',
    'A_KEY=b',
    '암호:',
    'SG.',
    'ß',
    'ｋｅｙ=',
  ])('of %j repeated takes at most two runs of a pattern for each character', (piece) => {
    const text = piece.repeat(Math.ceil(20_000 / piece.length));
    // Calls of `test`, `replace` and `split` come through here, too.
    const runs = vi.spyOn(RegExp.prototype, 'exec');
    try {
      maskSecrets(text);
      expect(runs.mock.calls.length).toBeLessThanOrEqual(2 * text.length);
    } finally {
      runs.mockRestore();
    }
  });
});
