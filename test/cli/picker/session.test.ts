import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../../src/base/ids.js';
import { runCli } from '../../../src/cli/main.js';
import { parseInvocation } from '../../../src/cli/parse-invocation.js';
import { wantsPicker } from '../../../src/cli/picker/wants-picker.js';
import type { Run } from '../../../src/cli/run.js';
import type { HomeSet } from '../../../src/home/index.js';
import { fakeHomes, HOME, id, item, noThreadHome, row, run, SILENT_LOG, turn } from '../fake-homes.js';
import { Keyboard, Screen, type SearchedOptions, searchedHomes, startPicking } from './fake-terminal.js';

const ROWS = [
  row('1', { title: 'First thread', cwd: '/' }),
  row('2', { title: 'Second thread', cwd: '/no/such/folder' }),
  row('3', { title: '세 번째', cwd: null }),
];
const TEXTS = new Map<ThreadId, readonly string[]>([
  [id('1'), ['where is the needle', 'in the haystack']],
  [id('2'), ['nothing', 'a needle here']],
  [id('3'), ['세션을 복구해 줘']],
]);

function homes(options: SearchedOptions = {}) {
  return searchedHomes({ rows: ROWS, texts: TEXTS }, options);
}

/** A promise that a test settles. */
function gate(): { readonly promise: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}

