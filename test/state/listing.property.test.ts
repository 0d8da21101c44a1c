import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  comparePositions,
  encodeCursor,
  type FileRecord,
  openStateDatabase,
  rowPosition,
  type StateDatabase,
  type ThreadRecord,
} from '../../src/state/index.js';
import type { RowPage, ThreadPageQuery } from '../../src/state/thread-queries.js';
import { fileRecord, HOME, START_MS, threadId, threadRecord } from './records.js';

/** Few values, so that ties and filters that fit are common. */
const instant = fc.integer({ min: 0, max: 6 }).map((ms) => START_MS + ms);
const cwd = fc.constantFrom('/a', '/b', null);
const source = fc.constantFrom('cli', 'exec', '{"subagent":{"other":"guardian"}}');
const provider = fc.constantFrom('openai', 'ollama', null);

const row = fc.record({
  createdAtMs: instant,
  updatedAtMs: instant,
  cwd,
  source,
  modelProvider: provider,
  archived: fc.boolean(),
  hidden: fc.constantFrom(null, null, 'internal' as const, 'child' as const),
});
const rows = fc.array(row, { maxLength: 40 });

const query = fc.record(
  {
    sort: fc.constantFrom('updated' as const, 'created' as const),
    cwd: fc.constantFrom('/a', '/b', '/none'),
    source,
    provider: fc.constantFrom('openai', 'none'),
    archived: fc.boolean(),
    sinceMs: instant,
    untilMs: instant,
  },
  { requiredKeys: [] },
);

describe('listThreads()', () => {
  test('gives each fitting thread once, in order, for any page size', () => {
    fc.assert(
      fc.property(rows, query, fc.integer({ min: 1, max: 9 }), (given, asked, limit) => {
        using db = openStateDatabase({ homePath: HOME });
        const records = given.map((part, n) => threadRecord(n, part));
        db.transaction(() => {
          for (const record of records) db.putThread(record);
        });
        const expected = records.filter((record) => fits(record, asked)).sort(byNewest(asked.sort));
        const pages = readPages((cursor) => db.listThreads({ ...asked, limit, cursor }));
        expect(pages.flat()).toEqual(expected.map((record) => record.id));
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
        expect(db.countThreads(asked)).toBe(expected.length);
        expect(db.listedIds(asked)).toEqual(pages.flat());
      }),
      { numRuns: 150 },
    );
  });

  test('goes on behind the last row seen while threads come and go', () => {
    fc.assert(
      fc.property(rows, rows, fc.integer({ min: 1, max: 5 }), (before, added, limit) => {
        using db = openStateDatabase({ homePath: HOME });
        const records = before.map((part, n) => threadRecord(n, { ...part, archived: false, hidden: null }));
        for (const record of records) db.putThread(record);
        const first = db.listThreads({ limit });
        const shown = new Set(first.threads.map((thread) => thread.id));
        for (const [n, part] of added.entries()) db.putThread(threadRecord(1000 + n, part));
        for (const id of shown) if (id !== null) db.removeThread(id);
        if (first.nextCursor === null) return;
        const rest = new Set(
          readPages((cursor) => db.listThreads({ limit, cursor: cursor ?? first.nextCursor ?? '' })).flat(),
        );
        for (const record of records) expect(rest.has(record.id)).toBe(!shown.has(record.id));
      }),
      { numRuns: 50 },
    );
  });
});

describe('listFiles()', () => {
  test('gives each file once, in order, for any page size', () => {
    const file = fc.record({
      createdAtMs: instant,
      updatedAtMs: instant,
      location: fc.constantFrom('active' as const, 'archived' as const),
      hiddenReason: fc.constantFrom(null, 'segment' as const, 'duplicate' as const),
    });
    fc.assert(
      fc.property(fc.array(file, { maxLength: 30 }), query, fc.integer({ min: 1, max: 7 }), (given, asked, limit) => {
        using db = openStateDatabase({ homePath: HOME });
        const records = given.map((part, n) => fileRecord(n, part));
        for (const record of records) db.putFile(record, { expected: null });
        const { sinceMs, untilMs, archived, sort } = asked;
        const narrowed = { sinceMs, untilMs, archived, sort };
        const expected = records.filter((record) => fileFits(record, narrowed)).sort(filesByNewest(sort));
        const pages = readPages((cursor) => db.listFiles({ ...narrowed, limit, cursor }), 'path');
        expect(pages.flat()).toEqual(expected.map((record) => record.path));
        expect(db.countListedFiles(narrowed)).toBe(expected.length);
        expect(sum(db.hiddenCounts())).toBe(records.filter((record) => record.hiddenReason !== null).length);
      }),
      { numRuns: 100 },
    );
  });
});

