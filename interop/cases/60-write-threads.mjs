/**
 * Threads that we write, read by Codex: created by us, gone on with by either program, in both dialects.
 */
import { differenceOf } from '../lib/compare.mjs';
import { check, Skip } from '../lib/lab.mjs';
import { converse, SCRIPTS } from '../lib/scripts.mjs';
import { itemsOf, TURNS, turnRecords } from '../lib/turns.mjs';

/** Appends turns to a live thread; the items that the model saw. */
export async function appendTurns(live, cwd, turns = TURNS) {
  const items = [];
  for (const turn of turns) {
    const records = turnRecords({ ...turn, threadId: live.id, cwd });
    await live.append(records);
    items.push(...itemsOf(records));
  }
  return items;
}

/** A thread of ours with `turns`, closed: its id and items. */
export async function writeThread(store, cwd, dialect, turns) {
  const live = await store.create({ cwd, dialect });
  try {
    return { id: live.id, items: await appendTurns(live, cwd, turns) };
  } finally {
    await live.close();
  }
}

/** Takes the thread up, appends turns, closes it; the items. */
export async function goOn(store, id, cwd, turns) {
  const live = await store.resume(id);
  try {
    return await appendTurns(live, cwd, turns);
  } finally {
    await live.close();
  }
}

/** A release that knows no ordinals spoils such a log for the ones that do. */
export function needsDialect({ release }, dialect) {
  if (dialect === 'paginated' && !release.writerLock)
    throw new Skip('this release appends lines without ordinals to a paginated log');
}

const DIALECTS = ['legacy', 'paginated'];

export const cases = [
  ...DIALECTS.map((dialect) => ({
    name: `write: created by us, ${dialect}`,
    about: 'listed and resumed by Codex with every item, then gone on with by both in turn, in a home of ours',
    async run(lab) {
      needsDialect(lab, dialect);
      const { home, codex } = await lab.ownHome();
      const { id, items } = await lab.write((store) => writeThread(store, lab.cwd, dialect), home);
      const listed = (await codex.serve((server) => server.listThreads())).find((thread) => thread.id === id);
      check(listed?.preview === TURNS[0].prompt, `Codex lists it as ${JSON.stringify(listed?.preview)}`);
      const first = await lab.checkResume(id, 'First by Codex', { home, codex });
      const difference = differenceOf(first, items);
      check(difference === undefined, `our history is not what was appended: ${difference}`);
      const more = await lab.write((store) => goOn(store, id, lab.cwd, TURNS.slice(1)), home);
      const second = await lab.checkResume(id, 'Second by Codex', { home, codex });
      check(differenceOf(second.slice(-more.length), more) === undefined, 'what we appended then is not at the end');
      await lab.checkResume(id, 'Third by Codex', { home, codex });
      return { items: [first.length, second.length] };
    },
  })),
  {
    name: 'write: created by Codex',
    about: 'gone on with by us, by Codex, by us, by Codex: each sees all that was there',
    async run(lab) {
      const id = await converse(lab.codex, SCRIPTS.shell);
      const lengths = [];
      for (const round of [1, 2]) {
        const appended = await lab.write((store) => goOn(store, id, lab.cwd));
        const history = await lab.checkResume(id, `Round ${round}`);
        const difference = differenceOf(history.slice(-appended.length), appended);
        check(difference === undefined, `round ${round}: ${difference}`);
        lengths.push(history.length);
      }
      return { items: lengths };
    },
  },
  {
    name: 'write: created by Codex, compacted',
    about: 'we go on after a compaction; Codex sends the summary and what came after it',
    async run(lab) {
      const id = await converse(lab.codex, SCRIPTS.compaction);
      await lab.write((store) => goOn(store, id, lab.cwd));
      const history = await lab.checkResume(id, 'Go on');
      await lab.checkResume(id, 'And on');
      return { items: [history.length] };
    },
  },
];
