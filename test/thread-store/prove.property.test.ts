import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileStat, FileSystem } from '../../src/platform/files/file-system.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { Indexer } from '../../src/thread-store/local/index/indexer.js';
import { differencesOf } from '../../src/thread-store/local/index/prove.js';
import { rebuildIndex } from '../../src/thread-store/local/index/rebuild.js';
import type { RebuildResult } from '../../src/thread-store/session-reader.js';
import { ChangingHome, changes } from './home-changes.js';
import { copyFixtures, rolloutLines, rolloutPath, rolloutsBelow, tempFolder, uuid, writeLines } from './temp-home.js';
import { openIndex, type TempIndex } from './temp-index.js';

/** A build says the same thing twice; another number explores further. */
const SEED = Number(process.env['SEED'] ?? 20_261_130);
const RUNS = Number(process.env['RUNS'] ?? 40);

const clock = (): number => performance.now();

const indexerOf = (home: string, files: FileSystem = nodeFileSystem): Indexer => new Indexer({ home, files, clock });

async function refresh(home: string, index: TempIndex): Promise<void> {
  await indexerOf(home).refresh(index, { fullText: 'complete' });
}

async function differences(home: string, index: TempIndex): Promise<readonly string[]> {
  using fresh = openIndex(home);
  await refresh(home, fresh);
  return differencesOf({ state: index.state, search: index.full }, { state: fresh.state, search: fresh.full });
}

function prove(home: string, index: TempIndex, files?: FileSystem): Promise<RebuildResult> {
  return rebuildIndex({ state: index.state, search: index.full }, indexerOf(home, files), { prove: true, clock });
}

/** What of the index a refresh brings up to date; a process that is killed may leave one database behind the other. */
const reach = fc.constantFrom('both', 'both', 'along', 'state', 'search', 'none');

async function refreshPart(home: string, index: TempIndex, part: string): Promise<void> {
  using other = openIndex(home);
  const indexer = indexerOf(home);
  if (part === 'both') await refresh(home, index);
  else if (part === 'along') await indexer.refresh(index);
  else if (part === 'state') await indexer.refresh({ state: index.state, search: other.search });
  else if (part === 'search')
    await indexer.refresh({ state: other.state, search: index.search }, { fullText: 'complete' });
}

