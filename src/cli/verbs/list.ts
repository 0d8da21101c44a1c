/**
 * `codicil list`, and what `codicil` alone does.
 */
import path from 'node:path';
import { CodicilError } from '../../base/errors.js';
import type { ThreadId } from '../../base/ids.js';
import type { HomeSet } from '../../home/index.js';
import type { ThreadRow } from '../../projection/thread-row.js';
import type { IndexState, ListQuery, ThreadPage } from '../../thread-store/session-reader.js';
import { EXIT_DONE, UsageError } from '../failure.js';
import { parseInstant } from '../local-time.js';
import { looksLikePath } from '../reference.js';
import type { Run, Verb } from '../run.js';

const MAX_LIMIT = 100_000;

export const list: Verb = async (run) => {
  const query = readQuery(run);
  const { page, homePaths } = await run.withHomes(async (homes) => ({
    page: await readPage(run, homes, query),
    homePaths: homes.readers.map((reader) => reader.home.path),
  }));
  if (run.json) await printJson(run, page);
  else if (run.invocation.has('jsonl')) for (const row of page.threads) await run.output.line(JSON.stringify(row));
  else {
    const { listLines, listNotes } = await import('../views/list-view.js');
    const options = {
      bare: run.invocation.bare,
      tree: run.invocation.has('tree'),
      why: run.invocation.has('why'),
      filtered: ['cwd', 'provider', 'source', 'since', 'until', 'archived', 'cursor'].some((name) =>
        run.invocation.has(name),
      ),
      homePaths,
    };
    for (const line of listLines(page, run.view, options)) await run.output.line(line);
    await run.say(...listNotes(page, run.wordsView, options));
  }
  return EXIT_DONE;
};

async function readPage(run: Run, homes: HomeSet, query: ListQuery): Promise<ThreadPage> {
  const why = run.invocation.value('why');
  if (why !== undefined) return readWhy(run, homes, why);
  const page = await homes.list(query);
  return run.invocation.has('tree') ? withChildren(homes, page, query) : page;
}

function readQuery({ invocation, context, signal }: Run): ListQuery {
  const instant = (option: string, dateEnd: boolean): number | undefined => {
    const text = invocation.value(option);
    if (text === undefined) return undefined;
    const ms = parseInstant(text, { nowMs: context.now(), dateEnd });
    if (ms !== undefined) return ms;
    throw new UsageError(
      `Cannot take "${text}" for --${option}: wanted a span such as 7d, a date such as 2026-11-29, or an ISO instant`,
    );
  };
  const limit = invocation.count('limit', { min: 1, max: MAX_LIMIT });
  const cursor = invocation.value('cursor');
  const sort = invocation.value('sort');
  const cwd = invocation.value('cwd');
  const provider = invocation.value('provider');
  const source = invocation.value('source');
  const sinceMs = instant('since', false);
  const untilMs = instant('until', true);
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
    throw new CodicilError('thread-not-found', `Cannot find a thread or file "${reference}" in any home`, {
      hint: `Looked in ${homes.readers.map((reader) => reader.home.path).join(', ') || 'no home'}.`,
    });
  }
  const states = await Promise.all(homes.readers.map((reader) => reader.indexState({ signal })));
  return { threads, nextCursor: null, total: threads.length, hidden: {}, index: sumStates(states) };
}

function sumStates(states: readonly IndexState[]): IndexState {
  return {
    state: states.every((state) => state.state === 'complete') ? 'complete' : 'building',
    indexed: states.reduce((sum, state) => sum + state.indexed, 0),
    files: states.reduce((sum, state) => sum + state.files, 0),
  };
}

/** The page with the children of each thread right after it, down to the last generation. */
async function withChildren(homes: HomeSet, page: ThreadPage, query: ListQuery): Promise<ThreadPage> {
  if (page.threads.every((row) => row.children.length === 0)) return page;
  const rows = new Map<ThreadId, ThreadRow>();
  let cursor: string | null = null;
  do {
    const all: ThreadPage = await homes.list({
      all: true,
      limit: MAX_LIMIT,
      ...(query.signal ? { signal: query.signal } : {}),
      ...(cursor === null ? {} : { cursor }),
    });
    for (const row of all.threads) {
      // A thread has one row for its head file and may have others for segments and twins; children are on the head.
      if (row.id !== null && (!rows.has(row.id) || row.hiddenReason === null || row.hiddenReason === 'child'))
        rows.set(row.id, row);
    }
    cursor = all.nextCursor;
  } while (cursor !== null);
  const threads: ThreadRow[] = [];
  const seen = new Set<ThreadId>();
  const pending = [...page.threads].reverse();
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    // Damaged metadata can name a thread as its own ancestor.
    if (row.id !== null && seen.has(row.id)) continue;
    if (row.id !== null) seen.add(row.id);
    threads.push(row);
    for (const child of [...row.children].reverse()) {
      const childRow = rows.get(child);
      if (childRow !== undefined) pending.push(childRow);
    }
  }
  return { ...page, threads };
}

async function printJson(run: Run, page: ThreadPage): Promise<void> {
  const document = run.document();
  await document.array('threads', page.threads);
  await document.field('nextCursor', page.nextCursor);
  await document.field('total', page.total);
  await document.field('hidden', page.hidden);
  const { state, indexed, files } = page.index;
  await document.field('index', { state, indexed, files });
  await document.end();
}
