import { renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { marksOf, placesOf, searchHome } from './search-homes.js';
import { uuid } from './temp-home.js';

const DAY = (day: number): string => `2026-05-${String(day).padStart(2, '0')}T10:00:00.000Z`;

describe('search()', () => {
  test('gives each message with its place, its thread and its words in context', async () => {
    await using home = searchHome({
      number: 1,
      says: ['Why does the build fail?', { assistant: 'A flaky test fails: the parser times out.' }],
      meta: { cwd: '/work' },
    });
    const page = await home.search('flaky parser');
    expect(page).toEqual({
      hits: [
        {
          threadId: uuid(1),
          address: `${uuid(1)}:3`,
          path: home.pathOf(1),
          home: home.path,
          line: 3,
          role: 'assistant',
          timestamp: '2026-05-04T10:00:02.000Z',
          snippet: 'A flaky test fails: the parser times out.',
          matches: [
            [2, 7],
            [24, 30],
          ],
          score: page.hits[0]?.score,
          title: 'Why does the build fail?',
          name: null,
          cwd: '/work',
          updatedAt: '2026-05-04T10:00:02.000Z',
        },
      ],
      total: 1,
      totalIsBound: false,
      tookMs: page.tookMs,
      index: { state: 'complete', indexed: 1, files: 1 },
    });
    expect(page.hits[0]?.score).toBeGreaterThan(2);
  });

  test('puts the words as typed first, then all words in some form, then some of them', async () => {
    await using home = searchHome(
      { number: 1, startedAt: DAY(9), says: ['The test was flaky'] },
      { number: 2, startedAt: DAY(1), says: ['One flaky test again'] },
      { number: 3, startedAt: DAY(8), says: ['Flaky tests everywhere'] },
      { number: 4, startedAt: DAY(20), says: ['Only flaky'] },
    );
    expect(placesOf(await home.search('flaky test'))).toEqual(['2:2', '1:2', '3:2', '4:2']);
    expect(placesOf(await home.search('tests'))).toEqual(['3:2', '1:2', '2:2']);
  });

  test('gives an address that opens, where two logs have swapped their names', async () => {
    await using home = searchHome({ number: 1, says: ['a needle'] }, { number: 2, says: ['something else'] });
    const aside = `${home.path}/aside`;
    renameSync(home.pathOf(1), aside);
    renameSync(home.pathOf(2), home.pathOf(1));
    renameSync(aside, home.pathOf(2));
    const [hit] = (await home.search('needle')).hits;
    expect(hit).toMatchObject({ threadId: uuid(1), path: home.pathOf(2), line: 2 });
    if (hit === undefined) throw new Error('The needle was not found');
    const opened = await home.reader().open(hit.threadId);
    expect(opened.path).toBe(home.pathOf(2));
    const [line] = await opened.lines({ from: 2, to: 2 });
    expect(line?.text).toContain('needle');
  });

  test('finds what the last word begins while that is still typed', async () => {
    await using home = searchHome(
      { number: 1, startedAt: DAY(1), says: ['The latency of the flaky service'] },
      { number: 2, startedAt: DAY(2), says: ['It was refactored later'] },
      { number: 3, startedAt: DAY(3), says: ['Nothing of that'] },
    );
    const found = async (text: string) => [...placesOf(await home.search(text, { lastWordIsOpen: true }))].sort();
    expect(await found('laten')).toEqual(['1:2']);
    expect(await found('flaky ser')).toEqual(['1:2']);
    expect(await found('refactori')).toEqual(['2:2']);
    expect(await found('lat')).toEqual(['1:2', '2:2']);
    expect(await found('laten ')).toEqual([]);
    expect(placesOf(await home.search('laten'))).toEqual([]);
    const [hit] = (await home.search('flaky ser', { lastWordIsOpen: true })).hits;
    expect(hit && marksOf(hit)).toEqual(['flaky', 'ser']);
  });

  test('puts the newest first among equals', async () => {
    await using home = searchHome(
      ...[3, 9, 5].map((day) => ({ number: day, startedAt: DAY(day), says: ['Deploy the service now'] })),
    );
    const expected = ['9:2', '5:2', '3:2'];
    expect(placesOf(await home.search('deploy'))).toEqual(expected);
    expect(placesOf(await home.search('deploy', { by: 'thread' }))).toEqual(expected);
  });

  test('prefers a message whose neighbours speak of the query', async () => {
    await using home = searchHome(
      {
        number: 1,
        startedAt: DAY(2),
        says: ['The cache warms up', { assistant: 'Then evict the oldest entry' }, 'ok'],
      },
      { number: 2, startedAt: DAY(5), says: ['Lunch was good', { assistant: 'Then evict the oldest entry' }, 'ok'] },
      { number: 3, startedAt: DAY(1), says: ['Nothing of it at all'] },
    );
    expect(placesOf(await home.search('evict from the warm cache by age')).slice(0, 2)).toContain('1:3');
    const [first] = placesOf(await home.search('oldest entry of warm cache evicted'));
    expect(first).toBe('1:3');
  });

  test('gives one hit a thread when asked, its best message', async () => {
    await using home = searchHome(
      { number: 1, startedAt: DAY(1), says: ['Index the logs', 'The index is slow', 'A slow index needs a rebuild'] },
      { number: 2, startedAt: DAY(2), says: ['An index'] },
    );
    const page = await home.search('slow index', { by: 'thread' });
    expect(placesOf(page)).toEqual(['1:4', '2:2']);
    expect(page.total).toBe(2);
    expect((await home.search('slow index')).total).toBe(4);
  });

  test('finds a phrase only where its words stand side by side', async () => {
    await using home = searchHome(
      { number: 1, says: ['The blue whale sings'] },
      { number: 2, says: ['A whale, blue as the sea'] },
    );
    const page = await home.search('"blue whale"');
    expect(placesOf(page)).toEqual(['1:2']);
    expect(page.total).toBe(1);
    expect(page.hits.map(marksOf)).toEqual([['blue whale']]);
    expect(placesOf(await home.search('sea "blue whale"'))).toEqual(['1:2']);
  });

  test('takes the words of a phrase that stands nowhere', async () => {
    await using home = searchHome({ number: 1, says: ['A whale, blue as the sea'] });
    expect(placesOf(await home.search('"blue whale"'))).toEqual(['1:2']);
  });

  test('leaves out what has an excluded word or phrase', async () => {
    await using home = searchHome(
      { number: 1, says: ['cache hit'] },
      { number: 2, says: ['cache miss'] },
      { number: 3, says: ['cache of the second miss ratio'] },
    );
    expect(placesOf(await home.search('cache -miss'))).toEqual(['1:2']);
    expect(placesOf(await home.search('cache -"miss ratio"')).toSorted()).toEqual(['1:2', '2:2']);
    expect((await home.search('cache -miss')).total).toBe(1);
  });

  test('finds nothing in threads of the program itself, and nothing twice in copies', async () => {
    await using home = searchHome(
      { number: 1, says: ['A walrus'] },
      { number: 2, says: ['A walrus inside'], meta: { source: { internal: 'memory_consolidation' } } },
      { number: 3, says: ['A walrus kept'], archived: true },
    );
    home.put({ number: 3, says: ['A walrus kept'] });
    const page = await home.search('walrus');
    expect(placesOf(page).toSorted()).toEqual(['1:2', '3:2']);
    expect(page.total).toBe(2);
  });

  test('narrows by role, folder and time', async () => {
    await using home = searchHome(
      { number: 1, startedAt: DAY(1), says: ['otter one', { assistant: 'otter two' }], meta: { cwd: '/a' } },
      { number: 2, startedAt: DAY(5), says: ['otter three'], meta: { cwd: '/b' } },
    );
    const search = async (query: Parameters<typeof home.search>[1]) => {
      const page = await home.search('otter', query);
      expect(page.total).toBe(page.hits.length);
      return placesOf(page).toSorted();
    };
    expect(await search({ role: 'assistant' })).toEqual(['1:3']);
    expect(await search({ role: 'user' })).toEqual(['1:2', '2:2']);
    expect(await search({ cwd: '/a' })).toEqual(['1:2', '1:3']);
    expect(await search({ cwd: '/a/' })).toEqual(['1:2', '1:3']);
    expect(await search({ cwd: '/nowhere' })).toEqual([]);
    expect(await search({ sinceMs: Date.parse(DAY(3)) })).toEqual(['2:2']);
    expect(await search({ untilMs: Date.parse(DAY(3)) })).toEqual(['1:2', '1:3']);
    expect(await search({ by: 'thread', role: 'user', untilMs: Date.parse(DAY(3)) })).toEqual(['1:2']);
  });

  test('finds Korean by stems, and a word of one syllable by its beginning', async () => {
    await using home = searchHome({ number: 1, says: ['세션을 다시 연다'] }, { number: 2, says: ['값을 읽는다'] });
    expect(placesOf(await home.search('세션'))).toEqual(['1:2']);
    expect(placesOf(await home.search('세션이'))).toEqual(['1:2']);
    expect(placesOf(await home.search('값'))).toEqual(['2:2']);
  });

  test('understands names that are written otherwise, and slips in a longer query', async () => {
    await using home = searchHome(
      { number: 1, says: ['Rename getUserName in the icecream module'] },
      { number: 2, says: ['The scheduler waits for a semaphore'] },
    );
    expect(placesOf(await home.search('get_user_name'))).toEqual(['1:2']);
    expect(placesOf(await home.search('ice cream'))).toEqual(['1:2']);
    expect(placesOf(await home.search('where does it wait for the semaphroe'))[0]).toBe('2:2');
    expect(placesOf(await home.search('semaphroe'))).toEqual([]);
  });

  test('prefers the day that a query names', async () => {
    await using home = searchHome(
      ...[4, 14, 24].map((day) => ({ number: day, startedAt: DAY(day), says: ['We spoke about the release plan'] })),
    );
    expect(placesOf(await home.search('What did we say about the release plan on 14 May?'))[0]).toBe('14:2');
  });

  test('gives no more hits than asked for, and counts all', async () => {
    const says = Array.from({ length: 30 }, (_, at) => `heron ${at}`);
    await using home = searchHome({ number: 1, says });
    const page = await home.search('heron', { limit: 7 });
    expect([page.hits.length, page.total, page.totalIsBound]).toEqual([7, 30, false]);
    expect((await home.search('heron')).hits).toHaveLength(20);
  });

  test('refuses a query without a word', async () => {
    await using home = searchHome({ number: 1, says: ['x'] });
    for (const text of ['', '  ', '-word', '"" - !!', '\0\u0007', '()*^:']) {
      await expect(home.search(text)).rejects.toMatchObject({ code: 'empty-query' });
    }
  });
});
