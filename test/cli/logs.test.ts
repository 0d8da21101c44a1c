import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import type { CliContext } from '../../src/cli/context.js';
import type { LogEntry, LogPage, LogRow, ProgramLog, ReadLogOptions } from '../../src/home/index.js';
import { LOG_LEVELS } from '../../src/state/logs/index.js';
import { fakeHomes, id, NOW, type Ran, row, run, SILENT_LOG } from './fake-homes.js';
import { keysOf } from './json-shapes.js';

const ROWS: readonly LogRow[] = [
  {
    id: 3,
    at: '2026-11-30T11:59:58.250Z',
    level: 'info',
    target: 'thread-store/indexer',
    threadId: null,
    processId: 'pid:7:x',
    message: 'Looked through /home/me/.codex: 2 of 9 files had changed; 12 ms',
  },
  {
    id: 4,
    at: '2026-11-30T12:00:00.000Z',
    level: 'error',
    target: 'cli/show',
    threadId: id('beef'),
    processId: 'pid:8:x',
    message: 'unreadable: a\u001b[31mb\nc',
  },
];
const PAGE: LogPage = {
  rows: ROWS,
  partitions: [
    { key: id('beef'), rows: 300, bytes: 20_480 },
    { key: 'pid:7:x', rows: 1, bytes: 90 },
  ],
};

async function runLogs(
  argv: readonly string[],
  { page = PAGE, ...options }: Partial<CliContext> & { readonly page?: LogPage } = {},
  homes = fakeHomes({ rows: [row('1', { name: 'my thread' })] }),
): Promise<Ran & { readonly asked: Omit<ReadLogOptions, 'env' | 'homes' | 'signal'>[] }> {
  const asked: Omit<ReadLogOptions, 'env' | 'homes' | 'signal'>[] = [];
  const readLog = async ({ env: _, homes: __, signal: ___, ...query }: ReadLogOptions): Promise<LogPage> => {
    asked.push(JSON.parse(JSON.stringify(query)));
    return page;
  };
  return { ...(await run(['logs', ...argv], homes, { readLog, ...options })), asked };
}

