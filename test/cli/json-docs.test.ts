import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { SHAPES } from './json-shapes.js';

const text = readFileSync(new URL('../../docs/json.md', import.meta.url), 'utf8');

/** Keys of each table of the page, by the heading above it. */
function tables(): Record<string, readonly string[]> {
  const found: Record<string, string[]> = {};
  let heading = '';
  for (const line of text.split('\n')) {
    heading = /^##+ (.+)$/.exec(line)?.[1] ?? heading;
    const key = /^\| `(\w+)` \|/.exec(line)?.[1];
    if (key !== undefined) found[heading] = [...(found[heading] ?? []), key];
  }
  return found;
}

describe('docs/json.md', () => {
  test('has exactly the keys that the tests of the commands pin', () => {
    expect(tables()).toEqual(SHAPES);
  });

  test('has every command that prints JSON', () => {
    const headings = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    const commands = COMMANDS.map(({ name }) => name).filter((name) => name !== 'completion' && name !== 'help');
    expect(headings.filter((name) => name !== 'Failures').toSorted()).toEqual(commands.toSorted());
  });

  test('links to headings that are there', () => {
    const anchors = new Set(
      [...text.matchAll(/^##+ (.+)$/gm)].map(([, name]) => name!.toLowerCase().replaceAll(' ', '-')),
    );
    for (const [, anchor] of text.matchAll(/\]\(#([\w-]+)\)/g)) expect(anchors).toContain(anchor);
  });
});
