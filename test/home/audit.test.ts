import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AuditReport, openHomes } from '../../src/home/index.js';
import { type Lab, newLab, snapshot } from '../faults/lab.js';
import { type CodexDatabaseOptions, type CodexRow, writeCodexDatabase } from '../state/codex-database.js';
import { rolloutLines, rolloutPath, uuid, writeLines } from '../thread-store/temp-home.js';

function log(
  home: string,
  number: number,
  options: { readonly archived?: boolean; readonly as?: string } = {},
): string {
  const path = rolloutPath(home, uuid(number), options);
  writeLines(path, rolloutLines({ id: options.as ?? uuid(number) }));
  return path;
}

function putState(lab: Lab, rows: readonly CodexRow[], options?: CodexDatabaseOptions): string {
  const path = join(lab.home, 'state_5.sqlite');
  writeCodexDatabase(path, rows, options);
  return path;
}

/** Audits the foreign home, and sees to it that no byte or time of it changes and no copy stays. */
async function audit(lab: Lab, env: Readonly<Record<string, string>> = {}): Promise<AuditReport> {
  const temp = join(lab.root, 'tmp');
  mkdirSync(temp, { recursive: true });
  const before = snapshot(lab.home);
  await using homes = await openHomes({ env: { ...lab.env, TMPDIR: temp, ...env }, homes: [lab.home] });
  const report = await homes.diagnostics.audit();
  expect(snapshot(lab.home)).toEqual(before);
  expect(readdirSync(temp)).toEqual([]);
  return report;
}

/** Kinds with the last digits of the thread. */
function kindsOf({ problems }: AuditReport): readonly string[] {
  return problems.map(({ kind, id }) => (id === null ? kind : `${kind} ${Number(id.slice(-12))}`));
}

