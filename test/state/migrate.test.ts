import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite, type SqliteDatabase } from '../../src/platform/sqlite/index.js';
import {
  APPLICATION_ID,
  type Migration,
  migrate,
  migrationChecksum,
  openStateDatabase,
} from '../../src/state/index.js';
import { STATE_MIGRATIONS } from '../../src/state/migrations/index.js';
import { HOME, threadRecord } from './records.js';

const NOW = (): number => Date.UTC(2026, 10, 30);

const FIRST: Migration = {
  version: 1,
  name: '0001_first.sql',
  sql: 'CREATE TABLE a (x);\nINSERT INTO a VALUES (1);\n',
};
const SECOND: Migration = { version: 2, name: '0002_second.sql', sql: 'ALTER TABLE a ADD COLUMN y DEFAULT 2;\n' };

let folder: string;
let path: string;
let opened: SqliteDatabase[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-migrate-'));
  path = join(folder, 'state_5.sqlite');
  opened = [];
});

afterEach(() => {
  for (const database of opened) database.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(readOnly = false): SqliteDatabase {
  const database = openSqlite({ path, applicationId: APPLICATION_ID, readOnly });
  opened.push(database);
  return database;
}

describe('migrate()', () => {
  test('applies what is missing, once, and records it', () => {
    const database = open();
    migrate(database, [FIRST], NOW);
    migrate(database, [FIRST, SECOND], NOW);
    migrate(database, [FIRST, SECOND], NOW);
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 1, y: 2 }]);
    expect(database.prepare('SELECT * FROM _codicil_migrations').all()).toEqual([
      {
        version: 1,
        name: '0001_first.sql',
        checksum: migrationChecksum(FIRST.sql),
        applied_at: '2026-11-30T00:00:00.000Z',
      },
      {
        version: 2,
        name: '0002_second.sql',
        checksum: migrationChecksum(SECOND.sql),
        applied_at: '2026-11-30T00:00:00.000Z',
      },
    ]);
  });

  test('takes a text with CRLF for the same', () => {
    const database = open();
    migrate(database, [FIRST], NOW);
    migrate(database, [{ ...FIRST, sql: FIRST.sql.replaceAll('\n', '\r\n') }], NOW);
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 1 }]);
  });

  test('refuses a database whose applied migration was changed, and names it', () => {
    const database = open();
    migrate(database, [FIRST], NOW);
    const changed = { ...FIRST, sql: `${FIRST.sql}-- more` };
    expect(() => migrate(database, [changed, SECOND], NOW)).toThrow(
      expect.objectContaining({
        code: 'state-migration-changed',
        path,
        message: expect.stringContaining('migration 1 ("0001_first.sql") is not the one that was applied'),
      }),
    );
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 1 }]);
  });

  test('opens a database of a newer release', () => {
    const database = open();
    migrate(database, [FIRST, SECOND, { version: 9999, name: '9999_future.sql', sql: 'CREATE TABLE future (z)' }], NOW);
    migrate(database, [FIRST, SECOND], NOW);
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 1, y: 2 }]);
  });

  test('keeps nothing of a set of which one fails', () => {
    const database = open();
    migrate(database, [FIRST], NOW);
    const broken = { version: 3, name: '0003_broken.sql', sql: 'CREATE TABLE b (x); SELECT x FROM nowhere' };
    expect(() => migrate(database, [FIRST, SECOND, broken], NOW)).toThrow('nowhere');
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 1 }]);
    expect(database.prepare('SELECT version FROM _codicil_migrations').all()).toEqual([{ version: 1 }]);
  });

  test('never migrates a database that is open read-only', () => {
    migrate(open(), [FIRST], NOW);
    const reader = open(true);
    migrate(reader, [FIRST], NOW);
    expect(() => migrate(reader, [FIRST, SECOND], NOW)).toThrow(expect.objectContaining({ code: 'state-schema-old' }));
  });
});

describe('STATE_MIGRATIONS', () => {
  test('are the released texts', () => {
    expect(STATE_MIGRATIONS.map(({ version, name, sql }) => [version, name, migrationChecksum(sql)])).toEqual([
      [1, '0001_threads.sql', '6cca1da30c39a3586ecdb69dd2b450d9081b87de1f45b2b032159b08ef54c47b'],
      [2, '0002_rollout_files.sql', '75e7301d0b09313d8b8e8ada140565f5da2a31eb074e98f7a3a8590c34bc89e2'],
    ]);
  });

  test('give the seconds of the first schema from the milliseconds', () => {
    const db = openStateDatabase({ path, homePath: HOME });
    db.putThread(
      threadRecord(1, { createdAtMs: 1_764_417_600_999, updatedAtMs: 1_764_417_601_000, archivedAtMs: 5_500 }),
    );
    db.close();
    const columns =
      'id, rollout_path, created_at, updated_at, source, model_provider, cwd, title, sandbox_policy, approval_mode';
    const more = 'tokens_used, has_user_event, archived, archived_at, git_sha, git_branch, git_origin_url';
    const row = open().prepare(`SELECT ${columns}, ${more} FROM threads`).get();
    expect(row).toMatchObject({ created_at: 1_764_417_600, updated_at: 1_764_417_601, archived_at: 5 });
    expect(Object.keys(row ?? {})).toHaveLength(17);
  });

  const plans = [
    ['hidden = 0 AND archived = 0 ORDER BY updated_at_ms DESC, id DESC', 'threads_updated'],
    [
      'hidden = 0 AND archived = 0 AND (updated_at_ms, id) < (1, 2) ORDER BY updated_at_ms DESC, id DESC',
      'threads_updated',
    ],
    [
      'hidden = 0 AND archived = 0 AND (created_at_ms, id) < (1, 2) ORDER BY created_at_ms DESC, id DESC',
      'threads_created',
    ],
    ["hidden = 0 AND archived = 0 AND source = 'a' ORDER BY updated_at_ms DESC, id DESC", 'threads_source_updated'],
    ["hidden = 0 AND archived = 0 AND source = 'a' ORDER BY created_at_ms DESC, id DESC", 'threads_source_created'],
    [
      "hidden = 0 AND archived = 0 AND model_provider = 'a' ORDER BY updated_at_ms DESC, id DESC",
      'threads_provider_updated',
    ],
    [
      "hidden = 0 AND archived = 0 AND model_provider = 'a' ORDER BY created_at_ms DESC, id DESC",
      'threads_provider_created',
    ],
    ["hidden = 0 AND archived = 0 AND cwd = 'a' ORDER BY updated_at_ms DESC, id DESC", 'threads_cwd_updated'],
    ["hidden = 0 AND archived = 0 AND cwd = 'a' ORDER BY created_at_ms DESC, id DESC", 'threads_cwd_created'],
  ] as const;
  test.each(plans)('answer "%s" from %s without sorting', (condition, index) => {
    openStateDatabase({ path, homePath: HOME }).close();
    const plan = open()
      .prepare<{ readonly detail: string }>(
        `EXPLAIN QUERY PLAN SELECT * FROM threads WHERE generation = 1 AND ${condition} LIMIT 50`,
      )
      .all()
      .map((row) => row.detail);
    expect(plan).toEqual([expect.stringContaining(`SEARCH threads USING INDEX ${index} (`)]);
  });
});
