import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decompress } from 'fzstd';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FIXTURES, tempFolder, uuid } from '../thread-store/temp-home.js';

const BIN = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
const ID = uuid(1);
const SEGMENT = uuid(2);

let folder: ReturnType<typeof tempFolder>;
let home: string;
let log: string;
const running: ChildProcessWithoutNullStreams[] = [];

beforeEach(() => {
  folder = tempFolder();
  home = join(folder.path, 'codex');
  const day = join(home, 'sessions', '2026', '11', '29');
  mkdirSync(day, { recursive: true });
  log = join(day, `rollout-2026-11-29T10-00-00-${ID}.jsonl`);
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  folder[Symbol.dispose]();
});

/** What a program prints, looked at while it runs. */
class Watched {
  readonly child: ChildProcessWithoutNullStreams;
  out = '';
  err = '';
  #wake: (() => void) | undefined;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    running.push(child);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (name === 'stdout') this.out += text;
        else this.err += text;
        this.#wake?.();
      });
    }
    child.on('exit', () => this.#wake?.());
  }

  /** Texts of the items that were printed so far. */
  get texts(): readonly string[] {
    return this.out
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { readonly text: string }).text);
  }

  async until(fits: () => boolean): Promise<void> {
    while (!fits()) {
      if (this.child.exitCode !== null) throw new Error(`Ended: ${this.child.exitCode}\n${this.out}\n${this.err}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function follow(...options: readonly string[]): Watched {
  const id = options.find((option) => /^[0-9a-f]{8,}$/.test(option));
  const env = { PATH: process.env['PATH'], HOME: folder.path, CODICIL_HOME: join(folder.path, 'own') };
  return new Watched(
    spawn(process.execPath, [BIN, 'show', ...(id === undefined ? [ID] : []), '--follow', '--home', home, ...options], {
      env,
    }),
  );
}

const WRITER = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const [path, text] = JSON.parse(line);
  appendFileSync(path, text);
  process.stdout.write('written\\n');
}`;

/** Another process, which appends what it is told. */
class Writer {
  readonly #child = spawn(process.execPath, ['--input-type=module', '-e', WRITER]);

  constructor() {
    running.push(this.#child);
  }

  async append(path: string, text: string): Promise<void> {
    this.#child.stdin.write(`${JSON.stringify([path, text])}\n`);
    await once(this.#child.stdout, 'data');
  }
}

let ordinal = 0;
const record = (type: string, payload: object): string => {
  ordinal += 1;
  return `${JSON.stringify({ timestamp: '2026-11-29T10:00:00.000Z', ordinal: ordinal - 1, type, payload })}\n`;
};
const meta = (more = {}): string =>
  record('session_meta', {
    id: ID,
    cwd: '/p',
    source: 'cli',
    cli_version: '0.171.0',
    history_mode: 'paginated',
    ...more,
  });
const item = (role: string, text: string): string =>
  record('response_item', {
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
const opened = (turn: string): string => record('event_msg', { type: 'task_started', turn_id: turn });
const closed = (turn: string): string => record('event_msg', { type: 'task_complete', turn_id: turn });
const turn = (name: string): string =>
  opened(name) + item('user', `${name} asks`) + item('assistant', `${name} answers`) + closed(name);

beforeEach(() => {
  ordinal = 0;
});

describe('codicil show --follow', () => {
  test('prints what another process appends, a line when it is whole, and ends with 130 when it is interrupted', async () => {
    writeFileSync(log, meta() + turn('a'));
    const shown = follow('--jsonl');
    await shown.until(() => shown.texts.length === 2);
    const writer = new Writer();
    await writer.append(log, opened('b') + item('user', 'b asks'));
    await shown.until(() => shown.texts.length === 3);
    const torn = item('assistant', 'b answers');
    await writer.append(log, torn.slice(0, 60));
    await writer.append(log, torn.slice(60) + closed('b'));
    await writer.append(log, turn('c'));
    await shown.until(() => shown.texts.length === 6);
    shown.child.kill('SIGINT');
    expect(await once(shown.child, 'exit')).toEqual([130, null]);
    expect(shown.texts).toEqual(['a asks', 'a answers', 'b asks', 'b answers', 'c asks', 'c answers']);
    expect(
      shown.out
        .split('\n')
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { turn: number }).turn),
    ).toEqual([1, 1, 2, 2, 3, 3]);
    expect(shown.err).toBe('');
  });

  test('waits for the line feed of a line that is written in pieces', async () => {
    const torn = item('assistant', 'not yet');
    writeFileSync(log, meta() + turn('a') + opened('b') + item('user', 'b asks') + torn.trimEnd());
    const shown = follow('--jsonl');
    await shown.until(() => shown.texts.length === 3);
    await new Writer().append(log, '\n');
    await shown.until(() => shown.texts.length === 4);
    expect(shown.texts.at(-1)).toBe('not yet');
  });

  test('says that the log was rewritten in place, and begins anew', async () => {
    writeFileSync(log, meta() + turn('a') + turn('b'));
    const shown = follow('--jsonl');
    await shown.until(() => shown.texts.length === 4);
    ordinal = 0;
    writeFileSync(
      log,
      meta() + turn('x') + turn('a much longer turn than those that were there before it was written'),
    );
    await shown.until(() => shown.texts.length === 8);
    expect(shown.texts.slice(4, 6)).toEqual(['x asks', 'x answers']);
    ordinal = 0;
    writeFileSync(log, meta() + turn('y'));
    await shown.until(() => shown.texts.length === 10);
    expect(shown.texts.slice(8)).toEqual(['y asks', 'y answers']);
    await shown.until(() => shown.err.split('The log was rewritten').length === 3);
  });

  test('goes on where the log is archived to, and when it is taken back', async () => {
    writeFileSync(log, meta() + turn('a'));
    const shown = follow('--jsonl');
    await shown.until(() => shown.texts.length === 2);
    const archived = join(home, 'archived_sessions', log.slice(dirname(log).length + 1));
    mkdirSync(dirname(archived));
    renameSync(log, archived);
    const writer = new Writer();
    await writer.append(archived, turn('b'));
    await shown.until(() => shown.texts.length === 4);
    renameSync(archived, log);
    await writer.append(log, turn('c'));
    await shown.until(() => shown.texts.length === 6);
    expect(shown.texts.at(-1)).toBe('c answers');
    expect(shown.err).toBe('');
  });

  test('goes on when a compressed log is whole again, and when it is compressed once more', async () => {
    const name = 'rollout-2026-11-30T00-52-17-01a229f0-33cb-7640-9f8a-be05d676e4aa.jsonl';
    const compressed = readFileSync(join(FIXTURES, 'codex/0.171.0/lineage/home/sessions/2026/11/30', `${name}.zst`));
    const plain = Buffer.from(decompress(compressed));
    log = join(dirname(log), name);
    writeFileSync(`${log}.zst`, compressed);
    const shown = follow('--jsonl', 'be05d676e4aa');
    await shown.until(() => shown.texts.length > 0);
    const before = shown.texts.length;
    writeFileSync(log, plain);
    rmSync(`${log}.zst`);
    ordinal = 1_000;
    const writer = new Writer();
    await writer.append(log, turn('b'));
    await shown.until(() => shown.texts.length === before + 2);
    writeFileSync(`${log}.zst`, compressed);
    rmSync(log);
    writeFileSync(log, plain.toString() + turn('c'));
    rmSync(`${log}.zst`);
    await shown.until(() => shown.err.includes('The log was rewritten') && shown.texts.length === 2 * before + 4);
    expect(shown.texts.slice(-2)).toEqual(['c asks', 'c answers']);
  });

  test('goes on in the new segment of a thread that is reverted', async () => {
    const first = meta() + turn('a');
    const ordinalAfterFirst = ordinal;
    writeFileSync(log, first + turn('b'));
    const shown = follow('--jsonl');
    await shown.until(() => shown.texts.length === 4);
    ordinal = ordinalAfterFirst;
    const base = { thread_id: ID, end_ordinal_exclusive: ordinal, end_byte_offset: Buffer.byteLength(first) };
    const segment = join(dirname(log), `rollout-2026-11-29T11-00-00-${ID}_${SEGMENT}.jsonl`);
    writeFileSync(`${segment}.tmp`, meta({ history_base: base }) + turn('c'));
    renameSync(`${segment}.tmp`, segment);
    await shown.until(() => shown.texts.length === 6);
    await new Writer().append(segment, turn('d'));
    await shown.until(() => shown.texts.length === 8);
    expect(shown.texts.slice(4)).toEqual(['c asks', 'c answers', 'd asks', 'd answers']);
    expect(
      shown.out
        .split('\n')
        .slice(4, 8)
        .map((line) => (JSON.parse(line) as { turn: number }).turn),
    ).toEqual([2, 2, 3, 3]);
    await shown.until(() => shown.err.includes('The thread was reverted'));
  });

  test('waits for a log that is gone, and ends quietly when nobody reads it any more', async () => {
    writeFileSync(log, meta() + turn('a'));
    const shown = follow('--jsonl');
    await shown.until(() => shown.texts.length === 2);
    const kept = join(folder.path, 'kept');
    copyFileSync(log, kept);
    rmSync(log);
    await shown.until(() => shown.err.includes('The log is gone'));
    copyFileSync(kept, log);
    await shown.until(() => shown.err.includes('The log is back'));
    shown.child.stdout.destroy();
    const exit = once(shown.child, 'exit');
    const writer = new Writer();
    await writer.append(log, turn('b'));
    expect(await exit).toEqual([0, null]);
  });

  test('puts what is added to a turn below it, and refuses an end', async () => {
    writeFileSync(log, meta() + opened('a') + item('user', 'a asks'));
    const shown = follow();
    await shown.until(() => shown.out.includes('a asks'));
    await new Writer().append(log, item('assistant', 'a answers') + closed('a') + turn('b'));
    await shown.until(() => shown.out.includes('b answers'));
    const spoken = shown.out
      .split('\n')
      .slice(7)
      .map((line) => line.replace(/ 00000001:.*| · .*/, ''));
    expect(spoken).toEqual([
      '── Turn 1',
      'user',
      '  a asks',
      'assistant',
      '  a answers',
      '',
      '── Turn 2',
      'user',
      '  b asks',
      'assistant',
      '  b answers',
      '',
    ]);
    const refused = follow('--turns', '1..2');
    expect(await once(refused.child, 'exit')).toEqual([2, null]);
  });
});
