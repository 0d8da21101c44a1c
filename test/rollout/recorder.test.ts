/** Writing of one log when nothing goes wrong, and what a resume asks of the log it goes on with. */
import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RolloutItem } from '../../src/protocol/rollout-line.js';
import { DamagedError, OrdinalOverflowError, UnsupportedError } from '../../src/rollout/errors.js';
import { RolloutRecorder } from '../../src/rollout/recorder.js';
import { DELIVERED_ONLY, DIALECTS, LogFolder, metaOf, readLog, STARTED_MS, said, THREAD, threadId } from './logs.js';

describe('RolloutRecorder.create()', () => {
  test('makes no file before there is something to write: not by an append of nothing, a flush or a close', async () => {
    using folder = new LogFolder();
    const recorder = folder.create();
    expect(await recorder.append([])).toEqual({ records: 0, byteOffset: 0, bytes: 0, firstLine: undefined });
    expect((await recorder.append([DELIVERED_ONLY])).records).toBe(0);
    await recorder.flush();
    expect(recorder.exists).toBe(false);
    await recorder.close();
    expect(existsSync(dirname(folder.log))).toBe(false);
  });

  test('writes the session_meta as line 1 of whatever comes first', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create();
    await recorder.append([said('one')]);
    expect(folder.lines().map(({ type }) => type)).toEqual(['session_meta', 'response_item']);
  });

  test('persist() makes the log exist, once', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create();
    await recorder.persist();
    await recorder.persist();
    await recorder.flush();
    expect(folder.lines().map(({ type }) => type)).toEqual(['session_meta']);
  });

  test('stamps a line with the moment of its writing, in UTC with milliseconds', async () => {
    using folder = new LogFolder();
    const recorder = folder.create();
    folder.nowMs = STARTED_MS + 5_000;
    await recorder.append([said('one')]);
    expect(folder.lines().map(({ timestamp }) => timestamp)).toEqual([
      '2026-05-04T10:00:05.000Z',
      '2026-05-04T10:00:05.001Z',
    ]);
    await recorder.close();
  });

  test('writes keys in the order of the real client, and a payload with all its fields', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create('paginated');
    const item: RolloutItem = { type: 'compacted', payload: { message: 'x', future: { deep: [1, '\u2028', '😀'] } } };
    await recorder.append([item]);
    const [, line] = folder.text().split('\n');
    expect(line).toBe(
      `{"timestamp":"2026-05-04T10:00:00.001Z","ordinal":1,"type":"compacted","payload":${JSON.stringify(item.payload)}}`,
    );
  });

  test('numbers the records of a paginated log from 0, or from where the log begins that it continues', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create('paginated');
    await recorder.append([said('one'), DELIVERED_ONLY, said('two')]);
    expect(folder.lines().map(({ ordinal }) => ordinal)).toEqual([0, 1, 2]);
    using fork = new LogFolder();
    await using forked = fork.create('paginated', { firstOrdinal: 24 });
    await forked.append([said('one')]);
    expect(fork.lines().map(({ ordinal }) => ordinal)).toEqual([24, 25]);
  });

  test('says where records stand', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create();
    const first = await recorder.append([said('one'), said('two')]);
    const second = await recorder.append([said('three')]);
    const lines = folder.text().split('\n');
    expect(first).toEqual({
      records: 2,
      byteOffset: `${lines[0]}\n`.length,
      bytes: `${lines[1]}\n${lines[2]}\n`.length,
      firstLine: 2,
    });
    expect(second.firstLine).toBe(4);
    expect(folder.text().slice(second.byteOffset, second.byteOffset + second.bytes)).toBe(`${lines[3]}\n`);
  });

  test('takes nothing of a call that holds what is no JSON', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create();
    const circular: Record<string, unknown> = { message: 'm' };
    circular['self'] = circular;
    const broken = { type: 'compacted', payload: circular } as unknown as RolloutItem;
    await expect(recorder.append([said('one'), broken])).rejects.toThrow(TypeError);
    expect(existsSync(folder.log)).toBe(false);
    await recorder.append([said('two')]);
    expect((await readLog(folder.log)).texts).toEqual(['two']);
  });

  test('keeps what a caller gave, whatever it does to it later', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create('legacy', { durability: 'synced' });
    const payload = { message: 'before' };
    const appended = recorder.append([{ type: 'compacted', payload }]);
    payload.message = 'after';
    await appended;
    expect(folder.text()).toContain('before');
  });

  test('makes private files in a home of ours, and leaves the modes to the umask elsewhere', async () => {
    if (process.platform === 'win32') return;
    using own = new LogFolder();
    await using mine = own.create();
    await mine.persist();
    expect([statSync(own.log).mode & 0o777, statSync(dirname(own.log)).mode & 0o777]).toEqual([0o600, 0o700]);
    using other = new LogFolder();
    const umask = process.umask();
    await using theirs = other.create('legacy', { foreign: true });
    await theirs.persist();
    expect([statSync(other.log).mode & 0o777, statSync(dirname(other.log)).mode & 0o777]).toEqual([
      0o666 & ~umask,
      0o777 & ~umask,
    ]);
  });

  test('refuses a meta of another dialect', () => {
    expect(() =>
      RolloutRecorder.create({ path: '/x', meta: metaOf('paginated'), dialect: 'legacy', nowMs: () => 0 }),
    ).toThrow(TypeError);
  });

  test('is closed for good, and may be closed twice', async () => {
    using folder = new LogFolder();
    const recorder = folder.create();
    await recorder.append([said('one')]);
    await recorder.close();
    await recorder.close();
    await expect(recorder.append([said('two')])).rejects.toMatchObject({ code: 'recorder-closed' });
    await expect(recorder.flush()).rejects.toMatchObject({ code: 'recorder-closed' });
    expect((await readLog(folder.log)).texts).toEqual(['one']);
  });
});

