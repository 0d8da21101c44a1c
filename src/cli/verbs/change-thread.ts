/**
 * Commands that change a thread as a whole: `rename`, `archive`, `unarchive`, `compress`, `delete`, `purge`.
 *
 * Each says what it changed, and may be repeated: what is as it should be already is told, and is no failure.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { ChangedThread, ThreadHome } from '../../home/index.js';
import type { ThreadCandidate } from '../../thread-store/session-reader.js';
import { EXIT_DONE, UsageError } from '../failure.js';
import { resolveNamedThread, resolveThread } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { confirmed } from './confirm.js';

interface Change {
  /** In the words of a question: `Purge`. */
  readonly asks?: string;
  /** What was done, and what was so already. */
  readonly done: string;
  readonly already: string;
  readonly work: (home: ThreadHome, thread: ThreadCandidate, run: Run) => Promise<ChangedThread>;
}

export const rename: Verb = async (run) => {
  const args = run.invocation.arguments;
  const last = run.invocation.has('last');
  const name = last ? args[0] : args[1];
  if (name === undefined || (last && args.length > 1)) {
    throw new UsageError('rename needs ID and NAME, or --last and NAME', {
      hint: 'Example: codicil rename 5b1a90cd "The build"',
    });
  }
  if (name.trim() === '') throw new UsageError('Cannot give a thread a blank name');
  return changed(run, {
    done: `Named “${visibleLine(name)}”`,
    already: `Already named “${visibleLine(name)}”`,
    work: (home, { id }) => home.rename(id, name, { signal: run.signal }),
  });
};

export const archive: Verb = (run) =>
  changed(run, {
    done: 'Archived',
    already: 'Already archived',
    work: (home, { id }) => home.archive(id, { signal: run.signal }),
  });

export const unarchive: Verb = (run) =>
  changed(run, {
    done: 'Back among the active threads',
    already: 'Already an active thread',
    work: (home, { id }) => home.unarchive(id, { signal: run.signal }),
  });

export const compress: Verb = (run) =>
  changed(run, {
    done: 'Compressed',
    already: 'Already compressed',
    work: (home, { id }) => home.compress(id, { signal: run.signal }),
  });

export const remove: Verb = (run) =>
  changed(run, {
    asks: 'Move to the trash',
    done: 'Moved to the trash; codicil trash --restore brings it back',
    already: 'Already in the trash',
    work: (home, { id }) => home.trash(id, { signal: run.signal }),
  });

export const purge: Verb = (run) =>
  changed(run, {
    asks: 'Remove for good',
    done: 'Removed for good',
    already: 'Nothing of it was left',
    work: (home, { id }) => home.purge(id, { signal: run.signal }),
  });

async function changed(run: Run, change: Change): Promise<number> {
  const candidate = await run.withHomes((homes) =>
    change.done.startsWith('Named') ? renamedThread(run, homes) : resolveThread(run, homes),
  );
  if (change.asks !== undefined) {
    const title = visibleLine(candidate.name ?? candidate.title);
    await confirmed(run, `${change.asks}: thread ${candidate.id}${title === '' ? '' : ` “${title}”`}?`);
  }
  const result = await run.withThreadHome(candidate.home, (home) => change.work(home, candidate, run));
  await printChange(run, result, result.changed ? change.done : change.already);
  return EXIT_DONE;
}

function renamedThread(run: Run, homes: Parameters<typeof resolveThread>[1]): Promise<ThreadCandidate> {
  const [reference] = run.invocation.arguments;
  return run.invocation.has('last') || reference === undefined
    ? newestThread(run, homes)
    : resolveNamedThread(run, homes, reference);
}

/** The words that `--last` stands for are the name, not a thread. */
async function newestThread(run: Run, homes: Parameters<typeof resolveThread>[1]): Promise<ThreadCandidate> {
  const latest = await homes.latest({ signal: run.signal });
  if (latest !== undefined) return latest;
  throw new UsageError('Cannot take the newest thread: there is no active one', {
    hint: 'codicil list --all shows every file.',
  });
}

/** The document, or what was done with the paths that it concerns. */
export async function printChange(run: Run, result: ChangedThread, words: string): Promise<void> {
  const { threadId, path, changed: hasChanged, removed } = result;
  if (run.json) {
    await run.printDocument({ threadId, path, changed: hasChanged, removed });
    return;
  }
  const { palette } = run.view;
  await run.output.line(`${run.view.asCalled(words)}: ${palette.bold(threadId)}`);
  if (path !== null) await run.output.line(`  ${visibleLine(path)}`);
  for (const gone of removed) await run.output.line(palette.dim(`  removed ${visibleLine(gone)}`));
}
