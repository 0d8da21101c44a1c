/** One writer per thread: between processes of ours, and with `flock(1)`, which locks as the real client does. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HeartbeatLock, tryHeartbeatLock } from '../../src/platform/lock/heartbeat-lock.js';
import { findHolder } from '../../src/platform/lock/lock-holder.js';
import { ThreadBusyError } from '../../src/rollout/errors.js';
import { acquireWriterLock, writerLockPath } from '../../src/rollout/writer-lock.js';
import { bundleChildren, type Children } from '../state/children.js';
import { readLog, THREAD, threadId } from './logs.js';

const HAS_FLOCK = process.platform !== 'win32' && spawnSync('flock', ['--version']).status === 0;

let children: Children;
let home: string;
beforeAll(async () => {
  children = await bundleChildren('../rollout/writer-child.ts');
}, 60_000);
afterAll(() => children[Symbol.dispose]());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'codicil-lock-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const lockPath = (): string => writerLockPath(home, THREAD);

/** A program of the system that holds a lock until its input ends; resolves when it has it. */
async function flockHolding(path: string): Promise<ChildProcess> {
  mkdirSync(join(home, 'thread-writer-locks'), { recursive: true });
  const child = spawn('flock', ['-n', path, '-c', 'echo held; read line'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

const end = async (child: ChildProcess): Promise<void> => {
  child.stdin?.end('\n');
  await once(child, 'close');
};

describe.runIf(process.platform !== 'win32')('acquireWriterLock()', () => {
  test('is held by one at a time in one process, and leaves no lock file behind', async () => {
    const first = await acquireWriterLock({ home, threadId: THREAD });
    expect(first.path).toBe(lockPath());
    await expect(acquireWriterLock({ home, threadId: THREAD })).rejects.toThrow(/this very process is writing/);
    await using other = await acquireWriterLock({ home, threadId: threadId(2) });
    expect(other.path).not.toBe(first.path);
    await first.release();
    await first.release();
    expect(existsSync(lockPath())).toBe(false);
    await (await acquireWriterLock({ home, threadId: THREAD })).release();
    expect(readdirSync(join(home, 'thread-writer-locks')).sort()).toEqual([
      '.coordination.lock',
      other.path.slice(-41),
    ]);
  });

  test('refuses while another process has the thread, and names it', async () => {
    const child = children.start('lock', home, '1');
    expect(await child.next()).toBe('held');
    const refusal = await acquireWriterLock({ home, threadId: THREAD }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ThreadBusyError);
    expect(refusal).toMatchObject({ code: 'thread-busy', path: lockPath() });
    if (process.platform === 'linux') {
      expect((refusal as Error).message).toContain(`child (process ${child.process.pid})`);
    }
    child.go();
    expect(await child.next()).toBe('released');
    await child.ended;
    await (await acquireWriterLock({ home, threadId: THREAD })).release();
  });

  test('a holder that was killed blocks nobody', async () => {
    const child = children.start('lock', home, '1');
    expect(await child.next()).toBe('held');
    child.process.kill('SIGKILL');
    await child.ended;
    expect(existsSync(lockPath())).toBe(true);
    await (await acquireWriterLock({ home, threadId: THREAD })).release();
    expect(existsSync(lockPath())).toBe(false);
  });

  test.runIf(HAS_FLOCK)('is excluded by flock(1) on the same file, and excludes it', async () => {
    const holder = await flockHolding(lockPath());
    const refusal = acquireWriterLock({ home, threadId: THREAD });
    await expect(refusal).rejects.toMatchObject({
      code: 'thread-busy',
      ...(process.platform === 'linux' && { message: expect.stringMatching(/\((?:process )?\d+\) is writing/) }),
    });
    await end(holder);
    const lock = await acquireWriterLock({ home, threadId: THREAD });
    expect(spawnSync('flock', ['-n', lockPath(), 'true']).status).toBe(1);
    await lock.release();
    expect(spawnSync('flock', ['-n', lockPath(), 'true']).status).toBe(0);
  });

  test.runIf(HAS_FLOCK)('waits for the coordination lock, which others hold for moments', async () => {
    const holder = await flockHolding(join(home, 'thread-writer-locks', '.coordination.lock'));
    let done = false;
    const waiting = acquireWriterLock({ home, threadId: THREAD }).then((lock) => {
      done = true;
      return lock;
    });
    expect(existsSync(lockPath())).toBe(false);
    expect(done).toBe(false);
    await end(holder);
    await (await waiting).release();
  });

  test('makes its files private in a home of ours, and leaves the modes to the umask elsewhere', async () => {
    const mode = (path: string): number => statSync(path).mode & 0o777;
    const own = await acquireWriterLock({ home, threadId: THREAD });
    expect([mode(own.path), mode(join(home, 'thread-writer-locks'))]).toEqual([0o600, 0o700]);
    await own.release();
    rmSync(join(home, 'thread-writer-locks'), { recursive: true });
    const foreign = await acquireWriterLock({ home, threadId: THREAD, foreign: true });
    expect([mode(foreign.path), mode(join(home, 'thread-writer-locks'))]).toEqual([
      0o666 & ~process.umask(),
      0o777 & ~process.umask(),
    ]);
    await foreign.release();
  });

  test('can be released when the home is gone', async () => {
    const lock = await acquireWriterLock({ home, threadId: THREAD });
    rmSync(home, { recursive: true });
    await lock.release();
  });

  test('four processes that take turns on one thread never write at once: every text is there once, in order', async () => {
    const running = Array.from({ length: 4 }, () => children.start('cycle', home, '2', '40'));
    const told = await Promise.all(running.map(async (child) => child.next() as Promise<{ texts: readonly string[] }>));
    for (const child of running) expect(await child.ended).toEqual({ status: 0, stderr: '' });
    const id = threadId(2);
    const log = join(home, 'sessions', '2026', '05', '04', `rollout-2026-05-04T10-00-00-${id}.jsonl`);
    const { texts, ordinals, lost } = await readLog(log);
    expect(lost).toBe(0);
    expect([...texts].sort()).toEqual(told.flatMap((one) => one.texts).sort());
    expect(ordinals).toEqual([...ordinals.keys()]);
    for (const { texts: own } of told) expect(texts.filter((text) => own.includes(text))).toEqual(own);
  }, 120_000);
});

describe('findHolder()', () => {
  const file = { dev: 0xfd01n, ino: 4242n };

  test('finds the process that holds, not those that wait, nor other kinds of locks', () => {
    const locks = [
      '1: POSIX  ADVISORY  WRITE 11 fd:01:4242 0 EOF',
      '2: FLOCK  ADVISORY  WRITE 12 fd:01:4242 0 EOF',
      '2: -> FLOCK  ADVISORY  WRITE 13 fd:01:4242 0 EOF',
      '3: FLOCK  ADVISORY  WRITE 14 fd:01:99 0 EOF',
    ].join('\n');
    expect(findHolder(locks, file)).toBe(12);
    expect(findHolder(locks, { ...file, ino: 1n })).toBeUndefined();
  });

  test('takes the inode alone where the device differs, and nobody for a process that cannot be seen', () => {
    expect(findHolder('2: FLOCK  ADVISORY  WRITE 12 00:2a:4242 0 EOF', file)).toBe(12);
    expect(findHolder('2: FLOCK  ADVISORY  WRITE 0 fd:01:4242 0 EOF', file)).toBeUndefined();
  });
});

describe('tryHeartbeatLock()', () => {
  const options = { beatMs: 20 };
  const path = (): string => join(home, 'beat.lock');

  test('is held by one at a time, and is free after the release', async () => {
    const lock = await tryHeartbeatLock(path(), options);
    if (!(lock instanceof HeartbeatLock)) throw new Error('Not held');
    expect(await tryHeartbeatLock(path(), options)).toEqual({ pid: process.pid });
    lock.release();
    lock.release();
    expect(readdirSync(home)).toEqual([]);
    const next = await tryHeartbeatLock(path(), options);
    expect(next).toBeInstanceOf(HeartbeatLock);
    if (next instanceof HeartbeatLock) next.release();
  });

  test('is taken over from a process that is gone, from silence, and from a file without an owner: by one of many', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const host = (await import('node:os')).hostname();
    for (const text of [
      JSON.stringify({ pid: gone, host, token: 'aa', beat: 3 }),
      JSON.stringify({ pid: 1, host: 'elsewhere', token: 'bb', beat: 3 }),
      '',
    ]) {
      writeFileSync(path(), text);
      const results = await Promise.all(Array.from({ length: 8 }, () => tryHeartbeatLock(path(), options)));
      const held = results.filter((result) => result instanceof HeartbeatLock);
      expect(held).toHaveLength(1);
      for (const lock of held) lock.release();
      expect(readdirSync(home)).toEqual([]);
    }
  });
});
