/**
 * What every driver of the SQLite port must do. Real files, a temp folder a test.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  isAtLeast,
  isSqliteError,
  MINIMUM_SQLITE_VERSION,
  openSqlite,
  readSqliteHeader,
  type SqliteDatabase,
  type SqliteDriverName,
  type SqliteErrorCode,
  type SqliteOpenOptions,
} from '../../src/platform/sqlite/index.js';

const APPLICATION_ID = 0x7e570001;

/** Runs the suite against one driver. */
export function sqliteContract(driver: SqliteDriverName): void {
  describe(`SqliteDatabase over ${driver}`, () => {
    let folder: string;
    let opened: SqliteDatabase[];
    const open = (options: Partial<SqliteOpenOptions> = {}): SqliteDatabase => {
      const database = openSqlite({
        path: join(folder, 'a.sqlite'),
        applicationId: APPLICATION_ID,
        driver,
        ...options,
      });
      opened.push(database);
      return database;
    };
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'codicil-sqlite-'));
      opened = [];
    });
    afterEach(() => {
      for (const database of opened) database.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test('openSqlite() names its driver and a version that is new enough', () => {
      const database = open();
      expect(database.driver).toBe(driver);
      expect(isAtLeast(database.version, MINIMUM_SQLITE_VERSION)).toBe(true);
    });

    test('openSqlite() sets WAL, synchronous NORMAL, foreign keys, busy timeout and the application id', () => {
      const database = open();
      expect({
        journal: database.pragma('journal_mode'),
        synchronous: database.pragma('synchronous'),
        foreignKeys: database.pragma('foreign_keys'),
        busyTimeout: database.pragma('busy_timeout'),
        applicationId: database.pragma('application_id'),
      }).toEqual({
        journal: 'wal',
        synchronous: 1,
        foreignKeys: 1,
        busyTimeout: 10_000,
        applicationId: APPLICATION_ID,
      });
    });

    test('openSqlite() makes files 0600 and folders 0700, the companions too', () => {
      const path = join(folder, 'deep', 'er', 'a.sqlite');
      const database = open({ path });
      database.exec('CREATE TABLE t (a)');
      const mode = (file: string): number => statSync(file).mode & 0o777;
      expect(mode(path)).toBe(0o600);
      expect(mode(`${path}-wal`)).toBe(0o600);
      expect(mode(join(folder, 'deep'))).toBe(0o700);
      expect(mode(join(folder, 'deep', 'er'))).toBe(0o700);
    });

    test('openSqlite() puts the application id into the main file, where it is seen without opening', () => {
      open().exec('CREATE TABLE t (a)');
      expect(readSqliteHeader(join(folder, 'a.sqlite'))).toEqual({ kind: 'database', applicationId: APPLICATION_ID });
    });

    test('openSqlite() leaves a database of another program as it is', () => {
      const path = join(folder, 'other.sqlite');
      open({ path, applicationId: 77 }).exec('CREATE TABLE t (a)');
      opened[0]?.close();
      const before = readFileSync(path);
      expect(codeOf(() => open({ path }))).toBe('sqlite-foreign');
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(existsSync(`${path}-wal`)).toBe(false);
    });

    test('openSqlite() refuses a database with tables but without any application id', () => {
      const path = join(folder, 'plain.sqlite');
      open({ path, applicationId: 0 }).exec('CREATE TABLE t (a)');
      opened[0]?.close();
      expect(codeOf(() => open({ path }))).toBe('sqlite-foreign');
      expect(codeOf(() => open({ path, readOnly: true }))).toBe('sqlite-foreign');
    });

    test('openSqlite() finishes a database whose making was cut short before it was marked', () => {
      const path = join(folder, 'cut.sqlite');
      const unmarked = Buffer.alloc(4096);
      open({ path, applicationId: 5 }).close();
      readFileSync(path).copy(unmarked, 0, 0, 4096);
      unmarked.writeInt32BE(0, 68);
      unmarked[18] = 1;
      unmarked[19] = 1;
      writeFileSync(path, unmarked);
      expect(readSqliteHeader(path)).toEqual({ kind: 'empty' });
      expect(open({ path }).pragma('application_id')).toBe(APPLICATION_ID);
      expect(readSqliteHeader(path)).toEqual({ kind: 'database', applicationId: APPLICATION_ID });
    });

    test('openSqlite() of a database that this process has open keeps the locks on it', () => {
      const path = join(folder, 'a.sqlite');
      open().exec('CREATE TABLE t (a)');
      // The kernel's own list of locks; elsewhere there is nothing to look at.
      if (!existsSync('/proc/locks')) return;
      const locks = (): number =>
        readFileSync('/proc/locks', 'utf8')
          .split('\n')
          .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `)).length;
      expect(locks()).toBeGreaterThan(0);
      open().close();
      expect(locks()).toBeGreaterThan(0);
    });

    test('openSqlite() tells text, a cut header and a folder from a database', () => {
      const path = join(folder, 'a.sqlite');
      writeFileSync(path, 'no database at all '.repeat(100));
      expect(codeOf(() => open())).toBe('sqlite-notadb');
      writeFileSync(path, 'SQLite format 3\0');
      expect(codeOf(() => open())).toBe('sqlite-notadb');
      mkdirSync(join(folder, 'folder'));
      expect(codeOf(() => open({ path: join(folder, 'folder') }))).toBe('sqlite-cantopen');
      writeFileSync(join(folder, 'file'), '');
      expect(codeOf(() => open({ path: join(folder, 'file', 'a.sqlite') }))).toBe('sqlite-cantopen');
    });

    test('openSqlite() read-only never creates, and refuses writes', () => {
      expect(codeOf(() => open({ readOnly: true }))).toBe('sqlite-cantopen');
      expect(existsSync(join(folder, 'a.sqlite'))).toBe(false);
      open().exec('CREATE TABLE t (a)');
      const reader = open({ readOnly: true });
      expect(reader.readOnly).toBe(true);
      expect(codeOf(() => reader.exec('INSERT INTO t VALUES (1)'))).toBe('sqlite-readonly');
    });

    test('openSqlite() keeps a database in memory', () => {
      const database = open({ path: ':memory:' });
      database.exec('CREATE TABLE t (a)');
      expect(database.path).toBe(':memory:');
      expect(database.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0 });
    });

    test('SqliteStatement binds by position and by name, and reads every kind of value back', () => {
      const database = open();
      database.exec('CREATE TABLE t (i INTEGER, f REAL, s TEXT, b BLOB, n)');
      const bytes = new Uint8Array([0, 1, 255]);
      const text = '세션 🧵 end';
      const first = database.prepare('INSERT INTO t VALUES (?, ?, ?, ?, ?)').run(2 ** 40, 1.5, text, bytes, null);
      const second = database
        .prepare('INSERT INTO t VALUES (:i, :f, :s, :b, :n)')
        .run({ i: -1, f: 0.25, s: '', b: new Uint8Array(0), n: 7n });
      expect([first, second]).toEqual([
        { changes: 1, lastInsertRowId: 1 },
        { changes: 1, lastInsertRowId: 2 },
      ]);
      const rows = database
        .prepare<{ readonly b: unknown; readonly s: string }>('SELECT * FROM t ORDER BY rowid')
        .all();
      expect(rows.map((row) => ({ ...row, b: [...(row.b as Uint8Array)] }))).toEqual([
        { i: 2 ** 40, f: 1.5, s: text, b: [0, 1, 255], n: null },
        { i: -1, f: 0.25, s: '', b: [], n: 7 },
      ]);
      expect(rows[0]?.b).toBeInstanceOf(Uint8Array);
      expect(database.prepare('SELECT typeof(i) AS i FROM t').get()).toEqual({ i: 'integer' });
    });

    test('prepare() with bigints keeps 64-bit integers exact', () => {
      const database = open();
      database.exec('CREATE TABLE t (i INTEGER)');
      const values = [2n ** 63n - 1n, -(2n ** 63n), 1_764_473_363_123_456_789n];
      const insert = database.prepare('INSERT INTO t VALUES (?)');
      for (const value of values) insert.run(value);
      expect(database.prepare('SELECT i FROM t ORDER BY rowid', { bigints: true }).all()).toEqual(
        values.map((i) => ({ i })),
      );
    });

    test('get() is undefined without a row; all() and iterate() give rows in order', () => {
      const database = open();
      const numbers = 'WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT x FROM n';
      expect(database.prepare('SELECT 1 WHERE FALSE').get()).toBeUndefined();
      expect(database.prepare(numbers).all()).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }, { x: 4 }, { x: 5 }]);
      expect([...database.prepare(numbers).iterate()]).toEqual(database.prepare(numbers).all());
    });

    test('iterate() frees the connection when the loop is left early', () => {
      const database = open();
      database.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)');
      for (const row of database.prepare('SELECT a FROM t').iterate()) {
        expect(row).toEqual({ a: 1 });
        break;
      }
      database.exec('DROP TABLE t');
      expect(database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).toEqual({ n: 0 });
    });

    test('transaction() commits what returns and rolls back what throws', () => {
      const database = open();
      database.exec('CREATE TABLE t (a)');
      expect(database.transaction('immediate', () => database.exec('INSERT INTO t VALUES (1)') ?? 'done')).toBe('done');
      const failure = new Error('stop');
      expect(() =>
        database.transaction('immediate', () => {
          database.exec('INSERT INTO t VALUES (2)');
          expect(database.inTransaction).toBe(true);
          throw failure;
        }),
      ).toThrow(failure);
      expect(database.inTransaction).toBe(false);
      expect(database.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }]);
    });

    test('transaction() inside another undoes only its own part', () => {
      const database = open();
      database.exec('CREATE TABLE t (a)');
      database.transaction('immediate', () => {
        database.exec('INSERT INTO t VALUES (1)');
        expect(() =>
          database.transaction('immediate', () => {
            database.exec('INSERT INTO t VALUES (2)');
            throw new Error('inner');
          }),
        ).toThrow('inner');
        database.transaction('immediate', () => database.exec('INSERT INTO t VALUES (3)'));
      });
      expect(database.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }, { a: 3 }]);
    });

    test('transaction() refuses an asynchronous function and rolls back', () => {
      const database = open();
      database.exec('CREATE TABLE t (a)');
      expect(() =>
        database.transaction('immediate', () => {
          database.exec('INSERT INTO t VALUES (1)');
          return Promise.resolve();
        }),
      ).toThrow(TypeError);
      expect(database.prepare('SELECT a FROM t').all()).toEqual([]);
    });

    test('SqliteError carries the kind of failure and the path', () => {
      const database = open({ busyTimeoutMs: 1 });
      database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL CHECK (b <> ''))");
      expect(codeOf(() => database.exec("INSERT INTO t VALUES (1, '')"))).toBe('sqlite-constraint');
      expect(codeOf(() => database.prepare('INSERT INTO t VALUES (?, ?)').run(1, null))).toBe('sqlite-constraint');
      expect(codeOf(() => database.exec('SELECT nothing FROM nowhere'))).toBe('sqlite-error');
      expect(codeOf(() => database.prepare('SELEC'))).toBe('sqlite-error');
      const other = open({ busyTimeoutMs: 1 });
      database.transaction('immediate', () => {
        expect(codeOf(() => other.transaction('immediate', () => 0))).toBe('sqlite-busy');
      });
      const limited = open({ path: join(folder, 'small.sqlite') });
      limited.exec('CREATE TABLE t (a)');
      limited.pragma('max_page_count = 4');
      expect(
        codeOf(() =>
          limited.transaction('immediate', () => limited.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000))),
        ),
      ).toBe('sqlite-full');
      expect(limited.inTransaction).toBe(false);
      try {
        database.exec('SELEC');
      } catch (error) {
        expect(error).toMatchObject({ name: 'SqliteError', path: join(folder, 'a.sqlite') });
      }
    });

    test('SqliteError says corrupt when pages are overwritten', () => {
      const path = join(folder, 'a.sqlite');
      const writer = open();
      writer.exec('CREATE TABLE t (a); CREATE INDEX i ON t (a)');
      const insert = writer.prepare('INSERT INTO t VALUES (?)');
      writer.transaction('immediate', () => {
        for (let i = 0; i < 2_000; i += 1) insert.run(`row ${i}`);
      });
      writer.pragma('wal_checkpoint(TRUNCATE)');
      writer.close();
      const fd = openSync(path, 'r+');
      for (let offset = 4096; offset < statSync(path).size; offset += 4096) {
        writeSync(fd, Buffer.alloc(2048, 0xff), 0, 2048, offset);
      }
      closeSync(fd);
      expect(codeOf(() => open().prepare('SELECT count(*), max(a), min(rowid) FROM t NOT INDEXED').all())).toBe(
        'sqlite-corrupt',
      );
    });

    test('openSqlite() says corrupt when the file is cut after its first page', () => {
      const path = join(folder, 'a.sqlite');
      const writer = open();
      writer.exec('CREATE TABLE t (a)');
      for (let i = 0; i < 50; i += 1) writer.exec(`CREATE TABLE t${i} (a, b, c)`);
      writer.close();
      copyFileSync(path, `${path}.copy`);
      truncateSync(path, 4096);
      const code = codeOf(() => open().prepare('SELECT count(*) FROM sqlite_schema').get());
      expect(code).toBe('sqlite-corrupt');
    });

    test('close() is idempotent, and a closed database throws', () => {
      const database = open();
      const statement = database.prepare('SELECT 1 AS one');
      expect(statement.get()).toEqual({ one: 1 });
      database.close();
      database.close();
      expect(() => statement.get()).toThrow();
      expect(() => database.exec('SELECT 1')).toThrow();
      expect(database.inTransaction).toBe(false);
    });

    test('full-text search works on contentless tables', () => {
      const database = open();
      database.exec(
        "CREATE VIRTUAL TABLE f USING fts5(t, content='', contentless_delete=1, tokenize='ascii'); INSERT INTO f (rowid, t) VALUES (1, 'one two'), (2, 'two 기억')",
      );
      expect(database.prepare('SELECT rowid FROM f WHERE f MATCH ?').all('기억')).toEqual([{ rowid: 2 }]);
    });

    test('openSqlite() refuses a file that it may not write', () => {
      if (process.getuid?.() === 0) return;
      open().exec('CREATE TABLE t (a)');
      opened[0]?.close();
      chmodSync(join(folder, 'a.sqlite'), 0o400);
      expect(codeOf(() => open())).toBe('sqlite-readonly');
    });
  });
}

function codeOf(run: () => unknown): SqliteErrorCode | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (isSqliteError(error, ...CODES)) return error.code;
    throw error;
  }
}

const CODES: readonly SqliteErrorCode[] = [
  'sqlite-busy',
  'sqlite-cantopen',
  'sqlite-constraint',
  'sqlite-corrupt',
  'sqlite-error',
  'sqlite-foreign',
  'sqlite-full',
  'sqlite-notadb',
  'sqlite-readonly',
];
