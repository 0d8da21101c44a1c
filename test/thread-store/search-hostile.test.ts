/** Queries and logs that mean harm, or are only very large: what matters is that an answer comes, and a right one. */
import { describe, expect, test } from 'vitest';
import { makeDraw } from '../redaction/fake-secrets.js';
import { placesOf, searchHome } from './search-homes.js';

describe('search() with bad queries', () => {
  test.each([
    ['a megabyte of one word', 'heron'.repeat(200_000)],
    ['a megabyte of words', 'heron '.repeat(180_000)],
    ['a megabyte of different words', Array.from({ length: 120_000 }, (_, at) => `w${at}`).join(' ')],
    ['operators', 'heron AND (NOT* NEAR("x" OR terms:y)) ^ + { } ; --'],
    ['quotes', `${'"heron '.repeat(1000)}`],
    ['minus signs', `heron ${'- '.repeat(1000)} --heronless`],
    ['control characters', 'her\0on \u0001heron\u001b[31m\u0085\u2028'],
    ['lone surrogates', 'heron \ud800 \udc00'],
    ['one letter of a script without spaces', '가'],
  ])('answers %s', async (_what, text) => {
    await using home = searchHome({ number: 1, says: ['A grey heron', '가나다'] });
    const { hits, total } = await home.search(text);
    expect(hits.length).toBeLessThanOrEqual(2);
    expect(total).toBeGreaterThanOrEqual(hits.length);
  });

  test('searches the words of a query beside any number of others', async () => {
    await using home = searchHome({ number: 1, says: ['A grey heron'] });
    expect(placesOf(await home.search(`heron ${'- '.repeat(1000)}`))).toEqual(['1:2']);
    expect(placesOf(await home.search('heron AND (NOT* NEAR("x" OR terms:y)) ^'))).toEqual(['1:2']);
    expect(placesOf(await home.search('her\0on \u0001heron'))).toEqual(['1:2']);
  });
});

describe('search() in logs of extremes', () => {
  test('finds nothing in one endless word, and what stands beside it', async () => {
    const endless = 'x'.repeat(3_000_000);
    await using home = searchHome({ number: 1, says: [`${endless} heron`, 'heron', `heron ${endless}`] });
    const page = await home.search('heron');
    // What stands behind the first million characters of a message is not searched.
    expect(placesOf(page).toSorted()).toEqual(['1:3', '1:4']);
    for (const { snippet } of page.hits) expect(snippet.length).toBeLessThan(400);
    expect((await home.search('xxx')).hits).toEqual([]);
  });

  test('shows what small messages say beside any number that are too large to be read', async () => {
    const large = `heron ${'x '.repeat(400_000)}`;
    const says = ['an early heron', ...Array.from({ length: 12 }, () => large), 'a late heron'];
    await using home = searchHome({ number: 1, says });
    const { hits, total } = await home.search('heron');
    expect([hits.length, total]).toEqual([14, 14]);
    const shown = hits.filter(({ snippet }) => snippet !== '');
    expect(shown.map(({ snippet }) => snippet)).toEqual(expect.arrayContaining(['an early heron', 'a late heron']));
    // One of the large ones fits beside them.
    expect(shown).toHaveLength(3);
  });

  test('counts equal messages, and gives the newest of each thread first', async () => {
    const says = Array.from({ length: 3_000 }, () => 'The same heron again');
    await using home = searchHome(
      { number: 1, says, startedAt: '2026-05-01T10:00:00.000Z' },
      { number: 2, says, startedAt: '2026-06-01T10:00:00.000Z' },
    );
    const page = await home.search('heron', { limit: 3 });
    expect([page.total, page.totalIsBound]).toEqual([6_000, false]);
    expect(placesOf(page)).toEqual(['2:3001', '2:3000', '2:2999']);
    const threads = await home.search('heron', { by: 'thread' });
    expect(placesOf(threads)).toEqual(['2:3001', '1:3001']);
    expect(threads).toMatchObject({ total: 2, totalIsBound: true });
    expect((await home.search('the same heron')).hits[0]?.line).toBe(3001);
    expect(await home.search('heron -again')).toMatchObject({ total: 0, hits: [] });
    expect((await home.search('heron again')).total).toBe(6_000);
    expect(await home.search('"heron" nowhere')).toMatchObject({ total: 6_000, hits: { length: 20 } });
  });

  test('ranks a rare word among common ones first, and goes on with the common ones', async () => {
    const says = [...Array.from({ length: 5_500 }, (_, at) => `heron number ${at}`), 'heron of the egret'];
    await using home = searchHome({ number: 1, says });
    const page = await home.search('heron egret', { limit: 5 });
    expect(placesOf(page)[0]).toBe('1:5502');
    expect(page.hits).toHaveLength(5);
    expect(page.total).toBe(5_501);
    expect((await home.search('heron 77', { limit: 1 })).hits[0]?.snippet).toBe('heron number 77');
    const narrowed = await home.search('heron', { sinceMs: Date.parse('2026-05-04T10:01:00Z'), limit: 2 });
    expect([narrowed.total, narrowed.totalIsBound]).toEqual([5_442, false]);
  });

  test('gives no part of a secret in a snippet, wherever it is cut', async () => {
    const secret = `ghp_${makeDraw(7)(36)}`;
    const says = [20, 60, 90, 120, 150, 180, 200, 220].map(
      (gap) => `${'lead '.repeat(40)}heron ${'w '.repeat(gap / 2)}${secret} tail ${'rest '.repeat(40)}`,
    );
    await using home = searchHome({ number: 1, says });
    const { hits } = await home.search('heron', { limit: 50 });
    expect(hits).toHaveLength(says.length);
    for (const { snippet, title } of hits) {
      for (let at = 0; at + 8 <= secret.length; at += 1) {
        expect(`${snippet} ${title}`).not.toContain(secret.slice(at, at + 8));
      }
    }
    expect((await home.search(secret)).hits).toEqual([]);
  });
});
