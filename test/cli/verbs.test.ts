import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { CodicilError } from '../../src/base/errors.js';
import type { DamageKind } from '../../src/rollout/damage.js';
import type { VerifiedFile } from '../../src/thread-store/session-reader.js';
import { fakeHomes, HOME, id, row, run } from './fake-homes.js';
import { keysOf, SHAPES } from './json-shapes.js';

const FINE: VerifiedFile = {
  path: `${HOME}/a.jsonl`,
  dialect: 'legacy',
  lines: 9,
  records: 9,
  unknown: [],
  errors: [],
  tornTail: false,
  ok: true,
};
const DAMAGED: VerifiedFile = {
  ...FINE,
  path: `${HOME}/b.jsonl`,
  unknown: [
    { line: 3, type: 'novel\u001b' },
    { line: 5, type: 'novel\u001b' },
  ],
  errors: [{ line: 40, byteOffset: 10234, kind: 'json', message: 'Unexpected end', lost: true }],
  tornTail: true,
  ok: false,
};

describe('codicil homes', () => {
  test('--json has the keys of the contract', async () => {
    const { code, stdout } = await run(['homes', '--json'], fakeHomes({ rows: [row('1')] }));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      homes: [
        {
          path: HOME,
          kind: 'codex',
          own: false,
          threads: 1,
          bytes: 2_500_000,
          index: { state: 'complete', indexed: 1, files: 1 },
        },
      ],
    });
    expect(Object.keys(JSON.parse(stdout))).toEqual(keysOf('homes'));
    expect(Object.keys(JSON.parse(stdout).homes[0])).toEqual(keysOf('home'));
  });

  test('shows a home on two lines', async () => {
    const { stdout } = await run(['homes'], fakeHomes({ rows: [row('1')] }));
    expect(stdout).toBe(`${HOME}\n  codex, read only · 1 thread · 2.5 MB · index complete (1 file)\n`);
  });

  test('passes --home as absolute paths', async () => {
    let homes: unknown;
    const openHomes = async (options: { readonly homes?: readonly string[] }) => {
      homes = options.homes;
      return fakeHomes({ rows: [] });
    };
    await run(['list', '--home', '../a', '--home', '/b', '--json'], undefined, { openHomes });
    expect(homes).toEqual(['/home/me/a', '/b']);
  });
});

