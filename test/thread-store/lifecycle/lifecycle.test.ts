import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import {
  archiveThread,
  compressThread,
  decompressThread,
  emptyTrash,
  listTrash,
  purgeThread,
  repairUnfinished,
  restoreThread,
  trashThread,
  unarchiveThread,
} from '../../../src/thread-store/local/lifecycle/index.js';
import { openReader, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../temp-home.js';
import { filesBelow, lock, logsOf, NOW, options, threadId, writeThread } from './lifecycle-home.js';

const files = nodeFileSystem;
const ID = threadId(1);

function home(): Disposable & { readonly path: string } {
  const folder = tempFolder();
  writeFileSync(
    join(folder.path, 'session_index.jsonl'),
    `{"id":"${ID}","thread_name":"Named","updated_at":"2026-05-04T10:00:00Z"}\n`,
  );
  return folder;
}

const archivedName = (path: string): string => join('archived_sessions', basename(path));

describe('archiveThread()', () => {
  test('moves every file of the thread, flat, with its bytes, permissions and time', async () => {
    using folder = home();
    const paths = writeThread(folder.path, 1);
    const other = writeThread(folder.path, 2);
    const before = filesBelow(folder.path);
    const result = await archiveThread(options(folder.path, ID));
    expect(result).toEqual({
      threadId: ID,
      path: join(folder.path, archivedName(paths[1]!)),
      changed: true,
      removed: [],
      moved: paths.map((from) => ({ from, to: join(folder.path, archivedName(from)) })),
    });
    const wanted = new Map(before);
    for (const path of paths) {
      const name = path.slice(folder.path.length + 1);
      wanted.set(archivedName(path), before.get(name)!);
      wanted.delete(name);
    }
    expect(new Map([...filesBelow(folder.path)].sort())).toEqual(new Map([...wanted].sort()));
    expect(other.every((path) => existsSync(path))).toBe(true);
  });

  test('changes nothing the second time, and says so', async () => {
    using folder = home();
    writeThread(folder.path, 1);
    const first = await archiveThread(options(folder.path, ID));
    const before = filesBelow(folder.path);
    expect(await archiveThread(options(folder.path, ID))).toEqual({ ...first, changed: false, moved: [] });
    expect(filesBelow(folder.path)).toEqual(before);
  });

  test('keeps both files where the place is taken by another one', async () => {
    using folder = home();
    const [path = ''] = writeThread(folder.path, 1);
    writeLines(join(folder.path, archivedName(path)), ['another']);
    const before = filesBelow(folder.path);
    await expect(archiveThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'name-taken' });
    expect(filesBelow(folder.path)).toEqual(before);
  });

  test('keeps both files where the other form of one lies in the archive', async () => {
    using folder = home();
    const [path = ''] = writeThread(folder.path, 1);
    writeLines(`${join(folder.path, archivedName(path))}.zst`, ['another']);
    const before = filesBelow(folder.path);
    await expect(archiveThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'name-taken' });
    expect(filesBelow(folder.path)).toEqual(before);
  });

  test('refuses a thread that is no thread of the home, a link in the place of a log, and a folder that is closed', async () => {
    using folder = home();
    await expect(archiveThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'thread-not-found' });
    const path = rolloutPath(folder.path, ID);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync('/etc/hostname', path);
    await expect(archiveThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'unsupported' });
    const closed = {
      ...files,
      readDirectory: async (at: string) => {
        if (at.endsWith('04')) throw Object.assign(new Error('closed'), { code: 'EACCES' });
        return files.readDirectory(at);
      },
    };
    await expect(archiveThread({ ...options(folder.path, ID), files: closed })).rejects.toMatchObject({
      code: 'home-unreadable',
    });
  });

  test('gives the lock back, and changes nothing, when it is aborted or the thread is busy', async () => {
    using folder = home();
    writeThread(folder.path, 1);
    const before = logsOf(folder.path);
    const reason = new Error('Enough');
    await expect(archiveThread({ ...options(folder.path, ID), signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    const held = await lock(ID, folder.path);
    await expect(archiveThread(options(folder.path, ID))).rejects.toThrow('busy');
    await held.release();
    expect(logsOf(folder.path)).toEqual(before);
    expect((await archiveThread(options(folder.path, ID))).changed).toBe(true);
  });

  test('leaves a fork that continues the thread by reference as it was', async () => {
    using folder = home();
    const paginated = 'fixtures/samples-0.171';
    const fork = readFileSync(join(paginated, 'paginated-fork-by-reference.jsonl'), 'utf8');
    // The parent, made to fit what the fork says of it.
    const base = JSON.parse(fork.split('\n')[0]!).payload.history_base as {
      thread_id: string;
      end_ordinal_exclusive: number;
      end_byte_offset: number;
    };
    const forkId = JSON.parse(fork.split('\n')[0]!).payload.id as string;
    const lines = Array.from({ length: base.end_ordinal_exclusive }, (_, ordinal) =>
      ordinal === 0
        ? JSON.stringify({
            timestamp: '2026-05-04T10:00:00.000Z',
            ordinal,
            type: 'session_meta',
            payload: {
              id: base.thread_id,
              timestamp: '2026-05-04T10:00:00.000Z',
              cwd: '/p',
              history_mode: 'paginated',
            },
          })
        : JSON.stringify({
            timestamp: '2026-05-04T10:00:01.000Z',
            ordinal,
            type: 'response_item',
            payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: `Said ${ordinal}` }] },
          }),
    );
    const pad = base.end_byte_offset - lines.reduce((sum, line) => sum + line.length + 1, 0);
    lines[1] = lines[1]!.replace('Said 1', `Said 1${'x'.repeat(pad)}`);
    const parent = rolloutPath(folder.path, base.thread_id);
    writeLines(parent, lines);
    const forkPath = rolloutPath(folder.path, forkId);
    mkdirSync(dirname(forkPath), { recursive: true });
    writeFileSync(forkPath, fork);
    const history = async (): Promise<unknown> => {
      const reader = openReader(folder.path);
      const thread = await reader.open(threadOf(forkId));
      const { items, damage } = await thread.history();
      await reader.close();
      return { items, damage };
    };
    const before = await history();
    expect(JSON.stringify(before)).toContain('Said 3');
    await archiveThread(options(folder.path, threadOf(base.thread_id)));
    expect(await history()).toEqual(before);
    await compressThread(options(folder.path, threadOf(base.thread_id)));
    expect(await history()).toEqual(before);
    await expect(trashThread(options(folder.path, threadOf(base.thread_id)))).rejects.toMatchObject({
      code: 'unsupported',
      forks: [forkId],
    });
    await expect(purgeThread(options(folder.path, threadOf(base.thread_id)))).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(forkId),
    });
    expect((await trashThread({ ...options(folder.path, threadOf(base.thread_id)), force: true })).changed).toBe(true);
  });
});

