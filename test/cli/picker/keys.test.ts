import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Key, KeyParser } from '../../../src/cli/picker/keys.js';

/** Names of keys, typed text as it is, pastes in brackets. */
function told(keys: readonly Key[]): readonly string[] {
  return keys.map((key) => (key.type === 'key' ? `<${key.name}>` : key.type === 'paste' ? `[${key.text}]` : key.text));
}

function parse(...chunks: readonly string[]): readonly string[] {
  const parser = new KeyParser();
  return told([...chunks.flatMap((chunk) => parser.feed(chunk)), ...parser.flush()]);
}

/** Text that came in several pieces as one. */
function joined(keys: readonly string[]): string {
  return keys.join('');
}

describe('KeyParser', () => {
  test.each([
    ['abc', ['abc']],
    ['한글 검색', ['한글 검색']],
    ['a\rb', ['a', '<enter>', 'b']],
    ['\x7f\b\t', ['<backspace>', '<backspace>', '<tab>']],
    ['\x03\x04\x0c\x0f\x15\x17\x19\x1a', ['c', 'd', 'l', 'o', 'u', 'w', 'y', 'z'].map((key) => `<ctrl-${key}>`)],
    ['\x10\x0e', ['<up>', '<down>']],
    ['\x1b[A\x1b[B\x1bOA\x1bOB', ['<up>', '<down>', '<up>', '<down>']],
    [
      '\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~\x1bOH\x1bOF',
      ['home', 'end', 'home', 'end', 'home', 'end', 'home', 'end'].map((key) => `<${key}>`),
    ],
    ['\x1b[5~\x1b[6~\x1b[1;5A\x1b[6;2~', ['<page-up>', '<page-down>', '<up>', '<page-down>']],
    ['\x1b', ['<escape>']],
    ['\x1b\x1b', ['<escape>', '<escape>']],
    ['\x1b\x7f', ['<ctrl-w>']],
    ['\x1b[200~two\nlines\x1b[201~x', ['[two\nlines]', 'x']],
    ['\x1b[200~\x1b[A\x1b[201~', ['[\x1b[A]']],
  ])('%j', (input, expected) => {
    expect(parse(input)).toEqual(expected);
  });

  test.each([['\x1b[99;5u'], ['\x1b[<0;10;10M'], ['\x1b[I'], ['\x1bx'], ['\x1b[D'], ['\x01'], ['\x9b'], ['\x1b😀']])(
    'swallows %j, of which no part becomes text',
    (input) => {
      expect(parse(`a${input}b`).filter((key) => key !== '<enter>')).toEqual(['a', 'b']);
    },
  );

  test('reads a sequence that comes in pieces, wherever it is cut', () => {
    const input = 'x\x1b[A\x1b[1;5B\x1bOH\x1b[200~pa\x1bste\x1b[201~\x1b[6~y';
    const whole = joined(parse(input));
    for (let cut = 1; cut < input.length; cut += 1) {
      expect(joined(parse(input.slice(0, cut), input.slice(cut))), String(cut)).toBe(whole);
    }
  });

  test('reads any input cut anywhere as it reads the whole', () => {
    const piece = fc.constantFrom('\x1b', '[', 'O', '200~', '201~', 'A', '1', ';', '한', '😀', '\r', '~', 'x');
    fc.assert(
      fc.property(fc.array(fc.array(piece).map((parts) => parts.join(''))), (chunks) => {
        expect(joined(parse(...chunks))).toBe(joined(parse(chunks.join(''))));
      }),
    );
  });

  test('takes Ctrl-C for a key inside a paste whose end was lost', () => {
    expect(parse('\x1b[200~abc', 'def\x03')).toEqual(['<ctrl-c>']);
  });

  test('keeps a bounded part of a paste of megabytes, and of a sequence that never ends', () => {
    const [pasted] = parse('\x1b[200~', 'x'.repeat(3_000_000), '\x1b[201~');
    expect(pasted?.length).toBeLessThan(20_000);
    expect(joined(parse(`\x1b[${'1'.repeat(1_000_000)}`)).length).toBeLessThanOrEqual(1_000_000);
  });
});
