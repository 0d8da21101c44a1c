import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type HomeSet, type LogEntry, openHomes, openProgramLog, readProgramLog } from '../../src/home/index.js';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { makeReadOnly, READ_ONLY_MEANS } from '../faults/read-only.js';

let folder: string;
let own: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-program-log-'));
  own = join(folder, '.codicil');
  env = { HOME: folder };
  // After whatever a test undoes at its end.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A home of ours that is there already. */
function makeHome(config?: string): void {
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'codicil.json'), '{"format":1,"id":"x"}\n');
  if (config !== undefined) writeFileSync(join(own, 'config.toml'), config);
}

async function logOne(message = 'It happened', level: 'debug' | 'info' | 'error' = 'info'): Promise<void> {
  await using log = await openProgramLog({ env });
  log.log({ level, target: 'test', message });
}

/** Letters and digits, as keys have them; another text each time, and none that stands in the sources. */
function randomText(length: number): string {
  return randomBytes(length * 2)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, length);
}

const messages = async (): Promise<string[]> =>
  (await readProgramLog({ env, limit: 100 })).rows.map(({ message }) => message);

describe('openProgramLog()', () => {
  test('writes to db/logs_2.sqlite of our home', async () => {
    makeHome();
    await logOne();
    expect(readdirSync(join(own, 'db'))).toEqual(['logs_2.sqlite']);
    const { rows, partitions } = await readProgramLog({ env, limit: 100 });
    expect(rows).toEqual([
      {
        id: 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'info',
        target: 'test',
        threadId: null,
        processId: expect.stringMatching(new RegExp(`^pid:${process.pid}:[0-9a-f-]{36}$`)),
        message: 'It happened',
      },
    ]);
    expect(partitions).toEqual([{ key: rows[0]!.processId, rows: 1, bytes: 19 }]);
  });

  test('opens nothing as long as there is nothing to write', async () => {
    makeHome();
    await logOne('too small', 'debug');
    expect(readdirSync(own)).toEqual(['codicil.json']);
  });

  test('never creates a home', async () => {
    await logOne();
    expect(readdirSync(folder)).toEqual([]);
    expect(await messages()).toEqual([]);
  });

  test('writes nothing into a home of another program', async () => {
    mkdirSync(join(own, 'sessions'), { recursive: true });
    await logOne();
    expect(readdirSync(own)).toEqual(['sessions']);
  });

  test('follows CODICIL_SQLITE_HOME', async () => {
    makeHome();
    env['CODICIL_SQLITE_HOME'] = join(folder, 'elsewhere');
    await logOne();
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['logs_2.sqlite']);
    expect(readdirSync(own)).toEqual(['codicil.json']);
    // A folder that holds databases of ours is still ours; with one of another program in it, it is not.
    await logOne('again');
    expect(await messages()).toEqual(['It happened', 'again']);
    const other = openSqlite({ path: join(folder, 'elsewhere', 'state_5.sqlite'), applicationId: 0 });
    other.exec('CREATE TABLE threads (id TEXT)');
    other.close();
    await logOne('beside our home');
    expect(readdirSync(join(own, 'db'))).toEqual(['logs_2.sqlite']);
  });

  test.each([
    ['info without a word', undefined, undefined, false],
    ['that of the configuration', '[codicil.log]\nlevel = "debug"\n', undefined, true],
    ['that of CODICIL_LOG before the configuration', '[codicil.log]\nlevel = "debug"\n', 'WARN', false],
    ['info where the configuration cannot be read', '[codicil.log\n', undefined, false],
  ])('takes the level %s', async (_, config, level, debug) => {
    makeHome(config);
    if (level !== undefined) env['CODICIL_LOG'] = level;
    await using log = await openProgramLog({ env });
    expect(log.enabled('debug')).toBe(debug);
    expect(log.enabled('error')).toBe(true);
  });

  test('off writes nothing, and no database', async () => {
    makeHome('[codicil.log]\nlevel = "off"\n');
    await logOne('gone', 'error');
    expect(readdirSync(own)).toEqual(['codicil.json', 'config.toml']);
  });

  test('says that a level is none, and takes info', async () => {
    makeHome('[codicil.log]\nlevel = 3\n');
    const notices: string[] = [];
    await using log = await openProgramLog({ env, onNotice: (message) => notices.push(message) });
    expect(log.enabled('info')).toBe(true);
    expect(notices).toEqual([
      '[codicil.log] level is no level (3): wanted off, error, warn, info, debug or trace; info is used',
    ]);
  });

  test('goes on without a word where the log cannot be written', async () => {
    makeHome();
    writeFileSync(join(own, 'db'), 'a file where the folder should be');
    await logOne();
    expect(readFileSync(join(own, 'db'), 'utf8')).toBe('a file where the folder should be');
  });

  test('goes on without a word where the log is held by another process', async () => {
    makeHome();
    await logOne('before');
    using other = openSqlite({ path: join(own, 'db', 'logs_2.sqlite'), applicationId: 0x436f6469 });
    other.exec('BEGIN EXCLUSIVE');
    await logOne('meanwhile');
    other.exec('COMMIT');
    await logOne('after');
    expect(await messages()).toEqual(['before', 'after']);
  });

  test('sets a damaged log aside and writes to a fresh one', async () => {
    makeHome();
    mkdirSync(join(own, 'db'));
    writeFileSync(join(own, 'db', 'logs_2.sqlite'), 'no database');
    await logOne();
    expect(await messages()).toEqual(['It happened']);
    expect(readdirSync(join(own, 'db')).filter((name) => name.includes('.damaged-'))).toHaveLength(1);
  });

  test('lets no secret reach a file', async () => {
    makeHome();
    const secrets = [`sk-proj-${randomText(48)}`, `ghp_${randomText(36)}`, randomText(12)];
    await using log = await openProgramLog({ env });
    const message = `key ${secrets[0]}, token ${secrets[1]} at postgres://me:${secrets[2]}@db.example/x`;
    log.log({ level: 'error', target: 'test', message });
    await log.flush();
    const names = readdirSync(join(own, 'db'));
    expect(names).toContain('logs_2.sqlite-wal');
    for (const name of names) {
      const bytes = readFileSync(join(own, 'db', name));
      for (const secret of secrets) expect([name, bytes.includes(secret)]).toEqual([name, false]);
    }
    expect((await messages())[0]).toContain('db.example');
  });
});