function threadOf(id: string): typeof ID {
  return id as typeof ID;
}

describe('a file of another thread that bears the id in its name', () => {
  test('stays where it is, and is found by its own id', async () => {
    using folder = home();
    const paths = writeThread(folder.path, 1);
    // As some releases named a fork: everything is copied into it, the first record is that of the root.
    const fork = rolloutPath(folder.path, ID, { segment: uuid(7) });
    writeLines(fork, rolloutLines({ id: ID, says: ['Copied'] }));
    // And one whose name is not the id that it tells.
    const misnamed = rolloutPath(folder.path, uuid(8));
    writeLines(misnamed, rolloutLines({ id: uuid(9) }));
    expect((await archiveThread(options(folder.path, ID))).moved.map(({ from }) => from)).toEqual(paths);
    expect((await archiveThread(options(folder.path, threadId(7)))).moved.map(({ from }) => from)).toEqual([fork]);
    await expect(archiveThread(options(folder.path, threadId(8)))).rejects.toMatchObject({ code: 'thread-not-found' });
    expect((await trashThread(options(folder.path, threadId(9)))).removed).toEqual([misnamed]);
    expect((await restoreThread(options(folder.path, threadId(9)))).path).toBe(misnamed);
  });
});

describe('unarchiveThread()', () => {
  test.each(['Pacific/Kiritimati', 'America/Los_Angeles', 'UTC'])(
    'finds the folder of the day in the name, with the zone at %s',
    async (zone) => {
      using folder = home();
      const [path = ''] = writeThread(folder.path, 1);
      const before = logsOf(folder.path);
      const earlier = process.env['TZ'];
      process.env['TZ'] = zone;
      try {
        await archiveThread(options(folder.path, ID));
        const result = await unarchiveThread(options(folder.path, ID));
        expect(result).toMatchObject({ changed: true, removed: [] });
        expect(result.moved[0]?.to).toBe(path);
        expect(logsOf(folder.path)).toEqual(before);
        expect(await unarchiveThread(options(folder.path, ID))).toMatchObject({ changed: false, path: result.path });
      } finally {
        if (earlier === undefined) delete process.env['TZ'];
        else process.env['TZ'] = earlier;
      }
    },
  );
});

