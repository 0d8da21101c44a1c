import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseSegmentId } from '../../src/base/ids.js';
import { openStateDatabase, type StateDatabase, StateError, toThreadRow } from '../../src/state/index.js';
import { fileRecord, HOME, rolloutPath, START_MS, threadId, threadRecord, watermark } from './records.js';

let db: StateDatabase;

beforeEach(() => {
  db = openStateDatabase({ homePath: HOME });
});

afterEach(() => {
  db.close();
});

const SEGMENT = parseSegmentId('01a229ac-ffff-7000-8000-000000000001');

describe('putThread()', () => {
  test('keeps every field of a record', () => {
    const record = threadRecord(1, {
      name: '세션 복구 🧵',
      title: 'A "title"\nof two lines',
      archived: true,
      archivedAtMs: START_MS + 5,
      git: { sha: 'abc', branch: null, originUrl: 'git@example.org:a/b.git' },
      dialect: 'paginated',
      sizeBytes: 2 ** 40,
      forkedFromId: threadId(7),
      parentThreadId: threadId(8),
      hidden: 'child',
      cwd: null,
      modelProvider: null,
    });
    db.putThread(record);
    expect(db.thread(threadId(1))).toEqual(record);
    const git = threadRecord(2, { git: { sha: null, branch: null, originUrl: null } });
    db.putThread(git);
    expect(db.allThreads()).toEqual([record, git]);
  });

  test('replaces the row that is there', () => {
    db.putThread(threadRecord(1, { source: 'cli' }));
    db.putThread(threadRecord(1, { source: 'exec', updatedAtMs: START_MS + 99 }));
    expect(db.allThreads()).toEqual([threadRecord(1, { source: 'exec', updatedAtMs: START_MS + 99 })]);
    expect(db.countThreads({ source: 'cli' })).toBe(0);
  });

  test('shows U+0000 in a text as its picture', () => {
    db.putThread(threadRecord(1, { title: 'a\0b' }));
    expect(db.thread(threadId(1))?.title).toBe('a␀b');
  });
});

describe('toThreadRow()', () => {
  test('shows instants in ISO 8601 with milliseconds, and the first reason that fits', () => {
    const row = toThreadRow(threadRecord(1, { archived: true, archivedAtMs: START_MS }), HOME, [threadId(2)]);
    expect(row).toEqual({
      id: threadId(1),
      path: rolloutPath(1),
      home: HOME,
      title: 'Thread 1',
      name: null,
      preview: 'Thread 1',
      cwd: '/home/me/project',
      source: 'cli',
      modelProvider: 'openai',
      model: 'gpt-5',
      reasoningEffort: 'high',
      cliVersion: '0.171.0',
      createdAt: '2026-11-29T12:00:00.001Z',
      updatedAt: '2026-11-29T12:00:00.010Z',
      archived: true,
      archivedAt: '2026-11-29T12:00:00.000Z',
      hasUserEvent: true,
      sandboxPolicy: '{"type":"managed"}',
      approvalMode: 'never',
      memoryMode: 'enabled',
      tokensUsed: 15,
      git: null,
      dialect: 'legacy',
      sizeBytes: 1000,
      forkedFromId: null,
      parentThreadId: null,
      children: [threadId(2)],
      hiddenReason: 'archived',
    });
    const internal = threadRecord(1, { archived: true, hidden: 'internal' });
    expect(toThreadRow(internal, HOME).hiddenReason).toBe('internal');
    expect(toThreadRow(threadRecord(1), HOME).hiddenReason).toBeNull();
  });

  test('writes an instant that no date can hold as the nearest one', () => {
    expect(toThreadRow(threadRecord(1, { updatedAtMs: 1e16 }), HOME).updatedAt).toBe('+275760-09-13T00:00:00.000Z');
  });
});

