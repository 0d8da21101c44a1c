/**
 * A home that another program owns is the same after any reading as before: every byte, time, mode, inode and entry. By the program
 * and by the library, whichever variable names the home, and where nothing can be written at all.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HomeSet, openHome, type ThreadRow } from '../../src/home/index.js';
import { copyHome, type Lab, newLab, openForeign, openLab, putFile, runProgram, snapshot } from './lab.js';
import { FIXTURES, file, LEGACY, LOGS, PAGINATED } from './logs.js';
import { makeReadOnly, READ_ONLY_MEANS } from './read-only.js';

/** A home with everything in it that a home may have, sound and not. */
function fullLab(): Lab {
  const lab = newLab({
    'config.toml': 'model = "gpt-5"\n[codicil.homes]\nother = "/nowhere"\n',
    'auth.json': '{"token":"secret"}',
    'history.jsonl': '{"session_id":"x","ts":1,"text":"hello"}\n',
    'log/codex-tui.log': 'started\n',
    'sessions/2026/11/29/notes.txt': 'not a rollout',
    [LEGACY.path.replace('.jsonl', '.jsonl.tmp')]: 'a temp file',
    'sessions/2026/11/29/rollout-2026-11-29T00-00-00-01a2299f-0000-7000-8000-000000000001.jsonl': '',
    'sessions/2026/11/29/rollout-2026-11-29T00-00-00-01a2299f-0000-7000-8000-000000000002.jsonl': 'garbage\n{"torn',
    'memories/MEMORY.md': '# Memory\n',
  });
  copyHome(join(FIXTURES, 'codex/0.171.0/lineage/home'), lab);
  copyHome(join(FIXTURES, 'codex/0.125.0/appserver/home'), lab);
  for (const log of LOGS) putFile(lab.home, log.path, file(log.lines));
  for (const name of ['state_5', 'logs_2', 'thread_history_1']) {
    for (const suffix of ['', '-wal', '-shm']) putFile(lab.home, `${name}.sqlite${suffix}`, Buffer.alloc(8192, name));
  }
  symlinkSync('../nowhere', join(lab.home, 'sessions', 'dangling'));
  mkdirSync(join(lab.home, 'sessions', '2027'));
  mkdirSync(join(lab.home, 'thread-writer-locks'));
  writeFileSync(join(lab.home, 'thread-writer-locks', '.coordination.lock'), '');
  execFileSync('mkfifo', [join(lab.home, 'sessions', 'fifo.jsonl')]);
  return lab;
}

interface Command {
  readonly args: readonly string[];
  readonly code?: number;
  readonly input?: string;
}

function readingCommands(lab: Lab, index: IndexKept): readonly Command[] {
  const id = PAGINATED.id;
  return [
    { args: [] },
    { args: ['list', '--json'] },
    { args: ['list', '--all', '--tree'] },
    { args: ['list', '--archived', '--jsonl'] },
    { args: ['list', '--why', id, '--json'] },
    { args: ['show', id] },
    { args: ['show', id, '--all', '--raw', '--json'] },
    { args: ['show', `${id}:3`, '--context', '2'] },
    { args: ['history', id, '--json'] },
    { args: ['verify', '--all', '--json'], code: 1 },
    { args: ['verify', join(lab.home, LEGACY.path)] },
    { args: ['decode', '--as', 'skip-line'], input: file(LEGACY.lines) },
    { args: ['rebuild', '--prove', '--json'], code: index === 'kept' ? 0 : 1 },
    { args: ['homes', '--json'] },
    { args: ['audit', '--json'], code: 1 },
    { args: ['doctor', '--secrets', '--disk', '--json'] },
    { args: ['doctor', '--repair', '--json'] },
    { args: ['open', id, '--print'] },
    { args: ['completion', 'bash'] },
  ];
}

/** Whether there is a place to keep an index: without one, only rebuilding it fails. */
type IndexKept = 'kept' | 'in memory';

async function runAll(
  lab: Lab,
  env: Readonly<Record<string, string>>,
  { more = [], index = 'kept' }: { readonly more?: readonly string[]; readonly index?: IndexKept } = {},
): Promise<void> {
  for (const { args, code = 0, input } of readingCommands(lab, index)) {
    const takesHome = !['decode', 'completion'].includes(args[0] ?? '');
    const ran = await runProgram([...args, ...(takesHome ? more : [])], { env, ...(input !== undefined && { input }) });
    expect([args, ran.code, ran.code === code ? '' : ran.stderr]).toEqual([args, code, '']);
  }
}

/** Everything that the library reads. */
async function readAll(homes: HomeSet, index: IndexKept = 'kept'): Promise<readonly ThreadRow[]> {
  const { threads } = await homes.list({ limit: 100 });
  const all = await homes.list({ all: true, limit: 100 });
  expect(all.threads.length).toBeGreaterThan(threads.length);
  for (const row of threads) {
    await using thread = await homes.open({ id: row.id!, home: row.home });
    await thread.history();
    await thread.turns({ all: true });
    await thread.lines({ from: 1, to: 3 });
    await homes.why(row.id!);
  }
  await homes.latest();
  await homes.candidates('a name that nobody has');
  for (const reader of homes.readers) {
    for await (const _ of reader.verify('all'));
    // A home without sessions has no index to keep.
    if (index === 'kept' || reader.home.own) await reader.rebuild({ prove: true });
    else await expect(reader.rebuild()).rejects.toMatchObject({ code: 'index-not-writable' });
    await reader.indexState();
    await reader.listedIds();
  }
  return threads;
}

