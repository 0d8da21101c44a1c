import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID, openStateDatabase, type StateDatabase, type StateIndex } from '../../src/state/index.js';
import { fileRecord, HOME, threadId, threadRecord } from './records.js';

let folder: string;
let path: string;
let db: StateDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-generations-'));
  path = join(folder, 'state_5.sqlite');
  db = openStateDatabase({ path, homePath: HOME });
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

function fill(index: StateIndex, numbers: readonly number[]): void {
  index.transaction(() => {
    for (const n of numbers) {
      index.putFile(fileRecord(n), { expected: null });
      index.putThread(threadRecord(n));
      index.putEdges([{ child: threadId(n), parent: threadId(0) }]);
    }
  });
}

const ids = (index: StateIndex): unknown => index.allThreads().map((thread) => thread.id);

/** What the file holds, past the API. */
function rowCounts(): unknown {
  using raw = openSqlite({ path, applicationId: APPLICATION_ID, readOnly: true });
  const count = (table: string): unknown =>
    raw.prepare<{ readonly n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
  return ['generations', 'threads', 'rollout_files', 'rollout_stamps', 'thread_spawn_edges'].map(count);
}

describe('flipGeneration()', () => {
  test('shows the new generation at once and leaves no row of the old one', () => {
    fill(db, [1, 2, 3]);
    const before = db.currentGeneration();
    const generation = db.beginGeneration();
    const building = db.inGeneration(generation);
    fill(building, [2, 4]);
    expect(ids(db)).toEqual([threadId(1), threadId(2), threadId(3)]);
    expect(ids(building)).toEqual([threadId(2), threadId(4)]);
    db.flipGeneration(generation);
    expect(db.currentGeneration()).toBe(generation);
    expect(generation).not.toBe(before);
    expect(ids(db)).toEqual([threadId(2), threadId(4)]);
    expect([...db.watermarks().keys()]).toEqual([fileRecord(2).path, fileRecord(4).path]);
    expect(rowCounts()).toEqual([1, 2, 2, 2, 2]);
  });

  test('leaves a reader that is in the middle with what it saw', () => {
    fill(db, [1, 2, 3]);
    using reader = openStateDatabase({ path, homePath: HOME });
    reader.snapshot(() => {
      const first = reader.listThreads({ limit: 2 });
      const generation = db.beginGeneration();
      fill(db.inGeneration(generation), [7]);
      db.flipGeneration(generation);
      const second = reader.listThreads({
        limit: 2,
        ...(first.nextCursor === null ? {} : { cursor: first.nextCursor }),
      });
      expect([...first.threads, ...second.threads].map((row) => row.id)).toEqual([
        threadId(3),
        threadId(2),
        threadId(1),
      ]);
      expect(reader.countThreads()).toBe(3);
    });
    expect(ids(reader)).toEqual([threadId(7)]);
  });

  test('refuses a generation that is not being built, and changes nothing', () => {
    fill(db, [1]);
    const generation = db.beginGeneration();
    db.abandonGeneration(generation);
    for (const none of [generation, db.currentGeneration(), 999]) {
      expect(() => db.flipGeneration(none)).toThrow(expect.objectContaining({ code: 'state-generation-gone' }));
    }
    expect(ids(db)).toEqual([threadId(1)]);
  });

  test('gives the pages of the old generation back', () => {
    db.transaction(() => {
      for (let n = 0; n < 4_500; n += 1) db.putThread(threadRecord(n));
    });
    const full = db.sizeBytes();
    const generation = db.beginGeneration();
    db.flipGeneration(generation);
    expect(db.sizeBytes()).toBeLessThan(full / 10);
    expect(db.quickCheck()).toEqual([]);
  });
});

describe('abandonGeneration()', () => {
  test('deletes what was built and keeps the current one', () => {
    fill(db, [1]);
    const generation = db.beginGeneration();
    const building = db.inGeneration(generation);
    fill(building, [2, 3]);
    db.abandonGeneration(generation);
    expect(ids(db)).toEqual([threadId(1)]);
    expect(rowCounts()).toEqual([1, 1, 1, 1, 1]);
    expect(() => building.putThread(threadRecord(4))).toThrow(
      expect.objectContaining({ code: 'state-generation-gone' }),
    );
    db.abandonGeneration(db.currentGeneration());
    expect(ids(db)).toEqual([threadId(1)]);
  });
});

describe('beginGeneration()', () => {
  test('never gives a number twice', () => {
    const first = db.beginGeneration();
    db.abandonGeneration(first);
    expect(db.beginGeneration()).toBeGreaterThan(first);
  });

  test('sweeps rebuilds that died, and none that still runs', () => {
    const raw = openSqlite({ path, applicationId: APPLICATION_ID });
    const insert = raw.prepare(
      "INSERT INTO generations (state, started_at_ms, host, process_id) VALUES ('building', ?, ?, ?)",
    );
    const now = Date.now();
    const day = 24 * 60 * 60 * 1000;
    const rows: [number, string, number][] = [
      [now, hostname(), 2 ** 30],
      [now - 9 * day, hostname(), process.pid],
      [now, 'another-host', 1],
      [now - 2 * day, 'another-host', 1],
    ];
    const [dead, own, elsewhere, forgotten] = rows.map((row) => insert.run(...row).lastInsertRowId);
    raw.close();
    for (const generation of [dead, own, elsewhere, forgotten]) fill(db.inGeneration(generation ?? 0), [1]);
    db.beginGeneration();
    const alive = (generation: number | undefined): boolean => db.inGeneration(generation ?? 0).countThreads() === 1;
    expect([dead, own, elsewhere, forgotten].map(alive)).toEqual([false, true, true, false]);
  });
});
