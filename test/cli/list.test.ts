import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../src/cli/width.js';
import type { TreeRow } from '../../src/home/list-trees.js';
import type { ThreadRow } from '../../src/projection/thread-row.js';
import { NO_TOKENS } from '../../src/projection/usage.js';
import { fakeHomes, HOME, id, NOW, row, run } from './fake-homes.js';
import { keysOf, SHAPES } from './json-shapes.js';

describe('codicil list --json', () => {
  test('is one document with the keys of the contract', async () => {
    const { code, stdout, stderr } = await run(
      ['list', '--json'],
      fakeHomes({ rows: [row('a1b2', { git: { sha: 's', branch: 'b', originUrl: 'u' } })], hidden: { child: 2 } }),
    );
    const document = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(Object.keys(document)).toEqual(keysOf('list'));
    expect(Object.keys(document.threads[0])).toEqual(keysOf('thread'));
    expect(Object.keys(document.threads[0].git)).toEqual(keysOf('git'));
    expect(Object.keys(document.index)).toEqual(keysOf('index'));
    expect(document).toMatchObject({ nextCursor: null, total: 1, hidden: { child: 2 } });
    expect(document.index).toEqual({ state: 'complete', indexed: 1, files: 1 });
  });

  test('passes every option to the query', async () => {
    const asked: unknown[] = [];
    const argv = [
      'list',
      '--json',
      '--limit',
      '3',
      '--cursor',
      'c',
      '--sort',
      'created',
      '--cwd',
      '../other',
      '--provider',
      'p',
      '--source',
      's',
    ];
    await run(
      [...argv, '--since', '7d', '--until', '2026-11-29T00:00:00Z', '--archived', '--all'],
      fakeHomes({ rows: [], asked }),
    );
    expect(asked).toEqual([
      {
        list: {
          limit: 3,
          cursor: 'c',
          sort: 'created',
          cwd: '/home/me/other',
          provider: 'p',
          source: 's',
          archived: true,
          all: true,
          sinceMs: Date.parse('2026-11-23T12:00:00.000Z'),
          untilMs: Date.parse('2026-11-29T00:00:00.000Z'),
        },
      },
    ]);
  });

  test('prints one row a line under --jsonl', async () => {
    const { stdout } = await run(['list', '--jsonl'], fakeHomes({ rows: [row('1'), row('2')] }));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([id('1'), id('2')]);
  });

  test('--tree puts children and forks below where they come from, with what each has cost', async () => {
    const child = row('c1', { parentThreadId: id('1'), hiddenReason: 'child' });
    const fork = row('f1', { forkedFromId: id('c1'), createdAt: '2026-11-29T10:00:00.000Z' });
    const usage = (tokens: number) => ({ ...NO_TOKENS, inputTokens: tokens, totalTokens: tokens });
    const agent = { nickname: 'finder', role: null, path: null };
    const lineages = new Map([
      [id('1'), { own: usage(5), inherited: NO_TOKENS, agent: null }],
      [id('c1'), { own: usage(7), inherited: NO_TOKENS, agent }],
      [id('f1'), { own: usage(11), inherited: usage(7), agent: null }],
    ]);
    const homes = fakeHomes({ rows: [row('1', { children: [id('c1')] }), row('2'), child, fork], lineages });
    const { threads, ...page } = JSON.parse((await run(['list', '--tree', '--json'], homes)).stdout);
    expect(Object.keys(threads[0])).toEqual([...SHAPES.thread, ...SHAPES['thread of a tree']]);
    expect(Object.keys(threads[1].tokens)).toEqual(SHAPES.tokens);
    expect(Object.keys(threads[1].tokens.own)).toEqual(SHAPES['token usage']);
    expect(Object.keys(threads[2].agent)).toEqual(SHAPES.agent);
    type Shown = ThreadRow & TreeRow;
    const shown = threads.map(({ id: of, parentId, relation, depth, agent: by, tokens }: Shown) => {
      const sums = tokens === null ? null : [tokens.own, tokens.inherited, tokens.tree].map((sum) => sum.totalTokens);
      return [of, parentId, relation, depth, by?.nickname ?? null, sums];
    });
    expect(shown).toEqual([
      [id('2'), null, null, 0, null, null],
      [id('1'), null, null, 0, null, [5, 0, 23]],
      [id('c1'), id('1'), 'subagent', 1, 'finder', [7, 0, 18]],
      [id('f1'), id('c1'), 'fork', 2, null, [11, 7, 11]],
    ]);
    expect(page).toMatchObject({ total: 2, nextCursor: null, hidden: {} });
  });

  test('--tree has every thread once where damaged metadata makes a circle', async () => {
    const rows = [row('1', { parentThreadId: id('2') }), row('2', { parentThreadId: id('1'), hiddenReason: 'child' })];
    const { stdout } = await run(['list', '--tree', '--jsonl'], fakeHomes({ rows }));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([id('1'), id('2')]);
  });

  test('--why takes an id and a path, and says so when there is none', async () => {
    const homes = fakeHomes({ rows: [row('1', { hiddenReason: 'child', parentThreadId: id('9') })] });
    const byId = JSON.parse((await run(['list', '--why', '0001', '--json'], homes)).stdout);
    expect(byId).toMatchObject({
      total: 1,
      nextCursor: null,
      hidden: {},
      threads: [{ id: id('1'), hiddenReason: 'child' }],
    });
    const byPath = await run(['list', '--why', row('1').path], homes);
    expect(byPath.stdout).toContain('hidden: child');
    const none = await run(['list', '--why', 'ffff', '--json'], homes);
    expect(none.code).toBe(1);
    expect(JSON.parse(none.stdout).error).toEqual({
      code: 'thread-not-found',
      message: 'Cannot find a thread or file "ffff" in any home',
      hint: `Looked in ${HOME}.`,
    });
  });
});

