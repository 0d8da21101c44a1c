/**
 * The store on disk and the store in memory do the same, whatever is asked of them: rows, histories, pages and errors.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ThreadId } from '../../src/base/ids.js';
import type { WrittenDialect } from '../../src/protocol/persistence.js';
import { spokenTurn } from '../../src/thread-store/contract/items.js';
import { MemoryThreadStore } from '../../src/thread-store/memory/memory-thread-store.js';
import type { LiveThread, ThreadStore } from '../../src/thread-store/thread-store.js';
import { openLocalStore } from './local/open-local-store.js';

type Step =
  | { readonly do: 'create'; readonly dialect: WrittenDialect }
  | { readonly do: 'speak' | 'resume' | 'close' | 'discard' | 'persist' | 'remove' | 'read'; readonly thread: number }
  | { readonly do: 'rollback'; readonly thread: number; readonly turns: number }
  | { readonly do: 'fork'; readonly thread: number; readonly atTurn: number | undefined }
  | { readonly do: 'rename'; readonly thread: number; readonly name: string }
  | { readonly do: 'archive'; readonly thread: number; readonly archived: boolean }
  | { readonly do: 'list'; readonly archived: boolean; readonly limit: number };

const thread = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create'), dialect: fc.constantFrom('legacy', 'paginated') }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('speak'), thread }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('resume', 'close', 'discard', 'persist', 'remove', 'read'), thread }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rollback'), thread, turns: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fork'),
      thread,
      atTurn: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename'), thread, name: fc.constantFrom('a', '이름', 'b c') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('archive'), thread, archived: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('list'), archived: fc.boolean(), limit: fc.integer({ min: 1, max: 4 }) }),
  },
) as fc.Arbitrary<Step>;

/** The same ids and the same time for both, however often they ask within one step. */
class World {
  ms = Date.parse('2026-01-02T03:04:05.000Z');
  #made = 0;

  readonly now = (): number => this.ms;

  readonly newId = (): ThreadId => {
    this.#made += 1;
    return `01900000-0000-7000-8000-${String(this.#made).padStart(12, '0')}` as ThreadId;
  };
}

class Driver {
  readonly world = new World();
  readonly #live = new Map<string, LiveThread>();
  readonly #ids: ThreadId[] = [];
  readonly #store: ThreadStore;

  constructor(open: (world: World) => ThreadStore) {
    this.#store = open(this.world);
  }

  async run(step: Step, number: number): Promise<unknown> {
    this.world.ms += 1_000;
    try {
      return await this.#run(step, number);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { failed: 'code' in error ? error.code : error.name };
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #run(step: Step, number: number): Promise<unknown> {
    const store = this.#store;
    if (step.do === 'create') {
      return this.#take(await store.create({ meta: { cwd: '/work' }, dialect: step.dialect }));
    }
    if (step.do === 'list') return store.list({ archived: step.archived, limit: step.limit });
    const id = this.#ids[step.thread % Math.max(1, this.#ids.length)];
    if (id === undefined) return 'nothing';
    const live = this.#live.get(id);
    switch (step.do) {
      case 'resume':
        return this.#take(await store.resume(id));
      case 'read':
        return store.read(id, { history: true });
      case 'remove':
        return store.remove(id);
      case 'rename':
        return store.patch(id, { name: step.name });
      case 'archive':
        return store.patch(id, { archived: step.archived });
      case 'fork':
        return this.#take(await store.fork(id, step.atTurn === undefined ? {} : { atTurn: step.atTurn }));
    }
    if (live === undefined) return 'not live';
    switch (step.do) {
      case 'speak': {
        const [turnId, prompt, answer] = [`t${number}`, `p${number}`, `a${number}`];
        const items = spokenTurn({ threadId: id, dialect: live.dialect, turnId, prompt, answer });
        // Where it stands is a matter of files.
        return { records: (await live.append(items)).records, history: (await live.history()).items };
      }
      case 'rollback':
        return live.rollback(step.turns);
      case 'persist':
        return live.persist();
      case 'close':
        await live.close();
        this.#live.delete(id);
        return 'closed';
      case 'discard':
        await live.discard();
        this.#live.delete(id);
        return 'discarded';
    }
  }

  async #take(live: LiveThread): Promise<unknown> {
    if (!this.#ids.includes(live.id)) this.#ids.push(live.id);
    this.#live.set(live.id, live);
    return { id: live.id, dialect: live.dialect, history: (await live.history()).items };
  }
}

const WRITER = { originator: 'codicil', version: '1.0.0', source: 'cli' };
/** By hand: more of them, with another seed. */
const RUNS = Number(process.env['CODICIL_DIFFERENTIAL_RUNS'] ?? 25);

test('the store on disk and the store in memory do the same', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const home = await mkdtemp(path.join(tmpdir(), 'codicil-differential-'));
      const inMemory = new Driver((world) => new MemoryThreadStore({ writer: WRITER, ...world }));
      const onDisk = new Driver((world) => openLocalStore(home, { writer: WRITER, ...world }));
      try {
        const all: readonly Step[] = [{ do: 'create', dialect: 'legacy' }, { do: 'speak', thread: 0 }, ...steps];
        for (const [number, each] of all.entries()) {
          const expected = await inMemory.run(each, number);
          expect(await onDisk.run(each, number), `step ${number}: ${JSON.stringify(each)}`).toEqual(expected);
        }
      } finally {
        await onDisk.close();
        await inMemory.close();
        await rm(home, { recursive: true, force: true });
      }
    }),
    { numRuns: RUNS, seed: Number(process.env['CODICIL_DIFFERENTIAL_SEED'] ?? 4) },
  );
});