describe('codicil history', () => {
  const items = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a\u001bb\n한글' }], unknown_field: 1 },
    { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' },
  ];
  const damage = [{ line: 4, byteOffset: 99, kind: 'json', message: 'Unexpected end', lost: true }] as const;

  test('--json is the thread id and the items as they are; damage is told on stderr', async () => {
    const { code, stdout, stderr } = await run(
      ['history', '0001', '--json'],
      fakeHomes({ rows: [row('1')], history: { items, damage } }),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ threadId: id('1'), items });
    expect(Object.keys(JSON.parse(stdout))).toEqual(keysOf('history'));
    expect(stderr).toContain('4:99  json (lost)');
  });

  test('names the way to the numbers of lines when damage has none', async () => {
    const nameless = [{ ...damage[0], line: 0 }];
    const { stderr } = await run(
      ['history', '0001'],
      fakeHomes({ rows: [row('1')], history: { items, damage: nameless } }),
    );
    expect(stderr).toContain('byte 99  json (lost)');
    expect(stderr).toContain('codicil verify 00000001 gives the numbers of the lines.\n');
    const known = await run(['history', '0001'], fakeHomes({ rows: [row('1')], history: { items, damage } }));
    expect(known.stderr).not.toContain('gives the numbers');
  });

  test('shows an image without its bytes', async () => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(500)}` };
    const shown = [
      { type: 'message', role: 'user', content: [image, { type: 'input_text', text: 'what?' }] },
      { type: 'function_call_output', output: [image] },
    ];
    const { stdout } = await run(
      ['history', '--last'],
      fakeHomes({ rows: [row('1')], history: { items: shown, damage: [] } }),
    );
    expect(stdout).toBe('1  message user  [image] what?\n2  function_call_output  [image]\n');
  });

  test('shows one line an item', async () => {
    const { stdout } = await run(
      ['history', '--last'],
      fakeHomes({ rows: [row('1')], history: { items, damage: [] } }),
    );
    expect(stdout).toBe('1  message user  a␛b 한글\n2  function_call shell  {}\n');
  });
});

describe('codicil verify', () => {
  test('--json has the keys of the contract and exits 1 when a record is lost', async () => {
    const { code, stdout } = await run(
      ['verify', '--all', '--json'],
      fakeHomes({ rows: [], verified: [FINE, DAMAGED] }),
    );
    const document = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(Object.keys(document)).toEqual(keysOf('verify'));
    expect(Object.keys(document.files[0])).toEqual(keysOf('file'));
    expect(Object.keys(document.files[1].errors[0])).toEqual(keysOf('file error'));
    expect(Object.keys(document.files[1].unknown[0])).toEqual(keysOf('unknown type'));
    expect(document.files[1].errors).toEqual([
      { line: 40, byteOffset: 10234, kind: 'json', message: 'Unexpected end' },
    ]);
    expect(document.files[1].unknown).toEqual([
      { line: 3, type: 'novel\u001b' },
      { line: 5, type: 'novel\u001b' },
    ]);
  });

  test('says what is damaged, where, and what it means', async () => {
    const { code, stdout, stderr } = await run(['verify', '--all'], fakeHomes({ rows: [], verified: [FINE, DAMAGED] }));
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        `ok    ${HOME}/a.jsonl`,
        `bad   ${HOME}/b.jsonl`,
        '      legacy · 9 lines · 9 records',
        '      40:10234  json (lost)',
        '          Unexpected end',
        '          The line is no JSON. It is skipped; everything around it is read.',
        '      torn-tail',
        '        The last line was not written to its end. The next append starts on a line of its own.',
        '      line 3  unknown type  novel␛, and 1 more',
        '        Written by a release that this version does not know, or by another program. Nothing is lost.',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('2 files checked, 1 with lost records or refused by the policy.\n');
  });

  test('shows the first faults of a file that is damaged from end to end', async () => {
    const errors = Array.from({ length: 60 }, (_, index) => ({ ...DAMAGED.errors[0]!, line: index + 1 }));
    const { stdout } = await run(['verify', '--all'], fakeHomes({ rows: [], verified: [{ ...DAMAGED, errors }] }));
    expect(stdout).toContain('      50:10234  json (lost)\n');
    expect(stdout).not.toContain('      51:10234');
    expect(stdout).toContain('      and 10 faults more; --json lists all\n');
  });

  test('takes a path, an id and a policy', async () => {
    const asked: unknown[] = [];
    const homes = fakeHomes({ rows: [row('1')], verified: [FINE], asked });
    const here = { cwd: process.cwd() };
    expect((await run(['verify', './package.json', '--policy', 'strict'], homes, here)).code).toBe(0);
    expect((await run(['verify', 'package.json'], homes, here)).code).toBe(0);
    expect((await run(['verify', '0001'], homes)).code).toBe(0);
    expect((await run(['verify', '--last'], homes)).code).toBe(0);
    expect(asked).toEqual([
      { verify: { path: path.resolve('package.json') }, policy: 'strict' },
      { verify: { path: path.resolve('package.json') }, policy: undefined },
      { verify: { id: id('1') }, policy: undefined },
      { verify: { id: id('1') }, policy: undefined },
    ]);
  });

  test('a file that is not there is no damage', async () => {
    const { code, stdout } = await run(['verify', '/no/such.jsonl', '--json'], fakeHomes({ rows: [] }));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'file-not-found',
        message: 'Cannot check "/no/such.jsonl": there is no such file',
        path: '/no/such.jsonl',
      },
    });
  });

  test('of a home says how to check all of it', async () => {
    const home = new URL('../../sample-home', import.meta.url).pathname;
    const { code, stderr } = await run(['verify', home], fakeHomes({ rows: [] }));
    expect(code).toBe(2);
    expect(stderr).toBe(
      `Error: Cannot check "${home}": it is a folder, a home\n  codicil verify --home ${home} --all checks every log in it.\n`,
    );
  });

  test.each([
    [20, '21 files checked'],
    [40, '41 files checked'],
  ])('of %i sound files and a bad one shows the bad one', async (sound, words) => {
    const noted = { ...FINE, path: '/noted', unknown: [{ line: 1, type: 'x' }] };
    const verified = [...Array.from({ length: sound - 1 }, () => FINE), noted, DAMAGED];
    const { stdout, stderr } = await run(['verify', '--all'], fakeHomes({ rows: [], verified }));
    expect(stdout.startsWith('bad ')).toBe(true);
    expect(stdout).not.toContain('ok  ');
    expect(stderr).toBe(
      `${words}, 1 with lost records or refused by the policy.\n1 sound file with notes that verify PATH shows.\n`,
    );
  });

  test('with 20 files shows each', async () => {
    const verified = Array.from({ length: 20 }, () => FINE);
    const { stdout, stderr } = await run(['verify', '--all'], fakeHomes({ rows: [], verified }));
    expect(stdout.trimEnd().split('\n')).toHaveLength(20);
    expect(stderr).toBe('20 files checked, no record is lost.\n');
  });

  test('says nothing twice', async () => {
    const fault = (kind: DamageKind, message: string) => ({ line: 0, byteOffset: 0, kind, message, lost: true });
    const errors = [fault('unreadable', 'The file cannot be read: EACCES'), fault('empty', 'The file holds no record')];
    const { stdout } = await run(['verify', '--all'], fakeHomes({ rows: [], verified: [{ ...DAMAGED, errors }] }));
    expect(stdout.match(/cannot be read/g)).toHaveLength(1);
    expect(stdout.match(/holds no record/g)).toHaveLength(1);
  });

  test('stays one document when the work fails half way', async () => {
    const failure = new CodicilError('unreadable', 'Cannot read a folder', {
      path: '/x',
      line: 7,
      hint: 'Look at its mode.',
    });
    const { code, stdout } = await run(
      ['verify', '--all', '--json'],
      fakeHomes({ rows: [], verified: [FINE, failure] }),
    );
    expect(code).toBe(1);
    const document = JSON.parse(stdout);
    expect(document.files).toHaveLength(1);
    expect(document.error).toEqual({
      code: 'unreadable',
      message: 'Cannot read a folder',
      path: '/x',
      line: 7,
      hint: 'Look at its mode.',
    });
    const words = await run(['verify', '--all'], fakeHomes({ rows: [], verified: [failure] }));
    expect(words.stderr).toBe('Error: Cannot read a folder\n  in /x, line 7\n  Look at its mode.\n');
  });
});

describe('codicil decode', () => {
  const lines = ['{"type":"task_started","turn_id":"t","model_context_window":1}', '', '{"type":"future_event"}'];
  const decode = async (argv: readonly string[], input: string | readonly Buffer[]) => {
    const ran = await run(['decode', ...argv], undefined, { input: input as string });
    return {
      ...ran,
      records: ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    };
  };

  test('answers each line and sums up, with the keys of the contract', async () => {
    const { code, records } = await decode(['--as', 'skip-line'], lines.join('\n'));
    expect(code).toBe(0);
    expect(records.map((record) => record.line)).toEqual([1, 3, undefined]);
    expect(Object.keys(records[0])).toEqual(keysOf('decoded line'));
    expect(Object.keys(records[0].persisted)).toEqual(keysOf('persisted'));
    expect(records.map((record) => record.outcome)).toEqual(['decoded', 'skipped', undefined]);
    expect(Object.keys(records[2].summary)).toEqual(keysOf('summary'));
  });

  test('exits 1 when the policy refuses', async () => {
    expect((await decode(['--as', 'strict', '--shape', 'msg'], lines.join('\n'))).code).toBe(1);
    expect((await decode(['--as', 'refuse-unless-ignorable', '--shape', 'msg'], lines.join('\n'))).code).toBe(1);
    expect((await decode(['--as', 'map-to-unknown', '--shape', 'msg'], lines.join('\n'))).code).toBe(0);
  });

  test('reads characters and lines that are cut anywhere', async () => {
    const bytes = Buffer.from('{"type":"agent_message","message":"한글 👍"}\n{"type":"한"}\n');
    const whole = await decode(['--as', 'skip-line'], [bytes]);
    const cut = await decode(
      ['--as', 'skip-line'],
      [...bytes].map((byte) => Buffer.from([byte])),
    );
    expect(cut.stdout).toBe(whole.stdout);
    expect(whole.records[1].type).toBe('한');
  });

  test('takes a line of many megabytes', async () => {
    const big = `{"type":"agent_message","message":"${'x'.repeat(20_000_000)}"}`;
    const { records } = await decode(['--as', 'strict'], [Buffer.from(big)]);
    expect(records[0].outcome).toBe('decoded');
  });

  test('of no input prints a summary', async () => {
    const { code, records } = await decode(['--as', 'strict'], []);
    expect(code).toBe(0);
    expect(records).toHaveLength(1);
    expect(records[0].summary.lines).toBe(0);
  });
});

describe('codicil open', () => {
  test('starts codex in the folder of the thread, without a shell, after showing the command', async () => {
    const here = row('1', { cwd: process.cwd() });
    const { code, stdout, stderr, launched } = await run(['open', '0001'], fakeHomes({ rows: [here] }));
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toBe(`cd ${process.cwd()} && codex resume ${id('1')}\n`);
    expect(launched).toEqual([{ argv: ['codex', 'resume', id('1')], cwd: process.cwd(), env: {} }]);
  });

  test('names the home when it is not the usual one', async () => {
    const { stdout, launched } = await run(
      ['open', '--last', '--print'],
      fakeHomes({ rows: [row('1', { cwd: "/a b/it's" })], path: '/backup/x' }),
    );
    expect(stdout).toBe(`cd '/a b/it'\\''s' && CODEX_HOME=/backup/x codex resume ${id('1')}\n`);
    expect(launched).toEqual([]);
  });

  test('names the home that only a variable makes the usual one, so that the command works in another shell', async () => {
    const env = { HOME: '/home/me', CODEX_HOME: '/other' };
    const there = await run(['open', '--last', '--json'], fakeHomes({ rows: [row('1')], path: '/other' }), { env });
    expect(JSON.parse(there.stdout).env).toEqual({ CODEX_HOME: '/other' });
    const usual = await run(['open', '--last', '--json'], fakeHomes({ rows: [row('1')] }), { env });
    expect(JSON.parse(usual.stdout).env).toEqual({ CODEX_HOME: HOME });
  });

  test('prints a folder with control characters so that they do not act', async () => {
    const { stdout } = await run(
      ['open', '--last', '--print'],
      fakeHomes({ rows: [row('1', { cwd: "/a\u001b[2J\n'\u202eb" })] }),
    );
    expect(stdout).toBe(`cd $'/a\\x1b[2J\\x0a\\x27\\xe2\\x80\\xaeb' && codex resume ${id('1')}\n`);
  });

  test('--json prints the launch as a document', async () => {
    const { stdout, launched } = await run(
      ['open', '0001', '--json'],
      fakeHomes({ rows: [row('1')], path: '/backup/x' }),
    );
    expect(JSON.parse(stdout)).toEqual({
      threadId: id('1'),
      home: '/backup/x',
      argv: ['codex', 'resume', id('1')],
      cwd: '/home/me/project',
      env: { CODEX_HOME: '/backup/x' },
    });
    expect(Object.keys(JSON.parse(stdout))).toEqual(keysOf('open'));
    expect(launched).toEqual([]);
  });

  test('starts here when the folder is gone, and says so', async () => {
    const { stderr, launched } = await run(
      ['open', '0001'],
      fakeHomes({ rows: [row('1', { cwd: '/no/such/folder' })] }),
      { cwd: '/' },
    );
    expect(stderr).toContain('The folder /no/such/folder is not there any more; starting in /.\n');
    expect(launched[0]?.cwd).toBe('/');
  });

  test('says what is possible with a thread of ours', async () => {
    const ours = fakeHomes({ rows: [row('1')], own: true, path: '/home/me/.codicil' });
    const { code, stderr, launched } = await run(['open', '0001'], ours);
    expect(code).toBe(1);
    expect(stderr).toContain('this version of Codicil reads threads and does not run turns');
    expect(stderr).toContain(`CODEX_HOME=/home/me/.codicil codex resume ${id('1')}`);
    expect(launched).toEqual([]);
  });

  test('exits 1 when the program fails', async () => {
    expect((await run(['open', '0001'], fakeHomes({ rows: [row('1')] }), { launch: async () => 3 })).code).toBe(1);
  });
});