describe('codicil list', () => {
  const wide = row('5b1a90cd', {
    title: '세션 복구가 왜 실패하는지 찾아서 고쳐 주세요, 그리고 테스트도 추가해 주세요 👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧 그리고 또',
    cwd: '/home/me/아주-긴-프로젝트-이름-입니다',
    source: '{"subagent":{"other":"guardian"}}',
    forkedFromId: id('77'),
    children: [id('88')],
    archived: true,
  });

  test('shows the end of the id, the age, the project and the title', async () => {
    const { code, stdout } = await run(['list'], fakeHomes({ rows: [row('5b1a90cd')] }));
    expect(code).toBe(0);
    expect(stdout).toBe('5b1a90cd  11:00       project         Why does the build fail?  cli openai\n');
  });

  test.each([40, 60, 80, 100])('keeps every line within %i columns of a terminal', async (columns) => {
    const homes = fakeHomes({
      rows: [wide, row('1', { title: 'x'.repeat(500) }), row('2', { title: '한'.repeat(300) })],
      hidden: { child: 3, segment: 1 },
    });
    const options = { isTTY: true, stderrIsTTY: true, columns, env: { NO_COLOR: '1' } };
    for (const argv of [['list'], [], ['list', '--tree']]) {
      const { stdout, stderr } = await run(argv, homes, options);
      const lines = [...stdout.split('\n'), ...stderr.split('\n')];
      expect(lines.length).toBeGreaterThan(4);
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
    }
  });

  test('cuts no grapheme in two', async () => {
    const { stdout } = await run(['list'], fakeHomes({ rows: [row('1', { title: '👨‍👩‍👧'.repeat(100) })] }), {
      isTTY: true,
      env: { NO_COLOR: '1' },
    });
    const [, title] = /project {2}(\S+)/.exec(stdout)!;
    expect(title).toMatch(/^(👨‍👩‍👧)+…$/u);
  });

  test('makes control and bidirectional characters visible', async () => {
    const title = 'a\u001b]0;x\u0007b\u202ec\n\nd';
    const { stdout } = await run(['list'], fakeHomes({ rows: [row('1', { title, cwd: '/a/\u001b[31mred' })] }));
    expect(stdout).toBe('00000001  11:00       ␛[31mred        a␛]0;x␇b<U+202E>c d  cli openai\n');
  });

  test('says how many there are, what is hidden and what to try', async () => {
    const { stderr } = await run([], fakeHomes({ rows: [row('5b1a90cd')], hidden: { child: 2 }, building: true }));
    expect(stderr).toBe(
      [
        '1 thread · hidden: 2 child · index still building (1 of 1 file)',
        'Try: codicil show 5b1a90cd · codicil open 5b1a90cd · codicil list --all',
        '     codicil verify --all · codicil help',
        '',
      ].join('\n'),
    );
  });

  test('says where it looked when there is nothing', async () => {
    const { code, stdout, stderr } = await run([], fakeHomes({ rows: [] }));
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(`No threads in ${HOME}.`);
  });

  test('is coloured on a terminal only, and not under NO_COLOR, TERM=dumb or --no-color', async () => {
    const homes = fakeHomes({ rows: [row('1')] });
    const coloured = async (argv: readonly string[], isTTY: boolean, env: Record<string, string>): Promise<boolean> =>
      (await run(argv, homes, { isTTY, stderrIsTTY: isTTY, env })).stdout.includes('\u001b[');
    expect(await coloured(['list'], true, {})).toBe(true);
    expect(await coloured(['list'], false, {})).toBe(false);
    expect(await coloured(['list'], true, { NO_COLOR: '1' })).toBe(false);
    expect(await coloured(['list'], true, { TERM: 'dumb' })).toBe(false);
    expect(await coloured(['list', '--no-color'], true, {})).toBe(false);
  });

  test('shows a file without a thread by its name', async () => {
    const file = row('1', {
      id: null,
      title: '',
      path: `${HOME}/sessions/x\u001b.txt`,
      hiddenReason: 'foreign-name',
      cwd: null,
    });
    const { stdout } = await run(['list', '--all'], fakeHomes({ rows: [file] }));
    expect(stdout).toBe('-         11:00       -               x␛.txt  [foreign-name] cli openai\n');
  });

  test('counts files under --all, and says how many of them the page has', async () => {
    const rows = [row('1'), row('1', { path: '/other', hiddenReason: 'segment' }), row('2')];
    expect((await run(['list', '--all'], fakeHomes({ rows }))).stderr).toContain('3 files · index complete (3 files)');
    const { stderr } = await run(['list', '--all', '--limit', '2'], fakeHomes({ rows }));
    expect(stderr).toContain('2 of 3 files · index');
  });

  test('gives a cursor a line of its own, whole', async () => {
    const homes = fakeHomes({ rows: [row('1'), row('2')] });
    const cursor = 'x'.repeat(200);
    const paged = { ...homes, list: async () => ({ ...(await homes.list()), nextCursor: cursor }) };
    const { stderr } = await run(['list'], paged, { isTTY: true, stderrIsTTY: true, env: { NO_COLOR: '1' } });
    expect(stderr.split('\n')).toContain(`  --cursor ${cursor}`);
  });

  test('a tree has every file once under --all, children below their parents whatever came first', async () => {
    const rows = [
      row('c1', { parentThreadId: id('1'), hiddenReason: 'child' }),
      row('1'),
      row('1', { path: `${HOME}/xyz`, hiddenReason: 'segment' }),
      row('c2', { parentThreadId: id('1'), hiddenReason: 'child' }),
    ];
    const { stdout } = await run(['list', '--tree', '--all'], fakeHomes({ rows }));
    expect(stdout.split('\n').map((line) => line.slice(0, 8))).toEqual([
      '00000001',
      '000000c1',
      '000000c2',
      '00000001',
      '',
    ]);
  });

  test('a tree tells how many threads stand below, and what it leaves out', async () => {
    const rows = [
      row('1'),
      row('c1', { parentThreadId: id('1'), hiddenReason: 'child' }),
      row('a1', { archived: true, hiddenReason: 'archived' }),
      row('b1', { hiddenReason: 'internal' }),
    ];
    const { stderr } = await run(['list', '--tree'], fakeHomes({ rows }));
    expect(stderr).toContain('1 tree, 1 thread below · hidden: 1 archived, 1 internal\nindex');
  });

  test('80 columns: marks begin below one another and none of them is cut', async () => {
    const rows = [
      row('1', { title: 'x'.repeat(90), children: [id('9')] }),
      row('2', { title: '한'.repeat(60), forkedFromId: id('77') }),
      row('3', {
        title: 'short',
        archived: true,
        hiddenReason: 'archived',
        forkedFromId: id('77'),
        modelProvider: 'a',
      }),
      row('4', { title: 'y'.repeat(90), hiddenReason: 'compressed-twin', source: '' }),
    ];
    const { stdout } = await run(['list', '--all'], fakeHomes({ rows }), { isTTY: true, env: { NO_COLOR: '1' } });
    const lines = stdout.trimEnd().split('\n');
    const at = lines.map((line, index) => {
      const mark = ['+1 cli', 'fork of 00000077', '[archived] fork of 00000077', '[compressed-twin]'][index]!;
      expect(line).toContain(mark);
      return stringWidth(line.slice(0, line.indexOf(mark)));
    });
    expect([at[0], at[1], at[3]]).toEqual([at[0], at[0], at[0]]);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  });

  test.each([
    ['{"subagent":{"thread_spawn":{"parent_thread_id":"019a2b3c-0000-7000-8000-000000000001","depth":1}}}', 'subagent'],
    ['{"subagent":"review"}', 'subagent review'],
    ['{"subagent":{"other":"guardian"}}', 'subagent guardian'],
    ['{"internal":{}}', 'internal'],
    ['{"cut in the mid', 'other'],
    ['{}', 'other'],
    ['mcp', 'mcp'],
  ])('shows the source %s short', async (source, words) => {
    const { stdout } = await run(['list'], fakeHomes({ rows: [row('1', { source, modelProvider: null })] }));
    expect(stdout).toBe(`00000001  11:00       project         Why does the build fail?  ${words}\n`);
  });

  test('--why of a file that knows no source ends with its age', async () => {
    const { stdout } = await run(
      ['list', '--why', '0001'],
      fakeHomes({ rows: [row('1', { source: '', hiddenReason: 'segment' })] }),
    );
    expect(stdout.split('\n').at(-2)).toBe('  11:00');
  });

  test('hints are commands that work here: the name that was typed, and the homes', async () => {
    const homes = fakeHomes({ rows: [row('5b1a90cd')], hidden: { child: 1 } });
    const argv = ['list', '--home', 'a b', '--home', '/c'];
    const { stderr } = await run(argv, homes, { program: 'node dist/bin.js' });
    const options = "--home 'a b' --home /c";
    expect(stderr).toContain(`Try: node dist/bin.js show ${options} 5b1a90cd\n`);
    expect(stderr).toContain(`     node dist/bin.js list ${options} --all\n`);
    const failed = await run(['show', 'ffff', '--home', '/c', '--json'], homes, { program: 'npx codicil' });
    expect(JSON.parse(failed.stdout).error.hint).toContain('npx codicil list --home /c --all shows every file');
    expect((await run(['help', 'x'], homes, { program: 'npx codicil' })).stderr).toContain('npx codicil help lists');
  });

  test('goes through the pager when it is longer than the terminal', async () => {
    const pages: string[] = [];
    const page = async (count: number, options: object) => {
      const input = new PassThrough();
      input.on('data', (chunk) => pages.push(String(chunk)));
      const rows = Array.from({ length: count }, (_, index) => row(String(index)));
      const openPager = async () => ({ input, end: async () => undefined });
      return run(['list', '--limit', '100'], fakeHomes({ rows }), { isTTY: true, rows: 24, openPager, ...options });
    };
    expect((await page(24, {})).stdout).toBe('');
    expect(pages.join('').trimEnd().split('\n')).toHaveLength(24);
    expect((await page(10, {})).stdout.trimEnd().split('\n')).toHaveLength(10);
    expect((await page(24, { isTTY: false })).stdout.trimEnd().split('\n')).toHaveLength(24);
    expect((await page(24, { rows: 60 })).stdout.trimEnd().split('\n')).toHaveLength(24);
  });

  test('draws a tree, deep and wide ones folded, within 80 and 140 columns', async () => {
    const long = 'a title that is much longer than any window has room for, whatever stands beside it';
    const rows = [
      row('1', { title: 'parent' }),
      ...Array.from({ length: 30 }, (_, place) =>
        row(`c${100 + place}`, {
          parentThreadId: id('1'),
          hiddenReason: 'child',
          title: `${place} ${place % 2 === 0 ? long : '한국어'.repeat(40)}`,
          createdAt: new Date(NOW - 3_600_000 + place * 1_000).toISOString(),
        }),
      ),
      ...Array.from({ length: 50 }, (_, place) =>
        row(`d${100 + place}`, {
          parentThreadId: id(place === 0 ? 'c100' : `d${99 + place}`),
          hiddenReason: 'child',
          title: `deep ${place}`,
        }),
      ),
    ];
    for (const columns of [40, 80, 140]) {
      const { stdout } = await run(['list', '--tree'], fakeHomes({ rows }), {
        isTTY: true,
        columns,
        rows: 200,
        env: { NO_COLOR: '1' },
      });
      const lines = stdout.trimEnd().split('\n');
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
      expect(lines.at(-1)!.trim()).toBe('└─ 10 more');
      expect(lines.at(-1)!.indexOf('└')).toBe(lines[1]!.indexOf('├'));
      expect(lines.filter((line) => line.includes('more'))).toHaveLength(2);
      expect(stdout).toContain(columns === 40 ? '├─ 0 a' : '├─ 0 a title');
      expect(stdout).toContain(columns === 40 ? '│  └─ 50 more' : '│  └─ deep 0');
    }
  });

  test('a tree says who is the child of a thread that is not there', async () => {
    const rows = [row('c1', { parentThreadId: id('77'), hiddenReason: 'child', title: 'child' })];
    const { stdout } = await run(['list', '--tree'], fakeHomes({ rows }));
    expect(stdout).toBe('000000c1  11:00       project          child  child of 00000077 cli\n');
  });
});
