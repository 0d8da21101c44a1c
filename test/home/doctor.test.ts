import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type DoctorCheck, type DoctorOptions, type DoctorReport, openHomes } from '../../src/home/index.js';
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID } from '../../src/state/index.js';
import { type Lab, newLab, snapshot } from '../faults/lab.js';
import { writeCodexDatabase } from '../state/codex-database.js';
import { rolloutLines, rolloutPath, uuid, writeLines } from '../thread-store/temp-home.js';

function log(home: string, number: number, says: readonly string[] = ['Hello']): string {
  const path = rolloutPath(home, uuid(number));
  writeLines(path, rolloutLines({ id: uuid(number), says, meta: { cwd: `/project/${number % 2}` } }));
  return path;
}

/** Reads the home as a list does, so that its index is made. */
async function list(lab: Lab): Promise<void> {
  await using homes = await openHomes({ env: lab.env, homes: [lab.home] });
  await homes.list({ indexBudgetMs: Number.POSITIVE_INFINITY });
}

/** Asks the doctor, and sees to it that nothing in the foreign home changes. */
async function examine(lab: Lab, options: DoctorOptions = {}): Promise<DoctorReport> {
  const temp = join(lab.root, 'tmp');
  mkdirSync(temp, { recursive: true });
  const before = snapshot(lab.home);
  await using homes = await openHomes({ env: { ...lab.env, TMPDIR: temp }, homes: [lab.home] });
  const report = await homes.diagnostics.doctor(options);
  expect(snapshot(lab.home)).toEqual(before);
  return report;
}

function bad({ checks }: DoctorReport): readonly string[] {
  return checks.filter(({ ok }) => !ok).map(({ name }) => name);
}

function check({ checks }: DoctorReport, name: string): DoctorCheck {
  return checks.find((candidate) => candidate.name === name)!;
}

/** The folder of what we derive from the lab's home. */
function derived(lab: Lab): string {
  const indexes = join(lab.user, '.codicil', 'indexes');
  return join(indexes, readdirSync(indexes)[0]!);
}