describe('putFile()', () => {
  test('keeps every field of a record, unsigned 64-bit inodes too', () => {
    const record = fileRecord(1, {
      segmentId: SEGMENT ?? null,
      location: 'archived',
      compressed: true,
      hiddenReason: 'segment',
      dialect: null,
      facts: '{"a":"\\u0000"}',
    });
    expect(db.putFile(record, { expected: null })).toBe(true);
    expect(db.file(record.path)).toEqual(record);
    expect(db.watermark(record.path)).toEqual(record.watermark);
    expect(db.allFiles()).toEqual([record]);
  });

  test('writes only over the watermark that the work started from', () => {
    const first = watermark();
    const second = watermark({ sizeBytes: 2000, bytesRead: 2000, lines: 20, tailHash: 'other' });
    expect(db.putFile(fileRecord(1), { expected: first })).toBe(false);
    expect(db.putFile(fileRecord(1), { expected: null })).toBe(true);
    expect(db.putFile(fileRecord(1, { watermark: second }), { expected: null })).toBe(false);
    expect(db.putFile(fileRecord(1, { watermark: second }), { expected: first })).toBe(true);
    expect(db.putFile(fileRecord(1, { watermark: first }), { expected: first })).toBe(false);
    expect(db.watermark(rolloutPath(1))).toEqual(second);
  });

  const changes = [
    { sizeBytes: 1 },
    { mtimeNs: 1n },
    { ctimeNs: 1n },
    { inode: 1n },
    { device: 1n },
    { stage: 'head' },
    { bytesRead: 1 },
    { lines: 1 },
    { headHash: '' },
    { tailHash: '' },
  ] as const;
  test.each(changes)('refuses a watermark that differs in %o', (change) => {
    db.putFile(fileRecord(1), { expected: null });
    expect(db.putFile(fileRecord(1), { expected: watermark(change) })).toBe(false);
  });
});

describe('watermarks()', () => {
  test('gives the stamp of every file by absolute path, odd names included', () => {
    const paths = ['a b', 'line\nbreak', 'quote"', '세션', "it's"].map((name) => `${HOME}/sessions/${name}`);
    for (const [n, path] of paths.entries()) {
      db.putFile(fileRecord(n, { path, watermark: watermark({ sizeBytes: n }) }), { expected: null });
    }
    const { bytesRead: _1, lines: _2, headHash: _3, tailHash: _4, ...stamp } = watermark();
    expect(new Map(db.watermarks())).toEqual(new Map(paths.map((path, sizeBytes) => [path, { ...stamp, sizeBytes }])));
  });

  test('is empty for an empty index', () => {
    expect(db.watermarks().size).toBe(0);
  });
});

describe('removeFile() and removeThread()', () => {
  test('forget one row and say whether there was one', () => {
    db.putFile(fileRecord(1), { expected: null });
    db.putFile(fileRecord(2), { expected: null });
    db.putThread(threadRecord(1));
    db.putEdges([{ parent: threadId(9), child: threadId(1) }]);
    expect([db.removeFile(rolloutPath(1)), db.removeFile(rolloutPath(1))]).toEqual([true, false]);
    expect([db.removeThread(threadId(1)), db.removeThread(threadId(1))]).toEqual([true, false]);
    expect(db.allFiles()).toEqual([fileRecord(2)]);
    expect([...db.watermarks().keys()]).toEqual([rolloutPath(2)]);
    expect(db.allThreads()).toEqual([]);
    expect(db.childrenOf([threadId(9)]).size).toBe(0);
  });
});

describe('putEdges()', () => {
  test('gives a child one parent, and none when it is null', () => {
    db.putEdges([
      { parent: threadId(1), child: threadId(3) },
      { parent: threadId(1), child: threadId(2) },
      { parent: threadId(1), child: threadId(4) },
    ]);
    db.putEdges([
      { parent: threadId(5), child: threadId(4) },
      { parent: null, child: threadId(3) },
    ]);
    expect(new Map(db.childrenOf([threadId(1), threadId(5), threadId(6)]))).toEqual(
      new Map([
        [threadId(1), [threadId(2)]],
        [threadId(5), [threadId(4)]],
      ]),
    );
  });

  test('shows children in every row of a list', () => {
    db.putThread(threadRecord(1));
    db.putThread(threadRecord(2, { hidden: 'child', parentThreadId: threadId(1) }));
    db.putEdges([{ parent: threadId(1), child: threadId(2) }]);
    expect(db.listThreads({ limit: 10 }).threads.map((row) => [row.id, row.children])).toEqual([
      [threadId(1), [threadId(2)]],
    ]);
    expect(db.findById(threadId(2))).toMatchObject({ children: [], hiddenReason: 'child' });
  });
});

