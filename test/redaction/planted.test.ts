/**
 * Secrets of every kind, planted in every form a log has, are gone from the masked text.
 */
import { describe, expect, test } from 'vitest';
import { maskJson, maskSecrets } from '../../src/redaction/index.js';
import { type FakeSecret, fakeSecrets } from './fake-secrets.js';
import { leftPieces } from './leaks.js';

const fakes = fakeSecrets();
const PROSE = 'The index is derived from the log and can be built again; nothing here is of any worth to anybody. ';
const KOREAN = '이 세션은 색인을 다시 만들고 결과를 확인했습니다. ';

interface Form {
  readonly name: string;
  readonly plant: (fake: FakeSecret) => string;
  readonly fits?: (fake: FakeSecret) => boolean;
}

function indent(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => by + line)
    .join('\n');
}

/** The line with a break in the middle of the secret. */
function broken(fake: FakeSecret, at: number, by: string): string {
  const start = fake.line.indexOf(fake.secret) + Math.floor(fake.secret.length * at);
  return fake.line.slice(0, start) + by + fake.line.slice(start);
}

const wraps = (fake: FakeSecret): boolean => fake.wraps && fake.secret.length >= 20;

const FORMS: readonly Form[] = [
  { name: 'alone', plant: (fake) => fake.line },
  { name: 'in prose', plant: (fake) => `I ran it with this:\n${fake.line}\nand it worked.` },
  {
    name: 'in an environment dump',
    plant: (fake) => `PATH=/usr/bin\nDEPLOY_TOKEN=${fake.secret}\nLANG=C`,
    fits: (fake) => fake.bare,
  },
  {
    name: 'as a quoted setting',
    plant: (fake) => `SERVICE_SECRET="${fake.secret}"`,
    fits: (fake) => fake.bare && fake.wraps,
  },
  { name: 'in JSON as text', plant: (fake) => JSON.stringify({ output: `ok\n${fake.line}\ndone` }) },
  {
    name: 'in JSON within JSON',
    plant: (fake) => JSON.stringify({ a: JSON.stringify({ output: `ok\n${fake.line}\ndone` }) }),
  },
  { name: 'in YAML', plant: (fake) => `config:\n  value: |\n${indent(fake.line, '    ')}\n  next: 1` },
  {
    name: 'added by a patch',
    plant: (fake) => `*** Begin Patch\n*** Update File: .env\n@@\n${indent(fake.line, '+')}\n*** End Patch`,
  },
  { name: 'removed by a patch', plant: (fake) => `@@ -1 +1 @@\n${indent(fake.line, '-')}\n+x` },
  { name: 'within 100 kB of prose', plant: (fake) => `${PROSE.repeat(500)}\n${fake.line}\n${PROSE.repeat(500)}` },
  { name: 'next to Korean text', plant: (fake) => `${KOREAN}\n${fake.line}\n${KOREAN}` },
  { name: 'behind a colour code', plant: (fake) => `\u001b[32m${fake.line}\u001b[0m` },
  { name: 'with Windows line ends', plant: (fake) => `a\r\n${fake.line.replaceAll('\n', '\r\n')}\r\nb` },
  { name: 'broken early', plant: (fake) => broken(fake, 0.4, '\n'), fits: wraps },
  { name: 'broken late, indented', plant: (fake) => broken(fake, 0.8, '\n    '), fits: wraps },
  { name: 'broken in an added line', plant: (fake) => `+${broken(fake, 0.6, '\n+')}`, fits: wraps },
  { name: 'broken by an escaped newline', plant: (fake) => broken(fake, 0.6, '\\n'), fits: wraps },
  { name: 'with a middle left out', plant: (fake) => broken(fake, 0.6, '\n… 1234 bytes omitted …\n'), fits: wraps },
  { name: 'with a middle left out in line', plant: (fake) => broken(fake, 0.7, '…123 chars truncated…'), fits: wraps },
];

describe('planted secrets', () => {
  test('there are at least sixty of at least twenty-five kinds', () => {
    expect(fakes.length).toBeGreaterThanOrEqual(60);
    expect(new Set(fakes.map((fake) => fake.kind)).size).toBeGreaterThanOrEqual(60);
  });

  test.each(FORMS)('nothing is left of them $name', ({ plant, fits }) => {
    const left = fakes
      .filter((fake) => fits?.(fake) ?? true)
      .map((fake) => ({ kind: fake.kind, masked: maskSecrets(plant(fake)), secret: fake.secret }))
      .filter(({ masked, secret }) => leftPieces(masked, secret).length > 0)
      .map(({ kind, masked, secret }) => `${kind}: ${secret} -> ${masked.length > 400 ? '(long)' : masked}`);
    expect(left).toEqual([]);
  });

  test('nothing is left of them in a JSON value', () => {
    const left = fakes.filter(
      (fake) => leftPieces(JSON.stringify(maskJson({ items: [{ text: fake.line }] })), fake.secret).length > 0,
    );
    expect(left.map((fake) => fake.kind)).toEqual([]);
  });

  test('a masked text holds nothing more to mask', () => {
    const twice = fakes.map((fake) => maskSecrets(fake.line)).filter((masked) => maskSecrets(masked) !== masked);
    expect(twice).toEqual([]);
  });
});

describe('split assignments', () => {
  const value = `aB3xY9zQ7w${'K2mP5nR8'}tV4c`;
  test.each([
    ['a left-out line', `API_KEY=${value}\n… 1234 bytes omitted …\n${[...value].reverse().join('')}\nnext`],
    ['a truncation mark', `password=${value}…55 chars truncated…${[...value].reverse().join('')} next`],
    ['a quoted value over two lines', `"client_secret": "${value}\n  ${[...value].reverse().join('')}"`],
    ['a value below its name', `"password":\n  "${value}"`],
    ['a YAML block', `token: >-\n  ${value}\nnext: 1`],
  ])('%s hides neither half', (_, text) => {
    const masked = maskSecrets(text);
    expect([...leftPieces(masked, value), ...leftPieces(masked, [...value].reverse().join(''))]).toEqual([]);
  });
});
