/**
 * `codicil homes`: which homes the reading commands cover.
 */
import { EXIT_DONE } from '../failure.js';
import type { Verb } from '../run.js';
import type { HomeSummary } from '../views/homes-view.js';

export const homes: Verb = async (run) => {
  const summaries = await run.withHomes(async ({ readers }) => {
    const found: HomeSummary[] = [];
    for (const reader of readers) {
      const { path, kind, own } = reader.home;
      const { state, indexed, files, unreadableFolders, bytes, threads } = await reader.indexState({
        signal: run.signal,
      });
      found.push({
        path,
        kind,
        own,
        threads,
        bytes,
        index: { state, indexed, files, ...(unreadableFolders === undefined ? {} : { unreadableFolders }) },
      });
    }
    return found;
  });
  if (run.json) await run.printDocument({ homes: summaries });
  else {
    const { homesLines, homesNotes } = await import('../views/homes-view.js');
    for (const line of homesLines(summaries, run.view)) await run.output.line(line);
    await run.say(...homesNotes(summaries, run.wordsView));
  }
  return EXIT_DONE;
};