describe('doctor()', () => {
  let lab: Lab;
  beforeEach(() => {
    lab = newLab();
    log(lab.home, 1);
    log(lab.home, 2);
  });

  test('finds nothing wrong with a sound home, and makes nothing by looking', async () => {
    const report = await examine(lab);
    expect(bad(report)).toEqual([]);
    expect(report.checks.map(({ name }) => name)).toEqual([
      ...['node', 'sqlite', 'zstd', 'codex'],
      ...['folders', 'links', 'logs', 'names-file', 'disk-space', 'permissions', 'databases', 'index', 'leftovers'],
    ]);
    for (const { detail, repair } of report.checks) expect([detail.length > 5, repair]).toEqual([true, null]);
    expect(readdirSync(lab.user)).toEqual([]);
    await list(lab);
    const after = await examine(lab);
    expect(bad(after)).toEqual([]);
    expect(check(after, 'index').detail).toContain('complete (2 files)');
  });

  test('every fault names its repair', async () => {
    await list(lab);
    chmodSync(join(lab.user, '.codicil'), 0o755);
    mkdirSync(join(lab.root, 'elsewhere'));
    symlinkSync(join(lab.root, 'elsewhere'), join(lab.home, 'sessions', 'out'));
    writeFileSync(join(lab.home, 'session_index.jsonl'), 'no entry\n');
    const report = await examine(lab);
    expect(bad(report)).toEqual(['links', 'names-file', 'permissions']);
    for (const { ok, repair } of report.checks) expect(typeof repair).toBe(ok ? 'object' : 'string');
  });

  test.skipIf(process.getuid?.() === 0)('reports folders and logs that cannot be read', async () => {
    const path = log(lab.home, 3);
    chmodSync(path, 0);
    mkdirSync(join(lab.home, 'sessions', 'closed'), { mode: 0 });
    const report = await examine(lab);
    chmodSync(join(lab.home, 'sessions', 'closed'), 0o700);
    expect(bad(report)).toEqual(expect.arrayContaining(['folders']));
  });

  test('--repair closes what is derived to others, and nothing else', async () => {
    await list(lab);
    const own = join(lab.user, '.codicil');
    const theirs = statSync(rolloutPath(lab.home, uuid(1))).mode;
    chmodSync(own, 0o755);
    chmodSync(join(derived(lab), 'state_5.sqlite'), 0o644);
    const report = await examine(lab, { repair: true });
    expect(bad(report)).toEqual([]);
    expect(report.repaired).toEqual([expect.stringMatching(/^Closed \d files and folders to other users$/)]);
    expect(statSync(own).mode & 0o777).toBe(0o700);
    expect(statSync(join(derived(lab), 'state_5.sqlite')).mode & 0o777).toBe(0o600);
    expect(statSync(rolloutPath(lab.home, uuid(1))).mode).toBe(theirs);
  });

  test('--repair sets a damaged index aside, makes it again, and deletes the copy the next time', async () => {
    for (let number = 3; number < 60; number += 1) log(lab.home, number);
    await list(lab);
    const file = join(derived(lab), 'state_5.sqlite');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x5a, 4096, bytes.length - 4096));
    rmSync(`${file}-wal`, { force: true });
    rmSync(`${file}-shm`, { force: true });
    expect(bad(await examine(lab))).toEqual(['databases', 'index']);
    const repaired = await examine(lab, { repair: true });
    expect(bad(repaired)).toEqual([]);
    expect(repaired.repaired).toHaveLength(1);
    const [copy] = readdirSync(derived(lab)).filter((name) => name.includes('.damaged-'));
    expect(readFileSync(join(derived(lab), copy!)).equals(bytes)).toBe(true);
    const later = await examine(lab);
    expect(bad(later)).toEqual(['leftovers']);
    expect(bad(await examine(lab, { repair: true }))).toEqual([]);
    expect(readdirSync(derived(lab)).filter((name) => name.includes('.damaged-'))).toEqual([]);
  });

  test('--repair brings rows of logs that are gone to an end', async () => {
    await list(lab);
    renameSync(rolloutPath(lab.home, uuid(2)), join(lab.root, 'taken-away'));
    const report = await examine(lab);
    expect(bad(report)).toEqual(['index']);
    expect(check(report, 'index').detail).toContain('1 row is of a log that is gone');
    expect(bad(await examine(lab, { repair: true }))).toEqual([]);
  });

  test('a log that has grown since is no fault', async () => {
    await list(lab);
    log(lab.home, 3);
    const report = await examine(lab);
    expect(bad(report)).toEqual([]);
    expect(check(report, 'index').detail).toContain('1 changed since');
  });

  test('--repair deletes what dead processes left, and nothing of a process that runs', async () => {
    await list(lab);
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const temp = join(lab.root, 'tmp');
    mkdirSync(temp);
    const copyOf = (pid: number): string => join(temp, `codicil-copy-${pid}-0123456789ab`);
    for (const pid of [dead, process.pid]) {
      mkdirSync(copyOf(pid));
      writeFileSync(join(copyOf(pid), 'copy.sqlite'), 'a copy');
      writeFileSync(join(derived(lab), `.x.${pid}.0123456789ab.tmp`), 'half a file', { mode: 0o600 });
    }
    const found = check(await examine(lab), 'leftovers');
    expect([found.ok, found.repair]).toEqual([false, 'codicil doctor --repair']);
    const report = await examine(lab, { repair: true });
    expect(bad(report)).toEqual([]);
    expect([existsSync(copyOf(dead)), existsSync(copyOf(process.pid))]).toEqual([false, true]);
    expect(readdirSync(derived(lab)).filter((name) => name.endsWith('.tmp'))).toEqual([
      `.x.${process.pid}.0123456789ab.tmp`,
    ]);
  });

  test('--repair sweeps a rebuild that died', async () => {
    await list(lab);
    const names = ['state_5.sqlite', 'search_1.sqlite'].filter((name) => existsSync(join(derived(lab), name)));
    for (const name of names) {
      const database = openSqlite({ path: join(derived(lab), name), applicationId: APPLICATION_ID });
      const dead = spawnSync(process.execPath, ['-e', '']).pid;
      database
        .prepare("INSERT INTO generations (state, started_at_ms, host, process_id) VALUES ('building', 0, ?, ?)")
        .run(hostname(), dead);
      database.close();
    }
    const found = check(await examine(lab), 'leftovers');
    expect(found.detail).toContain(`${names.length} unfinished or old generations of the index`);
    expect(bad(await examine(lab, { repair: true }))).toEqual([]);
  });

  test('--repair does not touch the database of another program in the place of ours', async () => {
    await list(lab);
    const file = join(derived(lab), 'state_5.sqlite');
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    writeCodexDatabase(file, []);
    chmodSync(file, 0o600);
    const bytes = readFileSync(file);
    const report = await examine(lab, { repair: true });
    expect(bad(report)).toEqual(['index']);
    expect(check(report, 'index').repair).toContain('Move the file away');
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('--disk measures projects, threads and images that are stored twice', async () => {
    const payload = 'iVBORw0KGgo'.repeat(300);
    const line = (type: string): string =>
      JSON.stringify({
        timestamp: '2026-05-04T10:00:05.000Z',
        type,
        payload: { type: 'user_message', message: '', images: [`data:image/png;base64,${payload}`] },
      });
    const path = rolloutPath(lab.home, uuid(3));
    const once = `data:image/png;base64,${'QUJD'.repeat(400)}`;
    writeLines(path, [
      ...rolloutLines({ id: uuid(3), meta: { cwd: '/project/images' } }),
      line('event_msg'),
      line('response_item'),
      JSON.stringify({ timestamp: '2026-05-04T10:00:06.000Z', type: 'event_msg', payload: { type: 'x', image: once } }),
    ]);
    writeCodexDatabase(join(lab.home, 'state_5.sqlite'), []);
    const { disk } = await examine(lab, { disk: true });
    const [usage] = disk!.homes;
    const sizes = [1, 2, 3].map((number) => statSync(rolloutPath(lab.home, uuid(number))).size);
    expect(usage!.logs).toMatchObject({
      files: 3,
      bytes: sizes.reduce((sum, size) => sum + size),
      archivedBytes: 0,
      images: { images: 3, bytes: payload.length * 2 + 1600, repeated: 1, savableBytes: payload.length },
    });
    expect(usage!.logs.projects[0]).toEqual({ cwd: '/project/images', threads: 1, bytes: sizes[2] });
    expect(usage!.logs.threads[0]).toEqual({ id: uuid(3), path, cwd: '/project/images', files: 1, bytes: sizes[2] });
    expect(usage!.databases.map(({ path: file }) => file)).toEqual([join(lab.home, 'state_5.sqlite')]);
  });
});

