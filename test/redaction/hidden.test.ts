/**
 * Secrets that stand where no word begins, or that are written so that only a reader sees them: what a person or the
 * analyser of the index would read is masked.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSecrets, maskJson, maskSecrets } from '../../src/redaction/index.js';
import { fakeSecrets, makeDraw } from './fake-secrets.js';
import { INNOCENT } from './innocent-texts.js';
import { leftPieces } from './leaks.js';

const draw = makeDraw(11);
const body = draw(36);
const token = `ghp_${body}`;
const key = `AK${'IA'}${draw(16, 'ABCDEFGH234567')}`;
const openAi = `sk-${draw(48)}`;

function fullWidth(text: string): string {
  return text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
}

function within(sign: string): string {
  return `${token.slice(0, 14)}${sign}${token.slice(14)}`;
}

describe('a secret behind a sign or a letter', () => {
  test.each([
    [`_${token}_`, '_[REDACTED:github-token]_'],
    [`__${token}__`, '__[REDACTED:github-token]__'],
    [`x_${token}_y`, 'x_[REDACTED:github-token]_y'],
    [`token${token}`, 'token[REDACTED:github-token]'],
    [`1${token}`, '1[REDACTED:github-token]'],
    [`x${key}_y`, 'x[REDACTED:aws-key-id]_y'],
    [`mysk-${'ant'}-api03-${body}`, 'my[REDACTED:anthropic-key]'],
    [`my${openAi}`, 'my[REDACTED:openai-key]'],
    [`a_${openAi}`, 'a_[REDACTED:openai-key]'],
    [`xnp${'m'}_${body}`, 'x[REDACTED:npm-token]'],
    [`x_h${'f'}_${body.slice(2)}`, 'x_[REDACTED:huggingface-token]'],
    [`see.${draw(3)}8${'Q'}~${draw(34)}`, 'see.[REDACTED:azure-secret]'],
    [`see.MTIzNDU2Nzg5MDEyMzQ1Njc4.${draw(6)}.${draw(38)}`, 'see.[REDACTED:discord-token]'],
  ])('is masked: %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test.each([
    `iVBORw0KGgo${draw(200)}ghp_${draw(36)}`,
    `task-proj-2024-${draw(12, '0123456789abcdef')}`,
    `disk-${draw(40, '0123456789abcdef')}`,
    `self_${'npm'}_package_config_registry_host_name`,
    `com.MTableViewCellDelegateXY.render.someVeryLongNameOfAMethodInJava`,
  ])('what only ends like a prefix stays: %s', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});

describe('a secret that is written otherwise', () => {
  test.each([
    ['a full-width token', fullWidth(token), '[REDACTED:github-token]'],
    ['a full-width setting', fullWidth('password:hunter2Xy9'), `${fullWidth('password:')}[REDACTED:password]`],
    ['a full-width value', `password：${fullWidth('hunter2Xy9')}`, 'password：[REDACTED:password]'],
    ['a Kelvin sign in its name', `to\u212aen=${body}`, 'to\u212aen=[REDACTED:secret]'],
    [
      'a decomposed Korean name',
      `${'비밀번호'.normalize('NFD')}: hunter2Xy9`,
      `${'비밀번호'.normalize('NFD')}: [REDACTED:password]`,
    ],
    [
      'a decomposed Japanese name',
      `${'パスワード'.normalize('NFD')}: hunter2Xy9`,
      `${'パスワード'.normalize('NFD')}: [REDACTED:password]`,
    ],
    ['a coloured name', `\u001b[32mtoken\u001b[0m=${body}`, '\u001b[32mtoken\u001b[0m=[REDACTED:secret]'],
  ])('%s is masked', (_, text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test.each([
    ...['\u00ad', '\u2060', '\u200b', '\ufe0f', '\ufeff', '\u200c', '\u200d', '\u034f', '\u{e0061}', '\u{e0100}'],
    ...['\u0301', '\u0301\u0327', '\0', '\b', '\u001b[31m', '\u001b[1;31m', '\u009b0m', '</b>', '<b>', '</b></i>'],
  ])('%j within a token hides nothing', (sign) => {
    expect(maskSecrets(`see ${within(sign)} now`)).toBe('see [REDACTED:github-token] now');
  });

  test('a full-width name of a field counts, and a value in full width', () => {
    expect(maskJson({ [fullWidth('password')]: 'hunter2Xy9', password: fullWidth('hunter2Xy9') })).toEqual({
      [fullWidth('password')]: '[REDACTED:password]',
      password: '[REDACTED:password]',
    });
  });

  test('every fake is gone that has a joiner or a soft hyphen after each third character', () => {
    const left = fakeSecrets().filter(({ secret, line, bare, wraps }) => {
      if (!bare || !wraps) return false;
      const hidden = line.replace(/(\S{3})/g, '$1\u200b');
      return leftPieces(maskSecrets(hidden).replaceAll('\u200b', ''), secret).length > 0;
    });
    expect(left.map(({ kind }) => kind)).toEqual([]);
  });

  test('what is masked is the secret, whatever stands before it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('ａ', 'é', 'e\u0301', '\u200b', '각', 'ß', 'ﬃ', '😀', ' ', '\u001b[0m') }),
        (lead) => {
          const text = `${lead} ${within('\u200b')} ${lead}`;
          expect(maskSecrets(text)).toBe(`${lead} [REDACTED:github-token] ${lead}`);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('innocent texts stay in full width, in colour and decomposed', () => {
    const wraps = [fullWidth, (text: string) => `\u001b[32m${text}\u001b[0m`, (text: string) => `é${text}\u200b`];
    const masked = Object.values(INNOCENT)
      .flat()
      .flatMap((text) => wraps.map((wrap) => wrap(text)))
      .filter((text) => findSecrets(text).length > 0);
    expect(masked).toEqual([]);
  });
});

describe('a secret in parts', () => {
  const head = `ghp_${body.slice(0, 20)}`;
  const tail = body.slice(20);
  test.each([
    [`"${head}" + "${tail}"`, '"[REDACTED:github-token]"'],
    [`"${head}"\n  + "${tail}"`, '"[REDACTED:github-token]"'],
    [`'${head}' +\n  '${tail}'`, "'[REDACTED:github-token]'"],
    [`("${head}"\n "${tail}")`, '("[REDACTED:github-token]")'],
    [`{"c":"a = \\"${head}\\" +\\n \\"${tail}\\""}`, '{"c":"a = \\"[REDACTED:github-token]\\""}'],
    [`DB_PASSWD=kw4F39&;)dqIW83$x`, 'DB_PASSWD=[REDACTED:password]'],
    [`run DB_PASSWD=kw4F39&;)dqIW83$x and see`, 'run DB_PASSWD=[REDACTED:password] and see'],
    [`run \`DB_PASSWD=kw4F39&;x1\`, then`, 'run `DB_PASSWD=[REDACTED:password]`, then'],
    [`?API_KEY=${body}&next=1`, '?API_KEY=[REDACTED:secret]&next=1'],
    [`(DB_PASSWD=kw4F39ab).`, '(DB_PASSWD=[REDACTED:password]).'],
  ])('is masked whole: %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });
});
