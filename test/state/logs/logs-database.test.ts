import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite, type SqliteDatabase } from '../../../src/platform/sqlite/index.js';
import { APPLICATION_ID, migrationChecksum } from '../../../src/state/index.js';
import { type LogBounds, type LogsDatabase, openLogsDatabase } from '../../../src/state/logs/index.js';
import { LOGS_MIGRATIONS } from '../../../src/state/logs/migrations.js';
import { NOW, PROCESS, record, records, thread } from './records.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-logs-'));
  path = join(folder, 'db', 'logs_2.sqlite');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const open = (bounds: Partial<LogBounds> = {}, nowMs = NOW): LogsDatabase =>
  openLogsDatabase({ path, now: () => nowMs, bounds });
const raw = (): SqliteDatabase => openSqlite({ path, applicationId: APPLICATION_ID });
const messages = (logs: LogsDatabase, query: Partial<Parameters<LogsDatabase['rows']>[0]> = {}): string[] =>
  logs.rows({ limit: 100_000, ...query }).map(({ message }) => message);
const sizeOf = (suffix = ''): number => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0;

test('the migrations are those that were released', () => {
  expect(LOGS_MIGRATIONS.map(({ name, sql }) => [name, migrationChecksum(sql)])).toEqual([
    ['0001_logs.sql', '5234edce5168e64de475eac68c62d6402601ede08cd5349022491400b0d25add'],
  ]);
});

describe('openLogsDatabase()', () => {
  test('creates a database of ours, 0600, that can be shrunk', () => {
    open().close();
    using database = raw();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(database.pragma('application_id')).toBe(APPLICATION_ID);
    expect(database.pragma('auto_vacuum')).toBe(2);
    expect(database.prepare('SELECT version, name FROM _codicil_migrations').all()).toEqual([
      { version: 1, name: '0001_logs.sql' },
    ]);
  });

  test('deletes rows that are older than ten days', () => {
    {
      using logs = open();
      const day = 24 * 60 * 60 * 1000;
      logs.append([
        record({ message: 'old', atMs: NOW - 10 * day - 1000 }),
        record({ message: 'kept', atMs: NOW - 10 * day }),
      ]);
      expect(messages(logs)).toEqual(['old', 'kept']);
    }
    using logs = open();
    expect(messages(logs)).toEqual(['kept']);
  });

  test('read-only creates nothing and deletes nothing', () => {
    expect(() => openLogsDatabase({ path, readOnly: true, now: () => NOW })).toThrow(
      expect.objectContaining({ code: 'sqlite-cantopen' }),
    );
    {
      using logs = open();
      logs.append([record({ message: 'old', atMs: 0 })]);
    }
    using logs = openLogsDatabase({ path, readOnly: true, now: () => NOW });
    expect(messages(logs)).toEqual(['old']);
  });
});

