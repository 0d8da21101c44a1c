/**
 * What we do to whole threads, seen by Codex: names, archived threads, compressed logs.
 */
import { threadOf } from '../lib/codex.mjs';
import { check } from '../lib/lab.mjs';
import { logsOf } from '../lib/logs-of.mjs';
import { converse, SCRIPTS } from '../lib/scripts.mjs';
import { goOn, writeThread } from './60-write-threads.mjs';

/** From 0.148 on, a release asks its database, not the files, for what is archived. Names of paginated threads always. */
const asksDatabase = ({ release }) => release.dialect === 'paginated';

/** One thread of each program in the lab's home, those of ours in both dialects; every one known to Codex. */
async function someThreads(lab) {
  const threads = [{ id: await converse(lab.codex, SCRIPTS.shell), dialect: lab.release.dialect }];
  for (const dialect of lab.release.writerLock ? ['legacy', 'paginated'] : ['legacy'])
    threads.push({ id: (await lab.write((store) => writeThread(store, lab.cwd, dialect))).id, dialect });
  const known = idsOf(await listed(lab));
  check(
    threads.every(({ id }) => known.includes(id)),
    `Codex knows ${known.length} of ${threads.length} threads`,
  );
  return threads;
}

const listed = (lab, options) => lab.codex.serve((server) => server.listThreads(options));
const idsOf = (threads) => threads.map(({ id }) => id);

export const cases = [
  {
    name: 'write lifecycle: renamed by us',
    about: 'Codex finds the thread by the newest name that we gave, and shows it unless the thread is paginated',
    async run(lab) {
      const facts = {};
      for (const { id, dialect } of await someThreads(lab)) {
        const name = `이름 of ${id.slice(-4)} 🙂`;
        await lab.write(async (store) => {
          await store.rename(id, 'an older name');
          await store.rename(id, name);
        });
        const shown = (await listed(lab)).find((thread) => thread.id === id)?.name;
        const wanted = dialect === 'paginated' ? null : name;
        check(shown === wanted, `Codex shows ${JSON.stringify(shown)} for a ${dialect} thread, not ${wanted}`);
        const { turns } = await lab.codex.resume(name, 'Found by name');
        check(threadOf(turns[0]) === id, `Codex takes the name for ${threadOf(turns[0])}, not ${id}`);
        facts[id.slice(-4)] = `${dialect}: ${shown === null ? 'found by name, not shown' : 'found and shown'}`;
      }
      return facts;
    },
  },
  {
    name: 'write lifecycle: archived by us and back',
    about: 'Codex does not list it as active, and lists and resumes it when it is back, whole',
    async run(lab) {
      const threads = await someThreads(lab);
      const ids = idsOf(threads);
      for (const id of ids) await lab.write((store) => store.archive(id));
      const active = idsOf(await listed(lab));
      check(!ids.some((id) => active.includes(id)), `Codex has active: ${JSON.stringify(active)}`);
      const archived = idsOf(await listed(lab, { archived: true }));
      const wanted = asksDatabase(lab) ? [] : ids;
      check(
        [...archived].sort().join() === [...wanted].sort().join(),
        `Codex has archived: ${JSON.stringify(archived)}`,
      );
      for (const id of ids) await lab.write((store) => store.unarchive(id));
      const back = idsOf(await listed(lab));
      check(
        ids.every((id) => back.includes(id)),
        `Codex has active afterwards: ${JSON.stringify(back)}`,
      );
      for (const id of ids) await lab.checkResume(id, 'Back again');
    },
  },
  {
    name: 'write lifecycle: archived by us before Codex knew it',
    about: 'Codex lists it as archived, takes it out of the archive, and goes on with it',
    async run(lab) {
      for (const dialect of lab.release.writerLock ? ['legacy', 'paginated'] : ['legacy']) {
        const { id } = await lab.write((store) => writeThread(store, lab.cwd, dialect));
        await lab.write((store) => store.archive(id));
        await lab.codex.serve(async (server) => {
          const archived = idsOf(await server.listThreads({ archived: true }));
          check(archived.includes(id), `Codex has archived: ${JSON.stringify(archived)}`);
          await server.request('thread/unarchive', { threadId: id });
        });
        check(
          (await lab.ours.list(lab.home)).some((row) => row.id === id),
          'we do not have it back',
        );
        await lab.checkResume(id, 'Out of the archive');
      }
    },
  },
  {
    name: 'write lifecycle: compressed by us',
    about:
      'Codex lists it and goes on with every item; where a release knows no such logs, it does so once we have gone on',
    async run(lab) {
      for (const { id } of await someThreads(lab)) {
        const before = await lab.ours.history(lab.home, id);
        await lab.write((store) => store.compress(id));
        check(
          logsOf(lab.home, id).every((file) => file.endsWith('.zst')),
          'a plain log is left',
        );
        const packed = await lab.ours.history(lab.home, id);
        check(JSON.stringify(packed) === JSON.stringify(before), 'its history changed');
        const isListed = idsOf(await listed(lab)).includes(id);
        check(isListed === lab.release.zstd, `Codex ${isListed ? 'lists' : 'does not list'} it`);
        if (!lab.release.zstd) {
          const refused = await lab.codex.resume(id, 'Too early').then(
            () => false,
            () => true,
          );
          check(refused, 'Codex goes on with something else');
          await lab.write((store) => goOn(store, id, lab.cwd));
        }
        await lab.checkResume(id, 'Unpack it');
        check(
          logsOf(lab.home, id).every((file) => file.endsWith('.jsonl')),
          'a compressed log is left',
        );
        await lab.checkResume(id, 'And on');
      }
    },
  },
];
