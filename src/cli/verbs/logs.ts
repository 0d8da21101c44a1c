/**
 * `codicil logs`: what the program did, from its own log. Reads a home only where a thread is meant by its name.
 */
import { parseThreadId } from '../../base/ids.js';
import type { LogPage, LogQuery } from '../../home/index.js';
import { EXIT_DONE } from '../failure.js';
import { throughPager } from '../paged.js';
import { resolveNamedThread } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { readTimeSpan } from '../time-span.js';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 100_000;

export const logs: Verb = async (run) => {
  const { invocation } = run;
  const query: LogQuery = {
    limit: invocation.count('limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT,
    level: LEVELS.find((level) => level === invocation.value('level')),
    search: invocation.value('search'),
    ...readTimeSpan(run),
  };
  const page = await read(run, { ...query, threadId: await readThread(run) });
  if (run.json) await printJson(run, page);
  else if (invocation.has('jsonl')) for (const row of page.rows) await run.output.line(JSON.stringify(row));
  else await printForReading(run, page);
  return EXIT_DONE;
};

/** Typed, not imported: the log itself is read only when this command runs. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

function read({ context, homePaths, signal }: Run, query: LogQuery): Promise<LogPage> {
  return context.readLog({ ...query, env: context.env, homes: homePaths, signal });
}

/** The id that `--thread` means: a full one, the end of one that the log knows, or what any other command takes. */
async function readThread(run: Run): Promise<string | undefined> {
  const text = run.invocation.value('thread');
  if (text === undefined) return undefined;
  const full = parseThreadId(text);
  if (full !== undefined) return full;
  if (/^[0-9a-f-]{4,36}$/i.test(text)) {
    const { partitions } = await read(run, { limit: 1 });
    const known = partitions.filter(({ key }) => parseThreadId(key) !== undefined && key.endsWith(text.toLowerCase()));
    if (known.length === 1) return known[0]?.key;
  }
  return run.withHomes(async (homes) => (await resolveNamedThread(run, homes, text)).id);
}

async function printJson(run: Run, { rows, partitions }: LogPage): Promise<void> {
  const document = run.document();
  await document.array('rows', rows);
  await document.array('partitions', partitions);
  await document.end();
}

async function printForReading(run: Run, page: LogPage): Promise<void> {
  const { context, view, invocation } = run;
  const { logLines, logNotes } = await import('../views/logs-view.js');
  const lines = logLines(page, view);
  const filtered = ['thread', 'level', 'search', 'since', 'until'].some((name) => invocation.has(name));
  const notes = logNotes(page, run.wordsView, { filtered });
  if (context.isTTY && lines.length + notes.length >= context.rows) {
    await throughPager(run, async (output) => {
      for (const line of lines) await output.line(line);
    });
  } else for (const line of lines) await run.output.line(line);
  await run.say(...notes);
}
