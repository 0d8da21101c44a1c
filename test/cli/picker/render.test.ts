import { describe, expect, test } from 'vitest';
import { type Entry, entryOfHit, entryOfRow, keyOf } from '../../../src/cli/picker/entry.js';
import { render } from '../../../src/cli/picker/render.js';
import { INITIAL_STATE, type PickerState, type PreviewMessage, type Size } from '../../../src/cli/picker/state.js';
import { displayWidth } from '../../../src/cli/width.js';
import type { SearchHit } from '../../../src/thread-store/session-reader.js';
import { HOME, id, NOW, row } from '../fake-homes.js';

const COMPLETE = { state: 'complete', indexed: 3, files: 3 } as const;
const OPTIONS = { isColoured: false, nowMs: NOW, timeZone: 'UTC' };

const ROWS = [
  row('1', { title: 'Why does the build fail?' }),
  row('2', {
    title: '줄 끝이 CRLF인 파일도 읽을 수 있는지 확인하고, 없으면 테스트를 추가해 줘',
    cwd: '/home/me/한글-프로젝트',
  }),
  row('3', {
    title: '👩‍👩‍👧 e\u0301 \u1112\u1161\u11ab \x1b[31mred\x07 \u202eevil',
    updatedAt: '2026-11-01T00:00:00.000Z',
  }),
];

function listed(fields: Partial<PickerState> = {}): PickerState {
  const entries = ROWS.flatMap((one) => entryOfRow(one) ?? []);
  return { ...INITIAL_STATE, entries, isAnswered: true, total: 3, index: COMPLETE, ...fields };
}

function hit(fields: Partial<SearchHit> = {}): SearchHit {
  const { path, title, cwd, updatedAt } = ROWS[0]!;
  const snippet = 'the fixed wait of 50 ms';
  const found = { threadId: id('1'), address: `${id('1')}:7`, path, home: HOME, line: 7, role: 'assistant' as const };
  return {
    ...found,
    timestamp: null,
    snippet,
    matches: [[10, 14]],
    score: 1,
    title,
    name: null,
    cwd,
    updatedAt,
    ...fields,
  };
}

function searched(messages: readonly PreviewMessage[] | undefined, fields: Partial<PickerState> = {}): PickerState {
  const entry = entryOfHit(hit(), undefined);
  const preview = messages && { key: keyOf(entry), messages, found: messages.findIndex(({ line }) => line === 7) };
  return listed({ query: 'wait', entries: [entry], total: 1, shows: 'hits', preview, ...fields });
}

function message(line: number, text: string, matches: PreviewMessage['matches'] = []): PreviewMessage {
  return { role: line % 2 === 0 ? 'user' : 'assistant', line, text, matches };
}

