import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../../src/platform/sqlite/index.js';
import { APPLICATION_ID, type SetAside } from '../../../src/state/index.js';
import { LazyLogStore, openLogsDatabase } from '../../../src/state/logs/index.js';
import { bundleChildren, type Children } from '../children.js';
import { NOW, record, records } from './records.js';

let children: Children;
let folder: string;
let path: string;

beforeAll(async () => {
  children = await bundleChildren('logs/child-main.ts');
});
afterAll(() => children[Symbol.dispose]());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-logs-processes-'));
  path = join(folder, 'logs_2.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NUMBERS = [1, 2, 3];

async function writeAtOnce(): Promise<unknown[]> {
  const running = NUMBERS.map((n) => children.start('write', path, String(n)));
  for (const child of running) expect(await child.next()).toBe('ready');
  for (const child of running) child.go();
  const said = await Promise.all(running.map((child) => child.next()));
  for (const child of running) expect(await child.ended).toEqual({ status: 0, stderr: '' });
  return said;
}

function soundRows(): Record<string, number> {
  using database = openSqlite({ path, applicationId: APPLICATION_ID });
  expect(database.pragma('integrity_check')).toBe('ok');
  using logs = openLogsDatabase({ path, now: () => NOW });
  return Object.fromEntries(logs.partitions().map(({ key, rows }) => [key, rows]));
}

describe('processes that log at once', () => {
  test('lose no row of each other', async () => {
    expect(await writeAtOnce()).toEqual(NUMBERS.map(() => ({ written: 400, setAside: 0 })));
    expect(soundRows()).toEqual({ 'pid:1': 400, 'pid:2': 400, 'pid:3': 400 });
  });

  test('set a damaged log aside once, with its bytes, and all write to the fresh one', async () => {
    const bytes = 'damaged '.repeat(1000);
    writeFileSync(path, bytes);
    const said = (await writeAtOnce()) as { setAside: number }[];
    expect(said.reduce((sum, { setAside }) => sum + setAside, 0)).toBe(1);
    const copies = readdirSync(folder).filter((name) => name.includes('.damaged-'));
    expect(copies).toHaveLength(1);
    expect(readFileSync(join(folder, copies[0]!), 'utf8')).toBe(bytes);
    expect(soundRows()).toEqual({ 'pid:1': 400, 'pid:2': 400, 'pid:3': 400 });
  });
});

describe('a process that is killed in the middle of a batch', () => {
  test('leaves a sound log without any row of that batch', async () => {
    expect(await children.start('die-in-batch', path).ended).toMatchObject({ status: 'SIGKILL' });
    expect(soundRows()).toEqual({ 'pid:whole': 100 });
  });
});

describe('LazyLogStore', () => {
  const storeOf = (events: SetAside[]): LazyLogStore =>
    new LazyLogStore(async ({ check }) =>
      openLogsDatabase({ path, now: () => NOW, check, onSetAside: (event) => events.push(event) }),
    );

  test('opens nothing before the first batch', async () => {
    const store = storeOf([]);
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('sets a log aside that turns out to be damaged in use, and writes the batch to a fresh one', async () => {
    const events: SetAside[] = [];
    const store = storeOf(events);
    expect(await store.write(records(10))).toBe(true);
    using other = openSqlite({ path, applicationId: APPLICATION_ID });
    other.exec('DROP TABLE logs');
    other.close();
    expect(await store.write([record({ message: 'after the damage' })])).toBe(true);
    await store.close();
    expect(events).toHaveLength(1);
    using logs = openLogsDatabase({ path, now: () => NOW });
    expect(logs.rows({ limit: 10 }).map(({ message }) => message)).toEqual(['after the damage']);
  });

  test('gives up for this run where the log cannot be opened', async () => {
    const other = openSqlite({ path, applicationId: 5 });
    other.exec('CREATE TABLE logs (id INTEGER)');
    other.close();
    const before = readFileSync(path);
    const store = storeOf([]);
    await expect(store.write([record()])).rejects.toMatchObject({ code: 'sqlite-foreign' });
    expect(await store.write([record()])).toBe(false);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
