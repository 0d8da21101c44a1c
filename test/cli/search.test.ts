import { describe, expect, test } from 'vitest';
import type { SearchHit, SearchPage } from '../../src/thread-store/session-reader.js';
import { fakeHomes, HOME, id, row, run } from './fake-homes.js';
import { keysOf } from './json-shapes.js';

function hit(end: string, fields: Partial<SearchHit> = {}): SearchHit {
  const thread = row(end);
  return {
    threadId: id(end),
    address: `${id(end)}:7`,
    path: thread.path,
    home: HOME,
    line: 7,
    role: 'user',
    timestamp: '2026-11-30T10:59:00.000Z',
    snippet: '…a flaky test fails again, and the build is red…',
    matches: [
      [3, 8],
      [9, 13],
    ],
    score: 3.5,
    title: thread.title,
    name: null,
    cwd: thread.cwd,
    updatedAt: thread.updatedAt,
    ...fields,
  };
}

async function search(
  argv: readonly string[],
  found: Partial<SearchPage> = {},
  options: Parameters<typeof run>[2] = {},
) {
  const asked: unknown[] = [];
  const ran = await run(['search', ...argv], fakeHomes({ rows: [row('1')], found, asked }), options);
  return { ...ran, asked };
}

describe('codicil search', () => {
  test('prints the documented document', async () => {
    const { code, stdout } = await search(['flaky', '--json'], { hits: [hit('1')], total: 9 });
    expect(code).toBe(0);
    const document = JSON.parse(stdout);
    expect(Object.keys(document)).toEqual(keysOf('search'));
    expect(Object.keys(document.hits[0])).toEqual(keysOf('hit'));
    expect(document).toMatchObject({ total: 9, totalIsBound: false, tookMs: 1.5, index: { state: 'complete' } });
  });

  test('prints a hit a line under --jsonl', async () => {
    const { stdout } = await search(['flaky', '--jsonl'], { hits: [hit('1'), hit('2')], total: 2 });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).threadId),
    ).toEqual([id('1'), id('2')]);
  });

  test('hands on what was asked for; several words are one query', async () => {
    const options = [
      '--limit',
      '3',
      '--by',
      'thread',
      '--cwd',
      'sub',
      '--role',
      'user',
      '--since',
      '2026-11-29T00:00:00Z',
    ];
    const { asked } = await search(['flaky', 'test', ...options]);
    expect(asked).toEqual([
      {
        search: {
          text: 'flaky test',
          limit: 3,
          by: 'thread',
          cwd: '/home/me/project/sub',
          role: 'user',
          sinceMs: Date.parse('2026-11-29T00:00:00Z'),
        },
      },
    ]);
    expect((await search(['--', '-draft', 'flaky'])).asked).toEqual([{ search: { text: '-draft flaky' } }]);
  });

  test('shows the thread, who said it, the words in context, and the address', async () => {
    const hits = [
      hit('1'),
      hit('1', { line: 9, address: `${id('1')}:9`, role: 'assistant' }),
      hit('2', { name: 'Named' }),
    ];
    const { stdout, stderr } = await search(['flaky test'], { hits, total: 40 }, { isTTY: true, stderrIsTTY: true });
    const plain = stdout.replaceAll(/\u001b\[\d+m/g, '');
    expect(plain).toBe(
      [
        '00000001  11:00  project  Why does the build fail?',
        '  user: …a flaky test fails again, and the build is red…',
        `  ${id('1')}:7`,
        '  assistant: …a flaky test fails again, and the build is red…',
        `  ${id('1')}:9`,
        '',
        '00000002  11:00  project  Named',
        '  user: …a flaky test fails again, and the build is red…',
        `  ${id('2')}:7`,
        '',
      ].join('\n'),
    );
    expect(stdout).toContain('\u001b[33mflaky\u001b[39m \u001b[33mtest\u001b[39m');
    expect(stderr.replaceAll(/\u001b\[\d+m/g, '')).toBe(
      '3 of 40 messages · 2 ms · index complete (1 file)\nTry: codicil show 00000001:7 --context 3\n',
    );
  });

  test('breaks a long snippet at words, its marks whole', async () => {
    const snippet = `${'word '.repeat(20)}heron ${'word '.repeat(20)}`.trim();
    const found = { hits: [hit('1', { snippet, matches: [[100, 105]] })], total: 1 };
    const { stdout } = await search(['heron'], found, { isTTY: true, columns: 60 });
    const lines = stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect(lines.every((line) => line.length <= 60)).toBe(true);
    expect(
      lines
        .slice(1, -2)
        .map((line) => line.trim().replace('user: ', ''))
        .join(' '),
    ).toBe(snippet);
    expect(stdout).toContain('\u001b[33mheron\u001b[39m');
  });

  test('says that there is nothing, and what to try', async () => {
    const { code, stdout, stderr } = await search(['"no such thing"', '--cwd', '.']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      [
        'No matches with these filters · index complete (1 file)',
        'Try: leave out --cwd, --role, --since, --until',
        'leave out the quotes: words need not stand side by side',
        'fewer or shorter words find more',
        '',
      ].join('\n'),
    );
    expect((await search(['nothing'])).stderr).toBe(
      'No matches · index complete (1 file)\nTry: fewer or shorter words find more\n',
    );
  });

  test('is wrong usage without a word to look for', async () => {
    const { code, stdout } = await search([' ', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('empty-query');
    expect((await search([])).code).toBe(2);
    expect((await search(['x', '--limit', '0'])).code).toBe(2);
    expect((await search(['x', '--batch'])).code).toBe(2);
  });

  test('answers a query a line under --batch, an empty one too, and compares files once', async () => {
    const { code, stdout, asked } = await search(
      ['--batch', '--limit', '2'],
      { hits: [hit('1')], total: 1 },
      {
        input: 'flaky\n\n세션 복구\nlast',
      },
    );
    expect(code).toBe(0);
    const documents = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(documents.map(({ hits }) => hits.length)).toEqual([1, 0, 1, 1]);
    for (const document of documents) expect(Object.keys(document)).toEqual(keysOf('search'));
    const again = { indexMaxAgeMs: Infinity };
    expect(asked).toEqual([
      { search: { text: 'flaky', limit: 2 } },
      { search: { text: '', limit: 2, ...again } },
      { search: { text: '세션 복구', limit: 2, ...again } },
      { search: { text: 'last', limit: 2, ...again } },
    ]);
  });
});