/** Lines without what a terminal does not show. */
function plainLines(state: PickerState, size: Size, options = OPTIONS): readonly string[] {
  return render(state, size, options).lines.map((line) => line.replace(/\x1b\[[\d;]*[mG]/g, '').trimEnd());
}

const STATES: readonly (readonly [string, PickerState])[] = [
  ['nothing yet', INITIAL_STATE],
  ['a list', listed()],
  ['the last of a list', listed({ selected: 2 })],
  ['help', listed({ isHelpShown: true })],
  ['a long query', listed({ query: '아주 긴 검색어 '.repeat(30), isAnswered: false })],
  [
    'hits',
    searched([message(6, '왜 '.repeat(500)), message(7, 'the fixed wait', [[10, 14]]), message(8, 'ok\n\n\nyes')]),
  ],
  ['a hit without a preview', searched(undefined)],
  ['a notice', listed({ notice: { text: `Copied: ${'x'.repeat(300)}`, isError: false } })],
  [
    'progress',
    listed({ progress: { phase: 'full', done: 3, files: 5000 }, index: { ...COMPLETE, state: 'building' } }),
  ],
];

describe('render()', () => {
  test.each(STATES)('fits every size, and its cursor too: %s', (_name, state) => {
    for (let columns = 1; columns <= 200; columns += columns < 20 ? 1 : 13) {
      for (const rows of [1, 2, 3, 5, 16, 24, 60]) {
        const { lines, cursor } = render(state, { columns, rows }, { ...OPTIONS, isColoured: columns % 2 === 0 });
        expect(lines).toHaveLength(rows);
        for (const line of lines) {
          const shown = line.replace(/\x1b\[[\d;]*[mG]/g, '');
          expect(displayWidth(shown), `${columns}x${rows} ${JSON.stringify(shown)}`).toBeLessThanOrEqual(columns);
        }
        expect(cursor.row).toBeLessThan(rows);
        expect(cursor.column).toBeLessThan(columns);
      }
    }
  });

  test('shows no control character of a log', () => {
    for (const size of [
      { columns: 80, rows: 24 },
      { columns: 60, rows: 24 },
      { columns: 60, rows: 8 },
    ]) {
      const text = plainLines(listed({ selected: 2 }), size).join('\n');
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
      expect(text).toContain('␛[31mred␇');
    }
  });

  test('puts the second pane at the same column in every line, whatever stands before it', () => {
    const { lines } = render(listed(), { columns: 80, rows: 10 }, OPTIONS);
    for (const line of lines.slice(1, -1)) {
      const [left = '', right] = line.split('\x1b[37G');
      expect(right).toBeDefined();
      expect(displayWidth(left.replace(/\x1b\[[\d;]*m/g, ''))).toBe(36);
    }
  });

  test('at 80 columns: threads beside the one that is selected', () => {
    const messages = [message(0, 'It failed.'), { ...message(0, 'Fixed it.\nAll green.'), role: 'assistant' as const }];
    const entry: Entry = listed().entries[0]!;
    const state = listed({ preview: { key: keyOf(entry), messages, found: undefined } });
    expect(plainLines(state, { columns: 80, rows: 14 })).toEqual([
      '> Type to search every message',
      '>   1h  project     Why does the bu… │ Why does the build fail?',
      '    1h  한글-프로…  줄 끝이 CRLF인…  │ /home/me/project',
      '    4w  project     👩‍👩‍👧 e\u0301 \u1112\u1161\u11ab ␛[31mre… │ 00000001 · 2026-11-30 11:00 · gpt-5 · cli',
      '                                     │',
      '                                     │ user',
      '                                     │   It failed.',
      '                                     │',
      '                                     │ assistant',
      '                                     │   Fixed it.',
      '                                     │   All green.',
      '                                     │',
      '                                     │',
      '3 threads · index complete (3 files)        Enter open · y copy · o log · ? help',
    ]);
  });

  test('below 72 columns: the match below the threads', () => {
    const state = searched([
      message(6, 'Why?'),
      message(7, 'the fixed wait of 50 ms', [[10, 14]]),
      message(8, 'Thanks'),
    ]);
    expect(plainLines(state, { columns: 60, rows: 22 })).toEqual([
      '> wait',
      '>   1h  project  Why does the build fail?',
      ...Array.from({ length: 8 }, () => ''),
      '─'.repeat(60),
      'Why does the build fail?',
      '/home/me/project',
      '00000001:7 · 2026-11-30 11:00',
      '',
      'user :6',
      '  Why?',
      '',
      'assistant :7',
      '  the fixed wait of 50 ms',
      '',
      '1 thread found · index complete (3 files)   ^Y copy · ^O log',
    ]);
  });

  test('on a small terminal: the match in the place of the title', () => {
    expect(plainLines(searched(undefined), { columns: 50, rows: 4 })).toEqual([
      '> wait',
      '>   1h  project  the fixed wait of 50 ms',
      '',
      '1 thread found · index complete (3 files)',
    ]);
  });

  test('sets off the words that were found, without colours too', () => {
    const size = { columns: 50, rows: 4 };
    expect(render(searched(undefined), size, OPTIONS).lines[1]).toContain('\x1b[7;1;4mwait\x1b[0m');
    expect(render(searched(undefined), size, OPTIONS).lines.join('')).not.toMatch(/\x1b\[(?:\d+;)*[34]\d/);
    expect(render(searched(undefined), size, { ...OPTIONS, isColoured: true }).lines[1]).toContain(
      '\x1b[7;1;33mwait\x1b[0m',
    );
  });

  test('shows the part of a long message that was found', () => {
    const text = `${'before '.repeat(300)}needle${' behind'.repeat(300)}`;
    const state = searched([message(6, 'Why?'), message(7, text, [[2_100, 2_106]]), message(8, 'Thanks')]);
    const shown = plainLines(state, { columns: 80, rows: 20 }).join('\n');
    expect(shown).toContain('needle');
    expect(shown).toContain('… ');
    expect(shown).toContain('user :8');
  });

  test('shows the end of a query that is longer than the line, the cursor behind it', () => {
    const { lines, cursor } = render(listed({ query: '가나다라마바사' }), { columns: 12, rows: 3 }, OPTIONS);
    expect(lines[0]!.replace(/\x1b\[[\d;]*m/g, '')).toBe('> …라마바사');
    expect(cursor).toEqual({ row: 0, column: 11 });
  });

  test.each([
    [listed({ entries: [], total: 0 }), 'No threads.'],
    [listed({ entries: [], total: 0, scope: 'archived' }), 'No archived threads.'],
    [listed({ entries: [], total: 0, index: { state: 'building', indexed: 0, files: 9 } }), 'Looking for threads …'],
    [searched(undefined, { entries: [], total: 0 }), 'Nothing found.'],
    [searched(undefined, { entries: [], total: 0, isAnswered: false }), 'Searching …'],
    [
      searched(undefined, { entries: [], total: 0, index: { state: 'building', indexed: 1, files: 9 } }),
      'Nothing found yet: the index is still being built.',
    ],
  ])('says why nothing is there: case %#', (state, text) => {
    expect(plainLines(state, { columns: 60, rows: 5 })[1]).toBe(`  ${text}`);
  });

  test.each([
    [{ total: 3 }, '3 threads · index complete (3 files)'],
    [{ total: 1, scope: 'archived' as const }, '1 archived thread · index complete (3 files)'],
    [{ total: 1_234, shows: 'hits' as const }, 'best 3 of 1,234 threads found · index complete (3 files)'],
    [{ total: 3, shows: 'hits' as const, totalIsBound: true }, 'at most 3 threads found · index complete (3 files)'],
    [{ progress: { phase: 'full' as const, done: 7, files: 90 } }, '3 threads · reading logs: 7 of 90'],
    [
      { index: { state: 'building' as const, indexed: 7, files: 90 } },
      '3 threads · index still building (7 of 90 files)',
    ],
  ])('says how much is known: %j', (fields, text) => {
    expect(plainLines(listed(fields), { columns: 60, rows: 5 })[4]).toContain(text);
  });
});