describe('rebuildIndex() with prove', () => {
  test('finds no difference after any changes of a home, however far each database has followed them', {
    timeout: 300_000,
  }, async () => {
    const rounds = fc.tuple(changes, fc.array(reach, { minLength: 10, maxLength: 10 }));
    await fc.assert(
      fc.asyncProperty(rounds, async ([made, reached]) => {
        using folder = tempFolder();
        const home = new ChangingHome(folder.path);
        using index = openIndex(home.path);
        for (const [at, round] of made.entries()) {
          for (const change of round) home.apply(change);
          await refreshPart(home.path, index, reached[at] ?? 'both');
        }
        expect(await prove(home.path, index)).toMatchObject({ equal: true, differences: [] });
        expect(await differences(home.path, index)).toEqual([]);
        index.full.check();
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test('finds and repairs a rewrite that nothing on disk shows', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    writeLines(path, rolloutLines({ says: ['Say early', 'Say late'] }));
    writeLines(rolloutPath(folder.path, uuid(2)), rolloutLines({ id: uuid(2), says: ['Untouched'] }));
    using index = openIndex(folder.path);
    await refresh(folder.path, index);
    const files = frozenAt(path);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('Say', 'Cry'));
    await indexerOf(folder.path, files).refresh(index, { fullText: 'complete' });
    expect([index.full.countTerm('cry'), index.state.allThreads().find(({ id }) => id === uuid(1))?.title]).toEqual([
      0,
      'Say early',
    ]);
    const first = await prove(folder.path, index, files);
    expect(first.equal).toBe(false);
    expect(first.differences?.every((difference) => difference.includes(uuid(1)))).toBe(true);
    for (const what of ['title is', 'terms is', 'watermark is'])
      expect(first.differences).toContainEqual(expect.stringContaining(what));
    expect([index.full.countTerm('cry'), index.full.countTerm('say')]).toEqual([2, 0]);
    expect(await prove(folder.path, index, files)).toMatchObject({ equal: true, differences: [] });
  });

  test('finds a hidden rewrite deep in a large log, where no hash looks', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    const says = Array.from({ length: 4_000 }, (_, turn) => `Turn ${turn} of many`);
    writeLines(path, rolloutLines({ says }));
    using index = openIndex(folder.path);
    await refresh(folder.path, index);
    const files = frozenAt(path);
    writeFileSync(path, readFileSync(path, 'utf8').replace('Turn 2000 of', 'Turn 2000 if'));
    const first = await prove(folder.path, index, files);
    expect(first.differences).toEqual([expect.stringMatching(/^full text of .*: terms is .*, the log says /)]);
    expect(await prove(folder.path, index, files)).toMatchObject({ equal: true });
  });

  test.each([
    ['a document that is missing', (index: TempIndex) => forget(index)],
    ['a document too many', (index: TempIndex) => addOne(index)],
  ])('finds %s and repairs it', async (_what, harm) => {
    using folder = tempFolder();
    writeLines(rolloutPath(folder.path, uuid(1)), rolloutLines({ says: ['Hello there'] }));
    using index = openIndex(folder.path);
    await refresh(folder.path, index);
    harm(index);
    const found = await prove(folder.path, index);
    expect(found.equal).toBe(false);
    expect(found.differences?.length).toBeGreaterThan(0);
    expect(await prove(folder.path, index)).toMatchObject({ equal: true, differences: [] });
  });

  test('proves an index of genuine logs that have grown line by line', async () => {
    using folder = tempFolder();
    copyFixtures(folder.path, ['0.171.0/multiturn', '0.80.0/multiturn', '0.36.0/multiturn', '0.29.0/multiturn']);
    using index = openIndex(folder.path);
    const logs = rolloutsBelow(folder.path).map((path) => ({
      path,
      lines: readFileSync(path, 'utf8').split(/(?<=\n)/),
    }));
    for (const { path } of logs) writeFileSync(path, '');
    const longest = Math.max(...logs.map(({ lines }) => lines.length));
    for (let at = 0; at < longest; at += 1) {
      for (const { path, lines } of logs) appendFileSync(path, lines[at] ?? '');
      if (at % 3 === 0) await refresh(folder.path, index);
    }
    expect(await prove(folder.path, index)).toMatchObject({ equal: true, differences: [] });
  });
});

/** The real file system, to which one file stays as it is. */
function frozenAt(path: string): FileSystem {
  const frozen = nodeFileSystem.lstatSync(path);
  const statOf = (asked: string, stat: FileStat): FileStat => (asked === path ? frozen : stat);
  return {
    ...nodeFileSystem,
    lstatSync: (asked) => statOf(asked, nodeFileSystem.lstatSync(asked)),
    lstat: async (asked, options) => statOf(asked, await nodeFileSystem.lstat(asked, options)),
    stat: async (asked, options) => statOf(asked, await nodeFileSystem.stat(asked, options)),
    openRegularSync: (asked) => {
      const file = nodeFileSystem.openRegularSync(asked);
      return {
        stat: statOf(asked, file.stat),
        read: (target, position) => file.read(target, position),
        readSync: (target, position) => file.readSync(target, position),
        close: () => file.close(),
        closeSync: () => file.closeSync(),
      };
    },
  };
}

/** Rows and watermark stay, the terms of the documents go. */
function forget({ full }: TempIndex): void {
  const [file] = full.files().values();
  if (file === undefined) throw new Error('No file');
  const nothing = { terms: new Uint8Array(), ends: [], places: new Uint8Array(), texts: undefined, retracted: [] };
  full.putFile(file, nothing, { expected: file.watermark, appended: false });
}

function addOne({ full }: TempIndex): void {
  const [file] = full.files().values();
  const [span] = full.spans();
  const places = span && full.places(span.firstDocument)?.places;
  if (file === undefined || places === undefined) throw new Error('No document');
  const terms = Buffer.from('more');
  full.putFile(
    file,
    { terms, ends: [4], places, texts: undefined, retracted: [] },
    { expected: file.watermark, appended: true },
  );
}
