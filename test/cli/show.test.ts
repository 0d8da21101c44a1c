import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { TurnView } from '../../src/projection/turn.js';
import { type FakeHome, fakeHomes, id, item, row, run, turn } from './fake-homes.js';
import { keysOf } from './json-shapes.js';

const THREAD = row('5b1a90cd');
const at = (line: number, text: string, fields = {}) => item(line, text, { path: THREAD.path, ...fields });
const TURNS: readonly TurnView[] = [
  turn([
    at(2, 'AGENTS', { role: 'developer', origin: 'injected' }),
    at(3, '빌드가 왜 실패하나요?'),
    at(4, '{"command":["npm","test"]}', { type: 'function_call', role: null, origin: 'assistant' }),
    at(5, 'one\ntwo\nthree', { type: 'function_call_output', role: null, origin: 'tool' }),
    at(6, 'Because of \u001b[31mthis\u202e.', { role: 'assistant', origin: 'assistant' }),
  ]),
  turn([at(9, 'Thanks')], { id: 'turn-2', status: 'interrupted', completedAt: null }),
];
const HOME: FakeHome = {
  rows: [THREAD],
  turns: TURNS,
  parse: {
    lines: 10,
    records: 9,
    errors: [{ line: 8, byteOffset: 777, kind: 'json', message: 'Unexpected end', lost: true, path: THREAD.path }],
  },
  lines: [
    { path: THREAD.path, line: 5, byteOffset: 500, text: '{"type":"response_item"}' },
    { path: THREAD.path, line: 6, byteOffset: 600, text: '{"type":"response_item"}' },
    { path: THREAD.path, line: 7, byteOffset: 700, text: '{"type":"world_state"}' },
    { path: THREAD.path, line: 8, byteOffset: 777, text: '{"type":"respon' },
    { path: THREAD.path, line: 9, byteOffset: 800, text: undefined },
  ],
};

