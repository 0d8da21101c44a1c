import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AuditProblem, AuditReport } from '../../src/home/index.js';
import { BIN, newLab, runProgram, snapshot } from '../faults/lab.js';
import { writeCodexDatabase } from '../state/codex-database.js';
import { rolloutLines, rolloutPath, uuid, writeLines } from '../thread-store/temp-home.js';
import { fakeHomes, HOME, id, run } from './fake-homes.js';
import { keysOf } from './json-shapes.js';

const SOUND: AuditReport = {
  databases: [{ file: `${HOME}/state_5.sqlite`, owner: 'codex', ok: true, problem: null }],
  rows: [{ id: id('1'), rolloutPath: `${HOME}/a.jsonl`, archived: false, source: 'cli', modelProvider: 'openai' }],
  problems: [],
  uncompared: [],
};
const missing = (end: string): AuditProblem => ({
  kind: 'missing-file',
  id: id(end),
  detail: 'The log is not there',
  path: `${HOME}/sessions/\u001b[31m${end}.jsonl`,
});

describe('codicil audit', () => {
  test('exits 0 when nothing was found', async () => {
    const { code, stdout, stderr } = await run(['audit'], fakeHomes({ rows: [], audited: SOUND }));
    expect([code, stdout, stderr]).toEqual([
      0,
      `ok   codex    ${HOME}/state_5.sqlite\n`,
      '1 database, 1 row: no problem was found.\n',
    ]);
  });

  test('--json has the keys of the contract, and exits 1 for a problem', async () => {
    const report = { ...SOUND, problems: [missing('1')] };
    const { code, stdout } = await run(['audit', '--json'], fakeHomes({ rows: [], audited: report }));
    const document = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(Object.keys(document)).toEqual(keysOf('audit'));
    expect(Object.keys(document.databases[0])).toEqual(keysOf('database'));
    expect(Object.keys(document.rows[0])).toEqual(keysOf('row'));
    expect(Object.keys(document.problems[0])).toEqual(keysOf('problem'));
  });

  test('shows problems by kind with what to do, and counts those beyond ten', async () => {
    const problems = Array.from({ length: 12 }, (_, at) => missing(String(at + 1)));
    const report: AuditReport = { ...SOUND, problems, uncompared: ['/backup/.codex'] };
    const { stdout, stderr } = await run(['audit'], fakeHomes({ rows: [], audited: report }));
    expect(stdout).toContain('missing-file  12 rows without their logs\n');
    expect(stdout).toContain('  and 2 more; --json has all\n');
    expect(stdout).toContain('Codex drops such a row');
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toContain('12 problems. No log is at fault, and nothing was changed.\n');
    expect(stderr).toContain('/backup/.codex has no state database');
  });
});

describe('codicil audit, as a process', () => {
  test('leaves the home as it was, and no copy', async () => {
    const lab = newLab();
    const temp = join(lab.root, 'tmp');
    mkdirSync(temp);
    const path = rolloutPath(lab.home, uuid(1));
    writeLines(path, rolloutLines({ id: uuid(1) }));
    writeCodexDatabase(join(lab.home, 'state_5.sqlite'), [{ id: uuid(1), path }], {
      uncheckpointed: [{ id: uuid(2), path: rolloutPath(lab.home, uuid(2)) }],
    });
    const before = snapshot(lab.home);
    const ran = await runProgram(['audit', '--json'], { env: { ...lab.env, TMPDIR: temp } });
    expect([ran.code, ran.stderr]).toEqual([1, '']);
    expect(JSON.parse(ran.stdout).problems).toMatchObject([{ kind: 'missing-file', id: uuid(2) }]);
    expect(snapshot(lab.home)).toEqual(before);
    expect(readdirSync(temp)).toEqual([]);
    // Looking for problems is no reason to make a home.
    expect(existsSync(join(lab.user, '.codicil'))).toBe(false);
  });

  test('removes its copies when it is interrupted in the middle of one', async () => {
    const lab = newLab();
    const temp = join(lab.root, 'tmp');
    mkdirSync(temp);
    // Larger than can be copied before anyone looks; it takes no room itself.
    const file = join(lab.home, 'logs_2.sqlite');
    writeFileSync(file, '');
    truncateSync(file, 6 * 1024 ** 3);
    const child = spawn(process.execPath, [BIN, 'audit'], {
      env: { PATH: process.env['PATH'], ...lab.env, TMPDIR: temp },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    await vi.waitFor(
      () => expect(readdirSync(temp).map((name) => statSync(join(temp, name, 'copy.sqlite')).size > 0)).toEqual([true]),
      { timeout: 20_000, interval: 5 },
    );
    child.kill('SIGINT');
    expect(await exited).toEqual([130, null]);
    expect(readdirSync(temp)).toEqual([]);
  });
});
