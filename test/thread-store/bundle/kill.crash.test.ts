import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleChildren, type Children } from '../../state/children.js';
import { copyFixtures, openReader, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../temp-home.js';
import { bundleOf, importInto, logsOf, namesBelow, threadIds, writeBundle } from './bundle-homes.js';

/** Dying at each change of the disk takes minutes; EVERY=1 does. */
const EVERY = Number(process.env['EVERY'] ?? 13);

let children: Children;
beforeAll(async () => {
  children = await bundleChildren('../thread-store/bundle/import-child.ts');
}, 60_000);
afterAll(() => children[Symbol.dispose]());

describe('importThreads()', () => {
  test('killed at any write leaves only whole threads and hidden files, and a repeat completes', async () => {
    using folder = tempFolder();
    const home = join(folder.path, 'a');
    copyFixtures(home, ['0.171.0/lineage']);
    writeLines(rolloutPath(home, uuid(1)), rolloutLines({}));
    const bundle = join(folder.path, 'x');
    await writeBundle(bundle, await bundleOf(home));
    const wanted = logsOf(home);
    let killed = 0;
    for (let step = 1; ; step += EVERY) {
      const target = join(folder.path, `b${step}`);
      mkdirSync(target);
      const { status, stderr } = await children.start(target, bundle, String(step)).ended;
      // Whatever has the name of a log is all of that log, and every thread that shows opens whole.
      expect(wanted).toMatchObject(logsOf(target));
      await using reader = openReader(target);
      for (const id of threadIds(target)) {
        expect((await (await reader.open(id)).history()).damage, `step ${step}`).toEqual([]);
      }
      const again = await importInto(target, bundle);
      expect(again.every(({ outcome }) => outcome !== 'conflict')).toBe(true);
      expect(logsOf(target)).toEqual(wanted);
      expect(namesBelow(target).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      expect((await bundleOf(target)).header.threads.filter(({ name }) => name !== null)).toHaveLength(
        (await bundleOf(home)).header.threads.filter(({ name }) => name !== null).length,
      );
      if (status !== 'SIGKILL') {
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        break;
      }
      killed += 1;
    }
    expect(killed).toBeGreaterThan(5);
  }, 120_000);
});
