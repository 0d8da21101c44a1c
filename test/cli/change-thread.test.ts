import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ChangedThread, ThreadHome, TrashedThread } from '../../src/home/index.js';
import type { LiveThread, ThreadStore } from '../../src/thread-store/thread-store.js';
import { fakeHomes, HOME, id, type RunOptions, row, run } from './fake-homes.js';
import { keysOf, SHAPES } from './json-shapes.js';

const PATH = row('1').path;
const CHANGED: ChangedThread = { threadId: id('1'), path: PATH, changed: true, removed: [] };
const TRASHED: TrashedThread = {
  threadId: id('abcd'),
  title: 'Old \u001bthings',
  trashedAt: '2026-11-30T11:00:00.000Z',
  home: HOME,
  files: 2,
  bytes: 2_500,
};

/** What was asked of a home, and a home that answers. */
function fakeThreadHome(answers: Partial<ThreadHome> = {}) {
  const calls: unknown[][] = [];
  const note =
    (name: string, answer: unknown) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args.filter((arg) => typeof arg !== 'object')]);
      return answer;
    };
  const live = {
    id: id('2'),
    path: PATH,
    rollback: note('rollback', { turns: 2 }),
    close: note('close', undefined),
    [Symbol.asyncDispose]: async () => undefined,
  } as unknown as LiveThread;
  const store = { fork: note('fork', live), resume: note('resume', live) } as unknown as ThreadStore;
  const home = {
    home: { path: HOME, kind: 'codex', own: false },
    store,
    rename: note('rename', CHANGED),
    archive: note('archive', CHANGED),
    unarchive: note('unarchive', { ...CHANGED, changed: false }),
    compress: note('compress', { ...CHANGED, removed: [PATH] }),
    trash: note('trash', { ...CHANGED, path: null, removed: [PATH] }),
    purge: note('purge', { ...CHANGED, path: null, removed: [PATH] }),
    trashed: note('trashed', [TRASHED]),
    restore: note('restore', CHANGED),
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    ...answers,
  } as ThreadHome;
  const opened: unknown[] = [];
  const openThreadHome: RunOptions['openThreadHome'] = async ({ at, foreign }) => {
    opened.push({ at, foreign });
    return home;
  };
  return { calls, opened, openThreadHome };
}

const HOMES = () => fakeHomes({ rows: [row('1'), row('2', { name: 'The build' })] });

describe('commands that change a thread', () => {
  test.each([
    ['archive', `Archived: ${id('1')}\n  ${PATH}\n`],
    ['unarchive', `Already an active thread: ${id('1')}\n  ${PATH}\n`],
    ['compress', `Compressed: ${id('1')}\n  ${PATH}\n  removed ${PATH}\n`],
  ])('%s says what it changed', async (verb, words) => {
    const { calls, opened, openThreadHome } = fakeThreadHome();
    const { code, stdout } = await run([verb, id('1')], HOMES(), { openThreadHome });
    expect(stdout).toBe(words);
    expect(code).toBe(0);
    expect(calls).toEqual([[verb, id('1')]]);
    expect(opened).toEqual([{ at: HOME, foreign: false }]);
  });

  test.each(['archive', 'unarchive', 'compress', 'delete', 'purge'])(
    '%s --json has the keys of the contract',
    async (verb) => {
      const { openThreadHome } = fakeThreadHome();
      const argv =
        verb === 'delete' || verb === 'purge' ? [verb, id('1'), '--yes', '--json'] : [verb, id('1'), '--json'];
      const { stdout } = await run(argv, HOMES(), { openThreadHome });
      expect(Object.keys(JSON.parse(stdout))).toEqual(keysOf('rename'));
    },
  );

  test('--foreign is passed on', async () => {
    const { opened, openThreadHome } = fakeThreadHome();
    await run(['archive', id('1'), '--foreign'], HOMES(), { openThreadHome });
    expect(opened).toEqual([{ at: HOME, foreign: true }]);
  });

  test('rename takes an id and a name, or --last and a name', async () => {
    const { calls, openThreadHome } = fakeThreadHome();
    const { stdout } = await run(['rename', id('1'), 'New \u001bname'], HOMES(), { openThreadHome });
    expect(stdout).toContain('Named “New ␛name”');
    await run(['rename', 'The build', 'Other'], HOMES(), { openThreadHome });
    await run(['rename', '--last', 'Third'], HOMES(), { openThreadHome });
    expect(calls.map(([, , name]) => name)).toEqual(['New \u001bname', 'Other', 'Third']);
  });

  test.each([[['rename', id('1')]], [['rename']], [['rename', id('1'), '  ']], [['rename', '--last', 'a', 'b']]])(
    '%j is wrong usage',
    async (argv) => {
      const { calls, openThreadHome } = fakeThreadHome();
      expect((await run(argv, HOMES(), { openThreadHome })).code).toBe(2);
      expect(calls).toEqual([]);
    },
  );

  test.each(['delete', 'purge'])('%s asks, and where nobody can be asked wants --yes', async (verb) => {
    const { calls, openThreadHome } = fakeThreadHome();
    const { code, stderr } = await run([verb, id('1')], HOMES(), { openThreadHome });
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(calls).toEqual([]);
  });

  test.each([
    ['y\n', 0, 1],
    ['n\n', 1, 0],
    ['\n', 1, 0],
  ])('the answer %j ends with %d', async (answer, wanted, called) => {
    const { calls, openThreadHome } = fakeThreadHome();
    const stdin = new PassThrough();
    stdin.write(answer);
    const { code, stderr } = await run(['delete', id('1')], HOMES(), {
      openThreadHome,
      stdinIsTTY: true,
      stderrIsTTY: true,
      stdin,
    } as RunOptions);
    expect(stderr).toContain(`Move to the trash: thread ${id('1')}`);
    expect([code, calls.length]).toEqual([wanted, called]);
  });
});

