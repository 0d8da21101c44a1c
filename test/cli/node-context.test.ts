import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CliContext } from '../../src/cli/context.js';
import { calledAs, nodeContext } from '../../src/cli/node-context.js';
import { fakeHomes, noThreadHome, SILENT_LOG } from './fake-homes.js';

const launches: boolean[] = [];
const context: CliContext = nodeContext({
  openThreadHome: noThreadHome,
  openLog: async () => SILENT_LOG,
  readLog: async () => ({ rows: [], partitions: [] }),
  openHomes: async () => fakeHomes(),
  version: () => '0.0.0',
  signal: new AbortController().signal,
  onLaunch: (running) => launches.push(running),
});

const { PAGER } = process.env;
beforeEach(() => {
  launches.length = 0;
});
afterEach(() => {
  if (PAGER === undefined) delete process.env['PAGER'];
  else process.env['PAGER'] = PAGER;
});

describe('calledAs()', () => {
  test.each([
    ['/usr/bin/codicil', 'codicil'],
    ['/p/node_modules/.bin/codicil', 'npx codicil'],
    ['/p/dist/bin.js', 'node dist/bin.js'],
    ['/else where/bin.js', "node '/else where/bin.js'"],
  ])('of %s is %s', (script, program) => {
    expect(calledAs(script, '/p')).toBe(program);
  });
});

describe('nodeContext()', () => {
  test('launch() runs an argument list in a folder with variables, and gives its exit code', async () => {
    const script = 'test "$PWD" = / && test "$CODEX_HOME" = "/a b" && test "$1" = "it\'s; exit 9" && exit 3';
    const launch = { argv: ['sh', '-c', script, 'sh', "it's; exit 9"], cwd: '/', env: { CODEX_HOME: '/a b' } };
    expect(await context.launch(launch)).toBe(3);
    expect(launches).toEqual([true, false]);
  });

  test('launch() says what to do when the program is not there', async () => {
    const launch = { argv: ['codicil-no-such-program'], cwd: '/', env: {} };
    await expect(context.launch(launch)).rejects.toMatchObject({
      code: 'program-not-found',
      hint: 'Take --print to get the command without running it.',
    });
    expect(launches).toEqual([true, false]);
  });

  test.each(['', 'cat', 'codicil-no-such-pager -R'])('openPager() is none for PAGER="%s"', async (pager) => {
    process.env['PAGER'] = pager;
    expect(await context.openPager()).toBeUndefined();
    expect(launches).toEqual([]);
  });

  test('openPager() ends when the user has left it, also before everything was written', async () => {
    process.env['PAGER'] = 'true';
    const pager = await context.openPager();
    pager!.input.on('error', () => undefined);
    pager!.input.write('x'.repeat(1_000_000));
    await pager!.end();
    expect(launches).toEqual([true, false]);
  });

  test('wait() rejects when its signal is aborted', async () => {
    const interrupt = new AbortController();
    const waited = context.wait(60_000, interrupt.signal);
    interrupt.abort();
    await expect(waited).rejects.toThrow();
  });
});
