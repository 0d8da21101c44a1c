/**
 * Faults that people reported, the other families: lines that are torn or written twice, lineage, versions, compactions, texts, zones,
 * several processes.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ThreadRow } from '../../src/home/index.js';
import { newLab, openForeign, putFile, runProgram, snapshot, threadId, verifyPath } from './lab.js';
import { assistantMessage, file, LEGACY, pathOf, userMessage } from './logs.js';
import { event, failingFileSystem, idOf, ids, line, listAll, localReader, putThread, threadLines } from './threads.js';

describe('lines that are torn, or written by two', () => {
  test('one torn line blocks nothing: each command still works (B enduragent#190, CC#50347)', async () => {
    const lab = newLab();
    const lines = [
      ...threadLines({ n: 1 }),
      ...Array.from({ length: 100 }, (_, n) => line('response_item', assistantMessage(`day ${n}`))),
    ];
    lines[40] = lines[40]!.slice(0, 70);
    putFile(lab.home, pathOf(idOf(1)), file(lines));
    for (const [args, code] of [
      [['list'], 0],
      [['show', '--last'], 0],
      [['history', '--last'], 0],
      [['verify', '--all'], 1],
      [['rebuild', '--prove'], 0],
    ] as const) {
      const ran = await runProgram([...args], { env: lab.env });
      expect([args, ran.code]).toEqual([args, code]);
    }
    const shown = await runProgram(['show', '--last', '--json'], { env: lab.env });
    expect(shown.stdout).toContain('day 99');
    expect(JSON.parse(shown.stdout)).toMatchObject({ parse: { errors: [{ line: 41, kind: 'json' }] } });
  });

  test.each(['EACCES', 'EIO'])(
    'a file that fails with %s is hidden as unreadable, counted, and costs no other',
    async (code) => {
      const lab = newLab();
      putThread(lab, { n: 1 });
      const bad = putThread(lab, { n: 2 });
      const before = snapshot(lab.home);
      const reader = localReader(lab, failingFileSystem(bad, code));
      expect(await reader.list()).toMatchObject({ threads: [{ id: idOf(1) }], total: 1, hidden: { unreadable: 1 } });
      expect((await reader.why(bad))[0]).toMatchObject({ hiddenReason: 'unreadable' });
      expect(await verifyPath(reader, bad)).toMatchObject({
        ok: false,
        errors: [{ kind: 'unreadable', message: expect.stringContaining(code) }],
      });
      await expect((async () => (await reader.open(threadId(idOf(2)))).history())()).rejects.toMatchObject({ code });
      expect(snapshot(lab.home)).toEqual(before);
    },
  );

  test('two programs that append to one log by turns: both are read (B C#33241)', async () => {
    const lab = newLab();
    const path = putFile(lab.home, LEGACY.path, file(LEGACY.lines));
    const reader = await openForeign(lab);
    await reader.list();
    for (const who of ['first', 'second', 'first']) {
      appendFileSync(
        path,
        `${line('response_item', userMessage(`${who} asks`))}\n${line('response_item', assistantMessage(`${who} gets`))}\n`,
      );
      await reader.list();
    }
    const thread = await reader.open(threadId(LEGACY.id));
    expect(
      (await thread.history()).items
        .slice(-6)
        .map((item) => JSON.stringify(item).match(/(first|second) (asks|gets)/)?.[0]),
    ).toEqual(['first asks', 'first gets', 'second asks', 'second gets', 'first asks', 'first gets']);
  });
});

describe('sessions that vanish from a list, and lineage', () => {
  test('every provider and source is listed, whatever the configuration says (A C#20165)', async () => {
    const lab = newLab({ 'config.toml': 'model_provider = "b"\n' });
    putThread(lab, { n: 1, meta: { model_provider: 'a', source: 'exec' } });
    putThread(lab, { n: 2, meta: { model_provider: 'b', source: 'vscode' } });
    putThread(lab, { n: 3, meta: { model_provider: undefined, source: 'mcp' } });
    const reader = await openForeign(lab);
    expect(ids((await reader.list()).threads)).toEqual([idOf(1), idOf(2), idOf(3)]);
    expect(ids((await reader.list({ provider: 'a' })).threads)).toEqual([idOf(1)]);
  });

  test('threads of sub-agents and of the client itself are counted, shown by --all and explained (I C#38780, C#34090, C#25341)', async () => {
    const lab = newLab();
    const parent = idOf(1);
    const children: readonly (readonly [unknown, 'child' | 'internal'])[] = [
      [{ subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } }, 'child'],
      [{ subagent: 'review' }, 'child'],
      [{ subagent: { other: 'something new' } }, 'child'],
      [{ subagent: { other: 'guardian' } }, 'internal'],
      [{ internal: 'title' }, 'internal'],
    ];
    putThread(lab, { n: 1 });
    for (const [n, [source]] of children.entries()) putThread(lab, { n: n + 2, meta: { source } });
    const reader = await openForeign(lab);
    const page = await reader.list();
    expect(ids(page.threads)).toEqual([parent]);
    expect(page).toMatchObject({ total: 1, hidden: { child: 3, internal: 2 } });
    expect(page.threads[0]!.children).toEqual([idOf(2)]);
    const all = await reader.list({ all: true });
    expect(all).toMatchObject({ total: 6, hidden: {} });
    for (const [n, [, reason]] of children.entries()) {
      expect((await reader.why(idOf(n + 2)))[0]).toMatchObject({ hiddenReason: reason });
    }
  });

  test('two roots and a child started in one process keep their lines of descent (A C#23937)', async () => {
    const lab = newLab();
    putThread(lab, { n: 1 });
    putThread(lab, { n: 2 });
    putThread(lab, { n: 3, meta: { source: { subagent: { thread_spawn: { parent_thread_id: idOf(2) } } } } });
    const { threads } = await (await openForeign(lab)).list();
    expect(threads.map(({ id, children }) => [id, children]).sort()).toEqual([
      [idOf(1), []],
      [idOf(2), [idOf(3)]],
    ]);
  });

  test('a fork named by two ids with the metas of its ancestors inside is a thread of its own (I coslash#229)', async () => {
    const lab = newLab();
    putThread(lab, { n: 1 });
    const copied = threadLines({ n: 1, prompt: 'prompt 1' });
    const name = pathOf(idOf(1)).replace('.jsonl', `_${idOf(2)}.jsonl`);
    putFile(lab.home, name, file([...copied, line('response_item', userMessage('in the fork'))]));
    const reader = await openForeign(lab);
    const page = await reader.list();
    expect(ids(page.threads)).toEqual([idOf(1), idOf(2)]);
    expect(page.threads.find(({ id }) => id === idOf(2))).toMatchObject({ forkedFromId: idOf(1) });
  });

  test('text in the item alone, in the event alone, and differing in both is shown, and sent from items (I claude-code-skills#333)', async () => {
    const lab = newLab();
    putThread(lab, {
      n: 1,
      after: [
        line('response_item', userMessage('only in the item')),
        event('agent_message', { message: 'only in the event' }),
        line('response_item', userMessage('as the model saw it')),
        event('user_message', { message: 'as it was typed', images: [] }),
      ],
    });
    const thread = await (await openForeign(lab)).open(threadId(idOf(1)));
    const texts = (await thread.turns()).turns.flatMap(({ items }) => items.map(({ text }) => text));
    for (const text of ['only in the item', 'only in the event', 'as the model saw it', 'as it was typed']) {
      expect(texts).toContain(text);
    }
    expect(JSON.stringify((await thread.history()).items)).not.toContain('as it was typed');
  });

  test('the newest thread is found across folders, and none is made up for a folder without (A C#17302)', async () => {
    const lab = newLab();
    putThread(lab, { n: 1, meta: { cwd: '/home/dev/here' } });
    putThread(lab, {
      n: 2,
      meta: { cwd: '/home/dev/sibling' },
      after: [event('agent_message', { message: 'later' }, '2026-11-29T15:00:00.000Z')],
    });
    const reader = await openForeign(lab);
    expect((await reader.latest())!.id).toBe(idOf(2));
    expect((await reader.latest({ cwd: '/home/dev/here' }))!.id).toBe(idOf(1));
    expect(await reader.latest({ cwd: '/home/dev/elsewhere' })).toBeUndefined();
  });

  test('200 threads of one day, one of them large, come page by page, each once (A CC#41946, #86369)', async () => {
    const lab = newLab();
    for (let n = 1; n <= 200; n += 1) putThread(lab, { n });
    putThread(lab, { n: 200, after: [event('agent_reasoning', { text: 'x'.repeat(24 * 1024 * 1024) })] });
    const reader = await openForeign(lab);
    const wanted = Array.from({ length: 200 }, (_, n) => idOf(n + 1));
    // However slow the machine is, the index is whole before pages are turned.
    await reader.list({ indexBudgetMs: 60_000 });
    for (const sort of ['updated', 'created'] as const)
      expect(ids(await listAll(reader, { sort, limit: 25 }))).toEqual(wanted);
    expect((await reader.list({ limit: 25 })).total).toBe(200);
  });

  test('ignore files mean nothing (A C#5412)', async () => {
    const lab = newLab({ '.ignore': '*\n', '.rgignore': '*\n', 'sessions/.gitignore': '*\n' });
    mkdirSync(join(lab.root, '.git'));
    putFile(lab.root, '.gitignore', 'codex/\n*.jsonl\n');
    putThread(lab, { n: 1 });
    expect(await (await openForeign(lab)).list()).toMatchObject({ total: 1, hidden: { 'foreign-name': 1 } });
  });
});

describe('versions and compactions', () => {
  test('a session_meta of a newer release is read, whatever is new in it (I openbase#16)', async () => {
    const lab = newLab();
    const meta = {
      kind: 'swarm',
      capabilities: [{ level: 9 }],
      source: { orbital: { pad: 3 } },
      git: { commit_hash: 7 },
    };
    putThread(lab, { n: 1, meta });
    const reader = await openForeign(lab);
    expect((await reader.list()).threads[0]).toMatchObject({ id: idOf(1), source: '{"orbital":{"pad":3}}', git: null });
  });

  test('the replacement of a compaction is no chat: what was said is shown once (I claudian#814, C#10346)', async () => {
    const lab = newLab();
    const replacement = [userMessage('prompt 1'), userMessage('the summary')];
    putThread(lab, {
      n: 1,
      after: [
        line('compacted', { message: 'the summary', replacement_history: replacement }),
        line('response_item', userMessage('and then')),
        event('user_message', { message: 'and then', images: [] }),
      ],
    });
    const thread = await (await openForeign(lab)).open(threadId(idOf(1)));
    const shown = (await thread.turns()).turns.flatMap(({ items }) => items.map(({ text }) => text));
    expect(shown.filter((text) => text.includes('prompt 1'))).toHaveLength(1);
    expect((await thread.history()).items).toEqual([...replacement, userMessage('and then')]);
  });
});

describe('texts and zones', () => {
  const EMOJI = '👩‍👩‍👧‍👦';

  test.each([
    ['an emoji at the cut', 'x'.repeat(398) + EMOJI.repeat(3)],
    ['emoji alone', EMOJI.repeat(400)],
    ['letters of three bytes', '한글'.repeat(5000)],
    ['half a pair at the cut', `${'x'.repeat(399)}\ud83d`],
    ['marks without end', `a${'\u0301'.repeat(3000)}`],
  ])('a title is cut between characters: %s (H openclaw#96582, c0#65)', async (_what, prompt) => {
    const lab = newLab();
    putThread(lab, { n: 1, prompt });
    const { title, preview } = (await (await openForeign(lab)).list()).threads[0]!;
    for (const text of [title, preview]) {
      expect(text).not.toMatch(/\p{Surrogate}/u);
      expect([...text].length).toBeLessThanOrEqual(400);
      expect(text).not.toMatch(/\u200d…$/);
    }
    const { stdout } = await runProgram(['list', '--json'], { env: lab.env });
    expect((JSON.parse(stdout) as { threads: ThreadRow[] }).threads[0]!.title).toBe(title);
  });

  test.each(['Asia/Shanghai', 'Pacific/Kiritimati', 'America/Los_Angeles', 'UTC'])(
    'instants are the same in every zone, near midnight too: %s (H vm0#22618, vscode#319757)',
    async (zone) => {
      const lab = newLab();
      // Written at 00:30 in Shanghai: the folder has the day of the writer's clock, the log that of UTC.
      const meta = { timestamp: '2026-11-29T16:30:00.000Z' };
      putThread(lab, { n: 1, day: '2026/11/30', time: '00-30-00', meta });
      const { stdout } = await runProgram(['list', '--json'], { env: { ...lab.env, TZ: zone } });
      expect((JSON.parse(stdout) as { threads: ThreadRow[] }).threads[0]).toMatchObject({
        createdAt: '2026-11-29T16:30:00.000Z',
        updatedAt: '2026-11-29T12:00:00.000Z',
      });
    },
  );

  test('a log without any time is dated by its name, in the clock of the reader (H vm0#22618)', async () => {
    const lab = newLab();
    const path = pathOf(idOf(1), '2026/11/30', '00-30-00');
    putFile(
      lab.home,
      path,
      `${JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'bare' }] })}\n`,
    );
    const { stdout } = await runProgram(['list', '--json'], { env: { ...lab.env, TZ: 'Asia/Shanghai' } });
    expect((JSON.parse(stdout) as { threads: ThreadRow[] }).threads[0]).toMatchObject({
      createdAt: '2026-11-29T16:30:00.000Z',
    });
  });
});

describe('several processes', () => {
  test('five processes that start at once on a home without index all list all (D C#44474)', async () => {
    const lab = newLab();
    for (let n = 1; n <= 40; n += 1) putThread(lab, { n });
    const before = snapshot(lab.home);
    const ran = await Promise.all(
      Array.from({ length: 5 }, () => runProgram(['list', '--json', '--limit', '100'], { env: lab.env })),
    );
    for (const { code, stdout, stderr } of ran) {
      expect([code, stderr]).toEqual([0, '']);
      expect(ids((JSON.parse(stdout) as { threads: ThreadRow[] }).threads)).toHaveLength(40);
    }
    expect(snapshot(lab.home)).toEqual(before);
  });
});