describe('finders', () => {
  beforeEach(() => {
    for (const n of [0x1abcd, 0x2abcd, 0x3ffff])
      db.putThread(threadRecord(n, n === 0x3ffff ? { name: 'one name', hidden: 'internal' } : {}));
  });

  test('findByIdEnd() takes four or more hex digits, dashes or not, newest first', () => {
    const ends = (end: string): unknown => db.findByIdEnd(end).map((row) => row.id);
    expect(ends('abcd')).toEqual([threadId(0x2abcd), threadId(0x1abcd)]);
    expect(ends('1ABCD')).toEqual([threadId(0x1abcd)]);
    expect(ends('8000-00000003ffff')).toEqual([threadId(0x3ffff)]);
    expect(ends(threadId(0x3ffff))).toEqual([threadId(0x3ffff)]);
    for (const none of ['bcd', '', '%abcd', '_abcd', 'zzzz', `0${threadId(1)}`]) expect(ends(none)).toEqual([]);
  });

  test('findByName() takes the exact name only', () => {
    expect(db.findByName('one name').map((row) => row.id)).toEqual([threadId(0x3ffff)]);
    expect(db.findByName('one')).toEqual([]);
  });

  test('findById() finds hidden threads, and nothing that is not there', () => {
    expect(db.findById(threadId(0x3ffff))?.hiddenReason).toBe('internal');
    expect(db.findById(threadId(1))).toBeUndefined();
  });

  test('latest() is the newest listed thread, in one folder when asked', () => {
    db.putThread(threadRecord(1, { cwd: '/other', updatedAtMs: START_MS + 1 }));
    db.putThread(threadRecord(0x4ffff, { archived: true }));
    expect(db.latest()?.id).toBe(threadId(0x2abcd));
    expect(db.latest({ cwd: '/other' })?.id).toBe(threadId(1));
    expect(db.latest({ cwd: '/nowhere' })).toBeUndefined();
  });

  test('filesOfThread() and filesByUuid() find by thread and by segment', () => {
    const segment = fileRecord(1, {
      path: `${HOME}/sessions/segment`,
      segmentId: SEGMENT ?? null,
      hiddenReason: 'segment',
    });
    db.putFile(fileRecord(1), { expected: null });
    db.putFile(segment, { expected: null });
    db.putFile(fileRecord(2), { expected: null });
    expect(db.filesOfThread(threadId(1))).toEqual([fileRecord(1), segment]);
    expect(db.filesByUuid(SEGMENT ?? threadId(0))).toEqual([segment]);
    expect(db.filesByUuid(threadId(2))).toEqual([fileRecord(2)]);
  });

  test('filesWithBase() finds files that continue another, and takes no offence at bad facts', () => {
    const facts = [
      '{"facts":{"historyBase":{"id":1}}}',
      '{"facts":{"historyBase":null}}',
      '{"facts":{}}',
      'not JSON',
      null,
    ];
    for (const [n, text] of facts.entries()) db.putFile(fileRecord(n, { facts: text }), { expected: null });
    expect(db.filesWithBase().map((file) => file.path)).toEqual([rolloutPath(0)]);
  });

  test('pendingFiles() and countFiles() know what is read only in part', () => {
    db.putFile(fileRecord(1, { watermark: watermark({ stage: 'head' }) }), { expected: null });
    db.putFile(fileRecord(2, { watermark: watermark({ stage: 'head' }) }), { expected: null });
    db.putFile(fileRecord(3), { expected: null });
    expect(db.pendingFiles(10).map((file) => file.path)).toEqual([rolloutPath(2), rolloutPath(1)]);
    expect(db.countFiles()).toEqual({ files: 3, full: 1 });
  });
});

describe('putNote()', () => {
  test('keeps the last text under a key', () => {
    expect(db.note('names')).toBeUndefined();
    db.putNote('names', 'one');
    db.putNote('names', 'two');
    db.putNote('other', '');
    expect([db.note('names'), db.note('other')]).toEqual(['two', '']);
  });
});

