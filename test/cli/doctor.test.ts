import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DoctorCheck, DoctorReport } from '../../src/home/index.js';
import { newLab, runProgram, snapshot } from '../faults/lab.js';
import { rolloutLines, rolloutPath, uuid, writeLines } from '../thread-store/temp-home.js';
import { fakeHomes, HOME, id, run } from './fake-homes.js';
import { keysOf, SHAPES } from './json-shapes.js';

const FINE: DoctorCheck = { name: 'node', home: null, ok: true, detail: 'Node 22.1.0', repair: null };
const STALE: DoctorCheck = {
  name: 'index',
  home: HOME,
  ok: false,
  detail: '3 rows are of logs that are gone',
  repair: 'codicil doctor --repair',
};
const FULL: DoctorReport = {
  checks: [FINE, STALE],
  repaired: ['Deleted a file'],
  secrets: {
    findings: [{ address: `${id('1')}:7`, path: `${HOME}/a.jsonl`, line: 7, rule: 'openai-key', count: 2 }],
    moreFindings: 0,
    secrets: 2,
    files: 1,
    unreadLines: 0,
    unreadableFiles: [],
    derived: [{ path: '/index', rule: 'github-token', count: 1 }],
  },
  disk: {
    homes: [
      {
        home: HOME,
        logs: {
          files: 2,
          bytes: 2_000_000,
          activeBytes: 1_500_000,
          archivedBytes: 500_000,
          compressedFiles: 1,
          compressedBytes: 500_000,
          projects: [{ cwd: '/p\u001b', threads: 2, bytes: 2_000_000 }],
          threads: [{ id: id('1'), path: `${HOME}/a.jsonl`, cwd: null, files: 1, bytes: 1_500_000 }],
          images: { images: 3, bytes: 900_000, repeated: 1, savableBytes: 300_000 },
        },
        databases: [{ path: `${HOME}/state_5.sqlite`, bytes: 4096 }],
        derived: [{ path: '/index', bytes: 100_000 }],
        databaseBytes: 4096,
        derivedBytes: 100_000,
      },
    ],
  },
};

describe('codicil doctor', () => {
  test('exits 0 when all is well', async () => {
    const { code, stdout, stderr } = await run(['doctor'], fakeHomes({ rows: [], examined: { checks: [FINE] } }));
    expect([code, stdout, stderr]).toEqual([0, 'ok    node               Node 22.1.0.\n', '1 check, all is well.\n']);
  });

  test('shows a fault with its repair, and exits 1', async () => {
    const { code, stdout, stderr } = await run(
      ['doctor'],
      fakeHomes({ rows: [], examined: { checks: [FINE, STALE] } }),
    );
    expect(code).toBe(1);
    expect(stdout).toContain(`\n${HOME}\nbad   index              3 rows are of logs that are gone.\n`);
    expect(stdout).toContain('Repair: codicil doctor --repair\n');
    expect(stderr).toContain('2 checks, 1 with a fault.\n');
  });

  test('passes its options on', async () => {
    const asked: unknown[] = [];
    await run(['doctor', '--repair', '--disk'], fakeHomes({ rows: [], examined: { checks: [] }, asked }));
    expect(asked).toEqual([{ doctor: { repair: true, secrets: false, disk: true } }]);
  });

  test('--json has the keys of the contract', async () => {
    const { stdout } = await run(['doctor', '--json'], fakeHomes({ rows: [], examined: FULL }));
    const document = JSON.parse(stdout);
    const usage = document.disk[0];
    expect(Object.keys(document)).toEqual(SHAPES.doctor);
    expect(Object.keys(document.checks[0])).toEqual(keysOf('check'));
    expect(Object.keys(document.secrets)).toEqual(SHAPES.secrets);
    expect(Object.keys(document.secrets.findings[0])).toEqual(keysOf('finding'));
    expect(Object.keys(document.secrets.derived[0])).toEqual(keysOf('derived finding'));
    expect(Object.keys(usage)).toEqual(keysOf('usage'));
    expect(Object.keys(usage.projects[0])).toEqual(keysOf('project usage'));
    expect(Object.keys(usage.threads[0])).toEqual(keysOf('thread usage'));
    expect(Object.keys(usage.images)).toEqual(keysOf('image usage'));
    expect(Object.keys(usage.derived[0])).toEqual(keysOf('file usage'));
    const { stdout: plain } = await run(['doctor', '--json'], fakeHomes({ rows: [], examined: { checks: [FINE] } }));
    expect(JSON.parse(plain)).toEqual({ checks: [FINE] });
  });

  test('shows secrets by address and sizes by project, controls made visible', async () => {
    const { stdout } = await run(['doctor', '--secrets', '--disk'], fakeHomes({ rows: [], examined: FULL }));
    expect(stdout).toContain(`  ${id('1')}:7  openai-key ×2\n`);
    expect(stdout).toContain('  derived  github-token  /index\n');
    expect(stdout).toContain('300 kB could be saved');
    expect(stdout).toContain('2.0 MB  /p␛ (2 threads)\n');
  });
});

describe('codicil doctor, as a process', () => {
  test('writes no planted secret to stdout, stderr or any file of ours, and changes no byte of the home', async () => {
    const lab = newLab();
    const temp = join(lab.root, 'tmp');
    mkdirSync(temp);
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2hJ4'}`;
    writeLines(rolloutPath(lab.home, uuid(1)), rolloutLines({ id: uuid(1), says: [`token ${secret}`] }));
    const before = snapshot(lab.home);
    const env = { ...lab.env, TMPDIR: temp };
    for (const args of [['list'], ['doctor', '--secrets', '--disk'], ['doctor', '--secrets', '--repair', '--json']]) {
      const ran = await runProgram(args, { env });
      const isDoctor = args[0] === 'doctor';
      expect([args, ran.code]).toEqual([args, isDoctor ? 1 : 0]);
      if (!isDoctor) continue;
      expect(ran.stdout + ran.stderr).not.toContain(secret.slice(4));
      expect(ran.stdout).toContain(`${uuid(1)}:2`);
    }
    const { stdout } = await runProgram(['doctor', '--secrets', '--json'], { env });
    expect(JSON.parse(stdout).secrets.derived).toEqual([]);
    expect(snapshot(lab.home)).toEqual(before);
  });
});