describe('codicil rebuild', () => {
  const rebuilt = { threads: 3, messages: 40, bytes: 5_000_000, tookMs: 1200 };

  test('--json has the keys of the contract, the proof only when asked for', async () => {
    const homes = fakeHomes({ rows: [], rebuilt });
    expect(JSON.parse((await run(['rebuild', '--json'], homes)).stdout)).toEqual(rebuilt);
    const proved = fakeHomes({ rows: [], rebuilt: { ...rebuilt, equal: false, differences: ['threads: row x'] } });
    const { code, stdout } = await run(['rebuild', '--prove', '--json'], proved);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ ...rebuilt, equal: false, differences: ['threads: row x'] });
    expect(Object.keys(JSON.parse(stdout))).toEqual(SHAPES.rebuild);
  });

  test('sums over the homes', async () => {
    const homes = fakeHomes({ rows: [], rebuilt }, { rows: [], rebuilt, path: '/other' });
    expect(JSON.parse((await run(['rebuild', '--json'], homes)).stdout)).toEqual({
      threads: 6,
      messages: 80,
      bytes: 10_000_000,
      tookMs: 2400,
    });
  });

  test('shows progress on a terminal only', async () => {
    const homes = fakeHomes({ rows: [], rebuilt });
    const terminal = await run(['rebuild'], homes, { stderrIsTTY: true });
    expect(terminal.stderr).toBe('\r\u001b[2KReading logs: 1 of 2\r\u001b[2K');
    expect(terminal.stdout).toBe('3 threads, 40 messages, 5.0 MB of logs in 1 s\n');
    expect((await run(['rebuild'], homes)).stderr).toBe('');
  });
});

