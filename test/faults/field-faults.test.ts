/**
 * Faults that people reported of programs of this kind, one test for each kind, most frequent families first: stores that say
 * different things, reads of more than is needed, places with several names. A title names the reports (see README.md) that it
 * stands for. Kinds that are damage of one log are rows of the damaged homes instead.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { walkRollouts } from '../../src/rollout/walk.js';
import { fakeFileSystem } from '../rollout/fake-file-system.js';
import { newLab, openForeign, openLab, putFile, runProgram, threadId } from './lab.js';
import { assistantMessage, file, pathOf, userMessage } from './logs.js';
import { countingFileSystem, event, idOf, ids, line, localReader, putThread, threadLines } from './threads.js';

describe('two truths, and derived stores that are behind', () => {
  test('the name in session_index.jsonl goes before the one in the log; both are found by it (A C#16280, C#16049)', async () => {
    const lab = newLab();
    putThread(lab, { n: 1, after: [event('thread_name_updated', { thread_name: 'name in the log' })] });
    putThread(lab, { n: 2, after: [event('thread_name_updated', { thread_name: 'only in the log' })] });
    const entry = (name: string) =>
      `${JSON.stringify({ id: idOf(1), thread_name: name, updated_at: '2026-11-29T12:00:00Z' })}\n`;
    putFile(lab.home, 'session_index.jsonl', entry('first name') + entry('in the index'));
    const reader = await openForeign(lab);
    const { threads } = await reader.list();
    expect(threads.map(({ id, name }) => [id, name]).sort()).toEqual([
      [idOf(1), 'in the index'],
      [idOf(2), 'only in the log'],
    ]);
    for (const [name, n] of [
      ['in the index', 1],
      ['only in the log', 2],
    ] as const) {
      expect((await reader.candidates(name)).map(({ id }) => id)).toEqual([idOf(n)]);
    }
  });

  test('a rename is seen at once (A C#16280)', async () => {
    const lab = newLab();
    putThread(lab, { n: 1 });
    const reader = await openForeign(lab);
    expect((await reader.list()).threads[0]!.name).toBeNull();
    const names = join(lab.home, 'session_index.jsonl');
    writeFileSync(names, `${JSON.stringify({ id: idOf(1), thread_name: 'one' })}\n`);
    expect((await reader.list()).threads[0]!.name).toBe('one');
    appendFileSync(names, `{"torn\n${JSON.stringify({ id: idOf(1), thread_name: 'two' })}\n`);
    expect((await reader.list()).threads[0]!.name).toBe('two');
    rmSync(names);
    expect((await reader.list()).threads[0]!.name).toBeNull();
  });

  test('a rename is found however much is written after it (A CC#26240)', async () => {
    const lab = newLab();
    const more = Array.from({ length: 1200 }, () => event('agent_reasoning', { text: 'x'.repeat(1000) }));
    putThread(lab, { n: 1, after: [event('thread_name_updated', { thread_name: 'kept' }), ...more] });
    const reader = await openForeign(lab);
    expect((await reader.list()).threads[0]!.name).toBe('kept');
  });

  test.each(['a folder', 'a link', 'a FIFO'])(
    'names that are %s leave threads listed, and are reported',
    async (what) => {
      const lab = newLab();
      putThread(lab, { n: 1 });
      const names = join(lab.home, 'session_index.jsonl');
      if (what === 'a folder') mkdirSync(names);
      else if (what === 'a link') symlinkSync(putFile(lab.root, 'elsewhere.jsonl', ''), names);
      else execFileSync('mkfifo', [names]);
      const notices: string[] = [];
      const reader = await openForeign(lab, { onNotice: (message) => notices.push(message) });
      expect((await reader.list()).total).toBe(1);
      expect((await reader.list()).total).toBe(1);
      expect(notices).toEqual([expect.stringContaining('session_index.jsonl')]);
    },
  );

  test('an index that is behind its log catches up, appended or rewritten in place (B C#38792)', async () => {
    const lab = newLab();
    const path = putThread(lab, { n: 1 });
    const reader = await openForeign(lab);
    expect((await reader.list()).threads[0]).toMatchObject({ title: 'prompt 1', tokensUsed: 0 });
    const tokens = (total: number) =>
      event('token_count', { info: { total_token_usage: { total_tokens: total } } }, '2026-11-29T13:00:00.000Z');
    appendFileSync(path, `${tokens(700)}\n`);
    expect((await reader.list()).threads[0]).toMatchObject({ tokensUsed: 700, updatedAt: '2026-11-29T13:00:00.000Z' });
    // Longer than before, and no continuation of it; the time of the file is put back.
    const rewritten = file(threadLines({ n: 1, prompt: 'another prompt altogether', after: [tokens(1), tokens(2)] }));
    writeFileSync(path, rewritten);
    utimesSync(path, 1_795_000_000, 1_795_000_000);
    expect((await reader.list()).threads[0]).toMatchObject({ title: 'another prompt altogether', tokensUsed: 2 });
    expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true });
  });

  test('a restored file with another mtime keeps the times of its log (F CC#61852)', async () => {
    const lab = newLab();
    const path = putThread(lab, { n: 1 });
    const reader = await openForeign(lab);
    const before = (await reader.list()).threads;
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    expect((await reader.list()).threads).toEqual(before);
    expect(before[0]).toMatchObject({ createdAt: '2026-11-29T12:00:00.000Z', updatedAt: '2026-11-29T12:00:00.000Z' });
  });

  test('a thread that is archived, and put back, is the same thread (D C#39919)', async () => {
    const lab = newLab();
    const path = putThread(lab, { n: 1 });
    const reader = await openForeign(lab);
    const [before] = (await reader.list()).threads;
    const archived = join(lab.home, 'archived_sessions', path.split('/').at(-1)!);
    mkdirSync(dirname(archived));
    renameSync(path, archived);
    expect(await reader.list()).toMatchObject({ total: 0, hidden: { archived: 1 } });
    expect((await reader.list({ archived: true })).threads[0]).toMatchObject({
      id: idOf(1),
      path: archived,
      archived: true,
    });
    renameSync(archived, path);
    expect((await reader.list()).threads[0]).toEqual(before);
  });
});

describe('scans and reads of whole files', () => {
  test('a first prompt 700 lines down gives the title (A C#21619)', async () => {
    const lab = newLab();
    const before = Array.from({ length: 700 }, (_, n) =>
      line('response_item', {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: `rule ${n}` }],
      }),
    );
    putThread(lab, { n: 1, prompt: 'far down', before });
    const reader = await openForeign(lab);
    expect((await reader.list()).threads[0]).toMatchObject({ title: 'far down', hasUserEvent: true });
  });

  test('one file of 100 MB among ten small ones: a list answers from heads, and reads nothing again (C C#29510, E C#19517)', async () => {
    const lab = newLab();
    for (let n = 1; n <= 10; n += 1) putThread(lab, { n });
    const big = putThread(lab, { n: 11, prompt: 'the big one' });
    const filler = Buffer.from(`${event('agent_reasoning', { text: 'x'.repeat(1024 * 1024) })}\n`.repeat(4));
    for (let count = 0; count < 25; count += 1) appendFileSync(big, filler);
    utimesSync(big, 1_700_000_000, 1_700_000_000);
    const files = countingFileSystem();
    const reader = localReader(lab, files);
    const page = await reader.list({ indexBudgetMs: 0 });
    expect(page).toMatchObject({ total: 11, index: { state: 'building', files: 11 } });
    expect(page.threads.map(({ title }) => title)).toContain('the big one');
    expect(files.bytes).toBeLessThan(2 * 1024 * 1024);
    expect((await reader.list({ indexBudgetMs: 60_000 })).index.state).toBe('complete');
    files.bytes = 0;
    files.opened = 0;
    expect((await reader.list()).index.state).toBe('complete');
    expect([files.bytes, files.opened]).toEqual([0, 0]);
    appendFileSync(big, `${event('agent_message', { message: 'more' })}\n`);
    expect((await reader.list()).index.state).toBe('complete');
    expect(files.bytes).toBeLessThan(64 * 1024);
  });

  test('300 archived files that did not change are not opened again (D C#22583)', async () => {
    const lab = newLab();
    for (let n = 1; n <= 300; n += 1) {
      putFile(lab.home, join('archived_sessions', pathOf(idOf(n)).split('/').at(-1)!), file(threadLines({ n })));
    }
    const files = countingFileSystem();
    const reader = localReader(lab, files);
    expect((await reader.list({ archived: true })).total).toBe(300);
    files.opened = 0;
    expect((await reader.list({ archived: true })).total).toBe(300);
    expect(files.opened).toBe(0);
  });

  test('300 compactions, each with all that came before: only the last is read (C C#30932)', async () => {
    const lab = newLab();
    const kept: object[] = [];
    const compactions = Array.from({ length: 300 }, (_, n) => {
      kept.push(userMessage(`request ${n} ${'y'.repeat(200)}`));
      return line('compacted', { message: '', replacement_history: kept });
    });
    putThread(lab, { n: 1, after: [...compactions, line('response_item', assistantMessage('after all'))] });
    const files = countingFileSystem();
    const thread = await localReader(lab, files).open(threadId(idOf(1)));
    files.bytes = 0;
    const { items } = await thread.history();
    expect(items).toEqual([...kept, assistantMessage('after all')]);
    const { sizeBytes } = await thread.row();
    expect(sizeBytes).toBeGreaterThan(10_000_000);
    expect(files.bytes).toBeLessThan(sizeBytes / 10);
    expect((await thread.turns()).parse.errors).toEqual([]);
  });

  test('a file longer than any string can be is read (C C#22004)', async () => {
    const lab = newLab();
    const path = putThread(lab, { n: 1 });
    const handle = openSync(path, 'r+');
    const hole = 600 * 1024 * 1024;
    ftruncateSync(handle, hole);
    writeSync(handle, `\n${line('response_item', assistantMessage('behind the hole'))}\n`, hole);
    closeSync(handle);
    const reader = await openForeign(lab);
    const thread = await reader.open(threadId(idOf(1)));
    expect((await thread.history()).items.at(-1)).toEqual(assistantMessage('behind the hole'));
    expect((await reader.list({ indexBudgetMs: 60_000 })).threads[0]).toMatchObject({ title: 'prompt 1' });
  });

  test('an image that a log holds twice is shown once, without its bytes (C C#22603, claudecodeui#1099)', async () => {
    const lab = newLab();
    const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(100_000)}`;
    const item = {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'what is this?' },
        { type: 'input_image', image_url: image },
      ],
    };
    putThread(lab, {
      n: 1,
      after: [line('response_item', item), event('user_message', { message: 'what is this?', images: [image] })],
    });
    const thread = await (await openForeign(lab)).open(threadId(idOf(1)));
    const shown = (await thread.turns()).turns
      .flatMap(({ items }) => items)
      .filter(({ text }) => text.includes('what is this'));
    expect(shown).toHaveLength(1);
    expect(shown[0]!.text.length).toBeLessThan(1000);
    // What a resume sends is what the log holds.
    expect((await thread.history()).items).toContainEqual(item);
  });

  test('an image that is none is shown and sent as it is (B C#18629)', async () => {
    const lab = newLab();
    const item = {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [{ type: 'input_image', image_url: 'data:image/png;base64,@@not base64@@' }],
    };
    const call = { type: 'function_call', name: 'view_image', arguments: '{}', call_id: 'call_1' };
    putThread(lab, { n: 1, after: [line('response_item', call), line('response_item', item)] });
    const thread = await (await openForeign(lab)).open(threadId(idOf(1)));
    expect((await thread.history()).items.slice(-2)).toEqual([call, item]);
    expect((await thread.turns()).parse.errors).toEqual([]);
  });
});

describe('paths and places', () => {
  test('no thread’s folder is ever asked, be it gone, a FIFO or a dead mount (A C#19007)', async () => {
    const lab = newLab();
    const fifo = join(lab.root, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const folders = [fifo, join(lab.root, 'dead', 'mount'), '/proc/1/root', '//server/share'];
    for (const [n, cwd] of folders.entries()) putThread(lab, { n: n + 1, meta: { cwd } });
    const files = countingFileSystem();
    const reader = localReader(lab, files);
    expect((await reader.list()).total).toBe(folders.length);
    await (await reader.open(threadId(idOf(1)))).turns();
    expect((await reader.latest())?.id).toBeDefined();
    expect([...files.asked].filter((path) => !path.startsWith(lab.home))).toEqual([]);
  });

  test('a home, its sessions and its folders may be reached by links (H codex-desktop-linux#1407, cc-connect#653)', async () => {
    const lab = newLab();
    putThread(lab, { n: 1 });
    renameSync(join(lab.home, 'sessions'), join(lab.root, 'moved'));
    symlinkSync(join(lab.root, 'moved'), join(lab.home, 'sessions'));
    const link = join(lab.root, 'link');
    symlinkSync(lab.home, link);
    const reader = await openForeign({ ...lab, home: link });
    expect((await reader.list()).threads[0]).toMatchObject({ id: idOf(1), home: link });
    const homes = await openLab({ ...lab, env: { ...lab.env, CODEX_HOME: link, CODICIL_HOME: lab.home } });
    expect(homes.readers).toHaveLength(1);
    expect((await homes.list()).total).toBe(1);
  });

  test('a filter by folder takes the folder by any name that leads there (H sapiom-js#422)', async () => {
    const lab = newLab();
    const physical = join(lab.root, 'physical');
    mkdirSync(physical);
    symlinkSync(physical, join(lab.root, 'logical'));
    putThread(lab, { n: 1, meta: { cwd: physical } });
    putThread(lab, { n: 2, meta: { cwd: '/elsewhere' } });
    const reader = await openForeign(lab);
    for (const cwd of [physical, join(lab.root, 'logical'), `${physical}/`, `${physical}/.`]) {
      expect(ids((await reader.list({ cwd })).threads)).toEqual([idOf(1)]);
    }
    expect(await reader.list({ cwd: '/nowhere' })).toMatchObject({ threads: [], total: 0 });
  });

  test('folders as other systems write them are kept as they are (H C#22854, C#16690, CC#90588)', async () => {
    const lab = newLab();
    const folders = [
      'C:\\Users\\me\\proj',
      '\\\\?\\C:\\Users\\me\\proj',
      'D:/work',
      '/mnt/c/users/ME/proj',
      '\\\\wsl$\\Ubuntu\\home',
    ];
    for (const [n, cwd] of folders.entries()) putThread(lab, { n: n + 1, meta: { cwd } });
    const { threads } = await (await openForeign(lab)).list();
    expect(threads.map(({ cwd }) => cwd).sort()).toEqual(folders.toSorted());
  });

  test('a Windows home is one home in every spelling (H C#20626, OC#36178)', async () => {
    const home = 'C:\\Users\\me\\.codex';
    const day = `${home}\\sessions\\2026\\11\\29`;
    const files = fakeFileSystem(
      {
        [home]: null,
        [`${home}\\sessions`]: null,
        [`${home}\\sessions\\2026`]: null,
        [`${home}\\sessions\\2026\\11`]: null,
        [day]: null,
        [`${day}\\rollout-2026-11-29T12-00-00-${idOf(1)}.jsonl`]: 'file',
        [`${home}\\sessions\\again`]: { link: '\\\\?\\c:\\users\\ME\\.codex\\sessions\\2026' },
        ['\\\\?\\c:\\users\\ME\\.codex\\sessions\\2026']: null,
      },
      'win32',
    );
    const { files: found, problems } = await walkRollouts(home, { files });
    expect(found.map(({ name }) => name?.threadId)).toEqual([idOf(1)]);
    expect(problems).toEqual([]);
  });

  test('a folder on a dead mount is reported, and the rest is listed (A C#19007)', async () => {
    const home = '/home/me/.codex';
    const files = fakeFileSystem({
      [home]: null,
      [`${home}/sessions`]: null,
      [`${home}/sessions/2025`]: 'dead',
      [`${home}/sessions/2026`]: null,
      [`${home}/sessions/2026/rollout-2026-11-29T12-00-00-${idOf(1)}.jsonl`]: 'file',
    });
    const { files: found, problems } = await walkRollouts(home, { files, timeLimitMs: 20 });
    expect(found).toHaveLength(1);
    expect(problems).toEqual([expect.objectContaining({ path: `${home}/sessions/2025`, code: 'time-limit' })]);
  });

  test('the command that goes on with a thread names its home (H cmux#5350)', async () => {
    const lab = newLab();
    putThread(lab, { n: 1 });
    const { stdout, code } = await runProgram(['open', idOf(1), '--print'], { env: lab.env });
    expect([code, stdout]).toEqual([0, `cd /home/dev/proj && CODEX_HOME=${lab.home} codex resume ${idOf(1)}\n`]);
  });
});
