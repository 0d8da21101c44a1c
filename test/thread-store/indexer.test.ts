import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../src/base/ids.js';
import { FileAccessError, type FileSystem, type RegularFile } from '../../src/platform/files/file-system.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import type { StateDatabase } from '../../src/state/index.js';
import { Indexer, type RefreshResult } from '../../src/thread-store/local/index/indexer.js';
import { differencesOf } from '../../src/thread-store/local/index/prove.js';
import { rebuildIndex } from '../../src/thread-store/local/index/rebuild.js';
import { ThreadComposer } from '../../src/thread-store/local/index/thread-composer.js';
import { ChangingHome, changes } from './home-changes.js';
import { copyFixtures, openReader, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from './temp-home.js';
import { openIndex, type TempIndex } from './temp-index.js';

const clock = (): number => performance.now();

function refresh(home: string, index: TempIndex, files: FileSystem = nodeFileSystem): Promise<RefreshResult> {
  return new Indexer({ home, files, clock }).refresh(index);
}

/** What differs from an index that is made from nothing. */
async function differences(home: string, index: TempIndex): Promise<readonly string[]> {
  using fresh = openIndex(home);
  await refresh(home, fresh);
  return differencesOf({ state: index.state, search: index.full }, { state: fresh.state, search: fresh.full });
}

function counted(state: StateDatabase): number {
  const hidden = Object.values(state.hiddenCounts()).reduce((sum, count) => sum + count, 0);
  return state.countThreads() + hidden;
}

/** The real file system, with what was read and failures that a test asks for. */
class WatchedFiles {
  readBytes = 0;
  /** Error code by path. */
  readonly failing = new Map<string, string>();
  /** Runs before a file is opened. */
  onOpen: (path: string) => void = () => {};
  readonly files: FileSystem;

  constructor() {
    this.files = {
      ...nodeFileSystem,
      readDirectory: async (path, options) => {
        this.#fail(path);
        return nodeFileSystem.readDirectory(path, options);
      },
      openRegularSync: (path) => {
        this.onOpen(path);
        this.#fail(path);
        return this.#watch(nodeFileSystem.openRegularSync(path));
      },
    };
  }

  #fail(path: string): void {
    const code = this.failing.get(path);
    if (code === 'time-limit') throw new FileAccessError('time-limit', 'No answer', path);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  }

  #watch(file: RegularFile): RegularFile {
    return {
      stat: file.stat,
      read: (target, position) => file.read(target, position),
      readSync: (target, position) => {
        const count = file.readSync(target, position);
        this.readBytes += count;
        return count;
      },
      close: () => file.close(),
      closeSync: () => file.closeSync(),
    };
  }
}

