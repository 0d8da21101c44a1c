import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStateDatabase } from '../../src/state/index.js';
import { tempFolder } from './temp-home.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'dist', 'bin.js');
const KILLS = 10;
const SEED = 20_260_504;

const folder = tempFolder();
const home = join(folder.path, 'codex');
let quietRows: readonly string[];
/** Size of the write-ahead log when a quiet run has written everything once. */
let quietBytes: number;
let fingerprint: string;

beforeAll(async () => {
  if (!existsSync(BIN)) throw new Error('dist/bin.js is missing: run "npm run build" first');
  const made = await run(
    [join(ROOT, 'bench', 'make-home.mjs'), '--out', home, '--sessions', '240', '--mb', '66', '--seed', '11'],
    {},
  );
  expect(made.stderr).toBe('');
  fingerprint = look();
  const own = ownHome('quiet');
  expect((await codicil(own, 'rebuild', '--json')).code).toBe(0);
  quietBytes = statSync(databaseOf(own)).size;
  quietRows = await rows(own);
  expect(quietRows.length).toBeGreaterThan(200);
}, 120_000);
afterAll(() => folder[Symbol.dispose]());

interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], HOME: folder.path, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, ended: once(child, 'close').then(([code, signal]) => ({ code: signal ?? code, stdout, stderr })) };
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return start(args, env).ended;
}

function ownHome(name: string): string {
  const path = join(folder.path, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  return path;
}

const startCodicil = (own: string, ...args: readonly string[]) =>
  start([BIN, ...args, '--home', home], { CODICIL_HOME: own });
const codicil = (own: string, ...args: readonly string[]): Promise<Ended> => startCodicil(own, ...args).ended;

const LIST = ['list', '--all', '--json', '--limit', '100000'] as const;

/** The rows of a quiet run, in an order of their own. A list that has no time left says so, and is asked again. */
async function rows(own: string): Promise<readonly string[]> {
  for (;;) {
    const { code, stdout, stderr } = await codicil(own, ...LIST);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // Written by our own program, as the contract of `list --json` has it.
    const page = JSON.parse(stdout) as {
      readonly threads: readonly object[];
      readonly index: { readonly state: string };
    };
    if (page.index.state === 'complete') return page.threads.map((row) => JSON.stringify(row)).sort();
  }
}

/** An index made from nothing says the same. */
async function requireProof(own: string): Promise<void> {
  const { code, stdout } = await codicil(own, 'rebuild', '--prove', '--json');
  expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 0, equal: true, differences: [] });
}

function databaseOf(own: string): string {
  const indexes = join(own, 'indexes');
  const [hash = 'none'] = existsSync(indexes) ? readdirSync(indexes) : [];
  return join(indexes, hash, 'state_5.sqlite');
}

/** Bytes that were written to the index so far, about. */
function writtenBytes(own: string): number {
  const path = databaseOf(own);
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function look(): string {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  return files
    .map((name) => `${name} ${statSync(join(home, name)).size} ${statSync(join(home, name)).mtimeMs}`)
    .join('\n');
}

/** Numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Ends the program with SIGKILL once it has written so much; true when it was still running. */
async function killAt(running: ReturnType<typeof startCodicil>, own: string, bytes: number): Promise<boolean> {
  let ended = false;
  const end = running.ended.then((result) => {
    ended = true;
    return result;
  });
  while (!ended && writtenBytes(own) <= bytes) await nextTurn();
  running.child.kill('SIGKILL');
  return (await end).code === 'SIGKILL';
}

function requireSound(own: string): void {
  using database = openStateDatabase({ path: databaseOf(own), homePath: home });
  expect(database.memoryCause).toBeUndefined();
  expect(database.quickCheck()).toEqual([]);
}

describe('an indexer that is killed', () => {
  test.each([
    ['a list of a cold home', LIST, SEED],
    ['a rebuild of a cold home', ['rebuild', '--json'], SEED + 1],
  ] as const)(
    'in %s, at any moment, leaves an index that one quiet run completes',
    { timeout: 90_000 },
    async (_what, args, seed) => {
      const random = seeded(seed);
      let landed = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        // Every other one goes on where the one before it was killed.
        const own = kill % 2 === 0 ? ownHome('killed') : join(folder.path, 'killed');
        landed += Number(await killAt(startCodicil(own, ...args), own, random() * quietBytes * 0.7));
        if (kill % 2 === 0) continue;
        expect(await rows(own)).toEqual(quietRows);
        requireSound(own);
      }
      await requireProof(join(folder.path, 'killed'));
      // A quick machine may be done before the last moments.
      expect(landed).toBeGreaterThan(KILLS / 2);
      expect(look()).toBe(fingerprint);
    },
  );

  test('in a rebuild leaves the index that was there, complete', { timeout: 90_000 }, async () => {
    const random = seeded(SEED + 2);
    const own = ownHome('rebuilt');
    expect(await rows(own)).toEqual(quietRows);
    let landed = 0;
    for (let kill = 0; kill < KILLS / 2; kill += 1) {
      const before = writtenBytes(own);
      landed += Number(await killAt(startCodicil(own, 'rebuild', '--json'), own, before + random() * quietBytes * 0.7));
      expect(await rows(own)).toEqual(quietRows);
    }
    await requireProof(own);
    requireSound(own);
    expect(landed).toBeGreaterThan(1);
  });
});

describe('five indexers at once', () => {
  test('on a cold home give the rows of one', { timeout: 90_000 }, async () => {
    const own = ownHome('together');
    const running = [LIST, ['rebuild', '--json'], LIST, ['rebuild', '--json'], LIST].map((args) =>
      startCodicil(own, ...args),
    );
    for (const { code, stderr } of await Promise.all(running.map(({ ended }) => ended)))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await rows(own)).toEqual(quietRows);
    await requireProof(own);
    requireSound(own);
    expect(look()).toBe(fingerprint);
  });
});
