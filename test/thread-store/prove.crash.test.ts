import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSearchDatabase, openStateDatabase } from '../../src/state/index.js';
import { bundleChildren, type Children } from '../state/children.js';
import { ChangingHome, changes } from './home-changes.js';
import {
  copyFixtures,
  derivedPaths,
  openReader,
  rolloutLines,
  rolloutPath,
  tempFolder,
  uuid,
  writeLines,
} from './temp-home.js';

/** A build says the same thing twice; another number explores further. */
const SEED = Number(process.env['SEED'] ?? 20_261_130);
const KILLS = Number(process.env['KILLS'] ?? 6);

let children: Children;
beforeAll(async () => {
  children = await bundleChildren('../thread-store/prove-child.ts');
}, 60_000);
afterAll(() => children[Symbol.dispose]());

const VERBS = ['list', 'search', 'rebuild', 'prove'] as const;

interface Kill {
  readonly verb: (typeof VERBS)[number];
  /** By itself at a touch of a file, or by us when so much was written. */
  readonly by: 'touch' | 'bytes';
  readonly part: number;
}

const kill: fc.Arbitrary<Kill> = fc.record({
  verb: fc.constantFrom(...VERBS),
  by: fc.constantFrom('touch' as const, 'bytes' as const),
  // As often in the middle as at the ends.
  part: fc.noBias(fc.nat(1_000)).map((thousandths) => thousandths / 1_000),
});

function bytesOf(index: string): number {
  const { state, search } = derivedPaths(index);
  const files = [state, search].flatMap((path) => [path, `${path}-wal`]);
  return files.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Runs a verb to its end, or to its death; says which it was. */
async function runAndKill(home: string, index: string, { verb, by, part }: Kill): Promise<'killed' | 'done'> {
  const before = bytesOf(index);
  const touches = by === 'touch' ? 1 + Math.floor(part * 700) : 0;
  const child = children.start(verb, home, index, String(touches));
  let ended = false;
  const end = child.ended.then((result) => {
    ended = true;
    return result;
  });
  if (by === 'bytes') {
    const wanted = before + Math.floor(part * 1_500_000);
    while (!ended && bytesOf(index) <= wanted) await nextTurn();
    child.process.kill('SIGKILL');
  }
  const { status, stderr } = await end;
  if (status !== 'SIGKILL') expect({ verb, status, stderr }).toEqual({ verb, status: 0, stderr: '' });
  return status === 'SIGKILL' ? 'killed' : 'done';
}

function requireSound(home: string, index: string): void {
  const { state, search } = derivedPaths(index);
  using threads = openStateDatabase({ path: state, homePath: home });
  using texts = openSearchDatabase({ path: search, homePath: home });
  expect([threads.memoryCause, texts.memoryCause, threads.quickCheck()]).toEqual([undefined, undefined, []]);
  texts.check();
}

describe('a process that is killed while it changes the index', () => {
  test('at any moment, leaves one that the next proof finds equal to the logs', { timeout: 300_000 }, async () => {
    using folder = tempFolder();
    const home = new ChangingHome(join(folder.path, 'home'));
    const index = join(folder.path, 'state_5.sqlite');
    copyFixtures(home.path, ['0.171.0/multiturn', '0.80.0/multiturn', '0.29.0/multiturn', '0.171.0/lineage']);
    for (let number = 100; number < 124; number += 1) {
      const says = Array.from(
        { length: 60 },
        (_, turn) => `Word ${turn} of thread ${number} ${'and more '.repeat(10)}`,
      );
      writeLines(rolloutPath(home.path, uuid(number)), rolloutLines({ id: uuid(number), says }));
    }
    let killed = 0;
    for (const [round, { kill: how, made }] of fc
      .sample(fc.record({ kill, made: changes }), { numRuns: KILLS, seed: SEED })
      .entries()) {
      for (const change of made.slice(0, 3).flat()) home.apply(change);
      killed += Number((await runAndKill(home.path, index, how)) === 'killed');
      // Some deaths come one upon the other.
      if (round % 4 === 1) continue;
      await using reader = openReader(home.path, { index });
      expect({ how, ...(await reader.rebuild({ prove: true })) }).toMatchObject({ how, equal: true, differences: [] });
      expect(reader.notices).toEqual([]);
      requireSound(home.path, index);
    }
    expect(killed).toBeGreaterThan(KILLS / 3);
  });
});
