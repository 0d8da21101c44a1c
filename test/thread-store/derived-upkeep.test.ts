import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID, openSearchDatabase, packPlaces } from '../../src/state/index.js';
import { derivedPaths, openReader, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from './temp-home.js';

let root: ReturnType<typeof tempFolder>;
let home: string;
let index: string;
const paths = () => derivedPaths(index);

beforeEach(() => {
  root = tempFolder();
  home = join(root.path, 'home');
  index = join(root.path, 'index', 'state_5.sqlite');
  mkdirSync(dirname(index));
  for (let number = 1; number <= 40; number += 1) {
    const says = [`Hello from ${number}`, `Word ${number} and more`];
    writeLines(rolloutPath(home, uuid(number)), rolloutLines({ id: uuid(number), says }));
  }
});
afterEach(() => root[Symbol.dispose]());

/** A token of no kind that any text of the home has. */
const SECRET = 'qzxunmaskedtoken';

async function build(): Promise<void> {
  await using reader = openReader(home, { index });
  expect((await reader.search({ text: 'hello' })).total).toBe(40);
}

/** As a release with other rules would have left it. */
function plantInState(): void {
  using raw = openSqlite({ path: paths().state, applicationId: APPLICATION_ID });
  raw.exec(`UPDATE threads SET title = '${SECRET}', preview = '${SECRET}' WHERE id = '${uuid(3)}';
            UPDATE index_notes SET value = '0' WHERE key = 'redaction'`);
}

function plantInSearch(): void {
  {
    using full = openSearchDatabase({ path: paths().search, homePath: home });
    const file = full.file(rolloutPath(home, uuid(3)));
    if (file === undefined) throw new Error('No file');
    const place = { line: 2, byteOffset: 0, byteLength: 1, role: 'user', chars: 1, atSeconds: 1 } as const;
    full.putFile(
      file,
      {
        terms: Buffer.from(SECRET),
        ends: [SECRET.length],
        places: packPlaces([place]),
        texts: Buffer.from(SECRET),
        retracted: [],
      },
      { expected: file.watermark, appended: true },
    );
    full.putNote('rules', 'redaction 0, analyser 0');
  }
}

/** Names of files beside the index that hold the secret. */
function leaks(): readonly string[] {
  const folder = dirname(index);
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(SECRET));
}

describe('an index that was made by older rules', () => {
  test('of secrets is made anew by the next list, and no byte of the old texts is left', async () => {
    await build();
    plantInState();
    plantInSearch();
    expect(leaks().length).toBeGreaterThan(1);
    await using reader = openReader(home, { index });
    const page = await reader.list({ limit: 100 });
    expect(page.threads.find(({ id }) => id === uuid(3))?.title).toBe('Hello from 3');
    expect(leaks()).toEqual([]);
    await reader.close();
    expect(leaks()).toEqual([]);
    await using again = openReader(home, { index });
    expect(await again.rebuild({ prove: true })).toMatchObject({ equal: true, differences: [] });
  });

  test('of words is made anew by the next search, and no byte of the old texts is left', async () => {
    await build();
    plantInSearch();
    await using reader = openReader(home, { index });
    expect((await reader.search({ text: SECRET })).total).toBe(0);
    expect((await reader.search({ text: 'hello' })).total).toBe(40);
    expect(leaks()).toEqual([]);
    await reader.close();
    expect(leaks()).toEqual([]);
  });

  test('leaves nothing of it to a rebuild either', async () => {
    await build();
    plantInState();
    plantInSearch();
    await using reader = openReader(home, { index });
    await reader.rebuild();
    await reader.close();
    expect(leaks()).toEqual([]);
  });

  test('is made anew in one go, however little time a look has', async () => {
    await build();
    plantInState();
    let now = 0;
    await using reader = openReader(home, { index, clock: () => (now += 1) });
    expect((await reader.list({ indexBudgetMs: 5 })).index.state).toBe('complete');
    expect(leaks()).toEqual([]);
  });
});

describe.each([
  ['search', () => paths().search, () => paths().state],
  ['state', () => paths().state, () => paths().search],
] as const)('when only the %s database', (_what, harmed, other) => {
  async function works(): Promise<readonly string[]> {
    await using reader = openReader(home, { index });
    expect((await reader.list({ limit: 100 })).total).toBe(40);
    expect((await reader.search({ text: 'hello' })).total).toBe(40);
    expect((await reader.search({ text: 'word 7' })).hits[0]?.threadId).toBe(uuid(7));
    expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true, differences: [] });
    return reader.notices;
  }
  const inodeOf = (path: string): string => readFileSync(path).subarray(0, 100).toString('hex');

  test('is deleted, it is made again and the other one stays', async () => {
    await build();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${harmed()}${suffix}`, { force: true });
    expect(await works()).toEqual([]);
    expect(existsSync(harmed())).toBe(true);
  });

  test('is damaged, it is set aside once, said once, and the other one stays', async () => {
    await build();
    const before = inodeOf(other());
    const bytes = Buffer.from('garbage '.repeat(2_000));
    writeFileSync(harmed(), bytes);
    const notices = await works();
    expect(notices).toEqual([expect.stringContaining(`${harmed()}.damaged-`)]);
    const aside = readdirSync(dirname(index)).filter((name) => /\.damaged-[^-]*-\d+$/.test(name));
    expect(aside.map((name) => readFileSync(join(dirname(index), name)))).toEqual([bytes]);
    expect(inodeOf(other()).slice(0, 48)).toBe(before.slice(0, 48));
    expect(await works()).toEqual([]);
  });

  test('loses pages in its middle, both are whole again after what is asked', async () => {
    await build();
    const bytes = readFileSync(harmed());
    const pages = Math.floor(bytes.length / 4096);
    writeFileSync(harmed(), bytes.fill(0x5a, Math.floor(pages / 3) * 4096));
    const notices = await works();
    expect(notices).toHaveLength(1);
    expect(await works()).toEqual([]);
  });
});
