import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openHomes } from '../../src/home/open-homes.js';
import { escapeHtml } from '../../src/thread-store/render/html-page.js';
import { copyFixtures, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../thread-store/temp-home.js';
import { type Ran, run as runFake } from './fake-homes.js';
import { keysOf, SHAPES } from './json-shapes.js';

const SECRET = `sk-proj-${'aB3dE5gH7jK9mN1pQ3sT5vW7'.repeat(2)}`;
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Machine {
  readonly folder: string;
  readonly own: string;
  readonly codex: string;
  run(...argv: readonly string[]): Promise<Ran>;
}

/** A machine with a home of Codex, and none of ours yet. */
function machine(folder: string): Machine {
  const [own, codex] = [join(folder, 'own'), join(folder, 'codex')];
  const env = { HOME: folder, CODICIL_HOME: own, CODEX_HOME: codex };
  return { folder, own, codex, run: (...argv) => runFake(argv, undefined, { env, cwd: folder, openHomes }) };
}

function filled(folder: string, says: readonly string[] = [`my key is ${SECRET}`]): Machine {
  const made = machine(folder);
  writeLines(rolloutPath(made.codex, uuid(1)), rolloutLines({ says, meta: { cwd: '/home/me/work' } }));
  return made;
}

describe('codicil export', () => {
  test('needs --raw or --mask for a bundle, and says how many secrets it would hold', async () => {
    using folder = tempFolder();
    const { run } = filled(folder.path);
    const { code, stderr, stdout } = await run('export', uuid(1), '-o', 'x');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/without --raw or --mask: it would hold 1 secret \(/);
    expect(existsSync(join(folder.path, 'x'))).toBe(false);
    expect((await run('export', uuid(1), '--raw', '--mask', '-o', 'x')).code).toBe(2);
  });

  test('prints one document, and never replaces a file without --force', async () => {
    using folder = tempFolder();
    const { run } = filled(folder.path);
    const { code, stdout } = await run('export', uuid(1), '--raw', '-o', 'x', '--json');
    expect(code).toBe(0);
    const document = JSON.parse(stdout);
    expect(Object.keys(document)).toEqual(SHAPES.export);
    expect(document.threads.map(Object.keys)).toEqual([keysOf('written thread')]);
    const bytes = readFileSync(join(folder.path, 'x'));
    expect(document).toMatchObject({ format: 'bundle', bytes: bytes.length, masked: false, secrets: 1 });
    const again = await run('export', uuid(1), '--mask', '-o', 'x', '--json');
    expect([again.code, JSON.parse(again.stdout).error.code]).toEqual([1, 'file-exists']);
    expect(readFileSync(join(folder.path, 'x'))).toEqual(bytes);
    expect((await run('export', uuid(1), '--mask', '-o', 'x', '--force')).code).toBe(0);
    expect(readFileSync(join(folder.path, 'x')).includes(SECRET)).toBe(false);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect((await run('export', uuid(1), '--raw', '--json')).code).toBe(2);
  });

  test.each(['jsonl', 'md', 'html'])('masks %s unless --raw is given', async (format) => {
    using folder = tempFolder();
    const { run } = filled(folder.path);
    const masked = await run('export', uuid(1), '--format', format);
    expect(masked.code).toBe(0);
    expect(masked.stdout).not.toContain(SECRET);
    expect(masked.stdout).toContain('[REDACTED:');
    expect(masked.stderr).toContain('1 secret was masked');
    const raw = await run('export', uuid(1), '--format', format, '--raw');
    expect(raw.stdout).toContain(SECRET);
  });

  test('writes the raw lines of all files that a thread stands in', async () => {
    using folder = tempFolder();
    const { run, codex } = machine(folder.path);
    copyFixtures(codex, ['0.171.0/lineage']);
    const id = '01a229f0-32c2-77c3-b1ef-4f52c1e26c03';
    const { stdout } = await run('export', id, '--format', 'jsonl', '--raw');
    const history = JSON.parse((await run('history', id, '--json')).stdout);
    expect(stdout.split('\n').filter((line) => line.includes('"session_meta"')).length).toBeGreaterThan(1);
    for (const item of history.items) if (item.id) expect(stdout).toContain(item.id);
  });

  const HOSTILE = [
    '<script>alert(1)</script> <img src=x onerror=alert(1)> </pre></details>',
    '# Not a heading of the page\n\n## Turn 99\n===\n![x](https://example.org/x.png) [y](javascript:alert(1))',
    '```html\n<script>alert(2)</script>\n',
    'evil \u202e txt \u200b zero \u001b[31m red \u0000',
  ];

  test('escapes what would be HTML or a script, shows what hides, and loads nothing', async () => {
    using folder = tempFolder();
    const { run } = filled(folder.path, HOSTILE);
    const { stdout: html } = await run('export', uuid(1), '--format', 'html');
    expect(html.match(/<script|<img|<[^>]*(?:\ssrc=|\shref="(?!#)|\son\w+=|javascript:)/gi)).toBeNull();
    expect(html).toContain(escapeHtml('<script>alert(1)</script>'));
    expect(html).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u200b\u202e]/);
    expect(html).toContain('&lt;U+202E&gt;');
    expect(html).toContain("default-src 'none'");
    for (const tag of [
      'html',
      'head',
      'body',
      'main',
      'section',
      'article',
      'details',
      'pre',
      'code',
      'p',
      'dl',
      'h2',
    ]) {
      const count = (of: RegExp): number => html.match(of)?.length ?? 0;
      expect(count(new RegExp(`<${tag}[ >]`, 'g')), tag).toBe(count(new RegExp(`</${tag}>`, 'g')));
    }
    const { stdout: markdown } = await run('export', uuid(1), '--format', 'md');
    const outside = markdown.replace(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '');
    expect(outside).not.toMatch(/<script|<img|!\[|javascript:/);
    expect(markdown.match(/^## Turn \d+/gm)).toHaveLength(HOSTILE.length);
    expect(markdown.match(/^# /gm)).toHaveLength(1);
  });

  test('puts images into a raw page as data, and a stand-in into any other', async () => {
    using folder = tempFolder();
    const { run, codex } = machine(folder.path);
    const content = [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: PNG },
    ];
    const item = { type: 'response_item', payload: { type: 'message', role: 'user', content } };
    const lines = [...rolloutLines({ says: [] }), JSON.stringify({ timestamp: '2026-05-04T10:00:01.000Z', ...item })];
    writeLines(rolloutPath(codex, uuid(1)), lines);
    const { stdout: masked } = await run('export', uuid(1), '--format', 'html');
    expect(masked).toContain('[image]');
    expect(masked).not.toContain('<img');
    expect((await run('export', uuid(1), '--format', 'html', '--raw')).stdout).toContain(
      `<img alt="image" src="${PNG}">`,
    );
  });
});

describe('codicil import', () => {
  test('takes a bundle into our own home, makes it when there is none, and is safe to repeat', async () => {
    using a = tempFolder();
    using b = tempFolder();
    const from = filled(a.path);
    const to = machine(b.path);
    await from.run('export', uuid(1), '--raw', '-o', join(b.path, 'x'));
    const { code, stdout } = await to.run('import', 'x', '--json', '--map-cwd', '/home/me=/Users/me');
    expect(code).toBe(0);
    const document = JSON.parse(stdout);
    expect(Object.keys(document)).toEqual(SHAPES.import);
    expect(document.threads.map(Object.keys)).toEqual([keysOf('imported thread')]);
    const path = rolloutPath(to.own, uuid(1));
    expect(document.threads).toMatchObject([{ id: uuid(1), path, outcome: 'imported', reason: null, files: 1 }]);
    expect(readFileSync(path)).toEqual(readFileSync(rolloutPath(from.codex, uuid(1))));
    expect(JSON.parse(readFileSync(join(to.own, 'codicil.json'), 'utf8'))).toMatchObject({ format: 1 });
    const shown = JSON.parse((await to.run('show', uuid(1), '--json')).stdout);
    expect(shown.turns[0].items[0]).toMatchObject({ origin: 'imported' });
    expect(shown.thread.cwd).toBe('/Users/me/work');
    expect(JSON.parse((await to.run('open', uuid(1), '--json')).stdout).cwd).toBe('/Users/me/work');
    const listed = JSON.parse((await to.run('list', '--cwd', '/Users/me/work', '--json')).stdout);
    expect(listed.threads).toHaveLength(1);
    const again = await to.run('import', 'x');
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^present {3}/)]);
    expect(again.stderr).toContain('1 already there');
  });

  test('leaves a conflict out, says why, and exits 1', async () => {
    using a = tempFolder();
    using b = tempFolder();
    const from = filled(a.path);
    const to = machine(b.path);
    await from.run('export', uuid(1), '--raw', '-o', join(b.path, 'x'));
    await from.run('export', uuid(1), '--mask', '-o', join(b.path, 'y'));
    await to.run('import', 'x');
    const before = readFileSync(rolloutPath(to.own, uuid(1)));
    const { code, stdout, stderr } = await to.run('import', 'y');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^conflict .*other bytes, from byte \d+ on/)]);
    expect(stderr).toContain('The bundle was masked');
    expect(readFileSync(rolloutPath(to.own, uuid(1)))).toEqual(before);
  });

  test('refuses what is damaged or no bundle with its code, and makes no home', async () => {
    using a = tempFolder();
    using b = tempFolder();
    const from = filled(a.path);
    const to = machine(b.path);
    await from.run('export', uuid(1), '--raw', '-o', join(b.path, 'x'));
    const bytes = readFileSync(join(b.path, 'x'));
    writeFileSync(join(b.path, 'x'), bytes.subarray(0, -100));
    const failed = async (path: string): Promise<unknown> => {
      const { code, stdout } = await to.run('import', path, '--json');
      expect(code).toBe(1);
      return JSON.parse(stdout).error;
    };
    expect(await failed('x')).toMatchObject({ code: 'bundle-damaged', path: join(b.path, 'x') });
    writeFileSync(join(b.path, 'z'), 'hello');
    expect(await failed('z')).toMatchObject({ code: 'not-a-bundle' });
    expect(await failed('none')).toMatchObject({ code: 'ENOENT' });
    expect(existsSync(to.own)).toBe(false);
  });

  test("writes into another program's home with --foreign only, logs and names and nothing else", async () => {
    using a = tempFolder();
    using b = tempFolder();
    const from = filled(a.path);
    const to = machine(b.path);
    mkdirSync(join(to.codex, 'sessions'), { recursive: true });
    await from.run('export', uuid(1), '--raw', '-o', join(b.path, 'x'));
    const refused = await to.run('import', 'x', '--home', to.codex, '--json');
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([1, 'home-is-foreign']);
    expect(readdirSync(join(to.codex, 'sessions'))).toEqual([]);
    const { code } = await to.run('import', 'x', '--home', to.codex, '--foreign', '--json');
    expect(code).toBe(0);
    expect(readdirSync(to.codex)).toEqual(['sessions']);
    const shown = JSON.parse((await to.run('show', uuid(1), '--json')).stdout);
    expect(shown.turns[0].items[0]).toMatchObject({ origin: 'imported' });
    expect(readdirSync(join(to.own, 'imports'))).toHaveLength(1);
  });

  test('takes only FROM=TO for --map-cwd, and one --home', async () => {
    using folder = tempFolder();
    const { run } = filled(folder.path);
    expect((await run('import', 'x', '--map-cwd', 'nothing')).code).toBe(2);
    expect((await run('import', 'x', '--home', '/a', '--home', '/b')).code).toBe(2);
  });
});
