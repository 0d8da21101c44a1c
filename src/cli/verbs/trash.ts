/**
 * `codicil trash`: what was deleted, back again or gone for good.
 */
import { CodicilError } from '../../base/errors.js';
import { visibleLine } from '../../base/visible-text.js';
import type { TrashedThread } from '../../home/index.js';
import { AmbiguousReferenceError, EXIT_DONE, UsageError } from '../failure.js';
import { localMinute } from '../local-time.js';
import type { Run, Verb } from '../run.js';
import { countOf, sizeText } from '../views/words.js';
import { printChange } from './change-thread.js';
import { confirmed } from './confirm.js';

export const trash: Verb = async (run) => {
  const { invocation } = run;
  const restored = invocation.value('restore');
  if (restored !== undefined && invocation.has('purge')) throw new UsageError('Cannot take both --restore and --purge');
  if (restored !== undefined) return restore(run, restored);
  if (invocation.has('purge')) return empty(run);
  const threads = await run.withThreadHome(undefined, (home) => home.trashed({ signal: run.signal }));
  if (run.json) await run.printDocument({ threads }, 1);
  else await printTrash(run, threads);
  return EXIT_DONE;
};

async function restore(run: Run, reference: string): Promise<number> {
  const result = await run.withThreadHome(undefined, async (home) => {
    const found = findTrashed(await home.trashed({ signal: run.signal }), reference);
    return home.restore(found.threadId, { signal: run.signal });
  });
  await printChange(run, result, result.changed ? 'Restored' : 'Already where it belongs');
  return EXIT_DONE;
}

async function empty(run: Run): Promise<number> {
  const threads = await run.withThreadHome(undefined, (home) => home.trashed({ signal: run.signal }));
  const bytes = threads.reduce((sum, thread) => sum + thread.bytes, 0);
  if (threads.length > 0) {
    await confirmed(run, `Remove ${countOf(threads.length, 'thread')} (${sizeText(bytes)}) from the trash for good?`);
  }
  const removed = await run.withThreadHome(undefined, async (home) => {
    const paths: string[] = [];
    for (const { threadId } of threads) {
      paths.push(...(await home.purge(threadId, { signal: run.signal, onlyTrash: true })).removed);
    }
    return paths;
  });
  if (run.json) {
    await run.printDocument({ threads, removed }, 1);
    return EXIT_DONE;
  }
  await run.output.line(
    threads.length === 0 ? 'The trash is empty.' : `Removed ${countOf(threads.length, 'thread')} for good.`,
  );
  return EXIT_DONE;
}

function findTrashed(threads: readonly TrashedThread[], reference: string): TrashedThread {
  const digits = reference.replaceAll('-', '').toLowerCase();
  const fitting = threads.filter(({ threadId }) => threadId.replaceAll('-', '').endsWith(digits));
  const [only, ...others] = digits.length < 4 ? [] : fitting;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new AmbiguousReferenceError(
      reference,
      fitting.map(({ threadId, title, trashedAt, home }) => ({
        id: threadId,
        path: '',
        title: title ?? '',
        name: null,
        updatedAt: trashedAt,
        home,
      })),
    );
  }
  throw new CodicilError('thread-not-found', `Cannot find thread "${reference}" in the trash`, {
    hint: 'codicil trash lists what is there; give 4 digits or more from the end of an id.',
  });
}

async function printTrash(run: Run, threads: readonly TrashedThread[]): Promise<void> {
  const { view, output } = run;
  if (threads.length === 0) {
    await output.line('The trash is empty.');
    return;
  }
  for (const { threadId, title, trashedAt, home, files, bytes } of threads) {
    const when = localMinute(trashedAt, view.timeZone);
    await output.line(`${view.palette.bold(threadId)}  ${when}  ${countOf(files, 'file')}, ${sizeText(bytes)}`);
    if (title !== null && title !== '') await output.line(`  ${visibleLine(title)}`);
    await output.line(view.palette.dim(`  from ${visibleLine(home)}`));
  }
}
