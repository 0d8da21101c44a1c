import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readThreadNames } from '../../src/rollout/names-file.js';
import { files, LINEAGE_HOME, META_ID, tempFolder } from './samples.js';

const entry = (id: string, thread_name: unknown): string => JSON.stringify({ id, thread_name, updated_at: 'u' });
const OTHER = '01a229f0-33cb-7640-9f8a-be05d676e4aa';

describe('readThreadNames()', () => {
  test('reads the names of a genuine home', async () => {
    const { names, badLines } = await readThreadNames(LINEAGE_HOME, { files });
    expect([...names]).toEqual([[OTHER, { name: '베타', updatedAt: '2026-11-30T00:52:17.667246281Z' }]]);
    expect(badLines).toBe(0);
  });

  test('lets the last line of an id win, ignores blank names and counts bad lines', async () => {
    const home = tempFolder();
    const lines = [
      entry(META_ID, 'old'),
      'no json',
      entry(META_ID.toUpperCase(), 'new'),
      entry(META_ID, '  '),
      '',
      entry('x', 'y'),
    ];
    lines.push(entry(OTHER, 5), '[]', `${entry(OTHER, 'a')}${entry(OTHER, 'b')}`, entry(OTHER, 'torn').slice(0, -4));
    writeFileSync(join(home, 'session_index.jsonl'), lines.join('\n'));
    const { names, badLines } = await readThreadNames(home, { files });
    expect([...names].map(([id, { name }]) => [id, name])).toEqual([
      [META_ID, 'new'],
      [OTHER, 'b'],
    ]);
    expect(badLines).toBe(5);
  });

  test('gives no names for a home without the file', async () => {
    expect(await readThreadNames(tempFolder(), { files })).toEqual({ names: new Map(), badLines: 0 });
  });
});
