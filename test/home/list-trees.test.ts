import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listTrees } from '../../src/home/list-trees.js';
import type { ListQuery } from '../../src/thread-store/session-reader.js';
import {
  copyFixtures,
  openReader,
  rolloutLines,
  rolloutPath,
  tempFolder,
  uuid,
  writeLines,
} from '../thread-store/temp-home.js';

/** End of the id, depth, relation, and what it spent itself, what was spent before it, and by it and all below. */
type Line = readonly [string, number, string | null, number, number, number];

async function trees(home: string, query: ListQuery = {}) {
  await using reader = openReader(home);
  const homes = { readers: [reader], list: reader.list.bind(reader), readerOf: () => reader };
  const page = await listTrees(homes, { indexBudgetMs: Number.POSITIVE_INFINITY, ...query });
  const lines = page.rows.map(
    ({ row, depth, relation, tokens }): Line => [
      row.id!.slice(-8),
      depth,
      relation,
      tokens!.own.totalTokens,
      tokens!.inherited.totalTokens,
      tokens!.tree.totalTokens,
    ],
  );
  return { page, lines };
}

async function fixtureTrees(scenario: string, query: ListQuery = {}) {
  using folder = tempFolder();
  const home = join(folder.path, 'home');
  copyFixtures(home, [scenario]);
  return await trees(home, query);
}

/** Three agents and a fork; the parent of the last is nowhere. */
function writeFamily(home: string): void {
  const spawn = (parent: string, more = {}) => ({
    source: { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1, ...more } } },
  });
  const write = (number: number, startedAt: string, meta: Readonly<Record<string, unknown>>, archived = false): void =>
    writeLines(rolloutPath(home, uuid(number), { archived }), rolloutLines({ id: uuid(number), meta, startedAt }));
  write(1, '2026-05-04T10:00:00.000Z', {});
  write(2, '2026-05-04T10:01:00.000Z', spawn(uuid(1), { agent_nickname: 'finder', agent_role: 'explorer' }));
  write(3, '2026-05-04T10:02:00.000Z', { parent_thread_id: uuid(2), agent_nickname: 'worker' });
  write(4, '2026-05-04T10:03:00.000Z', { forked_from_id: uuid(1), cwd: '/q' }, true);
  write(5, '2026-05-04T10:04:00.000Z', spawn(uuid(99)));
  write(6, '2026-05-04T10:05:00.000Z', {});
}

describe('listTrees()', () => {
  test('counts what each thread of genuine forks by reference spent, reverted turns included', async () => {
    const { lines } = await fixtureTrees('0.171.0/lineage');
    // Answers, each with the tokens of its record: 130+140+150+160, then 180 and 190+200 in two segments; 170; 210; 220+230.
    expect(lines).toEqual([
      ['d676e4aa', 0, null, 490, 0, 490],
      ['d8039115', 0, null, 1150, 0, 1980],
      ['e31ee2e5', 1, 'fork', 170, 580, 170],
      ['cf4d4bbf', 1, 'fork', 210, 520, 660],
      ['c1e26c03', 2, 'fork', 450, 320, 450],
    ]);
  });

  test.each<[string, readonly Line[]]>([
    // 0.80.0 says nowhere but in the copied lines which thread a fork was copied from, and writes no turn ids.
    [
      '0.80.0/appserver',
      [
        ['f27c673b', 0, null, 590, 0, 750],
        ['1130224e', 1, 'fork', 160, 420, 160],
      ],
    ],
    [
      '0.125.0/appserver',
      [
        ['60f01a37', 0, null, 760, 0, 920],
        ['ba0aaf31', 1, 'fork', 160, 420, 160],
      ],
    ],
    [
      '0.147.0/appserver',
      [
        ['0adf700e', 0, null, 1760, 0, 1920],
        ['1ff921b5', 1, 'fork', 160, 420, 160],
      ],
    ],
    [
      '0.152.1/appserver',
      [
        ['b4850d91', 0, null, 1540, 0, 1700],
        ['c643ae57', 1, 'fork', 160, 420, 160],
      ],
    ],
    [
      '0.162.1/appserver',
      [
        ['9a48a2b8', 0, null, 2230, 0, 2390],
        ['b883ac98', 1, 'fork', 160, 420, 160],
      ],
    ],
    // Counters of these begin anew at each resume: 130, then 140 and 150.
    ['0.36.0/multiturn', [['e7f46027', 0, null, 420, 0, 420]]],
    ['0.58.0/multiturn', [['feb9e1c6', 0, null, 420, 0, 420]]],
    // A full context sets the counters to its size.
    ['0.162.1/error', [['c04cdae8', 0, null, 310, 0, 310]]],
    ['0.104.0/error', [['91e67bce', 0, null, 310, 0, 310]]],
  ])('counts copied history once in %s', async (scenario, wanted) => {
    expect((await fixtureTrees(scenario)).lines).toEqual(wanted);
  });

  test('shows children, archived forks and orphans, each once, under the names that they were given', async () => {
    using folder = tempFolder();
    writeFamily(folder.path);
    const { page } = await trees(folder.path);
    expect(
      page.rows.map(({ row, depth, relation, agent }) => [
        Number(row.id!.slice(-2)),
        depth,
        relation,
        agent?.nickname ?? null,
      ]),
    ).toEqual([
      [6, 0, null, null],
      [5, 0, null, null],
      [1, 0, null, null],
      [2, 1, 'subagent', 'finder'],
      [3, 2, 'subagent', 'worker'],
      [4, 1, 'fork', null],
    ]);
    expect(page).toMatchObject({ total: 3, nextCursor: null, hidden: {} });
  });

  test('pages hold roots, and together every tree once', async () => {
    using folder = tempFolder();
    writeFamily(folder.path);
    const seen: number[][] = [];
    let cursor: string | undefined;
    do {
      const { page } = await trees(folder.path, { limit: 1, ...(cursor !== undefined && { cursor }) });
      seen.push(page.rows.map(({ row }) => Number(row.id!.slice(-2))));
      expect(page.total).toBe(3);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual([[6], [5], [1, 2, 3, 4]]);
  });

  test('a filter finds whole trees by any thread in them', async () => {
    using folder = tempFolder();
    writeFamily(folder.path);
    const ends = async (query: ListQuery) =>
      (await trees(folder.path, query)).lines.map(([end]) => Number(end.slice(-2)));
    expect(await ends({ cwd: '/q' })).toEqual([]);
    expect(await ends({ cwd: '/q', archived: true })).toEqual([1, 2, 3, 4]);
    expect(await ends({ sinceMs: Date.parse('2026-05-04T10:04:30.000Z') })).toEqual([6]);
    const untilMs = Date.parse('2026-05-04T10:02:30.000Z');
    expect(await ends({ sinceMs: Date.parse('2026-05-04T10:01:30.000Z'), untilMs })).toEqual([1, 2, 3, 4]);
  });

  test('refuses a cursor that is none', async () => {
    using folder = tempFolder();
    writeFamily(folder.path);
    await expect(trees(folder.path, { cursor: 'x' })).rejects.toMatchObject({ code: 'state-cursor-invalid' });
  });
});
