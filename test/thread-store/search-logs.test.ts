/** Searching logs that are not as simple as one plain file, or that change. */
import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../src/base/address.js';
import { parseThreadId } from '../../src/base/ids.js';
import { storedZstd } from './home-changes.js';
import { placesOf, type SearchHome, sayLine, searchHome, talkLines } from './search-homes.js';
import { rolloutPath, uuid, writeLines } from './temp-home.js';

/** The text of the line that an address means. */
async function lineAt(home: SearchHome, address: string): Promise<string | undefined> {
  const { reference, part, from } = parseAddress(address)!;
  await using thread = await home.reader().open(parseThreadId(reference)!);
  const path = part === undefined ? thread.path : thread.parts[part - 1]!.path;
  return (await thread.lines({ from, to: from, path }))[0]?.text;
}

function paginated(lines: readonly string[], first = 0): readonly string[] {
  return lines.map((line, at) => JSON.stringify({ ...JSON.parse(line), ordinal: first + at }));
}

const NUMBER_OF_BASE = 1;
const NUMBER_OF_SEGMENT = 7;

/** A thread in two files: the second continues the first behind its second line. */
function putSegment(home: SearchHome, kind: 'segment' | 'fork'): void {
  const base = paginated(
    talkLines({
      number: NUMBER_OF_BASE,
      says: ['An old pelican', 'A dropped pelican'],
      meta: { history_mode: 'paginated' },
    }),
  );
  writeLines(home.pathOf(NUMBER_OF_BASE), base);
  const end = Buffer.byteLength(
    base
      .slice(0, 2)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const number = kind === 'segment' ? NUMBER_OF_BASE : NUMBER_OF_SEGMENT;
  const meta = {
    history_mode: 'paginated',
    history_base: { thread_id: uuid(NUMBER_OF_BASE), end_ordinal_exclusive: 2, end_byte_offset: end },
    ...(kind === 'fork' && { forked_from_id: uuid(NUMBER_OF_BASE) }),
  };
  const path = rolloutPath(home.path, uuid(number), kind === 'segment' ? { segment: uuid(NUMBER_OF_SEGMENT) } : {});
  writeLines(path, paginated(talkLines({ number, says: ['A new pelican'], meta }), 2));
}

describe('search() in logs of several files', () => {
  test('gives lines of every file of a thread, at addresses that open', async () => {
    await using home = searchHome();
    putSegment(home, 'segment');
    const { hits, total } = await home.search('pelican');
    expect(total).toBe(3);
    expect(new Set(hits.map(({ threadId }) => threadId))).toEqual(new Set([uuid(NUMBER_OF_BASE)]));
    const byAddress = new Map<string, string | undefined>();
    for (const { address } of hits) byAddress.set(address, await lineAt(home, address));
    const messages = [...byAddress].map(([address, line]) => [address, JSON.parse(line ?? '{}').payload.message]);
    expect(Object.fromEntries(messages)).toEqual({
      [`${uuid(1)}/1:2`]: 'An old pelican',
      [`${uuid(1)}/1:3`]: 'A dropped pelican',
      [`${uuid(1)}:2`]: 'A new pelican',
    });
  });

  test('gives what a fork took over as lines of the thread that said it', async () => {
    await using home = searchHome();
    putSegment(home, 'fork');
    const { hits } = await home.search('pelican');
    const addresses = hits.map(({ address }) => address).toSorted();
    expect(addresses).toEqual([`${uuid(1)}:2`, `${uuid(1)}:3`, `${uuid(7)}:2`]);
    for (const address of addresses) expect(await lineAt(home, address)).toContain('pelican');
  });
});

describe('search() in logs that change', () => {
  test('finds what was appended, by the same reader and by another', async () => {
    await using home = searchHome({ number: 1, says: ['first heron'] }, { number: 2, says: ['second heron'] });
    expect((await home.search('heron')).total).toBe(2);
    appendFileSync(home.pathOf(1), `${sayLine('third heron', Date.parse('2026-06-01T00:00:00Z'))}\n`);
    const found = placesOf(await home.search('heron'));
    expect(found[0]).toBe('1:3');
    expect(found.toSorted()).toEqual(['1:2', '1:3', '2:2']);
    expect(placesOf(await home.reader().search({ text: 'heron' }))).toEqual(found);
  });

  test('does not give a line that no longer holds the message, and looks at its log again', async () => {
    await using home = searchHome({ number: 1, says: ['first heron here'] }, { number: 2, says: ['second heron'] });
    const asked = { indexMaxAgeMs: 1_000_000 };
    expect((await home.search('heron', asked)).total).toBe(2);
    const path = home.pathOf(1);
    writeFileSync(path, readFileSync(path, 'utf8').replace('first heron here', 'first egret'));
    // The files are not compared again, but what is given is read.
    expect(placesOf(await home.search('heron', asked))).toEqual(['2:2']);
    expect(placesOf(await home.search('egret', asked))).toEqual(['1:2']);
    expect(await home.search('heron', asked)).toMatchObject({ total: 1, hits: [{ line: 2 }] });
  });

  test('gives no text of a log that was rewritten to the same size and time', async () => {
    await using home = searchHome({ number: 1, says: ['first heron'] });
    await home.search('heron');
    const path = home.pathOf(1);
    const time = new Date('2026-05-04T10:00:00Z');
    writeFileSync(path, readFileSync(path, 'utf8').replace('first heron', 'first egret'));
    utimesSync(path, time, time);
    for (const text of ['heron', 'egret']) {
      const { hits } = await home.search(text, { indexMaxAgeMs: 1_000_000 });
      expect(hits.every(({ snippet }) => snippet.includes(text))).toBe(true);
    }
  });

  test('does not give a log that is gone', async () => {
    await using home = searchHome({ number: 1, says: ['first heron'] }, { number: 2, says: ['second heron'] });
    const asked = { indexMaxAgeMs: 1_000_000 };
    await home.search('heron', asked);
    rmSync(home.pathOf(1));
    expect(placesOf(await home.search('heron', asked))).toEqual(['2:2']);
    expect(await home.search('heron', asked)).toMatchObject({ total: 1 });
  });

  test('searches a compressed log, and only the plain one of two that are the same', async () => {
    await using home = searchHome(
      { number: 1, says: ['a packed heron'] },
      { number: 2, says: ['a heron of two files'] },
    );
    const plain = home.pathOf(1);
    writeFileSync(`${plain}.zst`, storedZstd(readFileSync(plain)));
    rmSync(plain);
    const twin = home.pathOf(2);
    writeFileSync(`${twin}.zst`, storedZstd(readFileSync(twin)));
    const page = await home.search('heron');
    expect(page.total).toBe(2);
    expect(page.hits.map(({ path }) => path).toSorted()).toEqual([`${plain}.zst`, twin]);
    const packed = page.hits.find(({ path }) => path.endsWith('.zst'));
    expect(packed).toMatchObject({
      address: `${uuid(1)}:2`,
      snippet: 'a packed heron',
      timestamp: '2026-05-04T10:00:01.000Z',
    });
  });
});