describe('the picker', () => {
  test('shows its first frame before the homes are open, then the threads', async () => {
    const opening = gate();
    const picking = startPicking(homes(), { openHomes: () => opening.promise.then(() => homes()) });
    await picking.shows('Looking for threads …');
    expect(picking.screen.isAlternate && picking.keyboard.isRaw && picking.screen.isPasteBracketed).toBe(true);
    opening.open();
    await picking.shows('First thread');
    await picking.shows('3 threads · index complete (3 files)');
    picking.type('\x1b');
    expect(await picking.done).toBe(0);
  });

  test.each([
    ['Esc', '\x1b', 0],
    ['Ctrl-D', '\x04', 0],
    ['Ctrl-C', '\x03', 130],
  ])('%s ends it and leaves the terminal as it was', async (_name, key, code) => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type(key);
    expect(await picking.done).toBe(code);
    expect(picking.keyboard.isRaw).toBe(false);
    expect(picking.keyboard.isPaused()).toBe(true);
    expect(picking.screen).toMatchObject({ isAlternate: false, isPasteBracketed: false });
    expect(picking.screen.written.endsWith('\x1b[?25h\x1b[?1049l')).toBe(true);
    expect(picking.keyboard.listenerCount('data') + picking.screen.listenerCount('resize')).toBe(0);
  });

  test('finds what is typed, and shows the list again when it is deleted', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type('n', 'e', 'edle');
    await picking.shows('2 threads found');
    await picking.shows('where is the needle');
    picking.type('\x15', '세션');
    await picking.shows('1 thread found');
    await picking.shows('세션을 복구해 줘');
    expect(picking.screen.cursor).toEqual([0, 6]);
    picking.type('\x7f', '\x7f');
    await picking.shows('3 threads');
    picking.type('\x1b');
    expect(await picking.done).toBe(0);
  });

  test('asks the index as it is, thread by thread, once for keys that come together', async () => {
    const asked = homes();
    const picking = startPicking(asked);
    await picking.shows('First thread');
    const before = asked.asked.length;
    picking.type('needle');
    await picking.shows('2 threads found');
    expect(asked.asked.slice(before).map(({ signal: _, ...query }) => query)).toEqual([
      {
        text: 'needle',
        lastWordIsOpen: true,
        by: 'thread',
        limit: 22,
        indexBudgetMs: 0,
        indexMaxAgeMs: Number.MAX_SAFE_INTEGER,
      },
    ]);
    picking.type('\x03');
    await picking.done;
  });

  test('asks for more hits only when the last ones come into sight', async () => {
    const rows = Array.from({ length: 300 }, (_, place) => row(String(place), { title: `Thread ${place}` }));
    const asked = searchedHomes({ rows, texts: new Map(rows.map((one) => [one.id!, ['needle']])) });
    const picking = startPicking(asked);
    await picking.shows('Thread 0');
    picking.type('needle');
    await picking.shows('best 22 of 300 threads found');
    picking.type('\x1b[B', '\x1b[F');
    await picking.shows('best 88 of 300 threads found');
    picking.type('\x1b[F');
    await picking.shows(/(?<!of )300 threads found/);
    picking.type('\x1b[F');
    await picking.shows(/> .* Thread 299/);
    expect(asked.asked.filter(({ text }) => text === 'needle').map(({ limit }) => limit)).toEqual([22, 88, 352]);
    picking.type('\x03');
    await picking.done;
  });

  test('cancels the search of an older query, and shows nothing of an answer that comes late', async () => {
    const slow = gate();
    const signals: (AbortSignal | undefined)[] = [];
    const asked = homes({
      before: ({ text, signal }) => {
        if (text !== 'haystack') return undefined;
        signals.push(signal);
        return slow.promise;
      },
    });
    const picking = startPicking(asked);
    await picking.shows('First thread');
    picking.type('haystack');
    await picking.shows('> haystack');
    picking.type('\x15', '복구');
    await picking.shows('1 thread found');
    expect(signals[0]?.aborted).toBe(true);
    slow.open();
    picking.type('\x1b[B');
    await picking.shows('세 번째');
    expect(picking.screen.text).not.toContain('haystack');
    picking.type('\x03');
    await picking.done;
  });

  test('shows the list and says so while there is only half a query', async () => {
    const asked = homes();
    const { SearchError } = await import('../../../src/thread-store/errors.js');
    const picking = startPicking(Object.assign(asked, { search: async () => Promise.reject(new SearchError()) }));
    await picking.shows('First thread');
    picking.type('"');
    await picking.shows('There is no word to look for yet.');
    await picking.shows('Second thread');
    picking.type('\x03');
    await picking.done;
  });

  test('shows the list while a word has hardly begun, and nothing of it once it has and is nowhere', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type('z', 'q');
    await picking.shows('There is no word to look for yet.');
    await picking.shows('Second thread');
    picking.type('x');
    await picking.shows('Nothing found.');
    picking.type('\x03');
    await picking.done;
  });

  test('says when a search fails, and goes on', async () => {
    const asked = homes();
    const { search } = asked;
    const failing: typeof search = async (query) => {
      if (query.text === 'x') throw new Error('The disk is \x1b[31mgone');
      return search(query);
    };
    const picking = startPicking(Object.assign(asked, { search: failing }));
    await picking.shows('First thread');
    picking.type('x');
    await picking.shows(/The disk is ␛\[31mgone/);
    picking.type('\x15', 'needle');
    await picking.shows('2 threads found');
    picking.type('\x03');
    await picking.done;
  });

  test('completes the index beside everything else, shows how far it is, and looks again', async () => {
    const building = gate();
    const rows = [...ROWS];
    const asked = searchedHomes(
      { rows, texts: TEXTS },
      { before: ({ indexBudgetMs }) => (indexBudgetMs === undefined ? building.promise : undefined) },
    );
    let progress: (step: { phase: 'full'; done: number; files: number }) => void = () => undefined;
    const picking = startPicking(asked, {
      openHomes: async ({ onProgress }) => {
        progress = (step) => onProgress?.(step);
        return asked;
      },
    });
    await picking.shows('First thread');
    progress({ phase: 'full', done: 40, files: 5_000 });
    await picking.shows('reading logs: 40 of 5000');
    picking.type('needle');
    await picking.shows('2 threads found');
    rows.push(row('4', { title: 'Late thread' }));
    building.open();
    picking.type('\x15');
    await picking.shows('Late thread');
    await picking.shows('index complete');
    picking.type('\x03');
    await picking.done;
  });

  test('Enter opens the thread in its folder, the terminal as it was', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type('\r');
    expect(await picking.done).toBe(0);
    expect(picking.launched).toEqual([{ argv: ['codex', 'resume', id('1')], cwd: '/', env: {} }]);
    expect(picking.events).toEqual(['launched, raw false, alternate false']);
    expect(picking.said()).toContain(`cd / && codex resume ${id('1')}\n`);
  });

  test('Enter says when the folder has gone, and starts in the current one', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type('\x1b[B', '\r');
    await picking.done;
    expect(picking.launched[0]?.cwd).toBe('/home/me/project');
    expect(picking.said()).toContain('The folder /no/such/folder is not there any more; starting in /home/me/project.');
  });

  test('Enter that is typed with the query opens what that finds, not what stood there before', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type('복구\r');
    expect(await picking.done).toBe(0);
    expect(picking.launched[0]?.argv).toEqual(['codex', 'resume', id('3')]);
  });

  test('Enter that finds nothing opens nothing', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type('absent\r');
    await picking.shows('Nothing found.');
    picking.type('\x03');
    expect(await picking.done).toBe(130);
    expect(picking.launched).toEqual([]);
  });

  test('Enter on a thread of our own says that this version runs no turns', async () => {
    const picking = startPicking(homes({ own: true }));
    await picking.shows('First thread');
    picking.type('\r');
    await picking.shows('does not run turns');
    picking.type('\x03');
    await picking.done;
    expect(picking.launched).toEqual([]);
  });

  test.each([
    ['y', ['y']],
    ['Ctrl-Y', ['\x19']],
    ['Ctrl-Y beside a query', ['need', '\x19']],
  ])('%s copies the command and shows it', async (_name, keys) => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type(...keys);
    await picking.shows('Copied: cd / && codex resume');
    expect(picking.screen.clipboard).toBe(`cd / && codex resume ${id('1')}`);
    picking.type('\x03');
    await picking.done;
  });

  test('o shows the log through the pager and comes back; a short one waits for a key', async () => {
    let paged = '';
    const input = new Writable({
      write(chunk, _encoding, done) {
        paged += String(chunk);
        done();
      },
    });
    const asked = fakeHomes({ rows: ROWS, turns: [turn([item(3, `Say something ${'and more '.repeat(20)}`)])] });
    const both = Object.assign(asked, { search: homes().search });
    const ended: string[] = [];
    const picking = startPicking(both, { openPager: async () => ({ input, end: async () => void ended.push('end') }) });
    await picking.shows('First thread');
    Object.assign(picking.screen, { columns: 60 });
    picking.screen.emit('resize');
    picking.type('o');
    await picking.shows('-- Press any key to go back --');
    expect(picking.screen.isAlternate).toBe(false);
    expect(paged).toContain('Say something');
    // The heading names the file, which is never broken.
    for (const line of paged.split('\n').filter((one) => !one.includes(HOME)))
      expect(line.length).toBeLessThanOrEqual(60);
    expect(ended).toEqual(['end']);
    picking.type('x');
    await picking.shows('> Type to search');
    expect(picking.screen.isAlternate && picking.keyboard.isRaw).toBe(true);
    picking.type('\x1b[B');
    await picking.shows('/no/such/folder');
    picking.type('\x03');
    expect(await picking.done).toBe(130);
  });

  test('a pager that is left early, and a log that cannot be read, bring the list back', async () => {
    const closed = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const asked = fakeHomes({ rows: ROWS, turns: [turn([item(3, 'Say something')])] });
    const both = Object.assign(asked, { search: homes().search });
    let opened = 0;
    const openHomes = async () => {
      opened += 1;
      if (opened === 3) throw new Error('The home is gone');
      return both;
    };
    const picking = startPicking(both, {
      openHomes,
      watch: () => () => undefined,
      openPager: async () => ({ input: closed, end: async () => undefined }),
    });
    await picking.shows('First thread');
    picking.type('\x0f');
    await picking.shows('-- Press any key to go back --');
    picking.type('x');
    await picking.shows('> Type to search');
    picking.type('\x0f');
    await picking.shows('The home is gone');
    picking.type('\x03');
    expect(await picking.done).toBe(130);
  });

  test('Ctrl-Z gives the terminal back and takes it again when the shell goes on', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    picking.type('\x1a');
    await new Promise((resolve) => setImmediate(resolve));
    expect(picking.events).toEqual(['suspended, raw false, alternate false']);
    picking.screen.write('\x1b[H\x1b[2J');
    picking.continue();
    await picking.shows('First thread');
    expect(picking.screen.isAlternate && picking.keyboard.isRaw).toBe(true);
    picking.type('\x03');
    expect(await picking.done).toBe(130);
  });

  test('draws anew for another size', async () => {
    const picking = startPicking(homes());
    await picking.shows('First thread');
    Object.assign(picking.screen, { columns: 40, rows: 6 });
    picking.screen.emit('resize');
    await picking.shows('3 threads · index complete');
    expect(picking.screen.lines).toHaveLength(6);
    picking.type('\x03');
    await picking.done;
  });

  test('writes only the lines that changed', async () => {
    const picking = startPicking(homes());
    await picking.shows('index complete');
    picking.type('?');
    await picking.shows('is a phrase');
    picking.type('?');
    await picking.shows('? help');
    const before = picking.screen.written.length;
    picking.type('\x1b[A');
    await new Promise((resolve) => setImmediate(resolve));
    expect(picking.screen.written.slice(before)).toBe('\x1b[?2026h\x1b[?25l\x1b[1;3H\x1b[?25h\x1b[?2026l');
    picking.type('\x03');
    await picking.done;
  });

  test.each([
    ['the run is interrupted', 'abort'],
    ['the terminal goes away', 'end'],
    ['the process ends', 'exit'],
  ])('gives the terminal back when %s', async (_name, how) => {
    const interrupt = new AbortController();
    const picking = startPicking(homes(), { signal: interrupt.signal });
    await picking.shows('First thread');
    const ended = picking.done.then(
      (code) => code,
      (error: unknown) => (error as Error).name,
    );
    if (how === 'abort') interrupt.abort();
    else if (how === 'end') picking.keyboard.end();
    else picking.exit();
    if (how === 'exit') {
      expect(picking.screen.isAlternate).toBe(false);
      interrupt.abort();
    }
    expect(await ended).toBe(how === 'end' ? 130 : 'AbortError');
    expect([picking.screen.isAlternate, picking.keyboard.isRaw]).toEqual([false, false]);
  });

  test('gives the terminal back when homes cannot be opened, or drawing fails', async () => {
    const refused = startPicking(homes(), { openHomes: async () => Promise.reject(new Error('No such home')) });
    await expect(refused.done).rejects.toThrow('No such home');
    expect([refused.screen.isAlternate, refused.keyboard.isRaw]).toEqual([false, false]);
    let calls = 0;
    const broken = startPicking(homes(), {
      now: () => {
        calls += 1;
        if (calls > 1) throw new Error('The clock broke');
        return 0;
      },
    });
    await expect(broken.done).rejects.toThrow('The clock broke');
    expect([broken.screen.isAlternate, broken.keyboard.isRaw]).toEqual([false, false]);
  });
});