describe('Indexer.refresh()', () => {
  test('keeps an index, through any changes of its home, equal to one made from nothing', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (rounds) => {
        using folder = tempFolder();
        const home = new ChangingHome(folder.path);
        using index = openIndex(home.path);
        const { state } = index;
        for (const round of rounds) {
          for (const change of round) home.apply(change);
          const { files, state: reached, indexed } = await refresh(home.path, index);
          expect(await differences(home.path, index)).toEqual([]);
          const listedOrEmpty = state.countListedFiles() + (state.hiddenCounts().empty ?? 0);
          expect({ counted: counted(state), all: listedOrEmpty, reached, indexed }).toEqual({
            counted: files,
            all: files,
            reached: 'complete',
            indexed: files,
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  test('reads only the tail of a file that was appended to', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    writeLines(path, rolloutLines({ says: Array.from({ length: 20_000 }, (_, turn) => `Say ${turn}`) }));
    using index = openIndex(folder.path);
    const watched = new WatchedFiles();
    await refresh(folder.path, index, watched.files);
    expect(watched.readBytes).toBeGreaterThan(statSync(path).size);
    for (const said of ['One more', 'And one more']) {
      appendFileSync(path, `${rolloutLines({ says: [said] })[1]}\n`);
      watched.readBytes = 0;
      await refresh(folder.path, index, watched.files);
      // Both edges before and after, the tail, and the last lines.
      expect(watched.readBytes).toBeLessThan(32 * 1024);
      expect(await differences(folder.path, index)).toEqual([]);
    }
  });

  test('takes back what an unfinished last line told when that line becomes another', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    const [meta = '', message = ''] = rolloutLines({ says: ['First thought'] });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${meta}\n${message}`);
    using index = openIndex(folder.path);
    const { state } = index;
    await refresh(folder.path, index);
    expect(state.findById(uuid(1) as ThreadId)?.title).toBe('First thought');
    writeFileSync(path, `${meta}\n${message.replaceAll('First', 'A much better second')}\n`);
    await refresh(folder.path, index);
    expect(state.findById(uuid(1) as ThreadId)?.title).toBe('A much better second thought');
  });

  test('reads nothing of files that did not change', async () => {
    using folder = tempFolder();
    copyFixtures(folder.path, ['0.171.0/plain', '0.80.0/appserver', '0.171.0/lineage']);
    using index = openIndex(folder.path);
    const watched = new WatchedFiles();
    await refresh(folder.path, index, watched.files);
    watched.readBytes = 0;
    await refresh(folder.path, index, watched.files);
    expect(watched.readBytes).toBe(0);
  });

  test.each(['EACCES', 'EIO', 'time-limit'])(
    'keeps the rows of a folder that fails with %s, and says so',
    async (code) => {
      using folder = tempFolder();
      copyFixtures(folder.path, ['0.171.0/plain', '0.80.0/plain']);
      using index = openIndex(folder.path);
      const { state } = index;
      await refresh(folder.path, index);
      const rows = state.allThreads();
      for (const dead of ['sessions', 'sessions/2026', 'sessions/2026/11/29']) {
        const watched = new WatchedFiles();
        watched.failing.set(join(folder.path, dead), code);
        const notices: string[] = [];
        const indexer = new Indexer({
          home: folder.path,
          files: watched.files,
          clock,
          onNotice: (notice) => notices.push(notice),
        });
        await indexer.refresh(index);
        expect(state.allThreads()).toEqual(rows);
        expect(notices).toEqual([expect.stringContaining(join(folder.path, dead))]);
        const again = await indexer.refresh(index);
        expect(again.unreadableFolders).toBe(1);
        const generation = state.currentGeneration();
        await expect(
          rebuildIndex({ state, search: index.full }, indexer, { prove: true, clock }),
        ).rejects.toMatchObject({
          code: 'home-unreadable',
        });
        expect([state.currentGeneration(), state.allThreads()]).toEqual([generation, rows]);
      }
    },
  );

  test('forgets what is gone', async () => {
    using folder = tempFolder();
    copyFixtures(folder.path, ['0.171.0/plain', '0.80.0/plain']);
    using index = openIndex(folder.path);
    const { state } = index;
    await refresh(folder.path, index);
    rmSync(join(folder.path, 'sessions'), { recursive: true });
    expect(await refresh(folder.path, index)).toEqual({ state: 'complete', indexed: 0, files: 0, bytes: 0 });
    expect(state.allThreads()).toEqual([]);
    expect(state.allFiles()).toEqual([]);
  });

  test('tries a file again whose reading failed for a passing reason', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    writeLines(path, rolloutLines({}));
    using index = openIndex(folder.path);
    const { state } = index;
    const watched = new WatchedFiles();
    watched.failing.set(path, 'EMFILE');
    expect(await refresh(folder.path, index, watched.files)).toMatchObject({ state: 'complete', indexed: 1 });
    expect(state.hiddenCounts()).toEqual({ unreadable: 1 });
    await refresh(folder.path, index);
    expect(state.hiddenCounts()).toEqual({});
    expect(state.allThreads()).toHaveLength(1);
  });

  test('leaves out a file that goes away while it is about to be read', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    writeLines(path, rolloutLines({}));
    writeLines(rolloutPath(folder.path, uuid(2)), rolloutLines({ id: uuid(2) }));
    using index = openIndex(folder.path);
    const { state } = index;
    const watched = new WatchedFiles();
    watched.onOpen = (opened) => {
      if (opened === path) rmSync(path, { force: true });
    };
    await refresh(folder.path, index, watched.files);
    expect(state.allFiles()).toHaveLength(1);
    expect(await differences(folder.path, index)).toEqual([]);
  });

  test('reads a file from its start that is rewritten while it is read', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    writeLines(path, rolloutLines({ says: ['Say old'] }));
    using index = openIndex(folder.path);
    const watched = new WatchedFiles();
    let opened = 0;
    watched.onOpen = () => {
      opened += 1;
      // Between the scan and the hashes that tell whether a file was only appended to.
      if (opened === 2) writeLines(path, rolloutLines({ says: ['Say new'] }));
    };
    await refresh(folder.path, index, watched.files);
    appendFileSync(path, `${rolloutLines({ says: ['More'] })[1]}\n`);
    await refresh(folder.path, index);
    expect(await differences(folder.path, index)).toEqual([]);
  });

  test('finishes what a refresh that died half-way left of a thread that continues another', async () => {
    using folder = tempFolder();
    const home = new ChangingHome(folder.path);
    home.apply({ kind: 'new-paginated', which: 0, number: 3 });
    home.apply({ kind: 'fork', which: 0, number: 1 });
    using index = openIndex(folder.path);
    const { state } = index;
    // Rows are written when files are opened asynchronously, for what a thread inherits.
    const openRegular: FileSystem['openRegular'] = async (path, options) => {
      if (path.endsWith('session_index.jsonl')) return nodeFileSystem.openRegular(path, options);
      throw new Error('Died');
    };
    await expect(refresh(folder.path, index, { ...nodeFileSystem, openRegular })).rejects.toThrow('Died');
    expect(state.allThreads()).toHaveLength(2);
    expect(await differences(folder.path, index)).not.toEqual([]);
    await refresh(folder.path, index);
    expect(await differences(folder.path, index)).toEqual([]);
  });

  test('composes a thread again when the one that it continues is rewritten', async () => {
    using folder = tempFolder();
    const home = new ChangingHome(folder.path);
    home.apply({ kind: 'new-paginated', which: 0, number: 3 });
    home.apply({ kind: 'fork', which: 0, number: 1 });
    using index = openIndex(folder.path);
    const { state } = index;
    await refresh(folder.path, index);
    expect(state.thread(uuid(2) as ThreadId)?.title).toBe('Say 0 of 1');
    home.apply({ kind: 'rewrite-same-size', which: 0, number: 5 });
    await refresh(folder.path, index);
    expect(state.thread(uuid(2) as ThreadId)?.title).toBe('Say 5 of 1');
  });

  test('rejects with the reason of the signal, and writes nothing more', async () => {
    using folder = tempFolder();
    copyFixtures(folder.path, ['0.171.0/plain', '0.80.0/plain']);
    using index = openIndex(folder.path);
    const { state } = index;
    const stop = new AbortController();
    const reason = new Error('Stopped');
    const watched = new WatchedFiles();
    watched.onOpen = () => stop.abort(reason);
    const indexer = new Indexer({ home: folder.path, files: watched.files, clock });
    await expect(indexer.refresh(index, { signal: stop.signal })).rejects.toBe(reason);
    expect(state.allFiles()).toEqual([]);
  });

  test('reads what there is time for, says that it is building, and goes on the next time', async () => {
    using folder = tempFolder();
    copyFixtures(folder.path, ['0.171.0/plain', '0.80.0/plain', '0.147.0/plain']);
    using index = openIndex(folder.path);
    const { state } = index;
    let now = 0;
    const watched = new WatchedFiles();
    watched.onOpen = () => {
      now += 10;
    };
    const indexer = new Indexer({ home: folder.path, files: watched.files, clock: () => now });
    const first = await indexer.refresh(index, { budgetMs: 15 });
    expect(first).toMatchObject({ state: 'building', files: 3 });
    expect(first.indexed).toBe(state.allFiles().length);
    expect(await indexer.refresh(index)).toMatchObject({ state: 'complete', indexed: 3 });
    expect(await differences(folder.path, index)).toEqual([]);
  });

  test('leaves a file to another process that has moved it on', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    writeLines(path, rolloutLines({ says: ['Say 1'] }));
    using index = openIndex(folder.path);
    await refresh(folder.path, index);
    appendFileSync(path, `${rolloutLines({ says: ['Say 2'] })[1]}\n`);
    const indexer = new Indexer({ home: folder.path, files: nodeFileSystem, clock });
    const started = index.state.file(path);
    const others = { ...started!, watermark: { ...started!.watermark, sizeBytes: 9_999, lines: 99 } };
    await indexer.refresh(index, {
      // After the file was read, before its row is written.
      onProgress: ({ phase }) => {
        if (phase === 'full') index.state.putFile(others, { expected: started!.watermark });
      },
    });
    expect(index.state.file(path)).toEqual(others);
    await refresh(folder.path, index);
    expect(await differences(folder.path, index)).toEqual([]);
  });

  test('gives threads the newest names when processes that read different ones write together', async () => {
    using folder = tempFolder();
    const id = uuid(1) as ThreadId;
    const name = (text: string): void =>
      appendFileSync(join(folder.path, 'session_index.jsonl'), `${JSON.stringify({ id, thread_name: text })}\n`);
    writeLines(rolloutPath(folder.path, id), rolloutLines({ id }));
    name('Old');
    using index = openIndex(folder.path);
    const { state } = index;
    await refresh(folder.path, index);
    const slow = new ThreadComposer({ home: folder.path, files: nodeFileSystem, index: state });
    await slow.readNames({ needed: true });
    name('New');
    await refresh(folder.path, index);
    expect(state.thread(id)?.name).toBe('New');
    state.transaction(() => slow.compose([id]));
    await slow.finish();
    await refresh(folder.path, index);
    expect(state.thread(id)?.name).toBe('New');
  });

  test('lists threads without names when those cannot be read', async () => {
    using folder = tempFolder();
    writeLines(rolloutPath(folder.path, uuid(1)), rolloutLines({}));
    mkdirSync(join(folder.path, 'session_index.jsonl'));
    using index = openIndex(folder.path);
    const { state } = index;
    await refresh(folder.path, index);
    expect(state.allThreads()).toHaveLength(1);
  });

  test('follows a thread from file to file when it is moved and written on', async () => {
    using folder = tempFolder();
    const active = rolloutPath(folder.path, uuid(1));
    const archived = rolloutPath(folder.path, uuid(1), { archived: true });
    writeLines(active, rolloutLines({}));
    using index = openIndex(folder.path);
    const { state } = index;
    await refresh(folder.path, index);
    mkdirSync(dirname(archived), { recursive: true });
    renameSync(active, archived);
    await refresh(folder.path, index);
    expect(state.thread(uuid(1) as ThreadId)).toMatchObject({ path: archived, archived: true });
    expect(state.allFiles()).toHaveLength(1);
  });
});

describe('LocalSessionReader.rebuild()', () => {
  test('proves an index equal, through any changes of its home', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (rounds) => {
        using folder = tempFolder();
        const home = new ChangingHome(folder.path);
        await using reader = openReader(home.path);
        for (const round of rounds) {
          for (const change of round) home.apply(change);
          const { total, hidden, index } = await reader.list();
          const files = Object.values(hidden).reduce((sum, count) => sum + count, total);
          expect({ files, index }).toEqual({ files: index.files, index: { state: 'complete', indexed: files, files } });
        }
        expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true, differences: [] });
      }),
      { numRuns: 25 },
    );
  });

  test('is not fooled by a log that is written while it runs', async () => {
    using folder = tempFolder();
    const path = rolloutPath(folder.path, uuid(1));
    writeLines(path, rolloutLines({}));
    const watched = new WatchedFiles();
    let appended = 0;
    watched.onOpen = () => {
      if (appended < 7) appendFileSync(path, `${rolloutLines({ says: [`More ${appended}`] })[1]}\n`);
      appended += 1;
    };
    await using reader = openReader(folder.path, { files: watched.files });
    expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true, differences: [] });
    expect(appended).toBeGreaterThan(4);
    writeFileSync(path, '');
    expect((await reader.list()).hidden).toEqual({ empty: 1 });
  });
});
