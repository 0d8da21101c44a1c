/**
 * Writers that are killed at random moments, several at once on the same threads: what they said was acknowledged is in the
 * logs, once, in order, and every log can be read and gone on with.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { readBeginning, readTail } from '../../src/rollout/log-tail.js';
import { bundleChildren, type Children } from '../state/children.js';
import { readLog, threadId } from './logs.js';

/** Kills; by hand as many as one likes. */
const KILLS = Number(process.env['KILLS'] ?? 12);
const SEED = Number(process.env['SEED'] ?? 20_261_201);
const WRITERS = 3;
const THREADS = 4;
/** A home is looked at after so many kills, and another one begins after four times as many. */
const KILLS_A_LOOK = 12;

let children: Children;
beforeAll(async () => {
  children = await bundleChildren('../rollout/writer-child.ts');
}, 60_000);
afterAll(() => children[Symbol.dispose]());

test.runIf(process.platform !== 'win32')(
  `${KILLS} kills of writers under load lose nothing acknowledged and leave every log readable`,
  async () => {
    let seed = SEED;
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    for (let kills = 0; kills < KILLS; ) {
      const home = mkdtempSync(join(tmpdir(), 'codicil-kill-'));
      try {
        const acknowledged: string[] = [];
        for (let looks = 0; looks < 4 && kills < KILLS; looks += 1) {
          let killed = 0;
          const writers = Array.from({ length: WRITERS }, async () => {
            while (killed < KILLS_A_LOOK && kills < KILLS) {
              kills += 1;
              killed += 1;
              await runAndKill(home, Math.floor(random() * 2 ** 31), Math.floor(random() ** 3 * 300), acknowledged);
            }
          });
          await Promise.all(writers);
          await look(home, acknowledged);
        }
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    }
  },
  60_000 + KILLS * 2_000,
);

/** Kills a writer when it has acknowledged so many records; what it had said by then counts. */
async function runAndKill(home: string, seed: number, records: number, acknowledged: string[]): Promise<void> {
  const child = children.start('write', home, String(seed), String(THREADS));
  const { stdout } = child.process;
  let rest = '';
  let count = 0;
  stdout.on('data', (chunk: Buffer) => {
    rest += chunk.toString('utf8');
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) acknowledged.push(JSON.parse(line) as string);
    count += lines.length;
    if (count >= records) child.process.kill('SIGKILL');
  });
  const { status, stderr } = await child.ended;
  expect({ status, stderr }).toEqual({ status: 'SIGKILL', stderr: '' });
}

async function look(home: string, acknowledged: readonly string[]): Promise<void> {
  const folder = join(home, 'sessions', '2026', '05', '04');
  for (let number = 1; number <= THREADS; number += 1) {
    const name = readdirSync(folder).find((file) => file.includes(threadId(number)));
    const own = acknowledged.filter((text) => text.startsWith(`${number}:`));
    if (name === undefined) {
      expect(own).toEqual([]);
      continue;
    }
    const path = join(folder, name);
    const { texts, ordinals, types } = await readLog(path);
    const found = texts.map((text) => text.split(' ')[0] ?? '');
    const places = new Map(found.map((text, index) => [text, index]));
    expect(places.size, 'no record stands twice').toBe(found.length);
    expect(own.filter((text) => !places.has(text))).toEqual([]);
    expect(types[0]).toBe('session_meta');
    const dialect = number % 2 === 0 ? 'paginated' : 'legacy';
    expect(readBeginning(path, threadId(number), nodeFileSystem).dialect).toBe(dialect);
    readTail(path, dialect, nodeFileSystem);
    expect(ordinals).toEqual([...ordinals.keys()].map((at) => (dialect === 'paginated' ? at : undefined)));
    // A writer's records stand in the order in which it wrote them.
    const lastCalls = new Map<string, number>();
    for (const text of found) {
      const [writer = '', session = '', call = '', item = ''] = text.split('-');
      const place = Number(call) * 10 + Number(item);
      expect(place).toBeGreaterThan(lastCalls.get(`${writer}-${session}`) ?? -1);
      lastCalls.set(`${writer}-${session}`, place);
    }
  }
}
