/**
 * Whatever happens to what is derived from a home, every thread is listed as before, its bytes are kept where they are ours, and
 * the home is not touched.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ThreadRow } from '../../src/home/index.js';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID } from '../../src/state/index.js';
import { copyHome, type Lab, newLab, openForeign, putFile, snapshot, threadId } from './lab.js';
import { FIXTURES, file, LEGACY, LOGS, PAGINATED } from './logs.js';

const LINEAGE_HOME = join(FIXTURES, 'codex/0.171.0/lineage/home');

function labOfManyThreads(): Lab {
  const lab = newLab();
  copyHome(LINEAGE_HOME, lab);
  for (const log of LOGS) putFile(lab.home, log.path, file(log.lines));
  return lab;
}

interface Read {
  readonly rows: readonly ThreadRow[];
  readonly notices: readonly string[];
}

/** What a process of its own would see: the list, all files, and one thread. */
async function read(lab: Lab): Promise<Read> {
  const notices: string[] = [];
  const reader = await openForeign(lab, { onNotice: (message) => notices.push(message) });
  const { items } = await (await reader.open(threadId(LEGACY.id))).history();
  expect(items).toEqual(LEGACY.items);
  const page = await reader.list({ all: true });
  expect(page.index.state).toBe('complete');
  const active = await reader.list();
  expect(active.threads).toHaveLength(active.total);
  await reader.close();
  return { rows: page.threads, notices };
}

function indexOf(lab: Lab): string {
  const folder = join(lab.user, '.codicil', 'indexes');
  return join(folder, readdirSync(folder)[0]!, 'state_5.sqlite');
}

/** Overwrites pages of 4 KiB, from page `from` (0-based) on, before page `to`. */
function damagePages(path: string, from: number, to: number): void {
  const pages = Math.min(to, Math.floor(statSync(path).size / 4096));
  const handle = openSync(path, 'r+');
  for (let page = from; page < pages; page += 1) writeSync(handle, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096);
  closeSync(handle);
}

interface IndexFault {
  readonly row: string;
  readonly damage: (index: string) => void;
  /** Bytes of the damaged database are kept under another name. */
  readonly setAside?: boolean;
  /** Nothing can be kept on disk this time. */
  readonly inMemory?: boolean;
}

const INDEX_FAULTS: readonly IndexFault[] = [
  { row: 'j1: garbage', damage: (index) => writeFileSync(index, 'garbage '.repeat(4000)), setAside: true },
  { row: 'j1: garbage behind a sound header', damage: (index) => damagePages(index, 1, 1000), setAside: true },
  {
    row: 'j2: cut in half',
    damage: (index) => truncateSync(index, Math.floor(statSync(index).size / 2)),
    setAside: true,
  },
  { row: 'j3: zero bytes', damage: (index) => truncateSync(index, 0) },
  { row: 'j4: deleted', damage: (index) => rmSync(index) },
  {
    row: 'j5: three pages in the middle',
    damage: (index) => {
      const middle = Math.floor(statSync(index).size / 8192);
      damagePages(index, middle, middle + 3);
    },
    setAside: true,
  },
  {
    row: 'j6: a folder in its place',
    damage: (index) => {
      rmSync(index);
      mkdirSync(index);
    },
    inMemory: true,
  },
  {
    row: 'a database of another program in its place',
    damage: (index) => {
      const bytes = readFileSync(index);
      bytes.writeUInt32BE(0x12345678, 68);
      writeFileSync(index, bytes);
    },
    inMemory: true,
  },
  {
    row: 'a file in the place of its folder',
    damage: (index) => {
      rmSync(dirname(index), { recursive: true });
      writeFileSync(dirname(index), '');
    },
  },
  {
    row: 'a link to nothing in the place of all indexes',
    damage: (index) => {
      const indexes = dirname(dirname(index));
      rmSync(indexes, { recursive: true });
      symlinkSync('/nowhere/at/all', indexes);
    },
  },
  {
    row: 'a -wal of another generation',
    damage: (index) => writeFileSync(`${index}-wal`, Buffer.alloc(40_000, 0x37)),
  },
];