describe('codicil completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s names every command and the choices', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['list', 'show', 'verify', 'refuse-unless-ignorable', 'sort']) expect(stdout).toContain(word);
  });

  test('the bash script runs and completes', async () => {
    const { stdout } = await run(['completion', 'bash']);
    const script = `${stdout}\nCOMP_WORDS=(codicil list --so); COMP_CWORD=2; _codicil; echo "\${COMPREPLY[@]}"; COMP_WORDS=(codicil list --sort cr); COMP_CWORD=3; _codicil; echo "\${COMPREPLY[@]}"; COMP_WORDS=(codicil ver); COMP_CWORD=1; _codicil; echo "\${COMPREPLY[@]}"`;
    const bash = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let answer = '';
    bash.stdout.on('data', (chunk) => (answer += String(chunk)));
    await once(bash, 'close');
    expect(answer).toBe('--sort --source\ncreated\nverify\n');
  });
});

describe('runCli()', () => {
  const many = fakeHomes({ rows: Array.from({ length: 20_000 }, (_, index) => row(String(index))) });

  test('ends quietly with 0 when nobody reads a real pipe any more', async () => {
    const head = spawn('head', ['-c', '10'], { stdio: ['pipe', 'ignore', 'inherit'] });
    const { code, stderr } = await run(['list', '--json', '--limit', '20000'], many, { stdout: head.stdin });
    expect(code).toBe(0);
    expect(stderr).toBe('');
  });

  test('waits for a slow reader: no more than a chunk is under way', async () => {
    let underWay = 0;
    let most = 0;
    const stdout = new Writable({
      highWaterMark: 1,
      write(chunk, _encoding, done) {
        underWay += chunk.length;
        most = Math.max(most, underWay);
        setImmediate(() => {
          underWay -= chunk.length;
          done();
        });
      },
    });
    expect((await run(['list', '--json', '--limit', '20000'], many, { stdout })).code).toBe(0);
    expect(most).toBeLessThan(200_000);
  });

  test('a failing disk under stdout is an error', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    const { code, stderr } = await run(['list'], fakeHomes({ rows: [row('1')] }), { stdout });
    expect(code).toBe(1);
    expect(stderr).toContain('no space left');
  });

  test('goes on when nobody reads stderr', async () => {
    const gone = Object.assign(new Error('gone'), { code: 'EPIPE' });
    const stderr = new Writable({ write: (_chunk, _encoding, done) => done(gone) });
    const { code, stdout } = await run(['verify', '--all'], fakeHomes({ rows: [], verified: [DAMAGED] }), { stderr });
    expect(code).toBe(1);
    expect(stdout).toContain('json (lost)');
  });

  test('a query that the store cannot answer is wrong usage', async () => {
    const homes = {
      ...fakeHomes({ rows: [] }),
      list: async () => Promise.reject(new CodicilError('invalid-query', 'Cannot use the cursor')),
    };
    expect((await run(['list', '--cursor', 'x'], homes)).code).toBe(2);
  });

  test('several failures at once are all told', async () => {
    const failures = new AggregateError(
      [new CodicilError('locked', 'First', { path: '/x' }), new Error('second')],
      'Cannot close',
    );
    const { code, stdout } = await run(['list', '--json'], {
      ...fakeHomes({ rows: [] }),
      list: async () => Promise.reject(failures),
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toEqual({
      code: 'locked',
      message: 'Cannot close: First; Error: second',
      path: '/x',
    });
  });

  test('an interrupt ends with 130, one document under --json', async () => {
    const interrupt = new AbortController();
    const openHomes = async () => {
      interrupt.abort();
      throw interrupt.signal.reason;
    };
    const words = await run(['list'], undefined, { openHomes, signal: interrupt.signal });
    expect(words).toMatchObject({ code: 130, stdout: '', stderr: '' });
    const json = await run(['list', '--json'], undefined, { openHomes, signal: interrupt.signal });
    expect(json.code).toBe(130);
    expect(JSON.parse(json.stdout)).toEqual({ error: { code: 'interrupted', message: 'Interrupted' } });
  });

  test('closes the homes when the work fails, and tells the notices', async () => {
    let closed = 0;
    const openHomes = async ({ onNotice }: { readonly onNotice?: ((message: string) => void) | undefined }) => {
      onNotice?.('A home \u001bis foreign');
      return {
        ...fakeHomes({ rows: [] }),
        list: async () => Promise.reject(new Error('boom')),
        [Symbol.asyncDispose]: async () => void (closed += 1),
      };
    };
    const { code, stderr } = await run(['list'], undefined, { openHomes });
    expect(code).toBe(1);
    expect(closed).toBe(1);
    expect(stderr).toContain('A home ␛is foreign\n');
    expect(stderr).toContain('Error: Error: boom\n  This is a fault in Codicil');
  });
});