describe('hiddenCounts()', () => {
  test('and countThreads() give the number of files', () => {
    const put = (
      n: number,
      thread: Parameters<typeof threadRecord>[1] | null,
      file: Parameters<typeof fileRecord>[1] = {},
    ): void => {
      db.putFile(fileRecord(n, file), { expected: null });
      if (thread !== null) db.putThread(threadRecord(n, thread));
    };
    put(1, {});
    put(2, { cwd: '/other' });
    put(3, { archived: true }, { location: 'archived' });
    put(4, { hidden: 'internal' });
    put(5, { hidden: 'internal', archived: true });
    put(6, { hidden: 'child' });
    put(7, null, { hiddenReason: 'empty', threadId: null });
    put(8, null, { hiddenReason: 'unreadable', threadId: null });
    put(9, null, { hiddenReason: 'duplicate', threadId: threadId(2) });
    expect(db.hiddenCounts()).toEqual({ archived: 1, internal: 2, child: 1, empty: 1, unreadable: 1, duplicate: 1 });
    expect(db.countThreads()).toBe(2);
    expect(db.countFiles().files).toBe(9);
    expect(db.hiddenCounts({ cwd: '/other' })).toEqual({ duplicate: 1 });
    expect(db.hiddenCounts({ cwd: '/home/me/project' })).toEqual({ archived: 1, internal: 2, child: 1 });
    expect(db.hiddenCounts({ archived: true })).toEqual({
      internal: 2,
      child: 1,
      empty: 1,
      unreadable: 1,
      duplicate: 1,
    });
    expect(db.countThreads({ archived: true })).toBe(1);
  });
});

describe('listFiles()', () => {
  test('shows the thread for its head, and a file by its own columns with the reason', () => {
    db.putFile(fileRecord(1), { expected: null });
    db.putThread(threadRecord(1, { sizeBytes: 3000 }));
    db.putFile(fileRecord(2, { threadId: threadId(1), hiddenReason: 'duplicate', location: 'archived' }), {
      expected: null,
    });
    db.putFile(fileRecord(3, { threadId: null, hiddenReason: 'no-session-meta' }), { expected: null });
    db.putFile(fileRecord(9, { threadId: null, hiddenReason: 'empty' }), { expected: null });
    db.putFile(fileRecord(4), { expected: null });
    db.putThread(threadRecord(4, { hidden: 'child' }));
    const page = db.listFiles({ limit: 10 });
    expect(page.nextCursor).toBeNull();
    expect(
      page.threads.map((row) => [row.id, row.path, row.title, row.sizeBytes, row.archived, row.hiddenReason]),
    ).toEqual([
      [threadId(4), rolloutPath(4), 'Thread 4', 1000, false, 'child'],
      [null, rolloutPath(3), '', 1000, false, 'no-session-meta'],
      [threadId(1), rolloutPath(2), '', 1000, true, 'duplicate'],
      [threadId(1), rolloutPath(1), 'Thread 1', 3000, false, null],
    ]);
    expect(db.rowsOfFiles([rolloutPath(1), rolloutPath(99), rolloutPath(3)])).toEqual([
      page.threads[3],
      page.threads[1],
    ]);
    expect(db.listFiles({ limit: 10, archived: true }).threads.map((row) => row.path)).toEqual([rolloutPath(2)]);
    expect(db.countListedFiles({ cwd: '/home/me/project' })).toBe(3);
    expect(db.countListedFiles({ cwd: '/nowhere' })).toBe(0);
  });
});

describe('listThreads()', () => {
  const invalid = ['', 'x', '!!', 'W10', Buffer.from('["updated",1.5,"a"]').toString('base64url'), 'A'.repeat(100_000)];
  test.each(invalid)('refuses a cursor that it did not make: %#', (cursor) => {
    const list = (): unknown => db.listThreads({ limit: 1, cursor });
    expect(list).toThrow(StateError);
    expect(list).toThrow(expect.objectContaining({ code: 'state-cursor-invalid' }));
  });

  test('refuses the cursor of another sort order', () => {
    for (const n of [1, 2]) db.putThread(threadRecord(n));
    const cursor = db.listThreads({ limit: 1, sort: 'created' }).nextCursor ?? '';
    expect(() => db.listThreads({ limit: 1, cursor })).toThrow(StateError);
    expect(db.listThreads({ limit: 1, cursor, sort: 'created' }).threads.map((row) => row.id)).toEqual([threadId(1)]);
  });

  test.each([0, -1, 1.5, Number.NaN, 100_001])('refuses the limit %d', (limit) => {
    expect(() => db.listThreads({ limit })).toThrow(RangeError);
    expect(() => db.listFiles({ limit })).toThrow(RangeError);
  });
});

describe('transaction()', () => {
  test('keeps nothing when it throws', () => {
    expect(() =>
      db.transaction(() => {
        db.putThread(threadRecord(1));
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(db.allThreads()).toEqual([]);
  });
});
