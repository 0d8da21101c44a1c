/**
 * One writer at a time, whichever program it is: the one that comes second is refused cleanly, and nothing is lost.
 */
import { mkdirSync, watch } from 'node:fs';
import path from 'node:path';
import { check, Skip } from '../lib/lab.mjs';
import { textOf } from '../lib/mock-responses.mjs';
import { converse, SCRIPTS } from '../lib/scripts.mjs';
import { appendTurns, goOn } from './60-write-threads.mjs';

const BUSY = /already has an active writer/;

/** Runs of Codex in the case of many cycles; each comes with at least three tries of ours. */
const CODEX_RUNS = 25;

function needsLocks(lab, store) {
  if (!store.locks) throw new Skip('this store takes no lock');
  if (!lab.release.writerLock) throw new Skip('this release takes no lock');
}

/** Prompts of the cases that count them; the client's own messages stand between. */
const COUNTED = /^(ours|ours again|codex) \d+$/;

/** Undefined, or how it was refused; throws when it failed otherwise. */
async function refusal(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error.code === 'thread-busy' || BUSY.test(error.message)) return error.message;
    throw error;
  }
}

const said = (prompt) => [{ prompt, steps: [{ message: `Answer to ${prompt}` }] }];

export const cases = [
  {
    name: 'one writer: Codex holds it',
    about: 'we are refused and told who holds it; once its app-server has ended, we are not',
    run: (lab) =>
      lab.write(async (store) => {
        needsLocks(lab, store);
        const id = await converse(lab.codex, SCRIPTS.plain);
        const refused = await lab.codex.serve(async (server) => {
          await server.request('thread/resume', { threadId: id });
          const message = await refusal(() => goOn(store, id, lab.cwd, said('too early')));
          check(message !== undefined, 'we wrote while Codex held the thread');
          check(message.includes(String(server.pid)), `the holder ${server.pid} is not named: ${message}`);
          await server.turn(id, 'by the holder');
          return message;
        });
        await goOn(store, id, lab.cwd, said('now it is free'));
        const history = JSON.stringify(await lab.checkResume(id, 'Go on'));
        check(!history.includes('too early'), 'what was refused is in the log');
        check(history.includes('by the holder') && history.includes('now it is free'), 'a turn is missing');
        return { refused };
      }),
  },
  {
    name: 'one writer: we hold it',
    about: 'exec and app-server of Codex are refused; once we have closed it, they are not',
    run: (lab) =>
      lab.write(async (store) => {
        needsLocks(lab, store);
        const id = await converse(lab.codex, SCRIPTS.plain);
        const live = await store.resume(id);
        let refused;
        try {
          refused = await refusal(() => lab.codex.resume(id, 'too early'));
          check(refused !== undefined, 'exec resume of Codex wrote while we held the thread');
          const again = await refusal(() =>
            lab.codex.serve((server) => server.request('thread/resume', { threadId: id })),
          );
          check(again !== undefined, 'the app-server took the thread while we held it');
        } finally {
          await live.close();
        }
        check(!JSON.stringify(await lab.ours.history(lab.home, id)).includes('too early'), 'Codex wrote all the same');
        await lab.checkResume(id, 'Now it is free');
        return { refused };
      }),
  },
  {
    name: 'one writer: a release without locks writes between two appends of ours',
    about: 'we notice; whatever we then say, no line is lost or torn, and both sides see the same',
    run: (lab) =>
      lab.write(async (store) => {
        if (!store.locks) throw new Skip('this store takes no lock');
        if (lab.release.writerLock) throw new Skip('this release takes a lock');
        const id = await converse(lab.codex, SCRIPTS.plain);
        const live = await store.resume(id);
        let refused;
        try {
          await appendTurns(live, lab.cwd, said('ours before'));
          await lab.codex.resume(id, 'theirs between');
          refused = await appendTurns(live, lab.cwd, said('ours after')).then(
            () => undefined,
            (error) => error.message,
          );
        } finally {
          await live.close().catch((error) => {
            refused ??= error.message;
          });
        }
        const history = JSON.stringify(await lab.checkResume(id, 'The end'));
        for (const text of ['ours before', 'theirs between']) check(history.includes(text), `"${text}" is missing`);
        check(history.includes('ours after') === (refused === undefined), 'what was acknowledged is not what is there');
        return { refused: refused ?? 'nothing' };
      }),
  },
  {
    name: 'one writer: a release without locks, in turn',
    about: 'one after the other, as without a lock it must be: every turn is there, once',
    run: (lab) =>
      lab.write(async (store) => {
        if (lab.release.writerLock) throw new Skip('this release takes a lock');
        const id = await converse(lab.codex, SCRIPTS.plain);
        const written = [];
        for (let round = 0; round < CODEX_RUNS; round += 1) {
          await lab.codex.resume(id, `codex ${round}`);
          await goOn(store, id, lab.cwd, said(`ours ${round}`));
          await goOn(store, id, lab.cwd, said(`ours again ${round}`));
          written.push(`codex ${round}`, `ours ${round}`, `ours again ${round}`);
        }
        const history = await lab.checkResume(id, 'The end');
        const prompts = history.filter(({ role }) => role === 'user').map(textOf);
        check(
          prompts.filter((text) => COUNTED.test(text)).join() === written.join(),
          'a turn is missing, doubled or out of order',
        );
      }),
  },
  {
    name: 'one writer: a hundred openings by both',
    about:
      'both programs open and close one thread as fast as they can: what was acknowledged is there, once, in order',
    run: (lab) =>
      lab.write(async (store) => {
        needsLocks(lab, store);
        const id = await converse(lab.codex, SCRIPTS.plain);
        const written = [];
        const counts = { codex: 0, codexRefused: 0, ours: 0, oursRefused: 0 };
        let tries = Promise.resolve();
        const tryOurs = () => {
          tries = tries.then(async () => {
            const prompt = `ours ${counts.ours + counts.oursRefused}`;
            const refused = await refusal(() => goOn(store, id, lab.cwd, said(prompt)));
            counts[refused === undefined ? 'ours' : 'oursRefused'] += 1;
            if (refused === undefined) written.push(prompt);
            return refused;
          });
          return tries;
        };
        lab.mock.beforeTurn = async () => {
          check((await tryOurs()) !== undefined, 'we wrote in the middle of a turn of Codex');
        };
        const locks = path.join(lab.home, 'thread-writer-locks');
        mkdirSync(locks, { recursive: true });
        for (let run = 0; run < CODEX_RUNS; run += 1) {
          const prompt = `codex ${run}`;
          // Whatever Codex does to its lock is a moment to try: one try each, so that ours do not wake themselves.
          const watcher = watch(locks, { persistent: false });
          watcher.once('change', tryOurs);
          const theirs = refusal(() => lab.codex.resume(id, prompt));
          tryOurs();
          const refused = await theirs;
          watcher.close();
          counts[refused === undefined ? 'codex' : 'codexRefused'] += 1;
          if (refused === undefined) written.push(prompt);
          const after = await tryOurs();
          check(after === undefined, `we are refused after Codex has ended: ${after}`);
        }
        lab.mock.beforeTurn = async () => {};
        const history = await lab.checkResume(id, 'The end');
        const prompts = history.filter(({ role }) => role === 'user').map(textOf);
        const wrong = written.filter((prompt) => prompts.filter((text) => text === prompt).length !== 1);
        check(wrong.length === 0, `not there exactly once: ${wrong.join(', ')}`);
        const order = prompts.filter((text) => COUNTED.test(text));
        check(order.length === written.length, `${order.length} turns are there, ${written.length} were acknowledged`);
        const opened = counts.codex + counts.codexRefused + counts.ours + counts.oursRefused;
        check(opened >= 100, `only ${opened} openings`);
        return counts;
      }),
  },
];
