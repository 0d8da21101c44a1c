/**
 * What we do to whole threads, seen by Codex: names, archived threads, compressed logs.
 */
import { check } from '../lib/lab.mjs';
import { logsOf } from '../lib/logs-of.mjs';
import { converse, SCRIPTS } from '../lib/scripts.mjs';
import { writeThread } from './60-write-threads.mjs';

/** One thread of each program in the lab's home. */
async function twoThreads(lab) {
  const theirs = await converse(lab.codex, SCRIPTS.shell);
  const { id: ours } = await lab.write((store) => writeThread(store, lab.cwd, lab.release.dialect));
  return [theirs, ours];
}

const listed = (lab, options) => lab.codex.serve((server) => server.listThreads(options));
const idsOf = (threads) => threads.map(({ id }) => id);

export const cases = [
  {
    name: 'write lifecycle: renamed by us',
    about: 'Codex shows the newest name that we gave',
    async run(lab) {
      for (const id of await twoThreads(lab)) {
        const name = `이름 of ${id.slice(-4)} 🙂`;
        await lab.write(async (store) => {
          await store.rename(id, 'an older name');
          await store.rename(id, name);
        });
        const shown = (await listed(lab)).find((thread) => thread.id === id)?.name;
        check(shown === name, `Codex shows ${JSON.stringify(shown)}, not ${JSON.stringify(name)}`);
      }
    },
  },
  {
    name: 'write lifecycle: archived by us and back',
    about: 'Codex has it among the archived ones, then among the active ones, and goes on with it',
    async run(lab) {
      const ids = await twoThreads(lab);
      check(ids.every((id) => logsOf(lab.home, id).length === 1), 'a thread has several logs');
      await listed(lab); // its databases know both threads
      for (const id of ids) await lab.write((store) => store.archive(id));
      const archived = idsOf(await listed(lab, { archived: true }));
      check(ids.every((id) => archived.includes(id)), `Codex has archived: ${JSON.stringify(archived)}`);
      const active = idsOf(await listed(lab));
      check(!ids.some((id) => active.includes(id)), `Codex has active: ${JSON.stringify(active)}`);
      for (const id of ids) await lab.write((store) => store.unarchive(id));
      const back = idsOf(await listed(lab));
      check(ids.every((id) => back.includes(id)), `Codex has active afterwards: ${JSON.stringify(back)}`);
      for (const id of ids) await lab.checkResume(id, 'Back again');
    },
  },
  {
    name: 'write lifecycle: compressed by us',
    about: 'Codex lists it and goes on with every item, and so do we',
    async run(lab) {
      for (const id of await twoThreads(lab)) {
        const before = await lab.ours.history(lab.home, id);
        await lab.write((store) => store.compress(id));
        check(logsOf(lab.home, id).every((file) => file.endsWith('.zst')), 'a plain log is left');
        const packed = await lab.ours.history(lab.home, id);
        check(JSON.stringify(packed) === JSON.stringify(before), 'its history changed');
        check(idsOf(await listed(lab)).includes(id), 'Codex does not list it');
        await lab.checkResume(id, 'Unpack it');
        await lab.checkResume(id, 'And on');
      }
    },
  },
];