describe('codicil fork and rollback', () => {
  test('fork tells the new thread', async () => {
    const { calls, openThreadHome } = fakeThreadHome();
    const { stdout } = await run(['fork', id('1'), '--at-turn', '3', '--json'], HOMES(), { openThreadHome });
    expect(JSON.parse(stdout)).toEqual({
      threadId: id('2'),
      path: PATH,
      turnId: null,
      status: 'forked',
      lastMessage: null,
      forkedFromId: id('1'),
    });
    expect(Object.keys(JSON.parse(stdout))).toEqual(SHAPES.fork);
    expect(calls).toEqual([['fork', id('1')]]);
  });

  test('rollback tells how many turns went', async () => {
    const { openThreadHome } = fakeThreadHome();
    const { stdout } = await run(['rollback', id('2'), '--turns', '2', '--json'], HOMES(), { openThreadHome });
    expect(Object.keys(JSON.parse(stdout))).toEqual(SHAPES.rollback);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'rolled-back', turns: 2 });
    const words = await run(['rollback', id('2'), '--turns', '2'], HOMES(), { openThreadHome });
    expect(words.stdout).toBe(`Took away 2 turns: ${id('2')}\n  ${PATH}\n`);
  });

  test.each([[['rollback', id('1')]], [['rollback', id('1'), '--turns', '0']], [['fork', id('1'), '--at-turn', 'x']]])(
    '%j is wrong usage',
    async (argv) => {
      const { openThreadHome } = fakeThreadHome();
      expect((await run(argv, HOMES(), { openThreadHome })).code).toBe(2);
    },
  );
});

describe('codicil trash', () => {
  test('lists what can be brought back', async () => {
    const { openThreadHome } = fakeThreadHome();
    const { stdout } = await run(['trash'], HOMES(), { openThreadHome });
    expect(stdout).toContain(`${id('abcd')}`);
    expect(stdout).toContain('2 files, 2.5 kB');
    expect(stdout).toContain('Old ␛things');
    const json = await run(['trash', '--json'], HOMES(), { openThreadHome });
    expect(Object.keys(JSON.parse(json.stdout).threads[0])).toEqual(keysOf('trashed'));
  });

  test('--restore takes the end of an id', async () => {
    const { calls, openThreadHome } = fakeThreadHome();
    const { stdout } = await run(['trash', '--restore', 'abcd'], HOMES(), { openThreadHome });
    expect(stdout).toContain('Restored');
    expect(calls).toEqual([['trashed'], ['restore', id('abcd')]]);
    expect((await run(['trash', '--restore', 'ffff'], HOMES(), { openThreadHome })).code).toBe(1);
    expect((await run(['trash', '--restore', 'd'], HOMES(), { openThreadHome })).code).toBe(1);
  });

  test('--purge needs a yes', async () => {
    const { calls, openThreadHome } = fakeThreadHome();
    expect((await run(['trash', '--purge'], HOMES(), { openThreadHome })).code).toBe(2);
    const { stdout } = await run(['trash', '--purge', '--yes', '--json'], HOMES(), { openThreadHome });
    expect(Object.keys(JSON.parse(stdout))).toEqual(SHAPES.trash);
    expect(calls.filter(([name]) => name === 'purge')).toEqual([['purge', id('abcd')]]);
    const empty = fakeThreadHome({ trashed: async () => [] });
    expect((await run(['trash', '--purge', '--yes'], HOMES(), empty)).stdout).toBe('The trash is empty.\n');
  });
});
