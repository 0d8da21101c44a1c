import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID, openStateDatabase, type SetAside } from '../../src/state/index.js';
import { fileRecord, rolloutPath, threadId, threadRecord } from './records.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-open-'));
  path = join(folder, 'db', 'state_5.sqlite');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const homePath = '/home/someone/.codex';

describe('openStateDatabase()', () => {
  test('creates the file 0600 in a folder 0700', () => {
    using db = openStateDatabase({ path, homePath });
    expect(db.path).toBe(path);
    expect(db.memoryCause).toBeUndefined();
    expect([statSync(path).mode & 0o777, statSync(join(folder, 'db')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test('keeps what was written', () => {
    {
      using db = openStateDatabase({ path, homePath });
      db.putThread(threadRecord(1));
      db.putFile(fileRecord(1), { expected: null });
    }
    using db = openStateDatabase({ path, homePath, readOnly: true });
    expect(db.allThreads()).toEqual([threadRecord(1)]);
    expect(db.allFiles()).toEqual([fileRecord(1)]);
  });

  test('finds the same rows below a home that was moved or is reached through a link', () => {
    const home = join(folder, 'home');
    const moved = join(folder, 'moved');
    mkdirSync(home);
    {
      using db = openStateDatabase({ path, homePath: home });
      db.putFile(fileRecord(1, { path: rolloutPath(1, home) }), { expected: null });
      db.putFile(fileRecord(2, { path: '/elsewhere/a.jsonl' }), { expected: null });
      db.putThread(threadRecord(1, { path: rolloutPath(1, home) }));
    }
    renameSync(home, moved);
    symlinkSync(moved, home);
    using db = openStateDatabase({ path, homePath: moved });
    expect([...db.watermarks().keys()]).toEqual(['/elsewhere/a.jsonl', rolloutPath(1, moved)]);
    expect(db.file(rolloutPath(1, moved))?.threadId).toBe(threadId(1));
    expect(db.findById(threadId(1))).toMatchObject({ path: rolloutPath(1, moved), home: moved });
  });

  const damages: [string, (bytes: Buffer) => Buffer][] = [
    ['text', () => Buffer.from('not a database at all')],
    ['a cut header', (bytes) => bytes.subarray(0, 50)],
    ['only its first page', (bytes) => bytes.subarray(0, 4096)],
    [
      'a schema of noise',
      (bytes) => Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(3996, 0xa5), bytes.subarray(4096)]),
    ],
  ];
  test.each(damages)('sets a file that holds %s aside with its bytes, and starts afresh', (_, damage) => {
    {
      using db = openStateDatabase({ path, homePath });
      db.putThread(threadRecord(1));
    }
    const bytes = damage(readFileSync(path));
    writeFileSync(path, bytes);
    writeFileSync(`${path}-wal`, 'old log');
    const events: SetAside[] = [];
    using db = openStateDatabase({
      path,
      homePath,
      now: () => Date.UTC(2026, 10, 30),
      onSetAside: (event) => events.push(event),
    });
    const movedTo = `${path}.damaged-20261130T000000000Z-${process.pid}`;
    expect(events).toEqual([
      { path, movedTo, cause: expect.objectContaining({ code: expect.stringMatching(/corrupt|notadb/) }) },
    ]);
    expect(readFileSync(movedTo).equals(bytes)).toBe(true);
    expect(readFileSync(`${movedTo}-wal`, 'utf8')).toBe('old log');
    expect(db.allThreads()).toEqual([]);
    db.putThread(threadRecord(2));
    expect(db.allThreads()).toEqual([threadRecord(2)]);
  });

  test('with check finds damage that opening does not meet', () => {
    {
      using db = openStateDatabase({ path, homePath });
      db.transaction(() => {
        for (let n = 0; n < 500; n += 1) db.putThread(threadRecord(n));
      });
    }
    const bytes = readFileSync(path);
    bytes.fill(0xff, bytes.length - 20 * 4096);
    writeFileSync(path, bytes);
    const events: SetAside[] = [];
    const onSetAside = (event: SetAside): number => events.push(event);
    openStateDatabase({ path, homePath, onSetAside }).close();
    expect(events).toEqual([]);
    openStateDatabase({ path, homePath, onSetAside, check: true }).close();
    expect(events).toHaveLength(1);
    expect(readFileSync(events[0]?.movedTo ?? '').equals(bytes)).toBe(true);
  });

  test('with check leaves a sound database alone', () => {
    {
      using db = openStateDatabase({ path, homePath });
      db.putThread(threadRecord(1));
    }
    using db = openStateDatabase({ path, homePath, check: true });
    expect(db.allThreads()).toEqual([threadRecord(1)]);
    expect(db.quickCheck()).toEqual([]);
  });

  test('never touches a database of another program', () => {
    const other = openSqlite({ path, applicationId: 0 });
    other.exec('CREATE TABLE threads (id TEXT PRIMARY KEY)');
    other.close();
    const before = readFileSync(path);
    expect(() => openStateDatabase({ path, homePath })).toThrow(
      expect.objectContaining({ code: 'sqlite-foreign', path }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(join(folder, 'db'))).toEqual(['state_5.sqlite']);
  });

  test('does not set aside a database whose migration was changed', () => {
    openStateDatabase({ path, homePath }).close();
    const raw = openSqlite({ path, applicationId: APPLICATION_ID });
    raw.exec("UPDATE _codicil_migrations SET checksum = 'x' WHERE version = 1");
    raw.close();
    expect(() => openStateDatabase({ path, homePath })).toThrow(
      expect.objectContaining({ code: 'state-migration-changed' }),
    );
    expect(readdirSync(join(folder, 'db')).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  test('works in memory where nothing can be written, and says why', () => {
    writeFileSync(join(folder, 'file'), '');
    using db = openStateDatabase({ path: join(folder, 'file', 'state_5.sqlite'), homePath });
    expect(db.path).toBe(':memory:');
    expect(db.memoryCause).toMatchObject({ code: 'sqlite-cantopen' });
    db.putThread(threadRecord(1));
    expect(db.countThreads()).toBe(1);
  });

  test('read-only creates nothing', () => {
    expect(() => openStateDatabase({ path, homePath, readOnly: true })).toThrow(
      expect.objectContaining({ code: 'sqlite-cantopen' }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});
