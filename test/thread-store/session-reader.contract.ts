/**
 * What every `SessionReader` must do, whatever kind of home it reads. The runner's functions come in, so that the suite
 * runs under any of them; the sessions do not: `open` brings a home that holds what `expected` says.
 */
import type { describe as vitestDescribe, expect as vitestExpect, test as vitestTest } from 'vitest';
import { parseThreadId, type ThreadId } from '../../src/base/ids.js';
import type { ListQuery, SessionReader, ThreadPage } from '../../src/thread-store/session-reader.js';

export interface ExpectedHome {
  /** Threads of the default list, newest first. */
  readonly listed: readonly ThreadId[];
  readonly archived: readonly ThreadId[];
  /** Everything on disk below the session folders. */
  readonly files: number;
  /** A listed thread whose name is found, with that name. */
  readonly named?: { readonly id: ThreadId; readonly name: string } | undefined;
}

export interface OpenedHome extends AsyncDisposable {
  readonly reader: SessionReader;
  readonly expected: ExpectedHome;
  /** Changes whenever anything in the home does. */
  fingerprint(): string;
}

export interface SessionReaderContract {
  readonly describe: typeof vitestDescribe;
  readonly test: typeof vitestTest;
  readonly expect: typeof vitestExpect;
  /** Name of the implementation, for the report. */
  readonly name: string;
  open(): Promise<OpenedHome>;
}

const UNKNOWN_ID = '00000000-0000-7000-8000-00000000dead';

