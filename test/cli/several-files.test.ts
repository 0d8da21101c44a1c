/** Addresses on a genuine thread that stands in several files, through the real homes. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHomes } from '../../src/home/index.js';
import type { TurnItemView, TurnView } from '../../src/projection/turn.js';
import { type Ran, run } from './fake-homes.js';

const FIXTURE = fileURLToPath(new URL('../../fixtures/codex/0.171.0/lineage/home', import.meta.url));

let folder = '';
const at = (...parts: readonly string[]): string => path.join(folder, ...parts);
const codicil = (...argv: readonly string[]): Promise<Ran> => {
  const env = { HOME: folder, CODICIL_HOME: at('own') };
  return run([...argv, '--home', at('home')], undefined, { openHomes, env, cwd: folder });
};
const itemsOf = (ran: Ran): readonly TurnItemView[] =>
  JSON.parse(ran.stdout).turns.flatMap(({ items }: TurnView) => items);
const logs = (): readonly string[] => {
  const day = at('home', 'sessions', '2026', '11', '30');
  return readdirSync(day).map((name) => path.join(day, name));
};

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'codicil-several-'));
  cpSync(FIXTURE, at('home'), { recursive: true });
  symlinkSync(at('home'), at('link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('codicil show of a thread in several files', () => {
  test('prints for each item an address that opens exactly that line', async () => {
    const { stdout } = await codicil('show', 'd8039115');
    const addresses = stdout.match(/\bd8039115(?:\/\d+)?:\d+/g) ?? [];
    const items = itemsOf(await codicil('show', 'd8039115', '--json'));
    expect(addresses).toContain('d8039115/1:8');
    expect(addresses.length).toBe(items.length);
    for (const [index, address] of addresses.entries()) {
      expect(itemsOf(await codicil('show', address, '--json'))).toEqual([items[index]]);
    }
  });

  test('gives the raw line of the file that the address names', async () => {
    for (const file of logs().filter((name) => name.includes('d8039115') && name.endsWith('.jsonl'))) {
      const [item] = itemsOf(await codicil('show', `${file}:2`, '--raw', '--json'));
      expect(item).toMatchObject({ path: file, line: 2, text: readFileSync(file, 'utf8').split('\n')[1] });
    }
  });

  test('takes a file by a path through a link, by a relative path and by its name', async () => {
    const file = logs().find((name) => name.endsWith('d8039115.jsonl'))!;
    const inside = path.relative(at('home'), file);
    for (const reference of [path.join('home', inside), at('link', inside), path.basename(file)]) {
      expect(itemsOf(await codicil('show', `${reference}:8`, '--json'))).toMatchObject([{ path: file, line: 8 }]);
    }
  });

  test('of a file that the thread left behind says so, and opens its lines all the same', async () => {
    const left = logs().find((name) => name.includes('9dab-b721d8039115_01a229f0-30ae'))!;
    const whole = await codicil('show', left);
    expect(whole.stderr).toContain(`The thread goes on without this file: codicil list --home ${at('home')} --why`);
    expect(whole.stdout).toContain('d8039115/1:8');
    expect(itemsOf(await codicil('show', `${left}:2`, '--json'))).toMatchObject([{ path: left, line: 2 }]);
    expect((await codicil('show', `${left}:2`)).stdout).toContain(' line 2\n');
  });

  test('says how many lines the named file has', async () => {
    const error = async (address: string) => JSON.parse((await codicil('show', address, '--json')).stdout).error;
    expect(await error('d8039115/1:900')).toMatchObject({
      code: 'line-not-found',
      message: 'Cannot show line 900: the file has 41 lines',
      line: 900,
    });
    expect((await error('d8039115:900')).message).toBe('Cannot show line 900: the file has 21 lines');
  });
});
