import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { ThreadRow } from '../../src/projection/thread-row.js';
import { fakeHomes, HOME, id, row, run } from './fake-homes.js';

const ROW_KEYS = [
  'id',
  'path',
  'home',
  'title',
  'name',
  'preview',
  'cwd',
  'source',
  'modelProvider',
  'model',
  'reasoningEffort',
  'cliVersion',
  'createdAt',
  'updatedAt',
  'archived',
  'archivedAt',
  'hasUserEvent',
  'sandboxPolicy',
  'approvalMode',
  'memoryMode',
  'tokensUsed',
  'git',
  'dialect',
  'sizeBytes',
  'forkedFromId',
  'parentThreadId',
  'children',
  'hiddenReason',
]; // prettier-ignore

describe('codicil list --json', () => {
  test('is one document with the keys of the contract', async () => {
    const { code, stdout, stderr } = await run(
      ['list', '--json'],
      fakeHomes({ rows: [row('a1b2')], hidden: { child: 2 } }),
    );
    const document = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(Object.keys(document)).toEqual(['threads', 'nextCursor', 'total', 'hidden', 'index']);
    expect(Object.keys(document.threads[0])).toEqual(ROW_KEYS);
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

  test('--tree puts the children after their parent', async () => {
    const child = row('c1', { parentThreadId: id('1'), hiddenReason: 'child', children: [id('c2')] });
    const grandchild = row('c2', { parentThreadId: id('c1'), hiddenReason: 'child' });
    const homes = fakeHomes({ rows: [row('1', { children: [id('c1')] }), row('2'), child, grandchild] });
    const { stdout } = await run(['list', '--tree', '--json'], homes);
    expect(JSON.parse(stdout).threads.map((thread: ThreadRow) => thread.id)).toEqual([
      id('1'),
      id('c1'),
      id('c2'),
      id('2'),
    ]);
  });

  test('--tree ends where damaged metadata makes a circle', async () => {
    const rows = [row('1', { children: [id('2')] }), row('2', { children: [id('1')], hiddenReason: 'child' })];
    const { stdout } = await run(['list', '--tree', '--json'], fakeHomes({ rows }));
    expect(JSON.parse(stdout).threads.map((thread: ThreadRow) => thread.id)).toEqual([id('1'), id('2')]);
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
    const [, title] = /project {9}(\S+)/.exec(stdout)!;
    expect(title).toMatch(/^(👨‍👩‍👧)+…$/u);
  });

  test('makes control and bidirectional characters visible', async () => {
    const title = 'a\u001b]0;x\u0007b\u202ec\n\nd';
    const { stdout } = await run(['list'], fakeHomes({ rows: [row('1', { title, cwd: '/a/\u001b[31mred' })] }));
    expect(stdout).toBe('00000001  11:00       ␛[31mred        a␛]0;x␇b<U+202E>c d  cli openai\n');
  });

  test('says how many there are, what is hidden and what to try', async () => {
    const { stderr } = await run([], fakeHomes({ rows: [row('5b1a90cd')], hidden: { child: 2 }, building: true }));
    expect(stderr.replaceAll('\n', ' ').trim()).toBe(
      '1 thread · hidden: 2 child · index still building (1 of 1 file) Try: codicil show 5b1a90cd · codicil open 5b1a90cd · codicil list --all · codicil verify --all · codicil help',
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

  test('marks a child in the tree', async () => {
    const child = row('c1', { parentThreadId: id('1'), hiddenReason: 'child', title: 'child' });
    const { stdout } = await run(
      ['list', '--tree'],
      fakeHomes({ rows: [row('1', { children: [id('c1')], title: 'parent' }), child] }),
    );
    expect(stdout).toBe(
      '00000001  11:00       project         parent  +1 cli openai\n000000c1  11:00       project         └ child  [child] cli openai\n',
    );
  });
});