describe('readProgramLog()', () => {
  test('is empty where there is no log', async () => {
    makeHome();
    expect(await readProgramLog({ env, limit: 10 })).toEqual({ rows: [], partitions: [] });
    expect(readdirSync(own)).toEqual(['codicil.json']);
  });

  test.skipIf(READ_ONLY_MEANS === 'not possible here')(
    'reads a private copy where SQLite can make no file beside the log',
    async () => {
      makeHome();
      await logOne();
      makeReadOnly(own);
      await logOne('cannot be written');
      expect(await messages()).toEqual(['It happened']);
    },
  );

  test('says that a log is damaged, and leaves it as it is', async () => {
    makeHome();
    mkdirSync(join(own, 'db'));
    writeFileSync(join(own, 'db', 'logs_2.sqlite'), 'no database');
    await expect(readProgramLog({ env, limit: 10 })).rejects.toMatchObject({ code: 'sqlite-notadb' });
    expect(readdirSync(join(own, 'db'))).toEqual(['logs_2.sqlite']);
  });
});

describe('openHomes() tells the log', () => {
  const sample = fileURLToPath(new URL('../../sample-home', import.meta.url));

  async function told(work: (homes: HomeSet) => Promise<unknown>): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    await using homes = await openHomes({ env, homes: [join(folder, '.codex')], log: (entry) => entries.push(entry) });
    await work(homes);
    return entries;
  }

  const timeless = (entries: readonly LogEntry[]): string[] =>
    entries.map(({ level, target, message }) => `${level} ${target}: ${message.replace(/\d+ ms$/, 'N ms')}`);

  beforeEach(() => cpSync(sample, join(folder, '.codex'), { recursive: true }));

  test('of the first look, and for debugging only of one that finds nothing new', async () => {
    const home = join(folder, '.codex');
    const look = 'thread-store/indexer: Looked through';
    expect(timeless(await told((homes) => homes.list()))).toEqual([
      `info ${look} ${home}: 9 of 9 files had changed; N ms`,
    ]);
    expect(timeless(await told((homes) => homes.list()))).toEqual([
      `debug ${look} ${home}: 0 of 9 files had changed; N ms`,
    ]);
  });

  test('of a rebuild, with what it counted', async () => {
    const entries = timeless(await told(async ({ readers }) => readers[0]!.rebuild()));
    expect(entries.at(-1)).toMatch(
      /^info thread-store\/rebuild: Rebuilt the index of .*: \d+ threads, \d+ messages, \d+ bytes of logs; N ms$/,
    );
  });

  test('of a file that cannot be read', async () => {
    rmSync(join(folder, '.codex', 'session_index.jsonl'));
    mkdirSync(join(folder, '.codex', 'session_index.jsonl'));
    const entries = await told((homes) => homes.list());
    expect(entries.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Cannot read .*session_index\.jsonl \(.*\): names are missing$/),
    ]);
  });

  test('of an index that was set aside', async () => {
    await told((homes) => homes.list());
    const name = readdirSync(own, { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith('state_5.sqlite'),
    );
    writeFileSync(join(own, name!), 'damaged');
    const entries = await told((homes) => homes.list());
    expect(entries.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', target: 'thread-store/indexer', message: expect.stringContaining('set aside') },
    ]);
  });
});