describe('codicil show --json', () => {
  test('is one document with the keys of the contract', async () => {
    const { code, stdout } = await run(['show', '90cd', '--json'], fakeHomes(HOME));
    const document = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(Object.keys(document)).toEqual(keysOf('show'));
    expect(document.thread).toEqual(THREAD);
    expect(document.turns).toEqual(TURNS);
    expect(Object.keys(document.turns[0])).toEqual(keysOf('turn'));
    expect(Object.keys(document.turns[0].items[0])).toEqual(keysOf('item'));
    expect(Object.keys(document.parse)).toEqual(keysOf('parse'));
    expect(Object.keys(document.parse.errors[0])).toEqual(keysOf('parse error'));
    expect(document.parse).toEqual({
      lines: 10,
      records: 9,
      errors: [{ line: 8, byteOffset: 777, kind: 'json', message: 'Unexpected end', path: THREAD.path }],
    });
  });

  test.each([
    ['2..', { from: 2, to: undefined, last: undefined }],
    ['..2', { from: 1, to: 2, last: undefined }],
    ['1..2', { from: 1, to: 2, last: undefined }],
    ['2', { from: 2, to: 2, last: undefined }],
    ['-5..', { from: 1, to: undefined, last: 5 }],
  ])('--turns %s asks for those turns only', async (text, query) => {
    const asked: unknown[] = [];
    await run(['show', '90cd', '--json', '--turns', text], fakeHomes({ ...HOME, asked }));
    expect(asked).toEqual([{ turns: { ...query, all: undefined } }]);
  });

  test('--all asks for the records that are no items', async () => {
    const asked: unknown[] = [];
    await run(['show', '90cd', '--json', '--all'], fakeHomes({ ...HOME, asked }));
    expect(asked).toEqual([{ turns: { from: 1, to: undefined, last: undefined, all: true } }]);
  });

  test('an address gives the items of those lines, and a damaged line with its bytes', async () => {
    const { stdout } = await run(['show', '90cd:7-8', '--context', '1', '--json'], fakeHomes(HOME));
    const { turns } = JSON.parse(stdout);
    expect(turns.map((t: TurnView) => t.items.map(({ line, type, text }) => [line, type, text]))).toEqual([
      [
        [6, 'message', 'Because of \u001b[31mthis\u202e.'],
        [7, 'world_state', '{"type":"world_state"}'],
        [8, 'damaged', '{"type":"respon'],
      ],
      [[9, 'message', 'Thanks']],
    ]);
  });

  test.each([
    ['{"type":"event_msg","payload":{"type":"token_count"}}', 'token_count'],
    ['{"type":"turn_context","payload":{"type":"x"}}', 'turn_context'],
    ['{"record_type":"state"}', 'state'],
    ['{"type":7}', 'line'],
    ['[]', 'line'],
    ['{', 'line'],
  ])('a line without an item stands under the tag of its record: %s', async (text, type) => {
    const lines = [{ path: THREAD.path, line: 1, byteOffset: 0, text }];
    const { stdout } = await run(['show', '90cd:1', '--json'], fakeHomes({ rows: [THREAD], lines }));
    expect(JSON.parse(stdout).turns).toEqual([
      {
        id: null,
        status: 'completed',
        startedAt: null,
        completedAt: null,
        items: [{ type, role: null, text, line: 1, path: THREAD.path, origin: 'injected' }],
      },
    ]);
  });

  test('a line without an item belongs to the turn that was under way', async () => {
    const lines = [1, 5, 20].map((line) => ({ path: THREAD.path, line, byteOffset: line, text: '{}' }));
    const turns = [turn([at(3, 'first')]), turn([at(10, 'second')], { id: 'turn-2' })];
    const { stdout } = await run(['show', '90cd:1-20', '--json'], fakeHomes({ rows: [THREAD], turns, lines }));
    const found = JSON.parse(stdout).turns.map((t: TurnView) => [t.id, t.items.map(({ line }) => line)]);
    expect(found).toEqual([
      [null, [1]],
      ['turn-1', [3, 5]],
      ['turn-2', [10, 20]],
    ]);
  });

  test('an address shows its lines in full', async () => {
    const { stdout } = await run(['show', '90cd:5'], fakeHomes(HOME));
    expect(stdout).toContain('function_call_output 5b1a90cd:5 (tool)\n  one\n  two\n  three\n');
  });

  test('--raw gives the log line of each item', async () => {
    const { stdout } = await run(['show', '90cd:6-9', '--raw', '--json'], fakeHomes(HOME));
    const { turns } = JSON.parse(stdout);
    expect(turns.flatMap((t: TurnView) => t.items.map(({ text }) => text))).toEqual([
      '{"type":"response_item"}',
      '{"type":"world_state"}',
      '{"type":"respon',
      '(a line of more than 64 MiB)',
    ]);
  });

  test('--jsonl prints one item a line, with its turn', async () => {
    const { stdout } = await run(['show', '90cd', '--jsonl'], fakeHomes(HOME));
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toHaveLength(6);
    expect(Object.keys(records[0])).toEqual(keysOf('show --jsonl'));
    expect(records.at(-1)).toMatchObject({ turn: 2, turnId: 'turn-2', text: 'Thanks', line: 9 });
  });

  test('a name that looks like an address is a name', async () => {
    const named = row('7', { name: 'release:12' });
    const { stdout } = await run(['show', 'release:12', '--json'], fakeHomes({ ...HOME, rows: [named] }));
    expect(JSON.parse(stdout).thread.id).toBe(id('7'));
  });
});

