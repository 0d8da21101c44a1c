import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { openLogsDatabase } from '../../src/state/logs/index.js';
import * as lifecycle from '../../src/thread-store/local/lifecycle/index.js';
import { bundleChildren, type Children } from '../state/children.js';
import {
  filesBelow,
  filesHolding,
  lock,
  NOW,
  options,
  placesOf,
  threadId,
  writeThread,
} from '../thread-store/lifecycle/lifecycle-home.js';
import { openReader } from '../thread-store/temp-home.js';
import { killMatrix } from './kill-matrix.js';

const ID = threadId(1);
const OTHER = threadId(2);
const WORDS = ['quixotrope', 'zanzibarium', 'flummerling'] as const;

let children: Children;
let processes = 0;
beforeAll(async () => {
  children = await bundleChildren('../crash/lifecycle-child.ts');
}, 60_000);
afterAll(() => {
  children[Symbol.dispose]();
  // A build has minutes, not hours.
  if (process.env['KILL_MATRIX'] !== 'all') expect(processes).toBeLessThan(250);
});

const at = (folder: string) => options(join(folder, 'home'), ID);

/** Where the logs of the thread lie and what they say, compressed or not; a twin that the plain one hides does not count. */
function logs(home: string): readonly { readonly place: string; readonly sha256: string; readonly mode: number }[] {
  const found = [...filesBelow(home)].filter(([name]) => name.includes(ID) && /\.jsonl(\.zst)?$/.test(name));
  const names = new Set(found.map(([name]) => name));
  return found
    .filter(([name]) => !(name.endsWith('.zst') && names.has(name.slice(0, -4))))
    .map(([name, { mode }]) => {
      const path = join(home, name);
      const bytes = name.endsWith('.zst') ? execFileSync('zstd', ['-dc', path]) : readFileSync(path);
      return { place: name, sha256: createHash('sha256').update(bytes).digest('hex'), mode };
    });
}

const contents = (home: string): readonly string[] => [...new Set(logs(home).map(({ sha256 }) => sha256))].sort();

/** Everything but what is derived and what only processes leave. */
function look(home: string): unknown {
  return [...filesBelow(home)]
    .filter(([name]) => !name.startsWith('db/') && !name.startsWith('thread-writer-locks/'))
    .map(([name, { sha256, mode, mtimeMs }]) => {
      const isOurs = name.startsWith('trash/') && name.endsWith('manifest.json');
      return { name, sha256, mode, ...(!isOurs && !name.endsWith('.zst') && !name.endsWith('.jsonl') && { mtimeMs }) };
    });
}

async function listed(home: string): Promise<readonly (string | null)[]> {
  const reader = openReader(home);
  const active = (await reader.list()).threads.map(({ id }) => id);
  const archived = (await reader.list({ archived: true })).threads.map(({ id }) => id);
  await reader.close();
  return [...active, ...archived].sort();
}

interface Operation {
  readonly verb: string;
  /** Brings the home to where the operation begins. */
  readonly before?: (folder: string) => Promise<unknown>;
  readonly again: (folder: string) => Promise<lifecycle.LifecycleResult>;
  readonly isListed: boolean;
  /** Whether the log has a second file. */
  readonly files?: 1 | 2;
}

const OPERATIONS: readonly Operation[] = [
  { verb: 'archive', again: (folder) => lifecycle.archiveThread(at(folder)), isListed: true },
  {
    verb: 'unarchive',
    before: (folder) => lifecycle.archiveThread(at(folder)),
    again: (folder) => lifecycle.unarchiveThread(at(folder)),
    isListed: true,
    files: 1,
  },
  { verb: 'compress', again: (folder) => lifecycle.compressThread(at(folder)), isListed: true, files: 1 },
  {
    verb: 'decompress',
    before: (folder) => lifecycle.compressThread(at(folder)),
    again: (folder) => lifecycle.decompressThread(at(folder)),
    isListed: true,
    files: 1,
  },
  { verb: 'trash', again: (folder) => lifecycle.trashThread({ ...at(folder), title: 'Hello' }), isListed: false },
  {
    verb: 'restore',
    before: (folder) => lifecycle.trashThread({ ...at(folder), title: 'Hello' }),
    again: (folder) => lifecycle.restoreThread(at(folder)),
    isListed: true,
    files: 1,
  },
];

