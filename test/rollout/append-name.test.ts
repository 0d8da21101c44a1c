/** Names that are added to `session_index.jsonl`. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { appendThreadName } from '../../src/rollout/append-name.js';
import { readThreadNames } from '../../src/rollout/names-file.js';
import { FaultyDisk, LogFolder, STARTED_MS, THREAD, threadId } from './logs.js';

const HAS_FLOCK = process.platform !== 'win32' && spawnSync('flock', ['--version']).status === 0;
const named = (name: string) => ({ threadId: THREAD, name, updatedAtMs: STARTED_MS });

describe('appendThreadName()', () => {
  test('adds a line as the real client does; the last one counts', async () => {
    using home = new LogFolder();
    await appendThreadName(home.path, named('One'));
    await appendThreadName(home.path, { ...named('Two “2” 😀'), updatedAtMs: STARTED_MS + 1 });
    const path = join(home.path, 'session_index.jsonl');
    expect(readFileSync(path, 'utf8')).toBe(
      `{"id":"${THREAD}","thread_name":"One","updated_at":"2026-05-04T10:00:00.000Z"}\n` +
        `{"id":"${THREAD}","thread_name":"Two “2” 😀","updated_at":"2026-05-04T10:00:00.001Z"}\n`,
    );
    expect((await readThreadNames(home.path, { files: nodeFileSystem })).names.get(THREAD)?.name).toBe('Two “2” 😀');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['a torn line', `{"id":"${THREAD}","thread_na`, 1],
    ['a line without its line feed', `{"id":"${THREAD}","thread_name":"Old"}`, 0],
  ])('ends %s first, and cuts nothing', async (_what, before, badLines) => {
    using home = new LogFolder();
    const path = join(home.path, 'session_index.jsonl');
    writeFileSync(path, before);
    await appendThreadName(home.path, named('New'));
    expect(readFileSync(path, 'utf8').startsWith(`${before}\n{`)).toBe(true);
    const { names, badLines: found } = await readThreadNames(home.path, { files: nodeFileSystem });
    expect([names.get(THREAD)?.name, found]).toEqual(['New', badLines]);
  });

  test('costs a bad line at most when the disk refuses, and goes on after it', async () => {
    using home = new LogFolder();
    const disk = new FaultyDisk();
    disk.writes.push(12, 'ENOSPC');
    await expect(appendThreadName(home.path, named('One'), { appendFiles: disk })).rejects.toMatchObject({
      code: 'ENOSPC',
    });
    await appendThreadName(home.path, named('Two'), { appendFiles: disk });
    const { names, badLines } = await readThreadNames(home.path, { files: nodeFileSystem });
    expect([names.get(THREAD)?.name, badLines]).toEqual(['Two', 1]);
  });

  test('refuses a blank name', async () => {
    using home = new LogFolder();
    await expect(appendThreadName(home.path, named(' '))).rejects.toThrow(TypeError);
  });

  test('keeps every name of many at once', async () => {
    using home = new LogFolder();
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        appendThreadName(home.path, { ...named('n'), threadId: threadId(index) }),
      ),
    );
    const { names, badLines } = await readThreadNames(home.path, { files: nodeFileSystem });
    expect([names.size, badLines]).toEqual([30, 0]);
  });

  test.runIf(HAS_FLOCK)('waits while another program has the lock of the names', async () => {
    using home = new LogFolder();
    const path = join(home.path, 'session_index.jsonl');
    const other = spawn('flock', ['-n', `${path}.lock`, 'sh', '-c', 'echo held; read line; echo first > "$0"', path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(other.stdout, 'data');
    const naming = appendThreadName(home.path, named('Second'));
    other.stdin.end('\n');
    await Promise.all([naming, once(other, 'close')]);
    expect(readFileSync(path, 'utf8').split('\n')[0]).toBe('first');
  });
});
