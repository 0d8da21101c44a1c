import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID, migrate, openStateDatabase } from '../../src/state/index.js';
import { STATE_MIGRATIONS } from '../../src/state/migrations/index.js';
import { bundleChildren, type Children } from './children.js';
import { fileRecord, HOME, threadId, threadRecord } from './records.js';

let children: Children;
let folder: string;
let path: string;

beforeAll(async () => {
  children = await bundleChildren();
});
afterAll(() => children[Symbol.dispose]());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-processes-'));
  path = join(folder, 'state_5.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NUMBERS = [1, 2, 3, 4, 5];
const SOUND = { status: 0, stderr: '' };

/** Five children that are all up, then act at once; what each said last. */
async function five(verb: string): Promise<unknown[]> {
  const running = NUMBERS.map((n) => children.start(verb, path, String(n)));
  for (const child of running) expect(await child.next()).toBe('ready');
  for (const child of running) child.go();
  const said = await Promise.all(running.map((child) => child.next()));
  expect(await Promise.all(running.map((child) => child.ended))).toEqual(NUMBERS.map(() => SOUND));
  return said;
}

function requireAllRows(): void {
  using db = openStateDatabase({ path, homePath: HOME });
  expect(db.allThreads().map((thread) => thread.id)).toEqual(NUMBERS.map(threadId));
  expect(db.childrenOf([threadId(0)]).get(threadId(0))).toEqual(NUMBERS.map(threadId));
  expect(db.quickCheck()).toEqual([]);
}

describe('openStateDatabase() in five processes at once', () => {
  const nothing = { setAside: 0, memory: null };

  test('creates one database', async () => {
    expect(await five('open')).toEqual(NUMBERS.map(() => nothing));
    requireAllRows();
  });

  test('creates one database over an empty file', async () => {
    closeSync(openSync(path, 'w'));
    expect(await five('open')).toEqual(NUMBERS.map(() => nothing));
    requireAllRows();
  });

  test('migrates an old database once', async () => {
    const old = openSqlite({ path, applicationId: APPLICATION_ID });
    migrate(old, STATE_MIGRATIONS.slice(0, 1), () => 0);
    old.close();
    expect(await five('open')).toEqual(NUMBERS.map(() => nothing));
    requireAllRows();
  });

  test('sets a damaged database aside once, and all work on the fresh one', async () => {
    writeFileSync(path, 'damaged '.repeat(1000));
    const said = await five('open');
    expect(said.filter((one) => JSON.stringify(one) === JSON.stringify({ setAside: 1, memory: null }))).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.includes('.damaged-'))).toHaveLength(1);
    requireAllRows();
  });

  test('putFile() lets every step count once', async () => {
    const won = await five('race');
    using db = openStateDatabase({ path, homePath: HOME });
    expect(db.watermark(fileRecord(1).path)?.lines).toBe(won.reduce<number>((sum, n) => sum + Number(n), 0));
  });
});

describe('a process that is killed', () => {
  test('in a migration leaves the database as it was', async () => {
    const old = openSqlite({ path, applicationId: APPLICATION_ID });
    migrate(old, STATE_MIGRATIONS.slice(0, 1), () => 0);
    old.close();
    expect(await children.start('die-in-migration', path).ended).toMatchObject({ status: 'SIGKILL' });
    const left = openSqlite({ path, applicationId: APPLICATION_ID });
    expect(left.prepare('SELECT version FROM _codicil_migrations').all()).toEqual([{ version: 1 }]);
    expect(left.prepare("SELECT name FROM sqlite_schema WHERE name = 'rollout_files'").get()).toBeUndefined();
    left.close();
    using db = openStateDatabase({ path, homePath: HOME });
    db.putFile(fileRecord(1), { expected: null });
    expect(db.allFiles()).toEqual([fileRecord(1)]);
  });

  test('in a rebuild leaves the current generation, and is swept by the next one', async () => {
    using db = openStateDatabase({ path, homePath: HOME });
    db.putThread(threadRecord(1));
    const child = children.start('die-in-rebuild', path, '2');
    expect(await child.next()).toBe('built');
    expect(await child.ended).toMatchObject({ status: 'SIGKILL' });
    const died = db.currentGeneration() + 1;
    expect(db.inGeneration(died).countThreads()).toBe(1);
    expect(db.allThreads()).toEqual([threadRecord(1)]);
    db.beginGeneration();
    expect(db.inGeneration(died).countThreads()).toBe(0);
    expect(db.allThreads()).toEqual([threadRecord(1)]);
  });
});

describe('a process that holds the database', () => {
  test('makes writers wait until it lets go, and readers not at all', async () => {
    openStateDatabase({ path, homePath: HOME }).close();
    const holder = children.start('hold', path);
    expect(await holder.next()).toBe('ready');
    using db = openStateDatabase({ path, homePath: HOME });
    expect(db.countThreads()).toBe(0);
    const writer = children.start('open', path, '1');
    expect(await writer.next()).toBe('ready');
    writer.go();
    holder.go();
    expect(await writer.next()).toEqual({ setAside: 0, memory: null });
    expect(await Promise.all([holder.ended, writer.ended])).toEqual([SOUND, SOUND]);
    expect(db.allThreads()).toEqual([threadRecord(1)]);
  });

  test('is named as busy when it does not let go', async () => {
    openStateDatabase({ path, homePath: HOME }).close();
    const holder = children.start('hold', path);
    expect(await holder.next()).toBe('ready');
    using db = openStateDatabase({ path, homePath: HOME, busyTimeoutMs: 50 });
    expect(() => db.putThread(threadRecord(1))).toThrow(
      expect.objectContaining({ code: 'sqlite-busy', path, hint: expect.stringContaining('Another process') }),
    );
    holder.go();
    expect(await holder.ended).toEqual(SOUND);
    db.putThread(threadRecord(1));
    expect(db.allThreads()).toEqual([threadRecord(1)]);
  });
});