describe('a home of another program', () => {
  test('is unchanged by every reading command, found by $CODEX_HOME', async () => {
    const lab = fullLab();
    const before = snapshot(lab.home);
    await runAll(lab, lab.env);
    expect(snapshot(lab.home)).toEqual(before);
    expect(derivedFiles(lab)).toEqual(['codicil.json', 'db', 'indexes']);
  });

  test('is unchanged by every reading command, named by --home', async () => {
    const lab = fullLab();
    const before = snapshot(lab.home);
    await runAll(lab, { HOME: lab.user }, { more: ['--home', lab.home] });
    expect(snapshot(lab.home)).toEqual(before);
    expect(derivedFiles(lab)).toEqual(['codicil.json', 'db', 'indexes']);
  });

  test('is unchanged and stays foreign when $CODICIL_HOME names it; indexes lie below the user’s own', async () => {
    const lab = fullLab();
    const before = snapshot(lab.home);
    await runAll(lab, { HOME: lab.user, CODICIL_HOME: lab.home });
    expect(snapshot(lab.home)).toEqual(before);
    expect(derivedFiles(lab)).toEqual(['codicil.json', 'db', 'indexes']);
    const { stdout } = await runProgram(['homes', '--json'], { env: { HOME: lab.user, CODICIL_HOME: lab.home } });
    expect(JSON.parse(stdout)).toMatchObject({ homes: [{ path: lab.home, kind: 'codex', own: false }] });
  });

  test('is unchanged by all that the library reads', async () => {
    const lab = fullLab();
    const before = snapshot(lab.home);
    const homes = await openLab(lab);
    const rows = await readAll(homes);
    await homes.close();
    await using reader = await openHome({ at: lab.home, env: lab.env });
    expect((await reader.list({ limit: 100 })).threads).toEqual(rows);
    expect(snapshot(lab.home)).toEqual(before);
  });

  test('without a session makes no folder of ours', async () => {
    const lab = newLab({ 'config.toml': '', 'state_5.sqlite': 'x' });
    const before = snapshot(lab.root);
    for (const args of [['list'], ['homes'], ['verify', '--all'], ['list', '--all', '--json'], ['rebuild']]) {
      expect((await runProgram(args, { env: lab.env })).code).toBe(0);
    }
    expect(snapshot(lab.root)).toEqual(before);
  });
});

function derivedFiles(lab: Lab): string[] {
  expect(readdirSync(lab.user)).toEqual(['.codicil']);
  return readdirSync(join(lab.user, '.codicil')).sort();
}

const possible = READ_ONLY_MEANS !== 'not possible here';

describe.runIf(possible)(`a disk that cannot be written (${READ_ONLY_MEANS})`, () => {
  test('k1: a read-only home that has an index is listed and shown from it', async () => {
    const lab = fullLab();
    const written = await readAll(await openLab(lab));
    makeReadOnly(lab.home);
    const before = snapshot(lab.home);
    expect(await readAll(await openLab(lab))).toEqual(written);
    await runAll(lab, lab.env);
    expect(snapshot(lab.home)).toEqual(before);
  });

  test('k2: a read-only home without an index is listed and shown, also when $CODICIL_HOME names it', async () => {
    const lab = fullLab();
    makeReadOnly(lab.home);
    const before = snapshot(lab.home);
    await runAll(lab, { HOME: lab.user, CODICIL_HOME: lab.home });
    expect(snapshot(lab.home)).toEqual(before);
    expect(derivedFiles(lab)).toEqual(['codicil.json', 'db', 'indexes']);
  });

  test('k3: a home whose sessions alone cannot be written is read as any other', async () => {
    const lab = fullLab();
    makeReadOnly(join(lab.home, 'sessions'));
    const before = snapshot(lab.home);
    await readAll(await openLab(lab));
    expect(snapshot(lab.home)).toEqual(before);
  });

  test('nowhere to write at all: the index is kept in memory, and every answer is the same', async () => {
    const lab = fullLab();
    const written = await readAll(await openForeignSet(fullCopy(lab)));
    makeReadOnly(lab.root);
    const before = snapshot(lab.root);
    const rows = await readAll(await openLab(lab), 'in memory');
    expect(rows.map(({ id, title, updatedAt }) => [id, title, updatedAt])).toEqual(
      written.map(({ id, title, updatedAt }) => [id, title, updatedAt]),
    );
    await runAll(lab, lab.env, { index: 'in memory' });
    expect(snapshot(lab.root)).toEqual(before);
  });

  test('a home of ours on a disk that became read-only is listed and shown', async () => {
    const lab = newLab({ 'codicil.json': '{"format":1,"id":"x"}\n', [LEGACY.path]: file(LEGACY.lines) });
    const env = { HOME: lab.user, CODICIL_HOME: lab.home };
    expect((await runProgram(['list', '--json'], { env })).code).toBe(0);
    expect(existsSync(join(lab.home, 'db', 'state_5.sqlite'))).toBe(true);
    makeReadOnly(lab.home);
    const before = snapshot(lab.home);
    for (const args of [
      ['list', '--json'],
      ['show', LEGACY.id],
      ['history', '--last'],
    ]) {
      const ran = await runProgram(args, { env });
      expect([args, ran.code]).toEqual([args, 0]);
      expect(ran.stdout).toContain('first prompt');
    }
    expect(snapshot(lab.home)).toEqual(before);
  });
});

/** The same home elsewhere, where it can be indexed. */
function fullCopy(from: Lab): Lab {
  const lab = newLab();
  for (const folder of ['sessions', 'archived_sessions', 'session_index.jsonl']) {
    execFileSync('cp', ['-a', join(from.home, folder), lab.home]);
  }
  return lab;
}

async function openForeignSet(lab: Lab): Promise<HomeSet> {
  await (await openForeign(lab)).list({ indexBudgetMs: 60_000 });
  return openLab(lab);
}
