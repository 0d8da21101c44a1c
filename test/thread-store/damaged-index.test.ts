import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID, openStateDatabase } from '../../src/state/index.js';
import type { DatabasePaths } from '../../src/thread-store/local/index/index-handle.js';
import type { ThreadPage } from '../../src/thread-store/session-reader.js';
import {
  copyFixtures,
  derivedPaths,
  openReader,
  rolloutLines,
  rolloutPath,
  tempFolder,
  uuid,
  writeLines,
} from './temp-home.js';

let root: ReturnType<typeof tempFolder>;
let home: string;
let index: string;
let wanted: ThreadPage;

beforeEach(async () => {
  root = tempFolder();
  home = join(root.path, 'home');
  index = join(root.path, 'index', 'state_5.sqlite');
  mkdirSync(home);
  mkdirSync(dirname(index));
  copyFixtures(home, ['0.171.0/lineage', '0.80.0/appserver']);
  // Enough rows that pages in the middle hold some.
  for (let number = 1; number <= 150; number += 1) {
    writeLines(
      rolloutPath(home, uuid(number)),
      rolloutLines({ id: uuid(number), says: [`Thread ${number} ${'x'.repeat(300)}`] }),
    );
  }
  await using reader = openReader(home);
  wanted = await reader.list({ limit: 1000 });
});
afterEach(() => root[Symbol.dispose]());

async function build(): Promise<void> {
  await using reader = openReader(home, { index });
  await reader.list();
}

/** The copies of damaged indexes, without their companions. */
function beside(): readonly string[] {
  return readdirSync(dirname(index))
    .filter((name) => /\.damaged-[^-]*-\d+$/.test(name))
    .sort();
}

function putGarbage(): void {
  writeFileSync(index, 'garbage '.repeat(2000));
}

function damageMiddle(): void {
  const bytes = readFileSync(index);
  // What opening reads lies before.
  const pages = Math.floor(bytes.length / 4096);
  bytes.fill(0x5a, Math.floor(pages / 2) * 4096, pages * 4096);
  writeFileSync(index, bytes);
}

describe('LocalSessionReader, when between two runs its index', () => {
  test.each([
    ['became garbage', putGarbage],
    ['was cut', () => truncateSync(index, 10_000)],
    ['lost its pages', damageMiddle],
  ])('%s, lists from the logs, keeps the bytes and says where', async (_what, damage) => {
    await build();
    damage();
    const bytes = readFileSync(index);
    await using reader = openReader(home, { index });
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    const [kept, ...others] = beside();
    expect(others).toEqual([]);
    expect(readFileSync(join(dirname(index), kept ?? ''))).toEqual(bytes);
    expect(reader.notices).toEqual([expect.stringContaining(join(dirname(index), kept ?? ''))]);
    await using next = openReader(home, { index });
    expect(await next.list({ limit: 1000 })).toEqual(wanted);
    expect(next.notices).toEqual([]);
  });

  test('was replaced by a database of another program, lists from memory and leaves that alone', async () => {
    const other = openSqlite({ path: index, applicationId: 7 });
    other.exec('CREATE TABLE mine (x)');
    other.close();
    const bytes = readFileSync(index);
    await using reader = openReader(home, { index });
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    expect(reader.notices).toEqual([expect.stringMatching(/another program.*in memory/)]);
    expect(readFileSync(index)).toEqual(bytes);
  });

  test('was migrated by a newer release, goes on with it', async () => {
    await build();
    const newer = openSqlite({ path: index, applicationId: APPLICATION_ID });
    newer.exec(
      `INSERT INTO _codicil_migrations VALUES (9999, '9999_later.sql', 'sum', '2030-01-01'); CREATE TABLE later (x);`,
    );
    newer.close();
    await using reader = openReader(home, { index });
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    expect(reader.notices).toEqual([]);
  });

  test('was made by other migrations, lists from memory and leaves it alone', async () => {
    await build();
    const changed = openSqlite({ path: index, applicationId: APPLICATION_ID });
    changed.exec(`UPDATE _codicil_migrations SET checksum = 'other' WHERE version = 1`);
    changed.close();
    await using reader = openReader(home, { index });
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    expect(reader.notices).toEqual([expect.stringMatching(/0001_threads\.sql.*in memory/)]);
    expect(existsSync(index)).toBe(true);
  });

  test('cannot be made, lists from memory', async () => {
    rmSync(dirname(index), { recursive: true });
    writeFileSync(dirname(index), 'a file');
    await using reader = openReader(home, { index });
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    expect(reader.notices).toEqual(
      ['The index', 'The full-text index'].map((what) => expect.stringMatching(new RegExp(`^${what} .*in memory`))),
    );
  });
});