describe('codicil logs', () => {
  test('--json has the keys of the contract', async () => {
    const { code, stdout, stderr, asked } = await runLogs(['--json']);
    expect([code, stderr]).toEqual([0, '']);
    const document = JSON.parse(stdout);
    expect(document).toEqual(PAGE);
    expect(Object.keys(document)).toEqual(keysOf('logs'));
    expect(Object.keys(document.rows[0])).toEqual(keysOf('log row'));
    expect(Object.keys(document.partitions[0])).toEqual(keysOf('partition'));
    expect(asked).toEqual([{ limit: 200 }]);
  });

  test('--jsonl prints a row a line', async () => {
    const { stdout } = await runLogs(['--jsonl']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(ROWS);
  });

  test('shows an entry on a line, with the local time, and what is hidden in it made visible', async () => {
    const { stdout, stderr } = await runLogs([], { timeZone: 'Asia/Seoul' });
    expect(stdout).toBe(
      [
        '2026-11-30 20:59:58  INFO   thread-store/indexer  Looked through /home/me/.codex: 2 of 9 files had changed; 12 ms',
        '2026-11-30 21:00:00  ERROR  cli/show              0000beef  unreadable: a␛[31mb c',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('2 of 301 entries in 2 partitions · 21 kB\nMore: codicil logs --limit 1000\n');
  });

  test.each([40, 56, 72])('keeps a line within %d columns', async (columns) => {
    const { stdout } = await runLogs([], { isTTY: true, columns, env: { NO_COLOR: '1' } });
    for (const line of stdout.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('…');
  });

  test('says that there is nothing', async () => {
    const { stdout, stderr } = await runLogs([], { page: { rows: [], partitions: [] } });
    expect(stdout).toBe('');
    expect(stderr).toBe('The log is empty. CODICIL_LOG=debug, before a command, logs more.\n');
    const filtered = await runLogs(['--search', 'x'], { page: { ...PAGE, rows: [] } });
    expect(filtered.stderr).toBe('No entry fits.\n0 of 301 entries in 2 partitions · 21 kB\n');
  });

  test('hands its options to the query', async () => {
    const { asked } = await runLogs([
      '--json',
      ...['--thread', id('1').toUpperCase(), '--level', 'warn', '--search', 'Über%', '--limit', '3'],
      ...['--since', '1d', '--until', '2026-11-30T11:00:00Z'],
    ]);
    expect(asked).toEqual([
      {
        threadId: id('1'),
        level: 'warn',
        search: 'Über%',
        limit: 3,
        sinceMs: NOW - 24 * 60 * 60 * 1000,
        untilMs: NOW - 60 * 60 * 1000,
      },
    ]);
  });

  test('finds --thread by the end of an id that the log knows, else as other commands do', async () => {
    expect((await runLogs(['--json', '--thread', 'BEEF'])).asked.at(-1)).toMatchObject({ threadId: id('beef') });
    expect((await runLogs(['--json', '--thread', '0001'])).asked.at(-1)).toMatchObject({ threadId: id('1') });
    expect((await runLogs(['--json', '--thread', 'my thread'])).asked.at(-1)).toMatchObject({ threadId: id('1') });
    const { code, stderr } = await runLogs(['--thread', 'ffff']);
    expect([code, stderr.split('\n')[0]]).toEqual([1, 'Error: Cannot find thread "ffff"']);
  });

  test('refuses a level that is none', async () => {
    const { code, stderr } = await runLogs(['--level', 'wran']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'Error: Cannot take "wran" for --level: wanted trace, debug, info, warn, error\n  Did you mean "warn"?\n',
    );
    const offered = COMMANDS.find(({ name }) => name === 'logs')!.options.find(({ name }) => name === 'level')!.choices;
    expect(offered).toEqual(LOG_LEVELS);
  });
});

describe('the log of a run', () => {
  interface Logged {
    readonly ran: Ran;
    readonly entries: readonly LogEntry[];
    readonly opened: number;
    readonly closed: number;
  }

  async function logged(
    argv: readonly string[],
    homes = fakeHomes({ rows: [] }),
    options: Parameters<typeof run>[2] = {},
  ): Promise<Logged> {
    const entries: LogEntry[] = [];
    let [opened, closed] = [0, 0];
    const log: ProgramLog = {
      ...SILENT_LOG,
      log: (entry) => entries.push(entry),
      close: async () => {
        closed += 1;
      },
    };
    const openLog = async (): Promise<ProgramLog> => {
      opened += 1;
      return log;
    };
    const ran = await run(argv, homes, { openLog, ...options });
    return { ran, entries, opened, closed };
  }

  const rebuilt = { threads: 1, messages: 2, bytes: 3, tookMs: 4 };

  test('tells the beginning and the end of a command that works', async () => {
    const { entries, closed } = await logged(['rebuild', '--json'], fakeHomes({ rows: [], rebuilt }));
    expect(entries).toEqual([
      { level: 'info', target: 'cli/rebuild', message: 'rebuild began' },
      { level: 'info', target: 'cli/rebuild', message: 'rebuild ended with exit code 0 after 0 ms' },
    ]);
    expect(closed).toBe(1);
  });

  test('tells the end of one that only looks for debugging', async () => {
    const { entries } = await logged(['list', '--json']);
    expect(entries).toEqual([{ level: 'debug', target: 'cli/list', message: expect.stringContaining('exit code 0') }]);
  });

  test('is not opened for help, and not for wrong usage', async () => {
    for (const argv of [['help'], ['list', '--help'], ['completion', 'bash'], ['list', '--limit', '0'], ['nonsense']]) {
      expect(await logged(argv)).toMatchObject({ opened: 0, closed: 0 });
    }
  });

  test('tells the error that ends a command, with its thread where the file names one', async () => {
    const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: row('1').path });
    const openHomes = async (): Promise<never> => {
      throw error;
    };
    const { ran, entries, closed } = await logged(['show', '0001'], undefined, { openHomes });
    expect(ran.code).toBe(1);
    expect(entries).toEqual([
      {
        level: 'error',
        target: 'cli/show',
        message: `EACCES: EACCES: permission denied (${row('1').path})`,
        threadId: id('1'),
      },
    ]);
    expect(closed).toBe(1);
  });

  test('never tells the arguments of a command that went well', async () => {
    const { ran, entries } = await logged(['list', '--cwd', '/secret', '--json']);
    expect(ran.code).toBe(0);
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain('secret');
  });
});
