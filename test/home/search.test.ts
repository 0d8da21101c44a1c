import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openHomes } from '../../src/home/index.js';
import { placesOf } from '../thread-store/search-homes.js';
import { rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../thread-store/temp-home.js';

function put(home: string, number: number, says: readonly string[], day: number): void {
  const id = uuid(number);
  writeLines(rolloutPath(home, id), rolloutLines({ id, says, startedAt: `2026-05-0${day}T10:00:00.000Z` }));
}

describe('MergedHomes.search()', () => {
  test('merges the homes, best first, then newest; a thread that two have counts once, ours', async () => {
    using folder = tempFolder();
    const [own, codex] = [join(folder.path, 'own'), join(folder.path, '.codex')];
    for (const home of [own, codex]) mkdirSync(join(home, 'sessions'), { recursive: true });
    writeFileSync(join(own, 'codicil.json'), '{"format":1,"id":"x"}\n');
    put(own, 1, ['A grey heron'], 1);
    put(own, 2, ['Herons of grey'], 3);
    put(codex, 1, ['A grey heron of the copy'], 9);
    put(codex, 3, ['A grey heron, too'], 2);
    put(codex, 4, ['Only grey'], 8);
    await using homes = await openHomes({ env: { HOME: folder.path, CODICIL_HOME: own } });
    const page = await homes.search({ text: 'grey heron' });
    expect(placesOf(page)).toEqual(['3:2', '1:2', '2:2', '4:2']);
    expect(page.hits.map(({ home }) => home)).toEqual([codex, own, own, codex]);
    expect(page.total).toBe(4);
    expect(page.index).toEqual({ state: 'complete', indexed: 5, files: 5 });
    expect(placesOf(await homes.search({ text: 'grey heron', limit: 1, by: 'thread' }))).toEqual(['3:2']);
    await expect(homes.search({ text: '-grey' })).rejects.toMatchObject({ code: 'empty-query' });
  });
});