describe('audit() of a home of Codex', () => {
  test('finds nothing where rows and logs agree, rows of the write-ahead log included', async () => {
    const lab = newLab();
    const first = { id: uuid(1), path: log(lab.home, 1) };
    const second = { id: uuid(2), path: log(lab.home, 2, { archived: true }), archived: true, source: 'exec' };
    const file = putState(lab, [first], { uncheckpointed: [second] });
    expect(existsSync(`${file}-wal`)).toBe(true);
    expect(await audit(lab)).toEqual({
      databases: [{ file, owner: 'codex', ok: true, problem: null }],
      rows: [
        { id: uuid(1), rolloutPath: first.path, archived: false, source: 'cli', modelProvider: 'openai' },
        { id: uuid(2), rolloutPath: second.path, archived: true, source: 'exec', modelProvider: 'openai' },
      ],
      problems: [],
      uncompared: [],
    });
  });

  test('reads the schema of the first release that had one, and a rollback journal', async () => {
    const lab = newLab();
    putState(lab, [{ id: uuid(1), path: log(lab.home, 1) }], { schema: 'first', journal: 'delete' });
    const report = await audit(lab);
    expect(report.rows.map(({ id }) => id)).toEqual([uuid(1)]);
    expect(report.problems).toEqual([]);
  });

  test('reports each kind of disagreement once', async () => {
    const lab = newLab();
    const gone = rolloutPath(lab.home, uuid(1));
    const shared = log(lab.home, 2);
    const moved = log(lab.home, 5);
    renameSync(moved, join(lab.home, 'sessions', moved.slice(moved.lastIndexOf('/') + 1)));
    log(lab.home, 8);
    putState(lab, [
      { id: uuid(1), path: gone },
      { id: uuid(2), path: shared },
      { id: uuid(3), path: log(lab.home, 3, { archived: true }) },
      { id: uuid(4), path: log(lab.home, 4), archived: true },
      { id: uuid(5), path: moved },
      { id: uuid(6), path: '/elsewhere/sessions/rollout-2026-05-04T10-00-00-x.jsonl' },
      { id: uuid(7), path: shared },
    ]);
    expect(kindsOf(await audit(lab))).toEqual([
      'missing-file 1',
      'archived-mismatch 3',
      'archived-mismatch 4',
      'moved-file 5',
      'path-outside-home 6',
      'duplicate-path 7',
      'wrong-id 7',
      'no-row 8',
    ]);
  });

  test('says of every problem what it means and which file it is about', async () => {
    const lab = newLab();
    putState(lab, [{ id: uuid(1), path: rolloutPath(lab.home, uuid(1)) }]);
    const { problems } = await audit(lab);
    expect(problems).toEqual([
      {
        kind: 'missing-file',
        id: uuid(1),
        path: rolloutPath(lab.home, uuid(1)),
        detail:
          'The log is neither there, nor compressed, nor in another folder of the home: Codex drops the row when it lists it',
      },
    ]);
  });

  test('takes a log that was compressed, and one that was archived behind the back of its row', async () => {
    const lab = newLab();
    const compressed = log(lab.home, 1);
    renameSync(compressed, `${compressed}.zst`);
    const path = rolloutPath(lab.home, uuid(2));
    log(lab.home, 2, { archived: true });
    putState(lab, [
      { id: uuid(1), path: compressed },
      { id: uuid(2), path },
    ]);
    expect(kindsOf(await audit(lab))).toEqual(['archived-mismatch 2']);
  });

  test('believes the id in a log before the one in its name', async () => {
    const lab = newLab();
    putState(lab, [{ id: uuid(9), path: log(lab.home, 1, { as: uuid(9) }) }]);
    expect(kindsOf(await audit(lab))).toEqual([]);
  });

  test('wants no row for an empty log, one of the first releases, or a second file of a thread', async () => {
    const lab = newLab();
    writeLines(rolloutPath(lab.home, uuid(1)), []);
    writeLines(rolloutPath(lab.home, uuid(2)), [
      JSON.stringify({ id: uuid(2), timestamp: '2025-08-01T00:00:00.000Z', instructions: null }),
      JSON.stringify({ record_type: 'state' }),
    ]);
    writeLines(rolloutPath(lab.home, uuid(3), { segment: uuid(33) }), rolloutLines({ id: uuid(3) }));
    putState(lab, [{ id: uuid(3), path: log(lab.home, 3) }]);
    expect(kindsOf(await audit(lab))).toEqual([]);
  });

  test('knows the log through another path of a linked folder', async () => {
    const lab = newLab();
    mkdirSync(join(lab.home, 'sessions'));
    const path = log(lab.home, 1);
    symlinkSync(join(lab.home, 'sessions', '2026'), join(lab.home, 'sessions', 'this-year'));
    putState(lab, [{ id: uuid(1), path: path.replace('/sessions/2026/', '/sessions/this-year/') }]);
    expect(kindsOf(await audit(lab))).toEqual([]);
  });

  test('takes rows that name a linked sessions folder by where it leads', async () => {
    const lab = newLab();
    const real = join(lab.root, 'big-disk');
    mkdirSync(real);
    symlinkSync(real, join(lab.home, 'sessions'));
    const path = log(lab.home, 1);
    putState(lab, [{ id: uuid(1), path: path.replace(join(lab.home, 'sessions'), real) }]);
    expect(kindsOf(await audit(lab))).toEqual([]);
  });

  test('finds a damaged database, and one cut short, and goes on with the others', async () => {
    const lab = newLab();
    const rows = Array.from({ length: 400 }, (_, at) => ({ id: uuid(at + 1), path: `${lab.home}/${at}` }));
    const file = putState(lab, rows);
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096, bytes.length - 4096);
    writeFileSync(file, bytes);
    writeCodexDatabase(join(lab.home, 'goals_1.sqlite'), []);
    writeFileSync(join(lab.home, 'logs_2.sqlite'), 'this is no database at all, but long enough to look'.repeat(99));
    const report = await audit(lab);
    expect(report.databases.map(({ file: path, owner, ok }) => [path.slice(lab.home.length + 1), owner, ok])).toEqual([
      ['goals_1.sqlite', 'codex', true],
      ['logs_2.sqlite', 'codex', false],
      ['state_5.sqlite', 'codex', false],
    ]);
    expect(kindsOf(report)).toEqual(['damaged-database', 'damaged-database']);
  });

  test('an empty file is a database in which nothing is yet', async () => {
    const lab = newLab({ 'state_5.sqlite': '' });
    log(lab.home, 1);
    expect(await audit(lab)).toMatchObject({ databases: [{ owner: 'codex', ok: true }], problems: [] });
  });

  test('reports a newer and a strange schema, and reads the newest state database', async () => {
    const lab = newLab();
    log(lab.home, 1);
    putState(lab, [], { schema: 'of-another-kind' });
    expect(kindsOf(await audit(lab))).toEqual(['unknown-schema']);
    writeCodexDatabase(join(lab.home, 'state_6.sqlite'), [], { schema: 'of-another-kind' });
    expect(kindsOf(await audit(lab))).toEqual(['newer-schema']);
    rmSync(join(lab.home, 'state_6.sqlite'));
    writeCodexDatabase(join(lab.home, 'state_12.sqlite'), [{ id: uuid(1), path: rolloutPath(lab.home, uuid(1)) }]);
    expect(kindsOf(await audit(lab))).toEqual([]);
  });

  test('opens no link, FIFO or folder in place of a database', async () => {
    const lab = newLab();
    writeCodexDatabase(join(lab.root, 'other.sqlite'), []);
    symlinkSync(join(lab.root, 'other.sqlite'), join(lab.home, 'state_5.sqlite'));
    execFileSync('mkfifo', [join(lab.home, 'logs_2.sqlite')]);
    mkdirSync(join(lab.home, 'goals_1.sqlite'));
    writeCodexDatabase(join(lab.home, 'queue_1.sqlite'), []);
    execFileSync('mkfifo', [join(lab.home, 'queue_1.sqlite-wal')]);
    expect(kindsOf(await audit(lab))).toEqual(Array(4).fill('unreadable-database'));
  });

  test('finds databases where Codex was told to put them', async () => {
    const lab = newLab();
    const path = log(lab.home, 1);
    const byVariable = join(lab.root, 'by-variable');
    writeCodexDatabase(join(byVariable, 'state_5.sqlite'), [{ id: uuid(1), path }]);
    const found = await audit(lab, { CODEX_SQLITE_HOME: byVariable });
    expect(found.databases.map(({ file }) => file)).toEqual([join(byVariable, 'state_5.sqlite')]);
    expect(found.rows).toHaveLength(1);
    const byConfig = join(lab.root, 'by-config');
    writeCodexDatabase(join(byConfig, 'state_5.sqlite'), []);
    writeFileSync(join(lab.home, 'config.toml'), `sqlite_home = ${JSON.stringify(byConfig)}\n`);
    writeCodexDatabase(join(lab.home, 'sqlite', 'logs_2.sqlite'), []);
    const configured = await audit(lab, { CODEX_SQLITE_HOME: byVariable });
    expect(configured.rows).toEqual([]);
    expect(configured.databases.map(({ file }) => file)).toEqual([
      join(byConfig, 'state_5.sqlite'),
      join(byVariable, 'state_5.sqlite'),
      join(lab.home, 'sqlite', 'logs_2.sqlite'),
    ]);
  });

  test('says of a home without a state database that nothing could be compared', async () => {
    const lab = newLab();
    log(lab.home, 1);
    expect(await audit(lab)).toEqual({ databases: [], rows: [], problems: [], uncompared: [lab.home] });
  });

  test('checks what we derived from the home, where it is', async () => {
    const lab = newLab();
    log(lab.home, 1);
    const env = { ...lab.env };
    await using homes = await openHomes({ env, homes: [lab.home] });
    await homes.list();
    const report = await homes.diagnostics.audit();
    expect(report.databases.map(({ owner, ok }) => [owner, ok])).toContainEqual(['codicil', true]);
    expect(report.problems).toEqual([]);
    for (const { file } of report.databases) expect(file).toMatch(/indexes\/[0-9a-f]{16}\/\w+\.sqlite$/);
  });

  test('never makes a copy inside of a home', async () => {
    const lab = newLab();
    putState(lab, []);
    const env = { ...lab.env, TMPDIR: join(lab.home, 'sessions') };
    await using homes = await openHomes({ env, homes: [lab.home] });
    await expect(homes.diagnostics.audit()).rejects.toMatchObject({ code: 'no-temp-folder' });
  });

  test('removes its copies when it is interrupted', async () => {
    const lab = newLab();
    putState(lab, [{ id: uuid(1), path: log(lab.home, 1) }]);
    const temp = join(lab.root, 'tmp');
    mkdirSync(temp);
    const interrupt = new AbortController();
    await using homes = await openHomes({ env: { ...lab.env, TMPDIR: temp }, homes: [lab.home] });
    const onProgress = ({ phase }: { readonly phase: string }): void => {
      if (phase === 'rows') interrupt.abort();
    };
    writeCodexDatabase(join(lab.home, 'zz.sqlite'), []);
    const interrupted = homes.diagnostics.audit({ signal: interrupt.signal, onProgress });
    await expect(interrupted).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(temp)).toEqual([]);
  });
});