describe('RolloutRecorder.resume()', () => {
  test.each(DIALECTS)('goes on with a %s log in its own dialect', async (dialect) => {
    using folder = new LogFolder();
    const before = folder.create(dialect);
    await before.append([said('one')]);
    await before.close();
    const after = await folder.resume({ lines: 2 });
    expect(after.dialect).toBe(dialect);
    expect((await after.append([said('two')])).firstLine).toBe(3);
    await after.close();
    expect(await readLog(folder.log)).toEqual({
      texts: ['one', 'two'],
      types: ['session_meta', 'response_item', 'response_item'],
      ordinals: dialect === 'legacy' ? [undefined, undefined, undefined] : [0, 1, 2],
      lost: 0,
    });
  });

  test('changes no byte and no time of a log that is only opened and closed', async () => {
    using folder = new LogFolder();
    await make(folder, [meta(0), message(1, 'one')]);
    appendFileSync(folder.log, '{"timestamp":"2026-');
    const before = statSync(folder.log, { bigint: true });
    await (await folder.resume()).close();
    const after = statSync(folder.log, { bigint: true });
    expect([after.size, after.mtimeNs]).toEqual([before.size, before.mtimeNs]);
  });

  test.each<[string, readonly string[], readonly number[]]>([
    ['a gap', [meta(0), message(1, 'a'), message(7, 'b')], [8]],
    ['a doubled ordinal', [meta(0), message(3, 'a'), message(3, 'b')], [4]],
    ['a torn last line', [meta(0), message(1, 'a'), message(2, 'b').slice(0, 60)], [2]],
    ['a last line of unknown type', [meta(0), message(1, 'a'), unknown(2)], [2]],
    ['a last line that is no JSON', [meta(0), message(1, 'a'), 'garbage'], [2]],
    ['blank lines at the end', [meta(0), message(1, 'a'), '', '  '], [2]],
    ['CRLF', [`${meta(0)}\r`, `${message(1, 'a')}\r`], [2]],
    ['a hole of NULs', [meta(0), message(1, 'a'), '\0'.repeat(600_000)], [2]],
  ])('numbers on behind the newest record that can be read: %s', async (_what, lines, [expected]) => {
    using folder = new LogFolder();
    await make(folder, lines);
    const recorder = await folder.resume();
    await recorder.append([said('new')]);
    await recorder.close();
    const last = folder.text().trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ ordinal: expected, payload: { content: [{ text: 'new' }] } });
  });

  test.each<[string, readonly string[], string, RegExp]>([
    ['whose newest record has no ordinal', [meta(0), message(undefined, 'a')], 'damaged', /no ordinal/],
    ['that begins with another record', [message(0, 'a'), meta(1)], 'damaged', /begins with "response_item"/],
    ['whose first line cannot be read', ['{"timestamp":', meta(0)], 'damaged', /line 1, cannot be read/],
    ['without a record', [' ', ''], 'damaged', /no record/],
    ['of another thread', [meta(0, { id: threadId(2) })], 'damaged', /not of 019e/],
    ['of an unknown history mode', [meta(0, { history_mode: 'woven' })], 'unsupported', /"woven"/],
    ['without envelopes', [JSON.stringify({ id: THREAD, timestamp: 'x', instructions: null })], 'unsupported', /bare/],
  ])('refuses a log %s, and leaves it as it is', async (_what, lines, code, message) => {
    using folder = new LogFolder();
    await make(folder, lines);
    const before = folder.text();
    const refusal = await folder.resume().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(code === 'damaged' ? DamagedError : UnsupportedError);
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message), path: folder.log });
    expect(folder.text()).toBe(before);
  });

  test('refuses to count over the largest number that is exact', async () => {
    using folder = new LogFolder();
    await make(folder, [meta(0), message(Number.MAX_SAFE_INTEGER - 1, 'a')]);
    const recorder = await folder.resume();
    const before = folder.text();
    await expect(recorder.append([said('one')])).rejects.toThrow(OrdinalOverflowError);
    expect(folder.text()).toBe(before);
    await recorder.close();
    await make(folder, [meta(0), '{"timestamp":"x","ordinal":18446744073709551615,"type":"world_state","payload":{}}']);
    await expect(folder.resume()).rejects.toThrow(OrdinalOverflowError);
  });

  test('makes a compressed log plain by the function that it is given, and refuses it without', async () => {
    using folder = new LogFolder();
    await make(folder, [meta(0), message(1, 'a')]);
    const compressed = `${folder.log}.zst`;
    await expect(folder.resume({ path: compressed })).rejects.toThrow(UnsupportedError);
    const asked: string[] = [];
    const recorder = await folder.resume({
      path: compressed,
      decompress: async (path) => {
        asked.push(path);
        return folder.log;
      },
    });
    await recorder.append([said('b')]);
    await recorder.close();
    expect(asked).toEqual([compressed]);
    expect((await readLog(folder.log)).texts).toEqual(['a', 'b']);
  });

  test('opens no link and no folder for writing', async () => {
    using folder = new LogFolder();
    mkdirSync(folder.log, { recursive: true });
    await expect(folder.resume()).rejects.toMatchObject({ code: 'not-a-regular-file' });
  });
});

async function make(folder: LogFolder, lines: readonly string[]): Promise<void> {
  mkdirSync(dirname(folder.log), { recursive: true });
  const torn = /^\{"timestamp".*[^}]$/.test(lines.at(-1) ?? '');
  writeFileSync(folder.log, lines.join('\n') + (torn ? '' : '\n'));
}

function meta(ordinal: number, fields: Readonly<Record<string, unknown>> = {}): string {
  return line(ordinal, 'session_meta', { ...metaOf('paginated'), ...fields });
}

function message(ordinal: number | undefined, text: string): string {
  return line(ordinal, 'response_item', said(text).payload);
}

function unknown(ordinal: number): string {
  return line(ordinal, 'a_type_of_next_year', {});
}

function line(ordinal: number | undefined, type: string, payload: unknown): string {
  return JSON.stringify({ timestamp: '2026-05-04T10:00:00.000Z', ordinal, type, payload });
}
