/**
 * Forks and turns taken back by us, read by Codex, and the other way round.
 */
import { check } from '../lib/lab.mjs';
import { TURNS } from '../lib/turns.mjs';
import { goOn, needsDialect, writeThread } from './60-write-threads.mjs';

const DIALECTS = ['legacy', 'paginated'];

const turn = (prompt) => ({ prompt, steps: [{ message: `Answer to ${prompt}` }] });
const FOUR = ['one', 'two', 'three', 'four'].map((name) => turn(`turn ${name}`));

function checkTexts(history, { has = [], lacks = [] }) {
  const all = JSON.stringify(history);
  for (const text of has) check(all.includes(text), `"${text}" is missing`);
  for (const text of lacks) check(!all.includes(text), `"${text}" is still there`);
}

/** A thread of the release's own making, with one turn for each prompt. */
function codexThread(lab, prompts) {
  return lab.codex.serve(async (server) => {
    const id = await server.startThread(lab.cwd);
    for (const prompt of prompts) await server.turn(id, prompt);
    return id;
  });
}

async function forkByUs(lab, id, options, turns) {
  return lab.write(async (store) => {
    const live = await store.fork(id, options);
    await live.close();
    await goOn(store, live.id, lab.cwd, turns);
    return live.id;
  });
}

export const cases = [
  {
    name: 'write lineage: our forks of a thread of Codex',
    about: 'of all of it, up to a turn, and a fork of the fork; the parent goes on without them',
    async run(lab) {
      const parent = await codexThread(lab, ['turn one', 'turn two', 'turn three']);
      const whole = await forkByUs(lab, parent, undefined, [turn('in the fork')]);
      const part = await forkByUs(lab, parent, { atTurn: 2 }, [turn('in the part')]);
      const deep = await forkByUs(lab, part, { atTurn: 1 }, [turn('deep down')]);
      await lab.checkResume(parent, 'Parent');
      checkTexts(await lab.checkResume(whole, 'Whole'), { has: ['turn three', 'in the fork'], lacks: ['Parent'] });
      checkTexts(await lab.checkResume(part, 'Part'), { has: ['turn two', 'in the part'], lacks: ['turn three'] });
      checkTexts(await lab.checkResume(deep, 'Deep'), { has: ['turn one', 'deep down'], lacks: ['turn two'] });
      const listed = new Set((await lab.codex.serve((server) => server.listThreads())).map(({ id }) => id));
      const missing = [parent, whole, part, deep].filter((id) => !listed.has(id));
      check(missing.length === 0, `Codex does not list ${missing.join(', ')}`);
    },
  },
  {
    name: 'write lineage: turns of a thread of Codex taken back by us',
    about: 'Codex goes on from where we went back to; then it takes turns back, then we again',
    async run(lab) {
      const { release } = lab;
      const id = await codexThread(lab, ['turn one', 'turn two', 'turn three']);
      const rollBack = (turns) =>
        lab.write(async (store) => {
          const live = await store.resume(id);
          await live.rollback(turns);
          await live.close();
        });
      await rollBack(2);
      checkTexts(await lab.checkResume(id, 'codex two'), { has: ['turn one'], lacks: ['turn two', 'turn three'] });
      await lab.write((store) => goOn(store, id, lab.cwd, [turn('ours three')]));
      await lab.codex.serve(async (server) => {
        await server.request('thread/resume', { threadId: id });
        await server.undo(release, id, 1);
      });
      checkTexts(await lab.checkResume(id, 'codex three'), { has: ['codex two'], lacks: ['ours three'] });
      await rollBack(1);
      checkTexts(await lab.checkResume(id, 'the end'), { has: ['codex two'], lacks: ['codex three', 'ours three'] });
    },
  },
  ...DIALECTS.map((dialect) => ({
    name: `write lineage: a thread of ours forked and taken back by Codex, ${dialect}`,
    about: 'Codex forks it, and takes turns of it back; we read both and go on',
    async run(lab) {
      needsDialect(lab, dialect);
      const { id } = await lab.write((store) => writeThread(store, lab.cwd, dialect, FOUR));
      const forked = await lab.codex.serve(async (server) => {
        const fork = (await server.request('thread/fork', { threadId: id })).thread.id;
        await server.turn(fork, 'in the fork');
        return fork;
      });
      await lab.checkResume(forked, 'Fork');
      // Up to 0.147 a rollback is for legacy threads only, and a revert is for paginated ones only.
      if (lab.release.undo === (dialect === 'legacy' ? 'thread/rollback' : 'thread/revert')) {
        await lab.codex.serve(async (server) => {
          await server.request('thread/resume', { threadId: id });
          await server.undo(lab.release, id, 2);
        });
        const left = await lab.checkResume(id, 'After it');
        checkTexts(left, { has: ['turn two'], lacks: ['turn three', 'turn four'] });
      }
      for (const each of [id, forked]) {
        await lab.write((store) => goOn(store, each, lab.cwd, TURNS));
        await lab.checkResume(each, 'Both');
      }
    },
  })),
  ...DIALECTS.map((dialect) => ({
    name: `write lineage: our thread, our forks, our rollbacks, ${dialect}`,
    about: 'all by us; Codex resumes each with what is left',
    async run(lab) {
      needsDialect(lab, dialect);
      const { id } = await lab.write((store) => writeThread(store, lab.cwd, dialect, FOUR));
      const fork = await forkByUs(lab, id, { atTurn: 3 }, [turn('in the fork')]);
      await lab.write(async (store) => {
        const live = await store.resume(id);
        await live.rollback(2);
        await live.close();
        await goOn(store, id, lab.cwd, [turn('another three')]);
      });
      const again = await forkByUs(lab, id, undefined, [turn('after the rollback')]);
      checkTexts(await lab.checkResume(id, 'A'), {
        has: ['turn two', 'another three'],
        lacks: ['turn three', 'turn four'],
      });
      checkTexts(await lab.checkResume(fork, 'B'), {
        has: ['turn three', 'in the fork'],
        lacks: ['turn four', 'another'],
      });
      checkTexts(await lab.checkResume(again, 'C'), {
        has: ['another three', 'after the'],
        lacks: ['turn four', 'fork'],
      });
    },
  })),
];