describe('compressThread()', () => {
  test('leaves what the real program decodes, with permissions and time, and nothing plain', async () => {
    using folder = home();
    const paths = writeThread(
      folder.path,
      1,
      Array.from({ length: 500 }, (_, turn) => `Turn ${turn} ${'과 '.repeat(40)}`),
    );
    const before = paths.map((path) => readFileSync(path));
    const looks = logsOf(folder.path);
    const result = await compressThread(options(folder.path, ID));
    expect(result).toEqual({ threadId: ID, path: `${paths[1]}.zst`, changed: true, removed: paths, moved: [] });
    for (const [index, path] of paths.entries()) {
      expect(existsSync(path)).toBe(false);
      const decoded = execFileSync('zstd', ['-dc', `${path}.zst`], { maxBuffer: 1 << 28 });
      expect(decoded.equals(before[index]!)).toBe(true);
      const look = logsOf(folder.path).get(`${path.slice(folder.path.length + 1)}.zst`);
      const { mode, mtimeMs } = looks.get(path.slice(folder.path.length + 1))!;
      expect(look).toMatchObject({ mode });
      expect(Math.abs((look?.mtimeMs ?? 0) - mtimeMs)).toBeLessThan(0.01);
    }
    expect(await compressThread(options(folder.path, ID))).toMatchObject({ changed: false, removed: [] });
    const back = await decompressThread(options(folder.path, ID));
    expect(back).toMatchObject({ changed: true, path: paths[1], removed: paths.map((path) => `${path}.zst`) });
    for (const [index, path] of paths.entries()) expect(readFileSync(path).equals(before[index]!)).toBe(true);
    expect(logsOf(folder.path).size).toBe(2);
    expect(await decompressThread(options(folder.path, ID))).toMatchObject({ changed: false });
  });

  test('takes an older compressed form away, and keeps one that says something else', async () => {
    using folder = home();
    const [path = ''] = writeThread(folder.path, 1);
    const before = readFileSync(path);
    await compressThread(options(folder.path, ID));
    // As a release that appends to the plain log alone leaves it.
    writeFileSync(path, Buffer.concat([before, Buffer.from('{"more":1}\n')]));
    expect((await compressThread(options(folder.path, ID))).changed).toBe(true);
    expect(execFileSync('zstd', ['-dc', `${path}.zst`]).toString()).toBe(`${before.toString()}{"more":1}\n`);
    writeFileSync(path, before);
    const looks = logsOf(folder.path);
    await expect(compressThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'name-taken' });
    await expect(decompressThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'name-taken' });
    expect(logsOf(folder.path)).toEqual(looks);
  });

  test('keeps the log when another program writes to it meanwhile', async () => {
    using folder = home();
    const [path = ''] = writeThread(folder.path, 1);
    const before = readFileSync(path, 'utf8');
    let reads = 0;
    const writing = {
      ...files,
      openRegular: async (at: string) => {
        const opened = await files.openRegular(at);
        if (at === path && (reads += 1) === 2) appendFileSync(path, 'more\n');
        return opened;
      },
    };
    await expect(compressThread({ ...options(folder.path, ID), files: writing })).rejects.toMatchObject({
      code: 'log-changed',
    });
    expect(readFileSync(path, 'utf8')).toBe(`${before}more\n`);
    expect([...logsOf(folder.path).keys()].filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
    expect(existsSync(join(folder.path, 'unfinished', 'x'))).toBe(false);
    expect([...filesBelow(join(folder.path, 'unfinished')).keys()]).toEqual([]);
  });
});