describe('a damaged index', () => {
  test.each(INDEX_FAULTS)('$row: every thread is listed as before', async ({ damage, setAside, inMemory }) => {
    const lab = labOfManyThreads();
    const before = snapshot(lab.home);
    const whole = await read(lab);
    expect(whole.notices).toEqual([]);
    const index = indexOf(lab);
    damage(index);
    const first = await read(lab);
    expect(first.rows).toEqual(whole.rows);
    const second = await read(lab);
    expect(second.rows).toEqual(whole.rows);
    if (setAside) {
      expect(first.notices.join()).toMatch(/set aside/);
      const kept = /bytes are kept in (\S+)/.exec(first.notices.join())![1]!;
      expect(existsSync(kept)).toBe(true);
      expect(second.notices).toEqual([]);
    } else if (inMemory) {
      expect(first.notices.join()).toMatch(/kept in memory/);
    }
    expect(snapshot(lab.home)).toEqual(before);
  });

  test('j7: a file deleted after indexing is not listed, and opening it says so', async () => {
    const lab = labOfManyThreads();
    const whole = await read(lab);
    rmSync(join(lab.home, PAGINATED.path));
    const rest = await read(lab);
    expect(rest.rows).toEqual(whole.rows.filter(({ id }) => id !== PAGINATED.id));
    const reader = await openForeign(lab);
    await expect(reader.open(threadId(PAGINATED.id))).rejects.toMatchObject({ code: 'thread-not-found' });
    expect(await reader.why(PAGINATED.id)).toEqual([]);
  });

  test('j8, j9: databases of the home itself are never opened, damaged or not', async () => {
    const lab = labOfManyThreads();
    const whole = await read(lab);
    for (const name of ['state_5', 'thread_history_1', 'logs_2', 'goals_1', 'memories_1', 'queue_1']) {
      putFile(lab.home, `${name}.sqlite`, 'garbage '.repeat(1000));
    }
    mkdirSync(join(lab.home, 'memories_v2_1.sqlite'));
    const before = snapshot(lab.home);
    expect((await read(lab)).rows).toEqual(whole.rows);
    expect(snapshot(lab.home)).toEqual(before);
  });

  test('D C#28666: an index that another process holds locked delays nobody who changed nothing', async () => {
    const lab = labOfManyThreads();
    const whole = await read(lab);
    const holder = await holdLock(indexOf(lab));
    try {
      expect(await read(lab)).toEqual(whole);
    } finally {
      holder.kill();
    }
  });

  test('D C#28666: an index that stays locked is done without: new threads are listed', async () => {
    const lab = labOfManyThreads();
    rmSync(join(lab.home, PAGINATED.path));
    const before = await read(lab);
    const holder = await holdLock(indexOf(lab));
    try {
      putFile(lab.home, PAGINATED.path, file(PAGINATED.lines));
      const after = await read(lab);
      expect(after.rows).toHaveLength(before.rows.length + 1);
      expect(after.notices.join()).toMatch(/kept in memory/);
    } finally {
      holder.kill();
    }
  });

  test('D C#31433: a row that is missing in the index comes back from the logs', async () => {
    const lab = labOfManyThreads();
    const whole = await read(lab);
    const index = indexOf(lab);
    const database = openSqlite({ path: index, applicationId: APPLICATION_ID });
    database.exec(`DELETE FROM threads WHERE id = '${LEGACY.id}'`);
    database.close();
    const reader = await openForeign(lab);
    const proof = await reader.rebuild({ prove: true });
    expect(proof).toMatchObject({ equal: false, differences: [expect.stringContaining(LEGACY.id)] });
    await reader.close();
    expect((await read(lab)).rows).toEqual(whole.rows);
  });

  test('D zero rows: the index of a home that was emptied lists nothing and says so', async () => {
    const lab = labOfManyThreads();
    await read(lab);
    rmSync(join(lab.home, 'sessions'), { recursive: true });
    rmSync(join(lab.home, 'archived_sessions'), { recursive: true });
    const reader = await openForeign(lab);
    expect(await reader.list({ all: true })).toMatchObject({ threads: [], total: 0, index: { files: 0, indexed: 0 } });
  });

  test.runIf(process.getuid?.() !== 0)('an index folder without permission leaves the list in memory', async () => {
    const lab = labOfManyThreads();
    chmodSync(lab.user, 0o500);
    try {
      expect((await read(lab)).rows.length).toBeGreaterThan(5);
    } finally {
      chmodSync(lab.user, 0o700);
    }
  });
});

/** Another process in an exclusive transaction on `path`. */
async function holdLock(path: string) {
  const script = `
    let Database;
    try { Database = require('node:sqlite').DatabaseSync; } catch { Database = require('better-sqlite3'); }
    const database = new Database(${JSON.stringify(path)});
    database.exec('BEGIN EXCLUSIVE');
    console.log('held');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script], { cwd: process.cwd() });
  await once(child.stdout, 'data');
  return child;
}
