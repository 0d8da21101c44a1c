/**
 * Forks, turns taken back, and forks of those: one conversation in several files, or in copies of it.
 */
import { differenceOf } from '../lib/compare.mjs';
import { check } from '../lib/lab.mjs';

async function start(server, cwd, prompts) {
  const id = await server.startThread(cwd);
  for (const prompt of prompts) await server.turn(id, prompt);
  return id;
}

async function fork(server, id, prompt) {
  const forked = (await server.request('thread/fork', { threadId: id })).thread.id;
  check(forked !== id, 'a fork has the id of its parent');
  await server.turn(forked, prompt);
  return forked;
}

/** Every thread is listed by both, and its history is what the release sends for it. */
async function checkAll(lab, ids) {
  const theirs = (await lab.codex.serve((server) => server.listThreads())).map((thread) => thread.id);
  const ours = (await lab.ours.list(lab.home)).map((row) => row.id);
  const missing = ids.filter((id) => !ours.includes(id));
  check(missing.length === 0, `we do not list ${missing.join(', ')}`);
  const difference = ours.filter((id) => !theirs.includes(id));
  check(difference.length === 0, `Codex does not list ${difference.join(', ')}`);
  const items = [];
  for (const id of ids) items.push((await lab.checkResume(id, `And what was said? (${items.length})`)).length);
  for (const id of ids) await lab.checkResume(id, 'Once more');
  return { items };
}

/** No text of a turn that was taken back is left. */
function checkGone(history, ...texts) {
  const all = JSON.stringify(history);
  for (const text of texts) check(!all.includes(text), `"${text}" is still in the history`);
}

export const cases = [
  {
    name: 'read lineage: forks',
    about: 'a fork, a fork of the fork, and a parent that goes on after it',
    async run(lab) {
      const ids = await lab.codex.serve(async (server) => {
        const parent = await start(server, lab.cwd, ['alpha one', 'alpha two']);
        const child = await fork(server, parent, 'child one');
        await server.turn(parent, 'alpha three');
        return [parent, child, await fork(server, child, 'grandchild one')];
      });
      checkGone(await lab.ours.history(lab.home, ids[1]), 'alpha three');
      const rows = await lab.ours.list(lab.home);
      const from = ids.map((id) => rows.find((row) => row.id === id)?.forkedFromId);
      check(from[0] === null && from[1] === ids[0] && from[2] === ids[1], `forked from ${JSON.stringify(from)}`);
      return checkAll(lab, ids);
    },
  },
  {
    name: 'read lineage: turns taken back',
    about: 'turns taken back twice, then a fork of what is left, taken back as well',
    async run(lab) {
      const { release } = lab;
      const ids = await lab.codex.serve(async (server) => {
        const thread = await start(server, lab.cwd, ['beta one', 'beta two', 'beta three', 'beta four']);
        await server.undo(release, thread, 1);
        await server.turn(thread, 'beta vier');
        await server.undo(release, thread, 3);
        await server.turn(thread, 'beta zwei');
        const child = await fork(server, thread, 'child of beta');
        await server.turn(child, 'second of child');
        await server.undo(release, child, 1);
        return [thread, child];
      });
      checkGone(await lab.ours.history(lab.home, ids[0]), 'beta two', 'beta three', 'beta four', 'beta vier');
      checkGone(await lab.ours.history(lab.home, ids[1]), 'beta two', 'second of child');
      return checkAll(lab, ids);
    },
  },
  {
    name: 'read lineage: turns taken back after we had seen them',
    about: 'an index of ours that knows the thread from before does not hide what Codex did to it since',
    async run(lab) {
      const id = await lab.codex.serve((server) => start(server, lab.cwd, ['delta one', 'delta two', 'delta three']));
      await lab.ours.list(lab.home);
      await lab.codex.serve(async (server) => {
        await server.request('thread/resume', { threadId: id });
        await server.undo(lab.release, id, 2);
        await server.turn(id, 'delta zwei');
      });
      checkGone(await lab.ours.history(lab.home, id), 'delta two', 'delta three');
      return checkAll(lab, [id]);
    },
  },
  {
    name: 'read lineage: every turn taken back',
    about: 'nothing of the user is left, on either side',
    async run(lab) {
      const id = await lab.codex.serve(async (server) => {
        const thread = await start(server, lab.cwd, ['gamma one', 'gamma two']);
        await server.undo(lab.release, thread, 2);
        return thread;
      });
      const history = await lab.ours.history(lab.home, id);
      checkGone(history, 'gamma one', 'gamma two');
      const { input } = await lab.codex.resume(id, 'A new beginning');
      const difference = differenceOf(input, history, 'A new beginning');
      check(difference === undefined, difference);
      return { items: [history.length] };
    },
  },
];
