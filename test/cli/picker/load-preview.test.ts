import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Entry, entryOfHit, entryOfRow } from '../../../src/cli/picker/entry.js';
import { loadPreview } from '../../../src/cli/picker/load-preview.js';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import { HOME, id, row } from '../fake-homes.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'codicil-preview-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const AT = '2026-11-29T09:00:00.000Z';

function event(type: 'user_message' | 'agent_message', message: string): string {
  return JSON.stringify({ timestamp: AT, type: 'event_msg', payload: { type, message } });
}

function responseItem(role: 'user' | 'assistant', text: string): string {
  const content = [{ type: role === 'user' ? 'input_text' : 'output_text', text }];
  return JSON.stringify({ timestamp: AT, type: 'response_item', payload: { type: 'message', role, content } });
}

function call(output: string): string {
  return JSON.stringify({
    timestamp: AT,
    type: 'response_item',
    payload: { type: 'function_call_output', call_id: 'c', output },
  });
}

function write(lines: readonly string[]): string {
  const file = path.join(folder, `rollout-2026-11-29T09-00-00-${id('1')}.jsonl`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function entry(file: string, line?: number): Entry {
  if (line === undefined) return entryOfRow(row('1', { path: file }))!;
  const found = {
    threadId: id('1'),
    address: `${id('1')}:${line}`,
    path: file,
    home: HOME,
    line,
    role: 'user' as const,
  };
  const told = { timestamp: null, snippet: '', matches: [], score: 1, title: '', name: null, cwd: null, updatedAt: AT };
  return entryOfHit({ ...found, ...told }, undefined);
}

function load(file: string, line?: number, query?: string) {
  return loadPreview(entry(file, line), { files: nodeFileSystem, query, signal: new AbortController().signal });
}

describe('loadPreview()', () => {
  test('gives the messages around a line, each once, the one on the line marked', async () => {
    const file = write([
      event('user_message', 'Why does it fail?'),
      responseItem('user', 'Why does it fail?'),
      call('a lot of output'),
      responseItem('assistant', 'The needle was lost.'),
      event('agent_message', 'The needle was lost.'),
      '{"damaged',
      event('user_message', 'Thanks'),
    ]);
    const { messages, found } = await load(file, 5, 'needle');
    expect(messages).toEqual([
      { role: 'user', line: 1, text: 'Why does it fail?', matches: [] },
      { role: 'assistant', line: 5, text: 'The needle was lost.', matches: [[4, 10]] },
      { role: 'user', line: 7, text: 'Thanks', matches: [] },
    ]);
    expect(found).toBe(1);
  });

  test('gives the last messages of a thread, read from its end', async () => {
    const lines = Array.from({ length: 3_000 }, (_, place) => event('user_message', `Message ${place} of many`));
    const { messages, found } = await load(write(lines));
    expect(messages.map(({ text }) => text)).toEqual(
      [2992, 2993, 2994, 2995, 2996, 2997, 2998, 2999].map((place) => `Message ${place} of many`),
    );
    expect(found).toBeUndefined();
  });

  test('masks secrets, and marks words in what is left', async () => {
    const secret = `ghp_${'aB3dE6gH9j'.repeat(3)}xYz012`;
    const { messages } = await load(write([event('user_message', `token ${secret}\tneedle`)]), 1, 'needle');
    expect(messages[0]?.text).not.toContain(secret);
    const [[start, end] = [0, 0]] = messages[0]!.matches;
    expect(messages[0]?.text.slice(start, end)).toBe('needle');
  });

  test('cuts a text of megabytes around its first match', async () => {
    const text = `${'word '.repeat(8_000)}needle ${'word '.repeat(200_000)}`;
    const { messages } = await load(write([event('user_message', text)]), 1, 'needle');
    expect(messages[0]!.text.length).toBeLessThan(5_000);
    const [[start, end] = [0, 0]] = messages[0]!.matches;
    expect(messages[0]?.text.slice(start, end)).toBe('needle');
  });

  test('leaves out lines that are too long to be looked at beside the one that was found', async () => {
    const file = write([event('user_message', 'x'.repeat(300_000)), event('user_message', 'Short'), '\0'.repeat(100)]);
    expect((await load(file, 2)).messages.map(({ text }) => text)).toEqual(['Short']);
    expect((await load(file)).messages.map(({ text }) => text)).toEqual(['Short']);
  });

  test('rejects for a file that has gone, and when it is cancelled', async () => {
    await expect(load(path.join(folder, 'gone.jsonl'))).rejects.toThrow('ENOENT');
    const file = write([event('user_message', 'Hello')]);
    const options = { files: nodeFileSystem, query: undefined, signal: AbortSignal.abort() };
    await expect(loadPreview(entry(file, 1), options)).rejects.toThrow('aborted');
    await expect(loadPreview(entry(file), options)).rejects.toThrow('aborted');
  });
});
