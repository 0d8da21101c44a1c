/**
 * `codicil history`: what a resume of the thread would send to the model.
 */
import { EXIT_DONE } from '../failure.js';
import { resolveThread } from '../reference.js';
import type { Verb } from '../run.js';

export const history: Verb = (run) =>
  run.withHomes(async (homes) => {
    const reader = await homes.open(await resolveThread(run, homes), { signal: run.signal });
    try {
      const { threadId, items, damage } = await reader.history({ signal: run.signal });
      run.progress.clear();
      if (run.json) {
        const document = run.document();
        await document.field('threadId', threadId);
        await document.array('items', items, 1);
        await document.end();
      } else {
        const { historyLines } = await import('../views/history-view.js');
        for (const line of historyLines(items, run.view)) await run.output.line(line);
      }
      if (damage.length > 0) {
        const [{ damageLines }, { fillWords, shortId }] = await Promise.all([
          import('../views/verify-view.js'),
          import('../views/words.js'),
        ]);
        await run.say(`Faults were found in the log (${damage.length}):`, ...damageLines(damage, run.wordsView));
        // A log is read from its end, where lines have no numbers yet.
        if (damage.some(({ line }) => line === 0)) {
          const { asCalled, columns } = run.wordsView;
          const note = asCalled(`codicil verify ${shortId(threadId)} gives the numbers of the lines.`);
          await run.say(...fillWords(note, columns));
        }
      }
      return EXIT_DONE;
    } finally {
      await reader.close();
    }
  });
