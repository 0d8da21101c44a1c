/** The doctor where its own work fails: it reports, and goes on. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { examine } from '../../src/home/doctor/doctor.js';
import { type DoctorOptions, type DoctorReport, openHomes } from '../../src/home/index.js';
import { locateHomes } from '../../src/home/locate.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { openSqlite, SqliteError } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID } from '../../src/state/index.js';
import type { SessionReader } from '../../src/thread-store/session-reader.js';
import { type Lab, newLab } from '../faults/lab.js';
import { makeReadOnly, READ_ONLY_MEANS } from '../faults/read-only.js';
import { rolloutLines, rolloutPath, uuid, writeLines } from '../thread-store/temp-home.js';

/** Made up, of a form that programs issue. */
const SECRET = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2hJ4'}`;

function labOfThreads(cwd = '/project'): Lab {
  const lab = newLab();
  for (const number of [1, 2, 3]) {
    writeLines(rolloutPath(lab.home, uuid(number)), rolloutLines({ id: uuid(number), meta: { cwd } }));
  }
  return lab;
}

async function list(lab: Lab): Promise<void> {
  await using homes = await openHomes({ env: lab.env, homes: [lab.home] });
  await homes.list({ indexBudgetMs: Number.POSITIVE_INFINITY });
}

async function ask(lab: Lab, options: DoctorOptions = {}): Promise<DoctorReport> {
  await using homes = await openHomes({ env: { ...lab.env, TMPDIR: lab.root }, homes: [lab.home] });
  return homes.diagnostics.doctor(options);
}

function bad({ checks }: DoctorReport): readonly string[] {
  return checks.filter(({ ok }) => !ok).map(({ name }) => name);
}

function derived(lab: Lab): string {
  const indexes = join(lab.user, '.codicil', 'indexes');
  return join(indexes, readdirSync(indexes)[0]!);
}

/** A derived database that is no database any more. */
function putGarbage(file: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  writeFileSync(file, 'garbage '.repeat(2000), { mode: 0o600 });
}

test('a repair that fails is told with its cause and the next step, and the others are done', async () => {
  const lab = labOfThreads();
  await list(lab);
  putGarbage(join(derived(lab), 'state_5.sqlite'));
  writeFileSync(join(derived(lab), 'search_1.sqlite.damaged-20260504T100000000Z-1'), 'old', { mode: 0o600 });
  const full = new SqliteError('sqlite-full', 'SQLite failed on "x": database or disk is full', { path: 'x' });
  const homes = await locateHomes({ env: lab.env, homes: [lab.home], files: nodeFileSystem });
  const index = join(derived(lab), 'state_5.sqlite');
  // The only double: building the index anew fails on a full disk, and leaves it as bad as before.
  const failToList = (): Promise<never> => {
    putGarbage(index);
    return Promise.reject(full);
  };
  const reader = { close: async () => {}, list: failToList } as unknown as SessionReader;
  const nowMs = (): number => Date.parse('2026-05-05T10:00:00.000Z');
  const world = { files: nodeFileSystem, env: lab.env, tempRoot: lab.root, readers: [reader], nowMs };
  const report = await examine(homes, world, { repair: true });
  const check = report.checks.find(({ name }) => name === 'databases')!;
  expect(check.ok).toBe(false);
  expect(check.detail).toContain('the repair failed: SQLite failed on "x": database or disk is full');
  expect(check.repair).toBe('Free some disk space, and run codicil doctor again.');
  expect(report.repaired).toEqual([expect.stringMatching(/^Deleted 1 file or folder/)]);
});

test.skipIf(READ_ONLY_MEANS === 'not possible here')('what is derived lies where nothing can be written', async () => {
  const lab = labOfThreads();
  await list(lab);
  putGarbage(join(derived(lab), 'state_5.sqlite'));
  makeReadOnly(lab.user);
  expect(bad(await ask(lab))).toEqual(['databases', 'index']);
  const report = await ask(lab, { repair: true, secrets: true, disk: true });
  expect(bad(report)).toEqual(['databases', 'index']);
  const check = report.checks.find(({ name }) => name === 'databases')!;
  expect(check.detail).toContain('the repair failed: ');
  expect(check.repair).toContain('Make the folder writable');
});

test('a folder in the place of a database is named, and never repaired away', async () => {
  for (const name of ['state_5.sqlite', 'search_1.sqlite']) {
    const lab = labOfThreads();
    await list(lab);
    const file = join(derived(lab), name);
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    mkdirSync(file);
    writeFileSync(join(file, 'mine.txt'), 'kept');
    for (const options of [{}, { repair: true }]) {
      const check = (await ask(lab, options)).checks.find((one) => one.name === 'databases')!;
      expect(check.ok).toBe(false);
      expect(check.detail).toContain(`${file}: a folder is in the way`);
      expect(check.repair).toContain(`Move ${file} away`);
    }
    expect(readFileSync(join(file, 'mine.txt'), 'utf8')).toBe('kept');
    await using homes = await openHomes({ env: lab.env, homes: [lab.home] });
    await expect(homes.readers[0]!.rebuild()).rejects.toThrow(/a folder is in its place/);
  }
});

test('a file in the place of the folder of a database is named', async () => {
  const lab = labOfThreads();
  await list(lab);
  const folder = derived(lab);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  const check = (await ask(lab)).checks.find((one) => one.name === 'databases')!;
  expect(check.detail).toContain(`${folder}: a file is in the way`);
});

test('--disk masks the folders of projects', async () => {
  const { disk } = await ask(labOfThreads(`/project/${SECRET}`), { disk: true });
  const { projects, threads } = disk!.homes[0]!.logs;
  expect([projects, threads].map((rows) => rows.length)).toEqual([1, 3]);
  expect(JSON.stringify(disk)).not.toContain(SECRET.slice(8));
  for (const { cwd } of [...projects, ...threads]) expect(cwd).toContain('/project/');
});

test('--secrets looks into deflated texts and free pages, and --repair clears them for good', async () => {
  const lab = labOfThreads();
  await list(lab);
  const file = join(derived(lab), 'search_1.sqlite');
  {
    using database = openSqlite({ path: file, applicationId: APPLICATION_ID });
    const texts = deflateRawSync(JSON.stringify([`one\ntoken=${SECRET}`, 'another']));
    expect(texts.toString('latin1')).not.toContain(SECRET);
    database.prepare('UPDATE search_places SET texts = ?').run(texts);
  }
  expect((await ask(lab, { secrets: true })).secrets!.derived).toMatchObject([{ path: file }]);
  {
    using database = openSqlite({ path: join(derived(lab), 'state_5.sqlite'), applicationId: APPLICATION_ID });
    database.exec(`CREATE TABLE old AS SELECT '${SECRET}' AS text; DROP TABLE old`);
  }
  const repaired = await ask(lab, { secrets: true, repair: true });
  expect(repaired.repaired).toEqual([expect.stringMatching(/^Deleted .*search_1\.sqlite.* built the index again/)]);
  for (const report of [repaired, await ask(lab, { secrets: true })]) {
    expect(bad(report)).toEqual([]);
    expect(report.secrets!.derived).toEqual([]);
  }
});