/** Registers the suite. */
export function sessionReaderContract({ describe, test, expect, name, open }: SessionReaderContract): void {
  /** A test over a home of its own, which must be as it was afterwards. */
  const onHome = (behaviour: string, check: (home: OpenedHome) => Promise<void>): void => {
    test(behaviour, async () => {
      await using home = await open();
      const before = home.fingerprint();
      await check(home);
      expect(home.fingerprint()).toBe(before);
    });
  };

  describe(`${name}.search()`, () => {
    onHome('finds the first message of a listed thread, at a line that opens', async ({ reader }) => {
      const { threads } = await reader.list({ limit: 1000 });
      // A fork has its title from what it took over, which is found where it was said.
      const own = threads.filter(({ forkedFromId }) => forkedFromId === null);
      const titled = own.filter(({ title }) => /^[a-z ]{8,60}\W?$/i.test(title));
      for (const { id, title } of titled.slice(0, 3)) {
        const { hits, total, index } = await reader.search({ text: title, limit: 1000 });
        expect(index.state).toBe('complete');
        expect(total).toBeGreaterThanOrEqual(hits.length);
        const hit = hits.find(({ threadId }) => threadId === id);
        expect(hit).toMatchObject({ title, home: reader.home.path });
        expect(hit?.matches.length).toBeGreaterThan(0);
        await using thread = await reader.open(id!);
        const [line] = await thread.lines({ from: hit!.line, to: hit!.line, path: hit!.path });
        expect(line?.text).toBeDefined();
      }
    });

    onHome('gives each thread once when asked, best first', async ({ reader }) => {
      const { hits } = await reader.search({ text: 'the a to file test', by: 'thread', limit: 1000 });
      expect(new Set(hits.map(({ threadId }) => threadId)).size).toBe(hits.length);
      const scores = hits.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    });

    onHome('rejects a query without a word', async ({ reader }) => {
      await expect(reader.search({ text: ' -x ' })).rejects.toMatchObject({ code: 'empty-query' });
    });
  });

  describe(`${name}.list()`, () => {
    onHome('gives the active root threads, newest first, and counts every file', async ({ reader, expected }) => {
      const page = await reader.list({ limit: 1000 });
      expect(page.threads.map(({ id }) => id)).toEqual(expected.listed);
      expect(page).toMatchObject({ total: expected.listed.length, nextCursor: null });
      expect(page.total + sum(page.hidden)).toBe(expected.files);
      expect(page.index).toEqual({ state: 'complete', indexed: expected.files, files: expected.files });
      const times = page.threads.map(({ updatedAt }) => updatedAt);
      expect(times).toEqual(times.toSorted().reverse());
      for (const row of page.threads) {
        expect(row).toMatchObject({ home: reader.home.path, archived: false, hiddenReason: null });
        expect(new Date(row.updatedAt).toISOString()).toBe(row.updatedAt);
      }
    });

    onHome('gives the same over pages of any size', async ({ reader, expected }) => {
      for (const sort of ['updated', 'created'] as const) {
        const whole = await reader.list({ limit: 1000, sort });
        for (const limit of [1, 2, 7]) {
          const pages = await readPages(reader, { limit, sort });
          expect(pages.flatMap((page) => page.threads)).toEqual(whole.threads);
          expect(pages.every((page) => page.total === expected.listed.length)).toBe(true);
        }
      }
    });

    onHome('gives archived threads instead when asked', async ({ reader, expected }) => {
      const page = await reader.list({ limit: 1000, archived: true });
      expect(page.threads.map(({ id }) => id).sort()).toEqual([...expected.archived].sort());
      expect(page.threads.every((row) => row.archived)).toBe(true);
    });

    onHome('with all gives every file, or says which are empty', async ({ reader, expected }) => {
      const page = await reader.list({ limit: 1000, all: true });
      expect(page.threads.length + (page.hidden.empty ?? 0)).toBe(expected.files);
      expect(new Set(page.threads.map((row) => row.path)).size).toBe(page.threads.length);
      for (const id of expected.listed)
        expect(page.threads.some((row) => row.id === id && row.hiddenReason === null)).toBe(true);
    });

    onHome('narrows by folder, provider, source and time', async ({ reader }) => {
      const { threads } = await reader.list({ limit: 1000 });
      const [row] = threads;
      if (row === undefined) throw new Error('The home of this suite needs a thread');
      const narrowed = async (query: ListQuery) => (await reader.list({ limit: 1000, ...query })).threads;
      const { cwd, modelProvider, source, updatedAt } = row;
      if (cwd !== null) expect(await narrowed({ cwd })).toEqual(threads.filter((one) => one.cwd === cwd));
      if (modelProvider !== null) {
        expect(await narrowed({ provider: modelProvider })).toEqual(
          threads.filter((one) => one.modelProvider === modelProvider),
        );
      }
      expect(await narrowed({ source })).toEqual(threads.filter((one) => one.source === source));
      expect(await narrowed({ sinceMs: Date.parse(updatedAt) })).toEqual(
        threads.filter((one) => one.updatedAt >= updatedAt),
      );
      expect(await narrowed({ untilMs: Date.parse(updatedAt) })).toEqual(
        threads.filter((one) => one.updatedAt < updatedAt),
      );
      expect(await narrowed({ cwd: '/no/such/folder' })).toEqual([]);
    });

    onHome('counts with listedIds() what it lists', async ({ reader, expected }) => {
      expect([...(await afterList(reader, {}))].sort()).toEqual([...expected.listed].sort());
      expect([...(await afterList(reader, { archived: true }))].sort()).toEqual([...expected.archived].sort());
    });

    onHome('rejects a limit out of bounds and a cursor that is none', async ({ reader }) => {
      for (const limit of [0, -1, 1.5, 100_001, Number.NaN])
        await expect(reader.list({ limit })).rejects.toThrow(Error);
      await expect(reader.list({ cursor: 'none' })).rejects.toThrow(Error);
    });

    onHome('rejects with the reason of the signal', async ({ reader }) => {
      const reason = new Error('Enough');
      await expect(reader.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect((await reader.list()).total).toBeGreaterThan(0);
    });
  });

  describe(`${name}.candidates()`, () => {
    onHome('finds a thread by its id, by the end of it and by its name', async ({ reader, expected }) => {
      for (const id of expected.listed.slice(0, 5)) {
        expect((await reader.candidates(id)).map((found) => found.id)).toEqual([id]);
        expect((await reader.candidates(id.toUpperCase())).map((found) => found.id)).toEqual([id]);
        expect((await reader.candidates(id.slice(-8))).map((found) => found.id)).toContain(id);
      }
      const { named } = expected;
      if (named === undefined) return;
      const [found] = await reader.candidates(named.name);
      expect(found).toMatchObject({ id: named.id, name: named.name, home: reader.home.path });
    });

    onHome('finds nothing for what fits none', async ({ reader }) => {
      for (const reference of [UNKNOWN_ID, 'dead', 'fff', '', 'no such name', '%', '../..']) {
        expect(await reader.candidates(reference)).toEqual([]);
      }
    });

    onHome('agrees with latest()', async ({ reader, expected }) => {
      expect((await reader.latest())?.id).toBe(expected.listed[0]);
      expect(await reader.latest({ cwd: '/no/such/folder' })).toBeUndefined();
    });
  });

  describe(`${name}.open()`, () => {
    onHome('opens every thread: row, parts, history, turns and lines of one log', async ({ reader, expected }) => {
      for (const id of [...expected.listed, ...expected.archived]) {
        await using thread = await reader.open(id);
        expect([thread.id, (await thread.row()).id]).toEqual([id, id]);
        expect(thread.parts.at(-1)).toEqual({ path: thread.path, endByteOffset: null });
        const history = await thread.history();
        expect(history.threadId).toBe(id);
        expect(history.items.every((item) => typeof item['type'] === 'string')).toBe(true);
        const all = await thread.turns();
        expect(all.turns).toHaveLength(all.totalTurns);
        expect(all.thread.id).toBe(id);
        expect((await thread.turns({ last: 1 })).turns).toEqual(all.turns.slice(-1));
        expect((await thread.turns({ from: 1, to: 1 })).turns).toEqual(all.turns.slice(0, 1));
        const [line] = await thread.lines({ from: 1, to: 1 });
        expect(line).toMatchObject({ path: thread.path, line: 1, byteOffset: 0 });
      }
    });

    onHome('rejects for a thread that is not there', async ({ reader }) => {
      await expect(reader.open(known(UNKNOWN_ID))).rejects.toMatchObject({ code: 'thread-not-found' });
    });
  });

  describe(`${name}.verify()`, () => {
    onHome('looks at every rollout, at those of one thread, and at one file', async ({ reader, expected }) => {
      const all = new Set<string>();
      for await (const file of reader.verify('all')) all.add(file.path);
      expect(all.size).toBeGreaterThanOrEqual(expected.listed.length);
      const [id] = expected.listed;
      if (id === undefined) return;
      await using thread = await reader.open(id);
      const own: string[] = [];
      for await (const file of reader.verify({ id })) own.push(file.path);
      expect(own).toContain(thread.path);
      for await (const file of reader.verify({ path: thread.path })) expect(file.path).toBe(thread.path);
    });
  });

  describe(`${name}.why()`, () => {
    onHome('explains a thread and a path, and nothing else', async ({ reader, expected }) => {
      const { threads } = await reader.list({ limit: 1000, all: true });
      for (const row of threads) expect(await reader.why(row.path)).toEqual([row]);
      const [id] = expected.listed;
      if (id !== undefined)
        expect((await reader.why(id)).some((row) => row.id === id && row.hiddenReason === null)).toBe(true);
      expect(await reader.why('/no/such/file.jsonl')).toEqual([]);
    });
  });

  describe(`${name}.rebuild()`, () => {
    onHome('makes the same index from nothing, and proves it', async ({ reader, expected }) => {
      const before = await reader.list({ limit: 1000, all: true });
      const phases = new Set<string>();
      const result = await reader.rebuild({ prove: true, onProgress: ({ phase }) => phases.add(phase) });
      expect(result).toMatchObject({ equal: true, differences: [] });
      expect(result.threads).toBeGreaterThanOrEqual(expected.listed.length + expected.archived.length);
      expect(phases.has('full')).toBe(true);
      expect(await reader.list({ limit: 1000, all: true })).toEqual(before);
      expect(await reader.indexState()).toMatchObject({
        state: 'complete',
        files: expected.files,
        threads: expected.listed.length,
        bytes: result.bytes,
      });
    });

    onHome('rejects with the reason of the signal, and leaves the index', async ({ reader }) => {
      const before = await reader.list({ limit: 1000 });
      const reason = new Error('Enough');
      const stop = new AbortController();
      const rebuilt = reader.rebuild({ signal: stop.signal, onProgress: () => stop.abort(reason) });
      await expect(rebuilt).rejects.toBe(reason);
      expect(await reader.list({ limit: 1000 })).toEqual(before);
    });
  });

  describe(`${name}.close()`, () => {
    onHome('may be called again, and ends calls well that are at work', async ({ reader, expected }) => {
      const page = reader.list({ limit: 1000 });
      await Promise.all([reader.close(), reader.close()]);
      expect((await page).total).toBe(expected.listed.length);
      await reader.close();
    });
  });
}

function known(id: string): ThreadId {
  const parsed = parseThreadId(id);
  if (parsed === undefined) throw new TypeError(`No thread id: ${id}`);
  return parsed;
}

async function afterList(reader: SessionReader, query: ListQuery): Promise<readonly ThreadId[]> {
  await reader.list(query);
  return reader.listedIds(query);
}

async function readPages(reader: SessionReader, query: ListQuery): Promise<readonly ThreadPage[]> {
  const pages = [await reader.list(query)];
  for (let cursor = pages[0]?.nextCursor ?? null; cursor !== null; cursor = pages.at(-1)?.nextCursor ?? null) {
    pages.push(await reader.list({ ...query, cursor }));
    if (pages.length > 1000) throw new Error('The pages do not end');
  }
  return pages;
}

function sum(counts: ThreadPage['hidden']): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
