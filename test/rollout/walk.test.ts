import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { walkRollouts } from '../../src/rollout/walk.js';
import { fakeFileSystem } from './fake-file-system.js';
import { files, LINEAGE_HOME, tempFolder } from './samples.js';

const NAME = 'rollout-2026-11-30T00-52-16-01a229f0-2e7f-7fd2-9dab-b721d8039115.jsonl';
const OTHER = 'rollout-2026-11-30T00-52-17-01a229f0-3224-7b90-a5fd-20ebcf4d4bbf.jsonl';

async function summary(home: string, fileSystem = files, timeLimitMs = 2000) {
  const { files: found, problems } = await walkRollouts(home, { files: fileSystem, timeLimitMs });
  return {
    files: found.map((file) => (file.hidden === null ? file.relativePath : `${file.relativePath} ${file.hidden}`)),
    problems: problems.map((problem) => `${problem.relativePath} ${problem.code}`),
  };
}

describe('walkRollouts()', () => {
  // Other systems refuse such names.
  test.runIf(process.platform === 'linux')('counts a file and reports a folder whose name is no UTF-8', async () => {
    const home = tempFolder();
    const sessions = Buffer.from(join(home, 'sessions'));
    const bytes = (text: string): Buffer => Buffer.concat([sessions, Buffer.from('/'), Buffer.from(text, 'latin1')]);
    mkdirSync(Buffer.concat([bytes('caf\u00e9')]), { recursive: true });
    writeFileSync(bytes('rollout-caf\u00e9.jsonl'), 'x\n');
    expect(await summary(home)).toEqual({
      files: ['sessions/rollout-caf\ufffd.jsonl foreign-name'],
      problems: ['sessions/caf\ufffd ENOENT'],
    });
  });

  test('finds every file of a genuine home', async () => {
    const { files: found, problems } = await walkRollouts(LINEAGE_HOME, { files });
    expect(found).toHaveLength(9);
    expect(problems).toEqual([]);
    expect(found.every((file) => file.hidden === null && file.sizeBytes > 0 && file.mtimeNs > 0n)).toBe(true);
    expect(found.filter((file) => file.location === 'archived')).toHaveLength(1);
    expect(found.filter((file) => file.name?.compressed)).toHaveLength(1);
    expect(found.filter((file) => file.name?.segmentId !== undefined)).toHaveLength(3);
  });

  test('goes into odd folders, heeds no ignore file, opens no link or FIFO', async () => {
    const home = tempFolder();
    cpSync(LINEAGE_HOME, home, { recursive: true });
    const odd = join(home, 'sessions', '2026', '1', 'deeper', 'still');
    mkdirSync(odd, { recursive: true });
    writeFileSync(join(odd, NAME), '');
    writeFileSync(join(home, '.gitignore'), '*\n');
    writeFileSync(join(home, 'sessions', 'notes.txt'), '');
    symlinkSync(join(odd, NAME), join(home, 'sessions', OTHER));
    symlinkSync('/nowhere', join(home, 'sessions', 'dangling'));
    symlinkSync(tempFolder(), join(home, 'sessions', 'outside'));
    symlinkSync(join(home, 'sessions'), join(home, 'sessions', 'circle'));
    execFileSync('mkfifo', [join(home, 'sessions', 'fifo.jsonl')]);
    const found = await summary(home);
    expect(found.files.filter((file) => !file.includes('/2026/11/30/') && !file.startsWith('archived'))).toEqual([
      `sessions/2026/1/deeper/still/${NAME}`,
      'sessions/dangling not-a-file',
      'sessions/fifo.jsonl not-a-file',
      'sessions/notes.txt foreign-name',
      'sessions/outside link-outside-home',
      `sessions/${OTHER} not-a-file`,
    ]);
    expect(found.problems).toEqual([]);
  });

  test('follows roots that are links, and linked folders inside the home, each file once', async () => {
    const home = tempFolder();
    const elsewhere = tempFolder();
    mkdirSync(join(elsewhere, 'day'));
    writeFileSync(join(elsewhere, 'day', NAME), '');
    mkdirSync(join(home, 'moved'));
    writeFileSync(join(home, 'moved', OTHER), '');
    symlinkSync(elsewhere, join(home, 'sessions'));
    symlinkSync(join(home, 'moved'), join(elsewhere, 'inside'));
    symlinkSync(join(elsewhere, 'day'), join(elsewhere, 'again'));
    expect((await summary(home)).files).toEqual([`sessions/day/${NAME}`, `sessions/inside/${OTHER}`]);
  });

  test('reports a folder that may not be read and one that never answers, and finds the rest', async () => {
    const fake = fakeFileSystem({
      '/h': null,
      '/h/sessions': null,
      '/h/sessions/secret': 'denied',
      '/h/sessions/mount': 'dead',
      '/h/sessions/far': { link: '/h/sessions/mount' },
      [`/h/sessions/${NAME}`]: 'file',
      '/h/archived_sessions': null,
    });
    expect(await summary('/h', fake, 5)).toEqual({
      files: ['sessions/far not-a-file', `sessions/${NAME}`],
      problems: ['sessions/far time-limit', 'sessions/mount time-limit', 'sessions/secret EACCES'],
    });
  });

  test('walks a Windows home, where names have no case', async () => {
    const fake = fakeFileSystem(
      {
        'C:\\h': null,
        'C:\\h\\sessions': null,
        'C:\\h\\sessions\\2026': null,
        [`C:\\h\\sessions\\2026\\${NAME}`]: 'file',
        'C:\\h\\sessions\\same': { link: 'c:\\H\\SESSIONS\\2026' },
        'c:\\H\\SESSIONS\\2026': null,
      },
      'win32',
    );
    expect(await summary('C:\\h', fake)).toEqual({ files: [`sessions/2026/${NAME}`], problems: [] });
  });

  test('gives nothing for a home that is not there', async () => {
    expect(await summary('/no/such/home')).toEqual({ files: [], problems: [] });
  });

  test('rejects with the reason of the signal', async () => {
    const reason = new Error('enough');
    await expect(walkRollouts(LINEAGE_HOME, { files, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
