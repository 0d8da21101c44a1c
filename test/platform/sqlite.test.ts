import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  hasSqliteDriver,
  isAtLeast,
  openSqlite,
  readSqliteHeader,
  SqliteError,
} from '../../src/platform/sqlite/index.js';
import { sqliteContract } from './sqlite.contract.js';

const DRIVERS = ['better-sqlite3', 'node:sqlite'] as const;

for (const driver of DRIVERS.filter(hasSqliteDriver)) sqliteContract(driver);

describe('openSqlite()', () => {
  test('finds at least one driver here', () => {
    expect(DRIVERS.some(hasSqliteDriver)).toBe(true);
  });

  test('says what to do when the wanted driver is missing', () => {
    const missing = DRIVERS.find((driver) => !hasSqliteDriver(driver));
    if (missing === undefined) return;
    const open = (): unknown => openSqlite({ path: ':memory:', applicationId: 1, driver: missing });
    expect(open).toThrow(SqliteError);
    expect(open).toThrow(
      expect.objectContaining({ code: 'sqlite-no-driver', hint: expect.stringContaining('npm install') }),
    );
  });
});

describe('isAtLeast()', () => {
  test('compares numbers, not text', () => {
    const versions = ['3.51.2', '3.51.3', '3.51.10', '3.6.0', '4.0', '3.51'];
    expect(versions.map((version) => isAtLeast(version, '3.51.3'))).toEqual([false, true, true, false, true, false]);
  });
});

describe('readSqliteHeader()', () => {
  test('says absent for a file that is not there, and never waits on a FIFO', () => {
    expect(readSqliteHeader('/nowhere/at/all.sqlite')).toEqual({ kind: 'absent' });
    const fifo = `${process.env['TMPDIR'] ?? '/tmp'}/codicil-fifo-${process.pid}`;
    if (spawnSync('mkfifo', [fifo]).status !== 0) return;
    try {
      expect(readSqliteHeader(fifo)).toEqual({ kind: 'not-a-file' });
    } finally {
      spawnSync('rm', ['-f', fifo]);
    }
  });
});
