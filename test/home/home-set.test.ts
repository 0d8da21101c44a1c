import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HomeSet, type ListQuery, openHomes, type ThreadPage, type ThreadRow } from '../../src/home/index.js';
import { rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../thread-store/temp-home.js';

/** A thread of one of three homes; few numbers, so that several homes have the same one. */
const thread = fc.record({
  home: fc.nat(2),
  number: fc.integer({ min: 1, max: 9 }),
  /** Few instants, so that many threads share one. */
  minute: fc.nat(3),
  archived: fc.boolean(),
  cwd: fc.constantFrom('/a', '/b'),
  empty: fc.boolean(),
});

type Thread = typeof thread extends fc.Arbitrary<infer T> ? T : never;

const NAMES = ['own', '.codex', 'third'] as const;

function makeHomes(root: string, threads: readonly Thread[]): Promise<HomeSet> {
  for (const name of NAMES) mkdirSync(join(root, name, 'sessions'), { recursive: true });
  writeFileSync(join(root, 'own', 'codicil.json'), '{"format":1,"id":"x"}\n');
  writeFileSync(join(root, 'own', 'config.toml'), `[codicil.homes]\nthird = ${JSON.stringify(join(root, 'third'))}\n`);
  for (const { home, number, minute, archived, cwd, empty } of threads) {
    const id = uuid(number);
    const path = rolloutPath(join(root, NAMES[home] ?? ''), id, { archived });
    const startedAt = `2026-05-04T10:0${minute}:00.000Z`;
    writeLines(path, empty ? [] : rolloutLines({ id, startedAt, says: [`In ${NAMES[home]}`], meta: { cwd } }));
  }
  return openHomes({ env: { HOME: root, CODICIL_HOME: join(root, 'own') } });
}

async function allPages(
  homes: HomeSet,
  query: ListQuery,
): Promise<{ readonly first: ThreadPage; readonly rows: readonly ThreadRow[]; readonly sizes: readonly number[] }> {
  const first = await homes.list(query);
  const pages = [first];
  for (let { nextCursor } = first; nextCursor !== null; nextCursor = pages.at(-1)?.nextCursor ?? null) {
    pages.push(await homes.list({ ...query, cursor: nextCursor }));
    if (pages.length > 200) throw new Error('The pages do not end');
  }
  return { first, rows: pages.flatMap((page) => page.threads), sizes: pages.map((page) => page.threads.length) };
}

/** What a list of all homes must give: of each thread the copy of the first home that has it, active before archived. */
function expectedRows(root: string, threads: readonly Thread[], archived: boolean): readonly string[] {
  const shown = new Map<string, string>();
  for (const home of NAMES.keys()) {
    const here = new Map<string, Thread>();
    for (const found of threads.filter((one) => one.home === home)) {
      // The last of the same place was written; an active file stands for the thread before an archived one.
      here.set(`${found.number} ${found.archived}`, found);
    }
    for (const number of new Set([...here.values()].map((one) => one.number))) {
      const candidates = [here.get(`${number} false`), here.get(`${number} true`)];
      const head = candidates.find((one) => one !== undefined && !one.empty);
      if (head === undefined || shown.has(uuid(number))) continue;
      const path = rolloutPath(join(root, NAMES[home] ?? ''), uuid(number), { archived: head.archived });
      shown.set(uuid(number), head.archived === archived ? path : '');
    }
  }
  return [...shown.values()].filter((path) => path !== '').sort();
}

function filesOnDisk(root: string): number {
  return NAMES.flatMap((name) => readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })).filter((name) =>
    name.endsWith('.jsonl'),
  ).length;
}

const sum = (counts: ThreadPage['hidden']): number => Object.values(counts).reduce((total, count) => total + count, 0);