async function makeHome(folder: string, count: 1 | 2): Promise<string> {
  const home = join(folder, 'home');
  mkdirSync(home);
  const [, segment = ''] = writeThread(home, 1, [`The ${WORDS[0]}`, `The ${WORDS[1]}`]);
  if (count === 1) rmSync(segment);
  writeThread(home, 2, ['A river']);
  writeFileSync(
    join(home, 'session_index.jsonl'),
    `{"id":"${OTHER}","thread_name":"River","updated_at":"2026-05-04T10:00:00Z"}\n{"id":"${ID}","thread_name":"${WORDS[2]}","updated_at":"2026-05-04T10:00:00Z"}\n`,
  );
  return home;
}

describe('an operation that is killed before any of its changes', () => {
  test.each(OPERATIONS)('$verb loses and doubles nothing, and is completed', async (operation) => {
    let before: unknown;
    let after: unknown;
    let texts: readonly string[] = [];
    const { kills } = await killMatrix(children.file, {
      name: operation.verb,
      async setup(folder) {
        const home = await makeHome(folder, operation.files ?? 2);
        await operation.before?.(folder);
        before = look(home);
        texts = contents(home);
        expect(texts).toHaveLength(operation.files ?? 2);
      },
      run: (folder) => [operation.verb, folder],
      async check(folder, kill) {
        const home = join(folder, 'home');
        // Whatever was going on, the bytes are there, under a name that a reader or the trash knows.
        expect(contents(home)).toEqual(texts);
        expect((await listed(home)).filter((id) => id === ID).length).toBeLessThanOrEqual(1);
        const repaired = await lifecycle.repairUnfinished(at(folder));
        expect(repaired.map(({ error }) => error)).toEqual(repaired.map(() => undefined));
        if (kill === undefined) after = look(home);
        const now = look(home);
        expect([before, after]).toContainEqual(now);
        expect(
          logs(home)
            .map(({ sha256 }) => sha256)
            .sort(),
        ).toEqual(texts);
        const result = await operation.again(folder);
        expect(result.threadId).toBe(ID);
        expect(look(home)).toEqual(after);
        expect(await listed(home)).toEqual(operation.isListed ? [ID, OTHER] : [OTHER]);
        expect(await operation.again(folder)).toMatchObject({ changed: false });
      },
    });
    processes += kills + 1;
  });

  test('purge leaves no byte once it is completed', async () => {
    const { kills } = await killMatrix(children.file, {
      name: 'purge',
      async setup(folder) {
        const home = await makeHome(folder, 1);
        const { derived, logs: logsPath } = placesOf(home);
        mkdirSync(join(home, 'db'));
        await lifecycle.trashThread(at(folder));
        writeThread(home, 1, [`The ${WORDS[0]}`, `The ${WORDS[1]}`]);
        using database = openLogsDatabase({ path: logsPath, now: () => NOW });
        database.append([
          { level: 'info', target: 'test', message: WORDS[0], threadId: ID, processId: 'p', atMs: NOW },
        ]);
        const reader = openReader(home, { index: derived.state });
        expect((await reader.search({ text: WORDS[0] })).hits).toHaveLength(1);
        await reader.close();
      },
      run: (folder) => ['purge', folder],
      async check(folder) {
        const home = join(folder, 'home');
        const places = placesOf(home);
        const repaired = await lifecycle.repairUnfinished(at(folder));
        expect(repaired.map(({ error }) => error)).toEqual(repaired.map(() => undefined));
        if (repaired.length > 0) expect(await listed(home)).toEqual([OTHER]);
        const result = await lifecycle.purgeThread({ ...at(folder), ...places });
        expect(result.path).toBeNull();
        // The lock file that the dead process held bears the id, as that of a living one would.
        const held = await lock(ID, home);
        await held.release();
        expect(filesHolding(home, [...WORDS, ID])).toEqual([]);
        expect(await listed(home)).toEqual([OTHER]);
        const reader = openReader(home, { index: places.derived.state });
        expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true });
        await reader.close();
      },
    });
    processes += kills + 1;
  }, 300_000);

  test('emptying the trash leaves entries whole or not at all', async () => {
    const { kills } = await killMatrix(children.file, {
      name: 'empty-trash',
      async setup(folder) {
        await makeHome(folder, 1);
        await lifecycle.trashThread(at(folder));
      },
      run: (folder) => ['empty-trash', folder],
      async check(folder) {
        const home = join(folder, 'home');
        const { entries, damaged } = await lifecycle.listTrash({ ownHome: home, files: nodeFileSystem });
        expect(damaged).toEqual([]);
        for (const entry of entries) expect(existsSync(join(home, 'trash', entry.entry, 'files'))).toBe(true);
        await lifecycle.emptyTrash({ ownHome: home, files: nodeFileSystem });
        expect(readdirSync(join(home, 'trash'))).toEqual([]);
      },
    });
    processes += kills + 1;
  });
});