describe('decompressThread()', () => {
  test('changes nothing when the compressed log is damaged', async () => {
    using folder = home();
    const [path = ''] = writeThread(folder.path, 1);
    await compressThread(options(folder.path, ID));
    const bytes = readFileSync(`${path}.zst`);
    writeFileSync(`${path}.zst`, bytes.subarray(0, bytes.length - 20));
    const before = logsOf(folder.path);
    await expect(decompressThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'damaged' });
    expect(logsOf(folder.path)).toEqual(before);
  });
});

describe('the trash', () => {
  test('takes all files of a thread and gives them back where they were', async () => {
    using folder = home();
    const paths = writeThread(folder.path, 1);
    writeThread(folder.path, 2);
    const before = filesBelow(folder.path);
    const deleted = await trashThread({ ...options(folder.path, ID), title: 'Hello' });
    expect(deleted).toMatchObject({ path: null, changed: true, removed: paths });
    expect([...logsOf(folder.path).keys()].filter((name) => name.startsWith('sessions'))).toHaveLength(2);
    const { entries, damaged } = await listTrash({ ownHome: folder.path, files });
    expect(damaged).toEqual([]);
    expect(entries).toEqual([
      {
        entry: ID,
        threadId: ID,
        title: 'Hello',
        name: 'Named',
        trashedAt: new Date(NOW).toISOString(),
        home: folder.path,
        files: paths.map((path) => ({
          relativePath: path.slice(folder.path.length + 1),
          sizeBytes: expect.any(Number),
          mtimeNs: expect.stringMatching(/^17800000\d\d5\d{8}$/),
        })),
      },
    ]);
    expect(await trashThread(options(folder.path, ID))).toMatchObject({ changed: false, path: null });
    const restored = await restoreThread(options(folder.path, ID));
    expect(restored).toMatchObject({ path: paths[1], changed: true });
    expect(filesBelow(folder.path)).toEqual(before);
    expect(await restoreThread(options(folder.path, ID))).toMatchObject({ changed: false, path: paths[1] });
  });

  test('never restores over another file', async () => {
    using folder = home();
    const [path = ''] = writeThread(folder.path, 1);
    await trashThread(options(folder.path, ID));
    writeLines(path, ['another']);
    const before = filesBelow(folder.path);
    await expect(restoreThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'name-taken' });
    expect(filesBelow(folder.path)).toEqual(before);
  });

  test('holds a thread that was deleted twice twice, and gives the newer one back', async () => {
    using folder = home();
    const [path = ''] = writeThread(folder.path, 1);
    await trashThread(options(folder.path, ID));
    writeLines(path, rolloutLines({ id: ID, says: ['Again'] }));
    await trashThread({ ...options(folder.path, ID), clock: () => NOW + 1000 });
    expect((await listTrash({ ownHome: folder.path, files })).entries.map(({ entry }) => entry)).toEqual([
      `${ID}.2`,
      ID,
    ]);
    await restoreThread(options(folder.path, ID));
    expect(readFileSync(path, 'utf8')).toContain('Again');
    expect(await emptyTrash({ ownHome: folder.path, files })).toEqual([join(folder.path, 'trash', ID)]);
    expect(await listTrash({ ownHome: folder.path, files })).toEqual({ entries: [], damaged: [] });
    expect([...filesBelow(join(folder.path, 'trash')).keys()]).toEqual([]);
  });

  test('is our own home for a thread of another program, whose databases stay as they are', async () => {
    using own = tempFolder();
    using foreign = home();
    writeThread(foreign.path, 1);
    writeFileSync(join(foreign.path, 'state_5.sqlite'), 'not ours');
    const before = filesBelow(foreign.path);
    await trashThread(options(foreign.path, ID, own.path));
    expect([...filesBelow(foreign.path).keys()]).toEqual(['session_index.jsonl', 'state_5.sqlite']);
    expect((await listTrash({ ownHome: own.path, files })).entries).toHaveLength(1);
    await restoreThread(options(foreign.path, ID, own.path));
    expect(filesBelow(foreign.path)).toEqual(before);
  });

  test('on another file system takes whole copies', async () => {
    if (!existsSync('/dev/shm')) return;
    using foreign = home();
    const own = execFileSync('mktemp', ['-d', '-p', '/dev/shm', 'codicil-XXXXXX']).toString().trim();
    try {
      writeThread(foreign.path, 1);
      const before = filesBelow(foreign.path);
      const looks = [...logsOf(foreign.path).values()];
      await trashThread(options(foreign.path, ID, own));
      const kept = [...filesBelow(own)].filter(([name]) => name.endsWith('.jsonl')).map(([, look]) => look);
      expect(kept.map(({ sha256, mode }) => ({ sha256, mode }))).toEqual(
        looks.map(({ sha256, mode }) => ({ sha256, mode })),
      );
      await restoreThread(options(foreign.path, ID, own));
      const after = filesBelow(foreign.path);
      expect([...after.keys()]).toEqual([...before.keys()]);
      for (const [name, { sha256, mode, mtimeMs }] of before) {
        expect(after.get(name)).toMatchObject({ sha256, mode });
        expect(Math.abs((after.get(name)?.mtimeMs ?? 0) - mtimeMs)).toBeLessThan(0.01);
      }
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  });

  test('shows a manifest that it cannot understand, and puts no file outside of the home', async () => {
    using folder = home();
    writeThread(folder.path, 1);
    await trashThread(options(folder.path, ID));
    const manifest = join(folder.path, 'trash', ID, 'manifest.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace('"sessions/2026', '"sessions/../../2026'));
    const list = await listTrash({ ownHome: folder.path, files });
    expect(list).toMatchObject({ entries: [], damaged: [{ path: join(folder.path, 'trash', ID) }] });
    await expect(restoreThread(options(folder.path, ID))).rejects.toMatchObject({ code: 'thread-not-found' });
  });

  test('keeps everything whatever the clock says and whatever times files have (field fault CC#61852)', async () => {
    using folder = home();
    const paths = writeThread(folder.path, 1);
    writeThread(folder.path, 2);
    await trashThread(options(folder.path, threadId(2)));
    for (const path of paths) utimesSync(path, 1, 1);
    const before = filesBelow(folder.path);
    const later = { ...options(folder.path, ID), clock: () => NOW + 31 * 24 * 3600 * 1000 };
    await repairUnfinished(later);
    await listTrash({ ownHome: folder.path, files });
    await unarchiveThread(later);
    expect(filesBelow(folder.path)).toEqual(before);
  });
});

describe('repairUnfinished()', () => {
  test('completes a move of which both names are there', async () => {
    using folder = home();
    const paths = writeThread(folder.path, 1);
    const before = [...logsOf(folder.path).values()];
    // As a kill between the two steps leaves it.
    mkdirSync(join(folder.path, 'archived_sessions'));
    linkSync(paths[0]!, join(folder.path, archivedName(paths[0]!)));
    expect((await archiveThread(options(folder.path, ID))).changed).toBe(true);
    expect([...logsOf(folder.path)]).toEqual(paths.map((path, index) => [archivedName(path), before[index]]));
  });

  test('says what it cannot complete, and keeps the note', async () => {
    using folder = home();
    writeThread(folder.path, 1);
    mkdirSync(join(folder.path, 'unfinished'));
    writeFileSync(join(folder.path, 'unfinished', `${ID}.0123456789abcdef.json`), '{"format":1}');
    const [repaired] = await repairUnfinished(options(folder.path, ID));
    expect(repaired).toMatchObject({ finished: undefined, error: { code: 'damaged' } });
    expect(filesBelow(join(folder.path, 'unfinished')).size).toBe(1);
  });
});

describe('a half delete (field faults C#39919, zszz3#446)', () => {
  test('cannot come of an index that is read-only: the next list is right', async () => {
    using folder = home();
    using index = tempFolder();
    writeThread(folder.path, 1);
    writeLines(rolloutPath(folder.path, uuid(2)), rolloutLines({ id: uuid(2) }));
    const at = join(index.path, 'state_5.sqlite');
    const ids = async (): Promise<readonly (string | null)[]> => {
      const reader = openReader(folder.path, { index: at });
      const { threads } = await reader.list();
      await reader.close();
      return threads.map(({ id }) => id).sort();
    };
    expect(await ids()).toEqual([ID, uuid(2)]);
    chmodSync(at, 0o400);
    await trashThread(options(folder.path, ID));
    expect(await ids()).toEqual([uuid(2)]);
    chmodSync(at, 0o600);
    expect(await ids()).toEqual([uuid(2)]);
    expect(await trashThread(options(folder.path, ID))).toMatchObject({ changed: false });
  });
});
