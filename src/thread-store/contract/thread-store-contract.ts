/**
 * What every store of threads must do, as tests that any runner can run: pass it `describe` and `test`, and a function that
 * opens an empty store. Capabilities say which parts apply; a store that claims one is held to it.
 */
import assert from 'node:assert/strict';
import type { WrittenDialect } from '../../protocol/persistence.js';
import type { LiveThread, ThreadStore, ThreadStoreCapabilities } from '../thread-store.js';
import { spokenTurn, textsOf } from './items.js';

export interface ThreadStoreContractOptions {
  readonly describe: (name: string, body: () => void) => void;
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** A store without threads. The contract disposes it. */
  readonly open: () => Promise<ThreadStore>;
  /** Another store over the same place as `store`, for those whose threads outlive it. */
  readonly reopen?: (store: ThreadStore) => Promise<ThreadStore>;
  readonly capabilities: ThreadStoreCapabilities;
}

const DIALECTS: readonly WrittenDialect[] = ['legacy', 'paginated'];
const NOBODY = '01900000-0000-7000-8000-000000000000';

/** Registers the tests. */
export function threadStoreContract(options: ThreadStoreContractOptions): void {
  const { describe, test, capabilities } = options;
  const withStore = (name: string, body: (store: ThreadStore) => Promise<void>): void => {
    test(name, async () => {
      await using store = await options.open();
      await body(store);
    });
  };

  describe('a store of threads', () => {
    for (const dialect of DIALECTS) {
      describe(`${dialect} threads`, () => {
        withStore('a thread that was created and not written to is unknown', async (store) => {
          const live = await create(store, dialect);
          await live.flush();
          await fails(store.read(live.id), 'thread-not-found');
          await live.close();
          await fails(store.read(live.id), 'thread-not-found');
          assert.equal((await store.list()).total, 0);
        });

        withStore('a thread that was persisted exists without an item', async (store) => {
          const live = await create(store, dialect);
          await live.persist();
          await live.persist();
          const { thread } = await store.read(live.id);
          assert.equal(thread.id, live.id);
          assert.equal(thread.dialect, dialect);
          assert.equal(thread.cwd, '/work/project');
        });

        withStore('items come back in order, as a resume sends them', async (store) => {
          const live = await create(store, dialect);
          await speak(live, 'one', 'eins');
          await speak(live, 'two', 'zwei');
          assert.deepEqual(textsOf((await live.history()).items), ['one', 'eins', 'two', 'zwei']);
          await live.close();
          const { thread, history } = await store.read(live.id, { history: true });
          assert.deepEqual(textsOf(history?.items ?? []), ['one', 'eins', 'two', 'zwei']);
          assert.deepEqual(history?.damage, []);
          assert.equal(thread.title, 'one');
          assert.equal(thread.hasUserEvent, true);
        });

        withStore('items that are only delivered are not kept', async (store) => {
          const live = await create(store, dialect);
          const { records } = await live.append(turn(live, 'one', 'eins'));
          assert.equal(records, turn(live, 'one', 'eins').length - 1);
          const again = await live.append([{ type: 'event_msg', payload: { type: 'shutdown_complete' } }]);
          assert.equal(again.records, 0);
        });

        withStore('a resumed thread goes on where it was left', async (store) => {
          const first = await create(store, dialect);
          await speak(first, 'one', 'eins');
          await first.close();
          const second = await store.resume(first.id);
          assert.equal(second.dialect, dialect);
          await speak(second, 'two', 'zwei');
          assert.deepEqual(textsOf((await second.history()).items), ['one', 'eins', 'two', 'zwei']);
        });

        withStore('one writer at a time has a thread', async (store) => {
          const live = await create(store, dialect);
          await speak(live, 'one', 'eins');
          await fails(store.resume(live.id), 'thread-busy');
          await fails(store.remove(live.id), 'thread-busy');
          await live.close();
          const next = await store.resume(live.id);
          await next.discard();
          await next.discard();
          await (await store.resume(live.id)).close();
        });

        withStore('a closed thread takes nothing more', async (store) => {
          const live = await create(store, dialect);
          await speak(live, 'one', 'eins');
          await live.close();
          await live.close();
          await fails(live.append(turn(live, 'two', 'zwei')), 'thread-closed');
        });

        withStore('a rollback takes the last turns away', async (store) => {
          const live = await create(store, dialect);
          for (const word of ['one', 'two', 'three']) await speak(live, word, `${word}!`);
          assert.deepEqual(await live.rollback(2), { turns: 2 });
          assert.deepEqual(textsOf((await live.history()).items), ['one', 'one!']);
          await speak(live, 'four', 'four!');
          await live.close();
          const { history } = await store.read(live.id, { history: true });
          assert.deepEqual(textsOf(history?.items ?? []), ['one', 'one!', 'four', 'four!']);
          assert.equal((await store.list()).total, 1);
        });

        withStore('a rollback of more turns than there are takes all', async (store) => {
          const live = await create(store, dialect);
          await speak(live, 'one', 'eins');
          assert.deepEqual(await live.rollback(9), { turns: 1 });
          assert.deepEqual(await live.rollback(1), { turns: 0 });
          assert.deepEqual((await live.history()).items, []);
          await speak(live, 'two', 'zwei');
          assert.deepEqual(textsOf((await live.history()).items), ['two', 'zwei']);
          await assert.rejects(live.rollback(0), RangeError);
        });

        withStore('a fork begins with what its source holds, and goes its own way', async (store) => {
          const source = await create(store, dialect);
          await speak(source, 'one', 'eins');
          await store.patch(source.id, { name: 'The source' });
          const fork = await store.fork(source.id);
          assert.notEqual(fork.id, source.id);
          assert.equal((await store.read(fork.id)).thread.forkedFromId, source.id);
          await speak(fork, 'fork', 'Gabel');
          await speak(source, 'two', 'zwei');
          assert.deepEqual(textsOf((await fork.history()).items), ['one', 'eins', 'fork', 'Gabel']);
          assert.deepEqual(textsOf((await source.history()).items), ['one', 'eins', 'two', 'zwei']);
          const { thread } = await store.read(fork.id);
          assert.equal(thread.title, 'one');
          assert.equal(thread.name, 'The source');
          assert.equal((await store.list()).total, 2);
        });

        withStore('a fork at a turn leaves out what came after it', async (store) => {
          const source = await create(store, dialect);
          for (const word of ['one', 'two', 'three']) await speak(source, word, `${word}!`);
          const fork = await store.fork(source.id, { atTurn: 2 });
          assert.deepEqual(textsOf((await fork.history()).items), ['one', 'one!', 'two', 'two!']);
          const nested = await store.fork(fork.id, { atTurn: 1 });
          await speak(nested, 'four', 'four!');
          assert.deepEqual(textsOf((await nested.history()).items), ['one', 'one!', 'four', 'four!']);
          const whole = await store.fork(source.id, { atTurn: 99 });
          assert.equal((await whole.history()).items.length, 6);
          await assert.rejects(store.fork(source.id, { atTurn: 0 }), RangeError);
        });

        withStore('a fork of a thread that was rolled back has what it shows', async (store) => {
          const source = await create(store, dialect);
          for (const word of ['one', 'two', 'three']) await speak(source, word, `${word}!`);
          await source.rollback(2);
          await speak(source, 'four', 'four!');
          const fork = await store.fork(source.id);
          assert.deepEqual(textsOf((await fork.history()).items), ['one', 'one!', 'four', 'four!']);
          const early = await store.fork(source.id, { atTurn: 1 });
          assert.deepEqual(textsOf((await early.history()).items), ['one', 'one!']);
        });

        withStore('an archived thread leaves the list, can be gone on with, and comes back', async (store) => {
          const live = await create(store, dialect);
          await speak(live, 'one', 'eins');
          await live.close();
          assert.equal((await store.patch(live.id, { archived: true })).archived, true);
          assert.equal((await store.patch(live.id, { archived: true })).archived, true);
          assert.equal((await store.list()).total, 0);
          assert.deepEqual(ids(await store.list({ archived: true })), [live.id]);
          const again = await store.resume(live.id);
          await speak(again, 'two', 'zwei');
          await again.close();
          assert.equal((await store.read(live.id)).thread.archived, true);
          assert.equal((await store.patch(live.id, { archived: false })).archived, false);
          assert.deepEqual(ids(await store.list()), [live.id]);
          const { history } = await store.read(live.id, { history: true });
          assert.deepEqual(textsOf(history?.items ?? []), ['one', 'eins', 'two', 'zwei']);
        });

        withStore('a removed thread is gone', async (store) => {
          const live = await create(store, dialect);
          await speak(live, 'one', 'eins');
          await live.close();
          await store.remove(live.id);
          await fails(store.read(live.id), 'thread-not-found');
          await fails(store.resume(live.id), 'thread-not-found');
          await fails(store.remove(live.id), 'thread-not-found');
          assert.equal((await store.list()).total, 0);
        });

        if (capabilities.durable && options.reopen !== undefined) {
          const { reopen } = options;
          withStore('threads outlive the store', async (store) => {
            const live = await create(store, dialect);
            await speak(live, 'one', 'eins');
            await store.patch(live.id, { name: 'Kept' });
            await store.close();
            await using other = await reopen(store);
            const { thread, history } = await other.read(live.id, { history: true });
            assert.equal(thread.name, 'Kept');
            assert.deepEqual(textsOf(history?.items ?? []), ['one', 'eins']);
            await speak(await other.resume(live.id), 'two', 'zwei');
          });

          withStore('a second store is refused a thread that the first one has', async (store) => {
            const live = await create(store, dialect);
            await speak(live, 'one', 'eins');
            await using other = await reopen(store);
            await fails(other.resume(live.id), 'thread-busy');
            await live.close();
            await (await other.resume(live.id)).close();
          });
        }
      });
    }

    withStore('a name is the last one that was given', async (store) => {
      const live = await create(store, 'legacy');
      await speak(live, 'one', 'eins');
      assert.equal((await store.patch(live.id, {})).name, null);
      assert.equal((await store.patch(live.id, { name: '  first  name ' })).name, 'first name');
      assert.equal((await store.patch(live.id, { name: '둘째' })).name, '둘째');
      assert.equal((await store.read(live.id)).thread.name, '둘째');
      await assert.rejects(store.patch(live.id, { name: ' \n' }), TypeError);
    });

    withStore('lists page by page, newest first', async (store) => {
      const made: string[] = [];
      for (const word of ['a', 'b', 'c', 'd', 'e']) {
        const live = await create(store, 'legacy');
        await speak(live, word, word);
        await live.close();
        made.unshift(live.id);
      }
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({ limit: 2, sort: 'created', ...(cursor !== undefined && { cursor }) });
        assert.equal(page.total, 5);
        seen.push(...ids(page));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      assert.deepEqual(seen, made);
      await assert.rejects(store.list({ limit: 0 }), RangeError);
    });

    withStore('a list keeps to the folder that is asked for', async (store) => {
      const here = await create(store, 'legacy');
      await speak(here, 'one', 'eins');
      const there = await store.create({ meta: { cwd: '/work/other' }, dialect: 'legacy' });
      await speak(there, 'two', 'zwei');
      assert.deepEqual(ids(await store.list({ cwd: '/work/other' })), [there.id]);
    });

    withStore('a thread that is not there is not found', async (store) => {
      const id = NOBODY as LiveThread['id'];
      await fails(store.read(id), 'thread-not-found');
      await fails(store.resume(id), 'thread-not-found');
      await fails(store.fork(id), 'thread-not-found');
      await fails(store.patch(id, {}), 'thread-not-found');
      await fails(store.remove(id), 'thread-not-found');
    });

    withStore('a thread whose fork continues its log is not removed', async (store) => {
      const source = await create(store, 'paginated');
      await speak(source, 'one', 'eins');
      await source.close();
      const fork = await store.fork(source.id);
      await fork.close();
      await fails(store.remove(source.id), 'unsupported');
      await store.remove(fork.id);
      await store.remove(source.id);
      assert.equal((await store.list()).total, 0);
    });

    withStore('appends that are not awaited keep their order', async (store) => {
      const live = await create(store, 'legacy');
      const words = Array.from({ length: 200 }, (_, index) => `w${index}`);
      await Promise.all(words.map((word) => live.append([message(word)])));
      assert.deepEqual(textsOf((await live.history()).items), words);
    });

    withStore('closing the store closes its threads', async (store) => {
      const live = await create(store, 'legacy');
      await speak(live, 'one', 'eins');
      await store.close();
      await fails(live.append([message('two')]), 'thread-closed');
    });
  });
}

function create(store: ThreadStore, dialect: WrittenDialect): Promise<LiveThread> {
  return store.create({ meta: { cwd: '/work/project' }, dialect });
}

let turns = 0;

function turn(live: LiveThread, prompt: string, answer: string) {
  turns += 1;
  return spokenTurn({ threadId: live.id, dialect: live.dialect, turnId: `turn-${turns}`, prompt, answer });
}

async function speak(live: LiveThread, prompt: string, answer: string): Promise<void> {
  await live.append(turn(live, prompt, answer));
}

function message(text: string) {
  return {
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  } as const;
}

function ids(page: { readonly threads: readonly { readonly id: string }[] }): readonly string[] {
  return page.threads.map(({ id }) => id);
}

async function fails(call: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.equal(error instanceof Error && 'code' in error ? error.code : error, code);
    return true;
  });
}