describe('LogsDatabase', () => {
  test('gives back what was written', () => {
    using logs = open();
    logs.append([
      record({ level: 'error', target: 'cli/show', message: 'a\0b 한글', threadId: thread(1), atMs: NOW + 0.25 }),
    ]);
    expect(logs.rows({ limit: 10 })).toEqual([
      {
        id: 1,
        at: '2026-11-30T12:00:00.000Z',
        level: 'error',
        target: 'cli/show',
        threadId: thread(1),
        processId: PROCESS,
        message: 'a\u2400b 한글',
      },
    ]);
  });

  test('finds rows by level, thread, text and time, the newest that fit, newest last', () => {
    using logs = open();
    logs.append([
      record({ message: 'trace', level: 'trace', atMs: NOW }),
      record({ message: 'Debug 100%_', level: 'debug', atMs: NOW + 1 }),
      record({ message: 'info', threadId: thread(1), atMs: NOW + 2 }),
      record({ message: 'warn', level: 'warn', threadId: thread(2), atMs: NOW + 3 }),
      record({ message: 'error', level: 'error', threadId: thread(1), atMs: NOW + 4 }),
    ]);
    expect(messages(logs, { level: 'warn' })).toEqual(['warn', 'error']);
    expect(messages(logs, { level: 'trace' })).toHaveLength(5);
    expect(messages(logs, { threadId: thread(1) })).toEqual(['info', 'error']);
    expect(messages(logs, { search: 'debug' })).toEqual([]);
    expect(messages(logs, { search: 'Debug' })).toEqual(['Debug 100%_']);
    expect(messages(logs, { search: '%_' })).toEqual(['Debug 100%_']);
    expect(messages(logs, { search: 'r%r' })).toEqual([]);
    expect(messages(logs, { sinceMs: NOW + 1, untilMs: NOW + 3 })).toEqual(['Debug 100%_', 'info']);
    expect(messages(logs, { limit: 2 })).toEqual(['warn', 'error']);
  });

  test('puts rows of one instant in the order in which they were written', () => {
    using logs = open();
    logs.append([record({ message: 'first' }), record({ message: 'second' })]);
    logs.append([record({ message: 'third' })]);
    expect(messages(logs)).toEqual(['first', 'second', 'third']);
    expect(messages(logs, { limit: 2 })).toEqual(['second', 'third']);
  });

  test('counts partitions by thread, and by process where there is none', () => {
    using logs = open();
    const other = 'pid:8:x';
    logs.append([
      record({ message: '한', threadId: thread(1) }),
      record({ message: 'abc', threadId: thread(1), processId: other }),
      record({ message: 'x' }),
      record({ message: 'y', processId: other }),
    ]);
    expect(logs.partitions()).toEqual([
      { key: thread(1), rows: 2, bytes: 22 },
      { key: PROCESS, rows: 1, bytes: 9 },
      { key: other, rows: 1, bytes: 9 },
    ]);
    expect(logs.partitions({ threadId: thread(1) })).toEqual([{ key: thread(1), rows: 2, bytes: 22 }]);
    expect(logs.partitions({ threadId: thread(2) })).toEqual([]);
  });

  test('keeps the newest 1,000 rows of a partition, and all of the others', () => {
    using logs = open();
    logs.append([record({ message: 'of a thread', threadId: thread(1) })]);
    logs.append(records(1_200));
    expect(messages(logs, { threadId: thread(1) })).toEqual(['of a thread']);
    const kept = messages(logs).filter((message) => message.startsWith('entry'));
    expect(kept).toEqual(Array.from({ length: 1_000 }, (_, n) => `entry ${n + 200}`));
  });

  test('keeps at most 10 MiB of a partition', () => {
    using logs = open();
    const mib = 'x'.repeat(1024 * 1024 - 'INFO'.length - 'test'.length);
    for (let n = 0; n < 12; n += 1)
      logs.append([record({ message: `${n}`.padStart(2, '0') + mib.slice(1), atMs: NOW + n })]);
    expect(messages(logs).map((message) => message.slice(0, 2))).toEqual([
      '03',
      '04',
      '05',
      '06',
      '07',
      '08',
      '09',
      '10',
      '11',
    ]);
    expect(logs.partitions()[0]!.bytes).toBeLessThanOrEqual(10 * 1024 * 1024);
  });

  test('drops a row that alone is over the bytes of a partition, and no other with it', () => {
    using logs = open({ partitionBytes: 1_000 });
    logs.append([record({ message: 'before' })]);
    logs.append([record({ message: 'x'.repeat(1_000) }), record({ message: 'after' })]);
    expect(messages(logs)).toEqual(['before', 'after']);
  });

  test('gives up its oldest rows when the whole file is over its bound', () => {
    {
      using logs = open();
      for (let n = 0; n < 50; n += 1) logs.append(records(20, { processId: `pid:${n}`, message: 'x'.repeat(1_000) }));
    }
    using logs = open({ fileBytes: 200_000 });
    expect(logs.sizeBytes()).toBeLessThan(200_000);
    expect(logs.rows({ limit: 1 })[0]!.processId).toBe('pid:49');
  });

  test('shrinks its file after rows were deleted', () => {
    const lines = (nowMs: number): void => {
      using logs = open({}, nowMs);
      for (let n = 0; n < 20; n += 1)
        logs.append(records(100, { message: 'x'.repeat(2_000), processId: `pid:${n}`, atMs: nowMs }));
    };
    lines(NOW);
    const full = sizeOf();
    expect(full).toBeGreaterThan(4_000_000);
    open({}, NOW + 11 * 24 * 60 * 60 * 1000).close();
    expect(sizeOf()).toBeLessThan(100_000);
    for (let day = 11; day < 60; day += 11) lines(NOW + day * 24 * 60 * 60 * 1000);
    expect(sizeOf()).toBeLessThan(full * 1.1);
  });

  test('shrinks its file in use when a partition loses many rows', () => {
    using logs = open();
    for (let n = 0; n < 9; n += 1) logs.append([record({ message: 'x'.repeat(1_000_000), atMs: NOW + n })]);
    const before = logs.sizeBytes();
    logs.append(records(1_000, { atMs: NOW + 100 }));
    expect(before).toBeGreaterThan(9_000_000);
    expect(logs.sizeBytes()).toBeLessThan(500_000);
    expect(sizeOf() + sizeOf('-wal')).toBeLessThan(5_000_000);
  });

  test('keeps the write-ahead log below its bound beside a reader that never ends, and writes again when it has', () => {
    const bounds = { walCheckpointBytes: 256 * 1024, walMaxBytes: 1024 * 1024 };
    using logs = open(bounds);
    logs.append(records(10));
    using reader = raw();
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM logs').get();
    let refused = 0;
    for (let n = 0; n < 200; n += 1)
      refused += Number(!logs.append(records(100, { message: `${n} ${'x'.repeat(200)}` })));
    expect(refused).toBeGreaterThan(0);
    expect(sizeOf('-wal')).toBeLessThan(2 * 1024 * 1024);
    reader.exec('COMMIT');
    expect(logs.append([record({ message: 'free again', atMs: NOW + 1_000 })])).toBe(true);
    expect(messages(logs, { search: 'free again' })).toHaveLength(1);
    expect(sizeOf('-wal')).toBeLessThanOrEqual(1024 * 1024);
  });

  test('moves the write-ahead log into the database when it has grown', () => {
    using logs = open({ walCheckpointBytes: 64 * 1024 });
    logs.append(records(1_000, { message: 'x'.repeat(500) }));
    expect(sizeOf('-wal')).toBe(0);
    expect(readFileSync(path).includes('x'.repeat(500))).toBe(true);
  });
});
