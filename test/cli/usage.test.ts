import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENT } from '../../src/cli/command-spec.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { commandHelp, helpMarkdown, overviewHelp } from '../../src/cli/help.js';
import { STREAM_SHAPES } from '../../src/protocol/decode-stream.js';
import { POLICIES } from '../../src/protocol/policies.js';
import { fakeHomes, id, row, run } from './fake-homes.js';
import { keysOf, SHAPES } from './json-shapes.js';

describe('codicil with wrong usage exits 2', () => {
  test.each([
    [['lst'], 'Unknown command "lst"', 'Did you mean "codicil list"?'],
    [['frobnicate'], 'Unknown command "frobnicate"', 'codicil help lists the commands.'],
    [['list', '--limt', '3'], 'Unknown option "--limt" for list', 'Did you mean "--limit"?'],
    [['list', '--turns', '1..2'], 'Unknown option "--turns" for list', 'It is an option of show, rollback.'],
    [['list', '-x'], 'Unknown option "-x" for list', 'codicil help list lists its options.'],
    [['list', 'extra'], 'Unexpected argument "extra" for list', 'codicil help list shows how to call it.'],
    [
      ['list', '--sort', 'creatd'],
      'Cannot take "creatd" for --sort: wanted updated, created',
      'Did you mean "created"?',
    ],
    [
      ['completion', 'tcsh'],
      'Cannot take "tcsh" for SHELL: wanted bash, zsh, fish',
      'codicil help completion shows how to call it.',
    ],
    [['completion'], 'completion needs SHELL: bash, zsh or fish', 'Example: source <(codicil completion bash)'],
    [['show'], 'show needs ID|ADDRESS or --last', 'Example: codicil show --last'],
  ])('%j', async (argv, message, hint) => {
    const { code, stdout, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toBe(`Error: ${message}\n  ${hint}\n`);
  });

  test.each([
    [['list', '--limit', '0'], 'Cannot take "0" for --limit: wanted a whole number from 1 to 100000'],
    [['list', '--limit', '1e3'], 'Cannot take "1e3" for --limit: wanted a whole number from 1 to 100000'],
    [['list', '--limit'], '--limit needs a value: N'],
    [['list', '--cwd', '--json'], '--cwd needs a value: DIR'],
    [['list', '--all=yes'], 'Cannot give a value to --all: it is a switch'],
    [['list', '--limit', '1', '--limit', '2'], 'Cannot take --limit twice'],
    [
      ['list', '--since', 'soon'],
      'Cannot take "soon" for --since: wanted a span such as 7d, a date such as 2026-11-29, or an ISO instant',
    ],
    [
      ['list', '--since', '2026-02-31'],
      'Cannot take "2026-02-31" for --since: wanted a span such as 7d, a date such as 2026-11-29, or an ISO instant',
    ],
    [['list', '--json', '--jsonl'], 'Cannot print --json and --jsonl at once'],
    [['show', '0001', '--last'], 'Cannot take both "0001" and --last'],
    [['show', '0001', '--turns', '3..1'], 'Cannot take "3..1" for --turns: wanted A..B, A.., ..B, A or -N..'],
    [['show', '0001', '--context', '2'], '--context needs an address: ID:LINE'],
    [['show', '0001:3', '--turns', '1'], 'Cannot take --turns with an address'],
    [['show', '0001', '--follow', '--json'], 'Cannot follow with --json, which is one document: take --jsonl'],
    [['show', '0001:0'], 'Cannot take the address "0001:0": lines are counted from 1'],
    [['show', '0001:5-2'], 'Cannot take the address "0001:5-2": the range runs backwards'],
    [['show', '0001/0:5'], 'Cannot take the address "0001/0:5": the files of a thread are counted from 1'],
    [['show', '0001:5-'], 'Cannot take the address "0001:5-": wanted ID:LINE or ID:LINE-LINE'],
    [['history', '0001:5'], 'Cannot take the address "0001:5": history takes a thread as a whole'],
    [['open', '0001:0', '--json'], 'Cannot take the address "0001:0": open takes a thread as a whole'],
    [['verify', '0001/1:5'], 'Cannot take the address "0001/1:5": verify takes a thread as a whole'],
    [['list', '--why', '0001:5'], 'Cannot take the address "0001:5": list --why takes a thread as a whole'],
    [['verify', '/'], 'Cannot check "/": it is a folder'],
    [['verify'], 'verify needs PATH, ID, --last or --all'],
    [['verify', '--all', 'x'], 'Cannot take --all together with a file or thread'],
    [['decode'], 'decode needs --as POLICY: strict, skip-line, refuse-unless-ignorable or map-to-unknown'],
    [
      ['decode', '--as', 'strict', '--only-name', 'nonsense'],
      'Cannot decode by one name only: no variant is named "nonsense"',
    ],
  ])('%j', async (argv, message) => {
    const homes = fakeHomes({ rows: [row('1')] });
    const asJson = argv.includes('--json');
    const { code, stdout, stderr } = await run(argv, homes);
    expect(code).toBe(2);
    expect(asJson ? JSON.parse(stdout).error.message : stderr.split('\n')[0]).toBe(
      asJson ? message : `Error: ${message}`,
    );
    expect(asJson ? stderr : stdout).toBe('');
  });

  test('a failure under --json is one document on stdout, also when the command line itself is wrong', async () => {
    const { code, stdout, stderr } = await run(['lst', '--json']);
    expect(code).toBe(2);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'usage', message: 'Unknown command "lst"', hint: 'Did you mean "codicil list"?' },
    });
  });

  test('an id that fits two threads shows both', async () => {
    const homes = fakeHomes({ rows: [row('a1234'), row('b1234', { title: '한국어 제목' })] });
    const { code, stderr } = await run(['history', '1234'], homes);
    expect(code).toBe(2);
    expect(stderr).toBe(
      [
        'Error: Cannot tell which thread "1234" means: 2 fit',
        `  ${id('a1234')}  11:00       Why does the build fail?`,
        `  ${id('b1234')}  11:00       한국어 제목`,
        '  Give more digits of the id.',
        '',
      ].join('\n'),
    );
    const { error } = JSON.parse((await run(['history', '1234', '--json'], homes)).stdout);
    expect(Object.keys(error)).toEqual(['code', 'message', 'hint', 'candidates']);
    expect(SHAPES.error).toEqual(expect.arrayContaining(Object.keys(error)));
    expect(Object.keys(error.candidates[0])).toEqual(keysOf('candidate'));
    expect(error.code).toBe('ambiguous-reference');
    expect(error.candidates.map((candidate: { id: string }) => candidate.id)).toEqual([id('a1234'), id('b1234')]);
  });

  test('the same id in two homes is one thread, the first home wins', async () => {
    const homes = fakeHomes({ rows: [row('1')], path: '/home/me/.codicil', own: true }, { rows: [row('1')] });
    const { code, stdout } = await run(['open', '0001', '--json'], homes);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).home).toBe('/home/me/.codicil');
  });

  test('no such thread exits 1 with thread-not-found', async () => {
    for (const argv of [
      ['show', 'abcd'],
      ['history', 'abcd'],
      ['verify', 'abcd'],
      ['open', 'abcd'],
      ['show', 'abcd:3'],
      ['show', '--last'],
    ]) {
      const { code, stdout } = await run([...argv, '--json'], fakeHomes({ rows: [] }));
      expect(code).toBe(1);
      expect(JSON.parse(stdout).error.code).toBe('thread-not-found');
    }
  });
});

