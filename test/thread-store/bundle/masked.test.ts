import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.js';
import { maskJson } from '../../../src/redaction/index.js';
import { maskLine } from '../../../src/thread-store/bundle/mask-line.js';
import {
  copyFixtures,
  openReader,
  rolloutLines,
  rolloutPath,
  rolloutsBelow,
  tempFolder,
  uuid,
  writeLines,
} from '../temp-home.js';
import { bundleOf, importInto, threadIds, writeBundle } from './bundle-homes.js';

const SECRET = `sk-proj-${'aB3dE5gH7jK9mN1pQ3sT5vW7'.repeat(2)}`;

function lineOf(text: string): { readonly text: string; readonly counts: ReadonlyMap<string, number> } {
  const counts = new Map<string, number>();
  const masked = maskLine(Buffer.from(text), { terminated: true, counts });
  return { text: masked ?? text, counts };
}

describe('maskLine()', () => {
  test('leaves a line without a secret as it stands, and counts nothing', () => {
    const line = '{"a" : 1.0, "big": 12345678901234567890}';
    expect(lineOf(line)).toEqual({ text: line, counts: new Map() });
  });

  test.each([
    ['in a string', JSON.stringify({ a: SECRET })],
    ['in arguments that are JSON as text', JSON.stringify({ arguments: JSON.stringify({ key: SECRET }) })],
    ['in a key that stands twice', `{"a":"${SECRET}","a":"x"}`],
    ['in a name of a field', JSON.stringify({ [SECRET]: 1 })],
    [
      'in two records on one line',
      `${JSON.stringify({ type: 'a', payload: SECRET })}{"type":"event_msg","payload":{}}`,
    ],
    ['in a line that was cut', `{"timestamp":"x","type":"event_msg","payload":{"message":"${SECRET}`],
    ['in a line that is no JSON', `Oops ${SECRET} oops`],
    ['behind escapes in a line that was cut', `{"payload":"\\u0073k-proj-${SECRET.slice(8)}`],
  ])('masks a secret %s', (_where, line) => {
    const { text, counts } = lineOf(line);
    expect(text).not.toContain(SECRET.slice(8));
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  });
});

describe('a masked bundle', () => {
  test('holds no secret in any byte, says how many there were, and opens', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    writeLines(rolloutPath(a, uuid(1)), rolloutLines({ says: [`use ${SECRET}`, 'and go on'] }));
    mkdirSync(b);
    const raw = await bundleOf(a);
    const masked = await bundleOf(a, undefined, { masked: true });
    expect(masked.header.secrets).toEqual(raw.header.secrets);
    expect(Object.values(masked.header.secrets)).toEqual([1]);
    const bytes = await writeBundle(join(folder.path, 'm'), masked);
    expect(bytes).toHaveLength(masked.bytes);
    expect(bytes.includes(SECRET)).toBe(false);
    expect(await importInto(b, join(folder.path, 'm'))).toMatchObject([{ outcome: 'imported' }]);
    expect(readFileSync(join(b, 'imports.jsonl'), 'utf8')).toContain('"masked":true');
    // The log it was made of has the same id and other bytes.
    expect(await importInto(a, join(folder.path, 'm'))).toMatchObject([{ outcome: 'conflict' }]);
  });

  test('of threads that continue others moves their ends along: each opens whole', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    copyFixtures(a, ['0.171.0/lineage']);
    mkdirSync(b);
    // Longer than what stands in its place: every offset behind it moves.
    const bases = new Set<string>();
    for (const path of rolloutsBelow(a)) {
      if (path.endsWith('.zst')) continue;
      const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
      const meta = JSON.parse(first) as { payload: { note?: string; history_base?: { end_byte_offset: number } } };
      meta.payload.note = SECRET;
      const base = meta.payload.history_base;
      if (base != null) {
        base.end_byte_offset += Buffer.byteLength(`,"note":"${SECRET}"`);
        bases.add(path);
      }
      writeFileSync(path, [JSON.stringify(meta), ...rest].join('\n'));
    }
    expect(bases.size).toBeGreaterThan(3);
    const bytes = await writeBundle(join(folder.path, 'm'), await bundleOf(a, undefined, { masked: true }));
    expect(bytes.includes(SECRET)).toBe(false);
    await importInto(b, join(folder.path, 'm'));
    await using from = openReader(a);
    await using to = openReader(b);
    for (const id of threadIds(a)) {
      const [one, two] = [await (await from.open(id)).history(), await (await to.open(id)).history()];
      expect(two.damage, id).toEqual([]);
      expect(two.items).toEqual(maskJson(one.items as JsonValue));
      expect((await to.open(id)).parts).toHaveLength((await from.open(id)).parts.length);
    }
  });
});
