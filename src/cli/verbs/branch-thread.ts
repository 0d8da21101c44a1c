/**
 * `codicil fork` and `codicil rollback`: another thread from an earlier place, or the same one without its last turns.
 */
import { visibleLine } from '../../base/visible-text.js';
import { EXIT_DONE, UsageError } from '../failure.js';
import { resolveThread } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { countOf } from '../views/words.js';

export const fork: Verb = async (run) => {
  const atTurn = turnsOf(run, 'at-turn');
  const candidate = await run.withHomes((homes) => resolveThread(run, homes));
  const made = await run.withThreadHome(candidate.home, async ({ store }) => {
    await using live = await store.fork(candidate.id, {
      signal: run.signal,
      ...(atTurn !== undefined && { atTurn }),
    });
    return { threadId: live.id, path: live.path ?? null };
  });
  if (run.json) {
    await run.printDocument({ ...made, turnId: null, status: 'forked', lastMessage: null, forkedFromId: candidate.id });
    return EXIT_DONE;
  }
  const upTo = atTurn === undefined ? '' : ` up to turn ${atTurn}`;
  await run.output.line(`Forked ${candidate.id}${upTo}: ${run.view.palette.bold(made.threadId)}`);
  if (made.path !== null) await run.output.line(`  ${visibleLine(made.path)}`);
  return EXIT_DONE;
};

export const rollback: Verb = async (run) => {
  const turns = turnsOf(run, 'turns');
  if (turns === undefined) throw new UsageError('rollback needs --turns: how many of the last turns to take away');
  const candidate = await run.withHomes((homes) => resolveThread(run, homes));
  const done = await run.withThreadHome(candidate.home, async ({ store }) => {
    await using live = await store.resume(candidate.id, { signal: run.signal });
    const taken = await live.rollback(turns);
    return { threadId: live.id, path: live.path ?? null, turns: taken.turns };
  });
  if (run.json) {
    const { threadId, path } = done;
    const status = done.turns === 0 ? 'unchanged' : 'rolled-back';
    await run.printDocument({ threadId, path, turnId: null, status, lastMessage: null, turns: done.turns });
    return EXIT_DONE;
  }
  const what = done.turns === 0 ? 'It has no turn to take away' : `Took away ${countOf(done.turns, 'turn')}`;
  await run.output.line(`${what}: ${run.view.palette.bold(done.threadId)}`);
  if (done.path !== null) await run.output.line(`  ${visibleLine(done.path)}`);
  return EXIT_DONE;
};

function turnsOf({ invocation }: Run, option: string): number | undefined {
  const text = invocation.value(option);
  if (text === undefined) return undefined;
  const turns = Number(text);
  if (/^\d+$/.test(text) && turns >= 1 && Number.isSafeInteger(turns)) return turns;
  throw new UsageError(`Cannot take "${text}" for --${option}: wanted a whole number from 1 on`);
}