describe('comparePositions()', () => {
  test('orders rows as the lists do, and a cursor made of a row goes on behind it', () => {
    const order = fc.record({ sort: fc.constantFrom('updated' as const, 'created' as const), files: fc.boolean() });
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3, unit: 'grapheme' }), { maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(instant, instant), { maxLength: 30 }),
        names,
        order,
        (instants, texts, { sort, files }) => {
          using db = openStateDatabase({ homePath: HOME });
          const safe = texts.filter((text) => !/[\0/]/.test(text));
          for (const [n, [createdAtMs, updatedAtMs]] of instants.entries()) {
            const path = `${HOME}/sessions/${safe[n] ?? ''}-${n}`;
            // The file's own instants differ from the thread's, which are those that its head is listed under.
            db.putFile(fileRecord(n, { path }), { expected: null });
            db.putThread(threadRecord(n, { path, createdAtMs, updatedAtMs }));
          }
          const list = (limit: number, cursor?: string): RowPage =>
            files ? db.listFiles({ sort, limit, cursor }) : db.listThreads({ sort, limit, cursor });
          const { threads } = list(100);
          const positions = threads.map((thread) => rowPosition(thread, { sort, files }));
          expect(positions.toSorted(comparePositions)).toEqual(positions);
          for (const [place, position] of positions.entries()) {
            expect(list(100, encodeCursor(position)).threads).toEqual(threads.slice(place + 1));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('hiddenCounts()', () => {
  test('and countThreads() always give the number of threads', () => {
    fc.assert(
      fc.property(rows, (given) => {
        using db: StateDatabase = openStateDatabase({ homePath: HOME });
        for (const [n, part] of given.entries()) db.putThread(threadRecord(n, part));
        expect(db.countThreads() + sum(db.hiddenCounts())).toBe(given.length);
      }),
      { numRuns: 50 },
    );
  });
});

type Query = Omit<ThreadPageQuery, 'limit'>;

function fits(record: ThreadRecord, asked: Query): boolean {
  const key = asked.sort === 'created' ? record.createdAtMs : record.updatedAtMs;
  return (
    record.hidden === null &&
    record.archived === (asked.archived ?? false) &&
    (asked.cwd === undefined || record.cwd === asked.cwd) &&
    (asked.source === undefined || record.source === asked.source) &&
    (asked.provider === undefined || record.modelProvider === asked.provider) &&
    (asked.sinceMs === undefined || key >= asked.sinceMs) &&
    (asked.untilMs === undefined || key < asked.untilMs)
  );
}

function byNewest(sort: Query['sort']): (a: ThreadRecord, b: ThreadRecord) => number {
  const key = (record: ThreadRecord): number => (sort === 'created' ? record.createdAtMs : record.updatedAtMs);
  return (a, b) => key(b) - key(a) || (a.id < b.id ? 1 : -1);
}

function fileFits(record: FileRecord, asked: Query): boolean {
  const key = asked.sort === 'created' ? record.createdAtMs : record.updatedAtMs;
  return (
    (asked.archived === undefined || (record.location === 'archived') === asked.archived) &&
    (asked.sinceMs === undefined || key >= asked.sinceMs) &&
    (asked.untilMs === undefined || key < asked.untilMs)
  );
}

function filesByNewest(sort: Query['sort']): (a: FileRecord, b: FileRecord) => number {
  const key = (record: FileRecord): number => (sort === 'created' ? record.createdAtMs : record.updatedAtMs);
  return (a, b) => key(b) - key(a) || (a.path < b.path ? -1 : 1);
}

function readPages(list: (cursor: string | undefined) => RowPage, field: 'id' | 'path' = 'id'): (string | null)[][] {
  const pages: (string | null)[][] = [];
  let cursor: string | undefined;
  do {
    const page = list(cursor);
    pages.push(page.threads.map((thread) => thread[field]));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && pages.length < 1_000);
  return pages;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}

test('threadId() orders as its number', () => {
  expect(threadId(15) < threadId(16)).toBe(true);
});