describe('codicil show', () => {
  test('folds tools and injected text, and shows what was said with its address', async () => {
    const { code, stdout, stderr } = await run(['show', '90cd'], fakeHomes(HOME));
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(7)).toEqual([
      '── Turn 1 · 2026-11-29 09:00 · completed · 12 s ────────────────────────────────',
      '  developer, injected 5b1a90cd:2  AGENTS',
      'user 5b1a90cd:3',
      '  빌드가 왜 실패하나요?',
      '  function_call 5b1a90cd:4  {"command":["npm","test"]}',
      '  function_call_output 5b1a90cd:5  one two three (3 lines)',
      'assistant 5b1a90cd:6',
      '  Because of ␛[31mthis<U+202E>.',
      '',
      '── Turn 2 · 2026-11-29 09:00 · interrupted ─────────────────────────────────────',
      'user 5b1a90cd:9',
      '  Thanks',
      '',
      '',
    ]);
    expect(stderr).toBe('1 fault in the log, 1 record lost; codicil verify 5b1a90cd says where.\n');
  });

  test('--tools unfolds them and says where a text comes from', async () => {
    const { stdout } = await run(['show', '90cd', '--tools', '--turns', '1'], fakeHomes(HOME));
    expect(stdout).toContain('developer 5b1a90cd:2 (injected)\n  AGENTS\n');
    expect(stdout).toContain('function_call_output 5b1a90cd:5 (tool)\n  one\n  two\n  three\n');
  });

  test('shows the last 20 turns on a terminal through the pager, and says how to see all', async () => {
    const input = new PassThrough();
    let paged = '';
    input.on('data', (chunk) => (paged += String(chunk)));
    let ended = false;
    const turns = Array.from({ length: 25 }, (_, index) => turn([at(index + 2, `text ${index + 1}`)]));
    const { stdout, stderr } = await run(['show', '90cd'], fakeHomes({ rows: [THREAD], turns }), {
      isTTY: true,
      env: { NO_COLOR: '1' },
      openPager: async () => ({
        input,
        end: async () => {
          ended = true;
        },
      }),
    });
    expect(ended).toBe(true);
    expect(stdout).toBe('');
    expect(paged).toContain('── Turn 6 ');
    expect(paged).not.toContain('── Turn 5 ');
    expect(stderr).toBe('20 of 25 turns; codicil show 5b1a90cd --turns 1.. shows all.\n');
  });

  test('keeps every line within 80 columns of a terminal', async () => {
    const texts = [
      '한국어 문장은 한 글자가 두 칸입니다. '.repeat(30),
      '👨‍👩‍👧'.repeat(100),
      'x'.repeat(300),
      'a\tb '.repeat(60),
      'word '.repeat(80),
    ];
    const items = texts.flatMap((text, index) => [
      at(index + 2, text),
      at(index + 20, text, { type: 'function_call', role: null, origin: 'assistant' }),
    ]);
    for (const argv of [
      ['show', '90cd'],
      ['show', '90cd', '--tools'],
    ]) {
      const { stdout } = await run(
        argv,
        fakeHomes({ rows: [row('5b1a90cd', { title: texts[0]! })], turns: [turn(items)] }),
        {
          isTTY: true,
          env: { NO_COLOR: '1' },
        },
      );
      // A path stays whole, so that it can be copied.
      for (const line of stdout.split('\n'))
        if (line !== THREAD.path) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
    }
  });

  describe('of a thread in several files', () => {
    const [parent, older] = [row('aaaabbbb').path, `${row('5b1a90cd').path}-older`];
    const lines = [parent, older, THREAD.path].map((file) => ({
      path: file,
      line: 3,
      byteOffset: 9,
      text: '{"type":"x"}',
    }));
    const home: FakeHome = {
      rows: [THREAD, row('aaaabbbb')],
      olderParts: [parent, older],
      turns: [
        turn([item(3, 'from the parent', { path: parent })]),
        turn([item(3, 'before the revert', { path: older }), at(3, 'own')], { id: 'turn-2' }),
      ],
      lines,
    };

    test('gives a line of an older file the place of that file', async () => {
      const { stdout } = await run(['show', '90cd'], fakeHomes(home));
      expect(stdout).toContain('user 5b1a90cd/1:3\n  from the parent\n');
      expect(stdout).toContain('user 5b1a90cd/2:3\n  before the revert\n');
      expect(stdout).toContain('user 5b1a90cd:3\n  own\n');
    });

    test.each([
      ['90cd/1:3', 'from the parent'],
      ['90cd/2:3', 'before the revert'],
      ['90cd/3:3', 'own'],
      ['90cd:3', 'own'],
      [parent, undefined],
    ])('opens exactly the line of %s', async (address, text) => {
      const asked: unknown[] = [];
      const { code, stdout } = await run(['show', address, '--json'], fakeHomes({ ...home, asked }));
      expect(code).toBe(0);
      const texts = JSON.parse(stdout).turns.flatMap((t: TurnView) => t.items.map((one) => one.text));
      expect(texts).toEqual(text === undefined ? ['from the parent', 'before the revert', 'own'] : [text]);
      const file = text === 'from the parent' ? parent : text === 'before the revert' ? older : THREAD.path;
      if (text !== undefined) expect(asked).toMatchObject([{ turns: { lines: { from: 3, to: 3, path: file } } }]);
    });

    test('takes a file of a home by its path and by its name, with a line and without', async () => {
      const name = path.basename(THREAD.path);
      for (const reference of [THREAD.path, name]) {
        const whole = await run(['show', reference, '--json'], fakeHomes(home));
        expect(JSON.parse(whole.stdout).thread.id).toBe(THREAD.id);
        const { stdout } = await run(['show', `${reference}:3`], fakeHomes(home));
        expect(stdout).toContain('user 5b1a90cd:3\n  own\n');
      }
      expect(JSON.parse((await run(['history', name, '--json'], fakeHomes(home))).stdout).threadId).toBe(THREAD.id);
    });

    test('a file of the same name outside of all homes is not the one inside', async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'codicil-copy-'));
      try {
        const copy = path.join(folder, path.basename(THREAD.path));
        writeFileSync(copy, '');
        const { code, stdout } = await run(['show', copy, '--json'], fakeHomes(home));
        expect(code).toBe(1);
        expect(JSON.parse(stdout).error).toMatchObject({
          code: 'thread-not-found',
          hint: expect.stringContaining('lies in none of the homes'),
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('a name may have a slash and a number', async () => {
      const named = { ...home, rows: [row('7', { name: 'fix/2', path: THREAD.path })] };
      const { stdout } = await run(['show', 'fix/2:3', '--json'], fakeHomes({ ...named, olderParts: [] }));
      expect(JSON.parse(stdout).turns[0].items.map(({ text }: { text: string }) => text)).toEqual(['own']);
    });

    test('says how many files there are', async () => {
      const { code, stdout } = await run(['show', '90cd/4:3', '--json'], fakeHomes(home));
      expect(code).toBe(1);
      expect(JSON.parse(stdout).error).toMatchObject({
        code: 'part-not-found',
        message: 'Cannot show file 4 of the thread: it stands in 3 files',
      });
    });

    test('a fault of one file marks no line of another', async () => {
      const errors = [{ line: 3, byteOffset: 9, kind: 'json', message: 'x', lost: true, path: parent }] as const;
      const damaged = { ...home, turns: [], parse: { lines: 9, records: 8, errors } };
      const type = async (address: string) =>
        JSON.parse((await run(['show', address, '--json'], fakeHomes(damaged))).stdout).turns[0].items[0].type;
      expect([await type('90cd/1:3'), await type('90cd:3')]).toEqual(['damaged', 'x']);
    });
  });

  test('fails with the number of lines when an address is past the end', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'codicil-lines-'));
    try {
      const log = path.join(folder, 'rollout.jsonl');
      writeFileSync(log, 'a\nb\nc\n');
      const lines = [3].map((line) => ({ path: log, line, byteOffset: 4, text: 'c' }));
      const homes = fakeHomes({ rows: [row('5b1a90cd', { path: log })], lines });
      for (const argv of [
        ['show', '90cd:4'],
        ['show', '90cd:4-9', '--context', '3'],
      ]) {
        const { code, stdout } = await run([...argv, '--json'], homes);
        expect(code).toBe(1);
        expect(JSON.parse(stdout).error).toEqual({
          code: 'line-not-found',
          message: 'Cannot show line 4: the file has 3 lines',
          path: log,
          line: 4,
          hint: 'codicil show 5b1a90cd:3 shows the last.',
        });
      }
      expect((await run(['show', '90cd:3-9'], homes)).code).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('shows why a turn failed in full, and an image without its bytes', async () => {
    const url = `data:image/png;base64,${'A'.repeat(5_000)}`;
    const items = [
      at(3, 'x'.repeat(200), { type: 'error', role: null, origin: 'injected' }),
      at(4, `{"images":["${url}"]}`, { type: 'user_message', role: null }),
    ];
    const homes = fakeHomes({ rows: [THREAD], turns: [turn(items, { status: 'failed' })] });
    const { stdout } = await run(['show', '90cd', '--tools'], homes);
    expect(stdout).toContain(`error 5b1a90cd:3\n  ${'x'.repeat(200)}\n`);
    expect(stdout).toContain('{"images":["[image]"]}');
    expect((await run(['show', '90cd'], homes)).stdout).toContain(`\nerror 5b1a90cd:3\n  ${'x'.repeat(200)}\n`);
  });

  test('calls no record injected that is no item', async () => {
    const items = [
      at(2, 'AGENTS', { role: 'developer', origin: 'injected' }),
      at(3, '{}', { type: 'token_count', role: null, origin: 'injected' }),
      at(4, 'sum', { type: 'compacted', role: null, origin: 'injected' }),
    ];
    const homes = fakeHomes({ rows: [THREAD], turns: [turn(items)] });
    const folded = (await run(['show', '90cd'], homes)).stdout;
    expect(folded).toContain('  developer, injected 5b1a90cd:2  AGENTS\n  token_count 5b1a90cd:3  {}\n');
    expect(folded).toContain('  compacted, injected 5b1a90cd:4  sum\n');
    const full = (await run(['show', '90cd', '--tools'], homes)).stdout;
    expect(full).toContain('developer 5b1a90cd:2 (injected)\n');
    expect(full).toContain('token_count 5b1a90cd:3\n');
  });

  test.each([
    ['2026-11-30T11:00:00.000Z', 'in progress'],
    ['2026-11-29T11:59:59.000Z', 'unfinished'],
  ])('an open turn of a thread written to at %s is %s', async (updatedAt, words) => {
    const rows = [row('5b1a90cd', { updatedAt })];
    const { stdout } = await run(
      ['show', '90cd'],
      fakeHomes({ rows, turns: [turn([at(2, 'a')], { status: 'in_progress' })] }),
    );
    expect(stdout).toContain(`── Turn 1 · 2026-11-29 09:00 · ${words} `);
  });
});