describe('MergedHomes.list()', () => {
  test('gives every thread once over the pages of any size, ours before the others', { timeout: 120_000 }, async () => {
    const query = fc.record({
      archived: fc.boolean(),
      sort: fc.constantFrom('updated' as const, 'created' as const),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(thread, { maxLength: 16 }), query, async (threads, asked) => {
        using root = tempFolder();
        await using homes = await makeHomes(root.path, threads);
        const { first, rows, sizes } = await allPages(homes, asked);
        expect(rows.map((row) => row.path).sort()).toEqual(expectedRows(root.path, threads, asked.archived));
        expect(first.total).toBe(rows.length);
        expect(sizes.slice(0, -1)).toEqual(sizes.slice(0, -1).map(() => asked.limit));
        const key = asked.sort === 'created' ? 'createdAt' : 'updatedAt';
        expect(rows.map((row) => row[key])).toEqual(
          rows
            .map((row) => row[key])
            .toSorted()
            .reverse(),
        );
        if (!asked.archived) expect(first.total + sum(first.hidden)).toBe(filesOnDisk(root.path));
        expect(first.index).toEqual({
          state: 'complete',
          indexed: filesOnDisk(root.path),
          files: filesOnDisk(root.path),
        });
      }),
      { numRuns: 40 },
    );
  });

  test('with all gives every file of every home once that is not empty', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(thread, { maxLength: 16 }), fc.integer({ min: 1, max: 5 }), async (threads, limit) => {
        using root = tempFolder();
        await using homes = await makeHomes(root.path, threads);
        const { first, rows } = await allPages(homes, { all: true, limit });
        expect(new Set(rows.map((row) => row.path)).size).toBe(rows.length);
        expect(first.total).toBe(rows.length);
        expect(rows.length + (first.hidden.empty ?? 0)).toBe(filesOnDisk(root.path));
      }),
      { numRuns: 25 },
    );
  });

  test('never shows through a filter the copy that ours stands for', async () => {
    using root = tempFolder();
    await using homes = await makeHomes(root.path, [
      { home: 0, number: 1, minute: 1, archived: true, cwd: '/a', empty: false },
      { home: 1, number: 1, minute: 3, archived: false, cwd: '/b', empty: false },
      { home: 1, number: 2, minute: 2, archived: false, cwd: '/b', empty: false },
    ]);
    const ids = async (query: ListQuery) => (await homes.list(query)).threads.map(({ id, home }) => [id, home]);
    const second = [uuid(2), join(root.path, '.codex')];
    expect(await ids({})).toEqual([second]);
    expect(await ids({ cwd: '/b' })).toEqual([second]);
    expect(await ids({ sinceMs: Date.parse('2026-05-04T10:02:30.000Z') })).toEqual([]);
    expect(await ids({ archived: true })).toEqual([[uuid(1), join(root.path, 'own')]]);
    expect((await homes.list()).hidden).toEqual({ archived: 1, duplicate: 1 });
  });

  test('rejects a cursor of another order', async () => {
    using root = tempFolder();
    await using homes = await makeHomes(
      root.path,
      [1, 2, 3].map((number) => ({
        home: number - 1,
        number,
        minute: number,
        archived: false,
        cwd: '/a',
        empty: false,
      })),
    );
    const { nextCursor } = await homes.list({ limit: 1 });
    await expect(homes.list({ cursor: nextCursor ?? '', sort: 'created' })).rejects.toMatchObject({
      code: 'state-cursor-invalid',
    });
    await expect(homes.list({ cursor: nextCursor ?? '', all: true })).rejects.toMatchObject({
      code: 'state-cursor-invalid',
    });
    await expect(homes.list({ cursor: 'none' })).rejects.toMatchObject({ code: 'state-cursor-invalid' });
  });
});

describe('MergedHomes', () => {
  const THREADS: readonly Thread[] = [
    { home: 0, number: 1, minute: 1, archived: false, cwd: '/a', empty: false },
    { home: 1, number: 1, minute: 3, archived: false, cwd: '/a', empty: false },
    { home: 2, number: 2, minute: 2, archived: false, cwd: '/b', empty: false },
  ];

  test('takes the same copy of a thread as the list', async () => {
    using root = tempFolder();
    await using homes = await makeHomes(root.path, THREADS);
    const [own, , third] = NAMES.map((name) => join(root.path, name));
    expect(await homes.latest()).toMatchObject({ id: uuid(2), home: third });
    expect(await homes.latest({ cwd: '/a' })).toMatchObject({ id: uuid(1), home: own });
    expect((await homes.candidates(uuid(1))).map(({ home }) => home)).toEqual([own]);
    expect((await homes.why(uuid(1))).map(({ home }) => home)).toHaveLength(2);
    const [candidate] = await homes.candidates(uuid(2).slice(-6));
    await using opened = await homes.open(candidate!);
    expect(await opened.row()).toMatchObject({ id: uuid(2), home: third });
    expect(() => homes.readerOf('/elsewhere')).toThrow(expect.objectContaining({ code: 'thread-not-found' }));
  });

  test('writes nothing into a foreign home', async () => {
    using root = tempFolder();
    await using homes = await makeHomes(root.path, THREADS);
    const before = readdirSync(join(root.path, '.codex'), { recursive: true });
    await homes.list({ all: true });
    for (const reader of homes.readers) await reader.rebuild({ prove: true });
    expect(readdirSync(join(root.path, '.codex'), { recursive: true })).toEqual(before);
    expect(readdirSync(join(root.path, 'own')).sort()).toEqual([
      'codicil.json',
      'config.toml',
      'db',
      'indexes',
      'sessions',
    ]);
    expect(readdirSync(join(root.path, 'own', 'indexes'))).toHaveLength(2);
  });

  test('closes every home, and reports all that failed together', async () => {
    using root = tempFolder();
    const homes = await makeHomes(root.path, THREADS);
    const closed: string[] = [];
    for (const reader of homes.readers) {
      reader.close = async () => {
        closed.push(reader.home.path);
        throw new Error(reader.home.path);
      };
    }
    await expect(homes.close()).rejects.toMatchObject({
      errors: NAMES.map((name) => new Error(join(root.path, name))),
    });
    expect(closed).toHaveLength(3);
  });

  test('keeps two copies of one home apart', async () => {
    using root = tempFolder();
    await (await makeHomes(root.path, THREADS)).close();
    cpSync(join(root.path, '.codex'), join(root.path, 'copy'), { recursive: true });
    await using homes = await openHomes({
      homes: [join(root.path, '.codex'), join(root.path, 'copy')],
      env: { HOME: root.path, CODICIL_HOME: join(root.path, 'own') },
    });
    const page = await homes.list();
    expect(page).toMatchObject({ total: 1, hidden: { duplicate: 1 }, nextCursor: null });
    expect(page.threads.map((row) => row.home)).toEqual([join(root.path, '.codex')]);
  });
});
