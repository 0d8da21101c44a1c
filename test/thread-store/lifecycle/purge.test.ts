import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import { openSqlite } from '../../../src/platform/sqlite/index.js';
import { APPLICATION_ID } from '../../../src/state/index.js';
import { openLogsDatabase } from '../../../src/state/logs/index.js';
import {
  compressThread,
  listTrash,
  purgeThread,
  trashThread,
} from '../../../src/thread-store/local/lifecycle/index.js';
import { openReader, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../temp-home.js';
import { filesHolding, logsOf, NOW, options, type Places, placesOf, threadId, writeThread } from './lifecycle-home.js';

const files = nodeFileSystem;
const ID = threadId(1);
/** Found nowhere else: in plain logs, in compressed ones, in a title, in a name, in messages of the program. */
const WORDS = ['quixotrope', 'zanzibarium', 'flummerling', 'brumbleweft'] as const;

/** A home with the thread in every place, and others beside it. `threads`: how many of those. */
async function plant(home: string, threads: number): Promise<Places> {
  const places = placesOf(home);
  mkdirSync(dirname(places.logs), { recursive: true });
  writeThread(home, 1, [`The ${WORDS[0]} and the ${WORDS[1]}`, ...Array.from({ length: 40 }, (_, n) => `Turn ${n}`)]);
  for (let number = 2; number < 2 + threads; number += 1) {
    writeThread(home, number, [`Thread ${number} speaks of rivers`, 'And of hills']);
  }
  const names = [1, 2, 1].map(
    (number, index) =>
      `{"id":"${uuid(number)}","thread_name":"${number === 1 ? `${WORDS[2]} ${index}` : 'Rivers'}","updated_at":"2026-05-04T10:00:0${index}Z"}\n`,
  );
  writeFileSync(
    join(home, 'session_index.jsonl'),
    `${names.join('')}no entry\r\n{"id":"${uuid(3)}","thread_name":"Last"}`,
  );
  using logs = openLogsDatabase({ path: places.logs, now: () => NOW });
  logs.append(
    [1, 2, 1].map((number) => ({
      level: 'info' as const,
      target: 'test',
      message: number === 1 ? `Saw ${WORDS[3]}` : 'Saw a river',
      threadId: threadId(number),
      processId: 'p',
      atMs: NOW,
    })),
  );
  logs.append([
    {
      level: 'info',
      target: 'test',
      message: `Read rollout of ${uuid(1)}`,
      threadId: undefined,
      processId: 'p',
      atMs: NOW,
    },
  ]);
  await index(places);
  return places;
}

async function index({ home, derived }: Places): Promise<void> {
  const reader = openReader(home, { index: derived.state });
  const { hits } = await reader.search({ text: 'rivers' });
  expect(hits.length).toBeGreaterThan(0);
  await reader.close();
}

async function prove({ home, derived }: Places): Promise<unknown> {
  const reader = openReader(home, { index: derived.state });
  const { equal, differences } = await reader.rebuild({ prove: true });
  expect(reader.notices).toEqual([]);
  await reader.close();
  return { equal, differences };
}

const EVERYTHING = [...WORDS, ID];

describe('purgeThread()', () => {
  test.each([1, 40])(
    'leaves no byte of the thread in a home with %i others, and those as they were',
    async (threads) => {
      using folder = tempFolder();
      const places = await plant(folder.path, threads);
      // An index that grew in steps, as it does in life: the thread lies in several segments of the full text.
      writeLines(rolloutPath(folder.path, uuid(900)), rolloutLines({ id: uuid(900), says: ['A river came later'] }));
      await index(places);
      const imported = [1, 2].map((number) => `{"threadId":"${uuid(number)}","cwd":[{"from":"/somewhere"}]}\n`);
      writeFileSync(places.imports, imported.join(''));
      expect(new Set(filesHolding(folder.path, EVERYTHING).map((found) => found.split(': ')[0]))).toEqual(
        new Set([
          'db/logs_2.sqlite',
          'db/state_5.sqlite',
          'db/state_5.sqlite.search',
          'imports.jsonl',
          'session_index.jsonl',
          `sessions/2026/05/04/rollout-2026-05-04T10-00-00-${ID}.jsonl`,
          `sessions/2026/05/04/rollout-2026-05-04T10-00-00-${ID}_019e0000-0000-7000-8000-00000000aaa1.jsonl`,
        ]),
      );
      const others = [...logsOf(folder.path)].filter(([name]) => !name.includes(ID));
      const result = await purgeThread({ ...options(folder.path, ID), ...places });
      expect(filesHolding(folder.path, EVERYTHING)).toEqual([]);
      expect(result).toMatchObject({ threadId: ID, path: null, changed: true, moved: [] });
      expect(result.removed).toEqual([
        rolloutPath(folder.path, ID),
        rolloutPath(folder.path, ID, { segment: '019e0000-0000-7000-8000-00000000aaa1' }),
        `${join(folder.path, 'session_index.jsonl')}: 2 lines`,
        `${places.imports}: 1 line`,
        `${places.derived.state}: the thread and 2 files`,
        expect.stringMatching(/\.search: \d+ messages$/),
        `${places.logs}: 3 rows`,
      ]);
      expect([...logsOf(folder.path)]).toEqual(others);
      expect(readFileSync(places.imports, 'utf8')).toBe(imported[1]);
      expect(readFileSync(join(folder.path, 'session_index.jsonl'), 'utf8')).toBe(
        `{"id":"${uuid(2)}","thread_name":"Rivers","updated_at":"2026-05-04T10:00:01Z"}\nno entry\r\n{"id":"${uuid(3)}","thread_name":"Last"}`,
      );
      using logs = openLogsDatabase({ path: places.logs, now: () => NOW, readOnly: true });
      expect(logs.rows({ limit: 10 }).map(({ message }) => message)).toEqual(['Saw a river']);
      expect(await prove(places)).toEqual({ equal: true, differences: [] });
      expect(await purgeThread({ ...options(folder.path, ID), ...places })).toMatchObject({
        changed: false,
        removed: [],
      });
    },
  );

  test('reaches compressed logs, the trash, links, left temporary files and databases that were set aside', async () => {
    using folder = tempFolder();
    const places = await plant(folder.path, 2);
    await trashThread(options(folder.path, ID));
    writeThread(folder.path, 1, [`Again the ${WORDS[0]}`]);
    await compressThread(options(folder.path, ID));
    const day = join(folder.path, 'sessions', '2026', '05', '04');
    writeFileSync(join(day, `.rollout-2026-05-04T10-00-00-${ID}.jsonl.zst.99999.0123456789ab.tmp`), WORDS[1]);
    writeFileSync(join(day, `rollout-2026-05-04T10-00-00-${ID}.jsonl.decompress.99999.1.tmp`), WORDS[1]);
    symlinkSync('/etc/hostname', join(day, `rollout-2026-05-04T11-00-00-${ID}.jsonl`));
    copyFileSync(places.derived.state, `${places.derived.state}.damaged-20260504T100000000Z-1`);
    await index(places);
    const { removed } = await purgeThread({ ...options(folder.path, ID), ...places });
    expect(filesHolding(folder.path, EVERYTHING)).toEqual([]);
    expect(removed).toContain(join(folder.path, 'trash', ID));
    expect(existsSync('/etc/hostname')).toBe(true);
    expect(await listTrash({ ownHome: folder.path, files })).toEqual({ entries: [], damaged: [] });
    expect(await prove(places)).toEqual({ equal: true, differences: [] });
  });

  test('removes nothing while a database is locked, and all once it is not (field faults C#39919, zszz3#446)', async () => {
    using folder = tempFolder();
    const places = await plant(folder.path, 2);
    const before = logsOf(folder.path);
    for (const path of [places.derived.state, places.derived.search, places.logs]) {
      const holder = openSqlite({ path, applicationId: APPLICATION_ID });
      holder.exec('BEGIN IMMEDIATE');
      await expect(purgeThread({ ...options(folder.path, ID), ...places, busyTimeoutMs: 20 })).rejects.toMatchObject({
        code: 'index-not-writable',
        path,
      });
      holder.exec('ROLLBACK');
      holder.close();
      expect(logsOf(folder.path)).toEqual(before);
      expect(existsSync(join(folder.path, 'unfinished'))).toBe(false);
    }
    expect((await purgeThread({ ...options(folder.path, ID), ...places })).changed).toBe(true);
    expect(filesHolding(folder.path, EVERYTHING)).toEqual([]);
  });

  test('of a thread of another program touches its files and names, and what we derive from them', async () => {
    using own = tempFolder();
    using foreign = tempFolder();
    const there = await plant(foreign.path, 2);
    const mine: Places = { ...placesOf(own.path), home: foreign.path };
    await index(mine);
    const theirs = readFileSync(there.derived.state);
    await purgeThread({ ...options(foreign.path, ID, own.path), ...mine });
    expect(filesHolding(own.path, EVERYTHING)).toEqual([]);
    expect(filesHolding(foreign.path, EVERYTHING).every((found) => found.startsWith('db/'))).toBe(true);
    expect(readFileSync(there.derived.state).equals(theirs)).toBe(true);
  });
});
