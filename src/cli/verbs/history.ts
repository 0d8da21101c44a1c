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
        const { damageLines } = await import('../views/verify-view.js');
        await run.say(`Faults were found in the log (${damage.length}):`, ...damageLines(damage, run.wordsView));
      }
      return EXIT_DONE;
    } finally {
      await reader.close();
    }
  });