/** Made up, each of a form that programs issue. */
const PLANTED = [`sk-proj-${'aB3dE6gH9jK2mN5pQ8sT'.repeat(3)}`, `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2hJ4'}`];

describe('doctor --secrets', () => {
  function plant(lab: Lab): string {
    const path = rolloutPath(lab.home, uuid(1));
    writeLines(path, [
      ...rolloutLines({ id: uuid(1), says: [`my key is ${PLANTED[0]} as you know`] }),
      JSON.stringify({
        timestamp: '2026-05-04T10:00:09.000Z',
        type: 'response_item',
        payload: {
          type: 'function_call_output',
          call_id: 'c',
          output: JSON.stringify({ output: `GITHUB\n${PLANTED[1]}\n${PLANTED[0]}`, metadata: { exit_code: 0 } }),
        },
      }),
      JSON.stringify({
        timestamp: '2026-05-04T10:00:10.000Z',
        type: 'novel',
        payload: { deep: [[{ key: PLANTED[1] }]] },
      }),
      `{"broken ${PLANTED[0]}`,
    ]);
    return path;
  }

  test('tells each by address and number, and prints no part of it', async () => {
    const lab = newLab();
    const path = plant(lab);
    // What is derived holds them masked.
    await list(lab);
    const report = await examine(lab, { secrets: true });
    const { findings, secrets, files, unreadLines } = report.secrets!;
    expect(findings.map(({ address, count }) => [address, count])).toEqual([
      [`${uuid(1)}:2`, 1],
      [`${uuid(1)}:3`, 1],
      [`${uuid(1)}:3`, 1],
      [`${uuid(1)}:4`, 1],
    ]);
    expect(new Set(findings.map((finding) => finding.path))).toEqual(new Set([path]));
    expect([secrets, files, unreadLines]).toEqual([4, 1, 1]);
    expect(bad(report)).toEqual(['secrets-in-logs']);
    for (const secret of PLANTED) expect(JSON.stringify(report)).not.toContain(secret.slice(8));
  });

  test('names the file where a thread stands in several', async () => {
    const lab = newLab();
    const path = plant(lab);
    writeLines(rolloutPath(lab.home, uuid(1), { segment: uuid(2) }), rolloutLines({ id: uuid(1) }));
    const { secrets } = await examine(lab, { secrets: true });
    expect(secrets!.findings[0]!.address).toBe(`${path}:2`);
  });

  test('passes the bytes of images over', async () => {
    const lab = newLab();
    // By itself it would be a key of AWS.
    const alike = `AKIA${'Q3EGRFM2XWZ7PLKD'}`;
    const image = `data:image/png;base64,${'A'.repeat(600)}+${alike}+${'A'.repeat(600)}`;
    writeLines(rolloutPath(lab.home, uuid(1)), rolloutLines({ id: uuid(1), says: [`${image} and ${alike}`] }));
    const { secrets } = await examine(lab, { secrets: true });
    expect(secrets!.secrets).toBe(1);
  });

  test('finds a secret that lies across the pieces of a long text, once', async () => {
    const lab = newLab();
    const before = 'word '.repeat(Math.floor((1024 * 1024) / 5) - 2);
    writeLines(rolloutPath(lab.home, uuid(1)), rolloutLines({ id: uuid(1), says: [`${before} ${PLANTED[0]} after`] }));
    const { secrets } = await examine(lab, { secrets: true });
    expect(secrets!.secrets).toBe(1);
  });

  test('ends when it is interrupted, also in the middle of one log', async () => {
    const lab = newLab();
    writeLines(
      rolloutPath(lab.home, uuid(1)),
      rolloutLines({ id: uuid(1), says: Array(60).fill('word '.repeat(50_000)) }),
    );
    const interrupt = new AbortController();
    const onProgress = ({ phase }: { readonly phase: string }): void => {
      if (phase === 'secrets') setImmediate(() => interrupt.abort());
    };
    const interrupted = examine(lab, { secrets: true, signal: interrupt.signal, onProgress });
    await expect(interrupted).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('finds what an older version left in a derived file, and --repair takes it out', async () => {
    const lab = newLab();
    log(lab.home, 1);
    await list(lab);
    const stray = join(derived(lab), 'old_1.sqlite');
    writeFileSync(stray, `some bytes ${PLANTED[1]} and others`, { mode: 0o600 });
    const report = await examine(lab, { secrets: true });
    expect(report.secrets!.derived).toMatchObject([{ path: stray, count: 1 }]);
    expect(bad(report)).toContain('secrets-in-derived');
    for (const secret of PLANTED) expect(JSON.stringify(report)).not.toContain(secret.slice(8));
    const repaired = await examine(lab, { secrets: true, repair: true });
    expect(bad(repaired)).not.toContain('secrets-in-derived');
  });
});