describe('LocalSessionReader, when while it is open its index', () => {
  test('loses its pages, lists from the logs once the damage is met', async () => {
    await build();
    await using reader = openReader(home, { index });
    await reader.latest();
    // What another process did to the file is seen when pages are read again.
    damageMiddle();
    let opened = 0;
    const indexPaths = async (): Promise<DatabasePaths> => {
      opened += 1;
      return derivedPaths(index);
    };
    await using late = openReader(home, { indexPaths });
    const pages = await Promise.all([
      late.list({ limit: 1000 }),
      late.list({ limit: 1000 }),
      late.list({ limit: 1000, sort: 'created' }),
    ]);
    expect(pages.map((page) => page.total)).toEqual([wanted.total, wanted.total, wanted.total]);
    expect(pages[0]).toEqual(wanted);
    // Once for all calls, once more for all that met the damage, and once for the full text.
    expect(opened).toBe(3);
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    expect(beside().length).toBeGreaterThan(0);
  });

  test('is deleted, goes on, and the next one builds it again', async () => {
    await build();
    await using reader = openReader(home, { index });
    await reader.list();
    for (const suffix of ['', '-wal', '-shm']) rmSync(index + suffix, { force: true });
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
    await using next = openReader(home, { index });
    expect(await next.list({ limit: 1000 })).toEqual(wanted);
    expect(next.notices).toEqual([]);
  });

  test('is rebuilt by another, sees the one index or the other, whole', async () => {
    await build();
    await using first = openReader(home, { index });
    await using second = openReader(home, { index });
    await using rebuilder = openReader(home, { index });
    let done = false;
    const rebuilt = rebuilder.rebuild({ prove: true }).finally(() => {
      done = true;
    });
    let lists = 0;
    do {
      for (const reader of [first, second]) expect(await reader.list({ limit: 1000 })).toEqual(wanted);
      lists += 1;
    } while (!done);
    expect(await rebuilt).toMatchObject({ equal: true, threads: 158 });
    expect(lists).toBeGreaterThan(0);
    expect(await first.list({ limit: 1000 })).toEqual(wanted);
    using state = openStateDatabase({ path: index, homePath: home });
    expect(state.quickCheck()).toEqual([]);
  });
});

describe('LocalSessionReader', () => {
  test('tries again to open an index whose folder could not be asked for', async () => {
    let asked = 0;
    await using reader = openReader(home, {
      indexPaths: async () => {
        asked += 1;
        if (asked === 1) throw new Error('Not yet');
        return derivedPaths(index);
      },
    });
    await expect(reader.list()).rejects.toThrow('Not yet');
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
  });

  test('closes when its calls are done, more than once, and when it never opened an index', async () => {
    const reader = openReader(home, { index });
    const page = reader.list({ limit: 1000 });
    await reader.close();
    expect(await page).toEqual(wanted);
    await reader.close();
    await openReader(home).close();
  });

  test('takes an index over that lies at another place', async () => {
    await build();
    const copy = join(root.path, 'copy.sqlite');
    copyFileSync(index, copy);
    await using reader = openReader(home, { index: copy });
    expect(await reader.list({ limit: 1000 })).toEqual(wanted);
  });
});

describe('an index that is sound to SQLite and makes no sense', () => {
  test.each(['DELETE FROM generations', 'DROP TABLE threads', 'DROP TABLE index_notes'])(
    'after %s is set aside and built again',
    async (sql) => {
      await build();
      const database = openSqlite({ path: index, applicationId: APPLICATION_ID });
      database.exec(sql);
      database.close();
      const notices: string[] = [];
      await using reader = openReader(home, { index, onNotice: (notice) => notices.push(notice) });
      expect(await reader.list({ limit: 1000 })).toEqual(wanted);
      expect(notices).toEqual([expect.stringContaining('set aside')]);
      expect(beside()).toHaveLength(1);
      expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true });
    },
  );

  test('is told apart by a proof where only a branch was written into a thread that has no repository', async () => {
    await build();
    {
      using database = openSqlite({ path: index, applicationId: APPLICATION_ID });
      const sql = "UPDATE threads SET git_branch = 'main' WHERE has_git = 0 AND id = (SELECT min(id) FROM threads)";
      expect(database.prepare(sql).run().changes).toBe(1);
    }
    await using reader = openReader(home, { index });
    expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: false });
    expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true });
  });
});