describe('codicil without a command', () => {
  /** How `argv` would be run on this terminal. */
  function wants(
    argv: readonly string[],
    fields: { readonly env?: Record<string, string>; readonly isTTY?: boolean; readonly stdin?: Keyboard } = {},
  ): boolean {
    const context = { env: {}, isTTY: true, stdin: new Keyboard(), ...fields };
    // Only these are looked at.
    return wantsPicker({ context, invocation: parseInvocation(argv) } as unknown as Run);
  }

  test.each([[[]], [['--home', '/x']], [['--no-color']]])('opens the picker on a terminal: %j', (argv) => {
    expect(wants(argv)).toBe(true);
  });

  test.each([[['list']], [['--json']], [['--limit', '3']], [['--all']], [['--jsonl']], [['--cwd', '.']]])(
    'lists when more is said: %j',
    (argv) => {
      expect(wants(argv)).toBe(false);
    },
  );

  test('lists where nobody looks, nobody types, or the terminal is dumb', async () => {
    expect(wants([], { isTTY: false })).toBe(false);
    expect(wants([], { env: { TERM: 'dumb' } })).toBe(false);
    const { code, stdout } = await run([], fakeHomes({ rows: ROWS }), { isTTY: true });
    expect([code, stdout.includes('\x1b[?1049h')]).toEqual([0, false]);
    expect(stdout).toContain('First thread');
  });

  test('ends by the exit code of the picker', async () => {
    const screen = new Screen(80, 24);
    const keyboard = new Keyboard();
    const opened: HomeSet = homes();
    const ended = runCli([], {
      openHomes: async () => opened,
      openThreadHome: noThreadHome,
      openLog: async () => SILENT_LOG,
      readLog: async () => ({ rows: [], partitions: [] }),
      watch: () => () => undefined,
      stdin: keyboard,
      stdout: screen,
      stderr: screen,
      env: {},
      cwd: '/',
      isTTY: true,
      stderrIsTTY: true,
      stdinIsTTY: true,
      columns: 80,
      rows: 24,
      program: 'codicil',
      version: () => '0.0.0',
      now: () => 0,
      wait: async () => undefined,
      launch: async () => 0,
      openPager: async () => undefined,
      signal: new AbortController().signal,
    });
    keyboard.write('\x03');
    expect(await ended).toBe(130);
  });
});