describe('codicil help', () => {
  test('is the same by help, --help and -h, and needs no argument of the command', async () => {
    const expected = commandHelp(COMMANDS.find(({ name }) => name === 'completion')!);
    for (const argv of [
      ['help', 'completion'],
      ['completion', '--help'],
      ['completion', '-h'],
      ['--help', 'completion'],
    ]) {
      expect(await run(argv)).toMatchObject({ code: 0, stdout: expected, stderr: '' });
    }
    expect((await run(['--help'])).stdout).toBe(overviewHelp());
    expect((await run(['help'])).stdout).toBe(overviewHelp());
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    '%s: one sentence, two examples that parse, variables, 80 columns',
    (_name, command) => {
      expect(command.summary).toMatch(/^[A-Z][^.]*\.$/);
      expect(command.examples).toHaveLength(2);
      for (const name of command.environment) expect(ENVIRONMENT).toHaveProperty(name);
      for (const line of commandHelp(command).split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    },
  );

  test('the overview names every command within 80 columns', () => {
    for (const { name } of COMMANDS) expect(overviewHelp()).toContain(`\n  ${name} `);
    for (const line of overviewHelp().split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test('docs/cli.md is the output of help --markdown', () => {
    expect(readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')).toBe(helpMarkdown());
  });

  test('names only the general options that do something', () => {
    const named = (command: string): readonly string[] =>
      [...commandHelp(COMMANDS.find(({ name }) => name === command)!).matchAll(/^ {2}--(home|json|no-color)\b/gm)].map(
        ([, name]) => name!,
      );
    for (const { name } of COMMANDS) {
      const isText = ['decode', 'completion', 'help'].includes(name);
      expect([name, named(name)]).toEqual([name, isText ? [] : ['home', 'json', 'no-color']]);
    }
  });

  test('takes a general option that a command has no use for', async () => {
    const { code, stdout } = await run(['decode', '--as', 'strict', '--json', '--home', '/x']);
    expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ['summary']]);
    expect((await run(['completion', 'bash', '--json'])).stdout).toContain('complete -o default');
  });

  test('offers exactly the policies and shapes that the protocol has', () => {
    const option = (command: string, name: string): unknown =>
      COMMANDS.find((c) => c.name === command)?.options.find((o) => o.name === name)?.choices;
    expect(option('decode', 'as')).toEqual([...POLICIES]);
    expect(option('verify', 'policy')).toEqual([...POLICIES]);
    expect(option('decode', 'shape')).toEqual([...STREAM_SHAPES]);
  });
});
