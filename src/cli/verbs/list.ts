/**
 * `codicil list`, and what `codicil` alone does.
 */
import path from 'node:path';
import { CodicilError } from '../../base/errors.js';
import type { ThreadId } from '../../base/ids.js';
import type { HomeSet } from '../../home/index.js';
import type { ThreadRow } from '../../projection/thread-row.js';
import { mergeIndexStates } from '../../thread-store/index-state.js';
import type { ListQuery, ThreadPage } from '../../thread-store/session-reader.js';
import { EXIT_DONE } from '../failure.js';
import type { Output } from '../output.js';
import { throughPager } from '../paged.js';
import { looksLikePath, refusedAddress } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { readTimeSpan } from '../time-span.js';

const MAX_LIMIT = 100_000;

export const list: Verb = async (run) => {
  const query = readQuery(run);
  const { page, shown, homePaths } = await run.withHomes(async (homes) => {
    const own = await readPage(run, homes, query);
    return {
      page: run.invocation.has('tree') && !run.invocation.has('why') ? await withChildren(homes, own, query) : own,
      shown: own.threads.length,
      homePaths: homes.readers.map((reader) => reader.home.path),
    };
  });
  if (run.json) await printJson(run, page);
  else if (run.invocation.has('jsonl')) for (const row of page.threads) await run.output.line(JSON.stringify(row));
  else await printForReading(run, page, { shown, homePaths });
  return EXIT_DONE;
};

async function printForReading(
  run: Run,
  page: ThreadPage,
  { shown, homePaths }: { readonly shown: number; readonly homePaths: readonly string[] },
): Promise<void> {
  const { invocation, context, view } = run;
  const { listLines, listNotes } = await import('../views/list-view.js');
  const options = {
    bare: invocation.bare,
    tree: invocation.has('tree'),
    why: invocation.has('why'),
    all: invocation.has('all'),
    shown,
    filtered: ['cwd', 'provider', 'source', 'since', 'until', 'archived', 'cursor'].some((name) =>
      invocation.has(name),
    ),
    homePaths,
  };
  const lines = listLines(page, view, options);
  const notes = listNotes(page, run.wordsView, options);
  const write = async (output: Output): Promise<void> => {
    for (const line of lines) await output.line(line);
  };
  // The line of the prompt needs its place, too.
  if (context.isTTY && lines.length + notes.length >= context.rows) await throughPager(run, write);
  else await write(run.output);
  await run.say(...notes);
}

async function readPage(run: Run, homes: HomeSet, query: ListQuery): Promise<ThreadPage> {
  const why = run.invocation.value('why');
  return why === undefined ? homes.list(query) : readWhy(run, homes, why);
}

function readQuery(run: Run): ListQuery {
  const { invocation, context, signal } = run;
  const limit = invocation.count('limit', { min: 1, max: MAX_LIMIT });
  const cursor = invocation.value('cursor');
  const sort = invocation.value('sort');
  const cwd = invocation.value('cwd');
  const provider = invocation.value('provider');
  const source = invocation.value('source');
  const { sinceMs, untilMs } = readTimeSpan(run);
  return {
    signal,
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(sort === undefined ? {} : { sort: sort === 'created' ? 'created' : 'updated' }),
    ...(cwd === undefined ? {} : { cwd: path.resolve(context.cwd, cwd) }),
    ...(provider === undefined ? {} : { provider }),
    ...(source === undefined ? {} : { source }),
    ...(invocation.has('archived') ? { archived: true } : {}),
    ...(invocation.has('all') ? { all: true } : {}),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
  };
}

async function readWhy(run: Run, homes: HomeSet, reference: string): Promise<ThreadPage> {
  const { signal, context } = run;
  const threads = await homes.why(looksLikePath(reference) ? path.resolve(context.cwd, reference) : reference, {
    signal,
  });
  if (threads.length === 0) {
    const refused = refusedAddress(reference, 'list --why');
    if (refused !== undefined) throw refused;
    throw new CodicilError('thread-not-found', `Cannot find a thread or file "${reference}" in any home`, {
      hint: `Looked in ${homes.readers.map((reader) => reader.home.path).join(', ') || 'no home'}.`,
    });
  }
  const states = await Promise.all(homes.readers.map((reader) => reader.indexState({ signal })));
  return { threads, nextCursor: null, total: threads.length, hidden: {}, index: mergeIndexStates(states) };
}

/** The page with the children of each thread right after it, down to the last generation; every file once. */
async function withChildren(homes: HomeSet, page: ThreadPage, query: ListQuery): Promise<ThreadPage> {
  const rows = new Map<ThreadId, ThreadRow>();
  for (const row of page.threads) if (row.id !== null && standsForThread(row)) rows.set(row.id, row);
  const wanted = page.threads.flatMap((row) => row.children);
  if (wanted.length === 0) return page;
  if (wanted.some((id) => !rows.has(id))) {
    for (const [id, row] of await everyThread(homes, query)) if (!rows.has(id)) rows.set(id, row);
  }
  const below = new Set(wanted);
  const threads: ThreadRow[] = [];
  const seen = new Set<string>();
  // A row of the page that is the child of another stands below it; one that damaged metadata makes its own ancestor is left for the end.
  const roots = page.threads.filter((row) => row.id === null || !below.has(row.id) || !standsForThread(row));
  for (const start of [...roots, ...page.threads]) {
    const pending = [start];
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      if (seen.has(row.path)) continue;
      seen.add(row.path);
      threads.push(row);
      for (const child of row.children.toReversed()) {
        const childRow = rows.get(child);
        if (childRow !== undefined) pending.push(childRow);
      }
    }
  }
  return { ...page, threads };
}

/** A thread has one row for the file that stands for it, and may have others for segments and twins. */
function standsForThread({ hiddenReason }: ThreadRow): boolean {
  return hiddenReason === null || ['child', 'archived', 'internal'].includes(hiddenReason);
}

async function everyThread(homes: HomeSet, { signal }: ListQuery): Promise<ReadonlyMap<ThreadId, ThreadRow>> {
  const rows = new Map<ThreadId, ThreadRow>();
  let cursor: string | null = null;
  do {
    const all: ThreadPage = await homes.list({
      all: true,
      limit: MAX_LIMIT,
      ...(signal === undefined ? {} : { signal }),
      ...(cursor === null ? {} : { cursor }),
    });
    for (const row of all.threads) {
      if (row.id !== null && standsForThread(row) && !rows.has(row.id)) rows.set(row.id, row);
    }
    cursor = all.nextCursor;
  } while (cursor !== null);
  return rows;
}

async function printJson(run: Run, page: ThreadPage): Promise<void> {
  const document = run.document();
  await document.array('threads', page.threads);
  await document.field('nextCursor', page.nextCursor);
  await document.field('total', page.total);
  await document.field('hidden', page.hidden);
  const { state, indexed, files, unreadableFolders } = page.index;
  await document.field('index', {
    state,
    indexed,
    files,
    ...(unreadableFolders === undefined ? {} : { unreadableFolders }),
  });
  await document.end();
}
