/**
 * `codicil list`, and what `codicil` alone does.
 */
import path from 'node:path';
import { CodicilError } from '../../base/errors.js';
import type { HomeSet } from '../../home/index.js';
import type { TreeRow } from '../../home/list-trees.js';
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
  if (run.invocation.has('tree') && !run.invocation.has('why')) return listTree(run, query);
  const { page, homePaths } = await run.withHomes(async (homes) => ({
    page: await readPage(run, homes, query),
    homePaths: homes.readers.map((reader) => reader.home.path),
  }));
  if (run.json) await printJson(run, page);
  else if (run.invocation.has('jsonl')) for (const row of page.threads) await run.output.line(JSON.stringify(row));
  else await printForReading(run, page, homePaths);
  return EXIT_DONE;
};

async function printForReading(run: Run, page: ThreadPage, homePaths: readonly string[]): Promise<void> {
  const { invocation, view } = run;
  const { listLines, listNotes } = await import('../views/list-view.js');
  const options = {
    bare: invocation.bare,
    why: invocation.has('why'),
    all: invocation.has('all'),
    filtered: isFiltered(run),
    homePaths,
  };
  await printPage(run, listLines(page, view, options), listNotes(page, run.wordsView, options));
}

function isFiltered({ invocation }: Run): boolean {
  return ['cwd', 'provider', 'source', 'since', 'until', 'archived', 'cursor'].some((name) => invocation.has(name));
}

async function printPage(run: Run, lines: readonly string[], notes: readonly string[]): Promise<void> {
  const { context } = run;
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

async function listTree(run: Run, query: ListQuery): Promise<number> {
  const { listTrees } = await import('../../home/list-trees.js');
  const { page, homePaths } = await run.withHomes(async (homes) => ({
    page: await listTrees(homes, query),
    homePaths: homes.readers.map((reader) => reader.home.path),
  }));
  if (run.json) await printJson(run, { ...page, threads: page.rows.map(jsonRow) });
  else if (run.invocation.has('jsonl'))
    for (const row of page.rows) await run.output.line(JSON.stringify(jsonRow(row)));
  else {
    const { treeLines, treeNotes } = await import('../views/tree-view.js');
    const notes = treeNotes(page, run.wordsView, { filtered: isFiltered(run), homePaths });
    await printPage(run, [...treeLines(page, run.view)], notes);
  }
  return EXIT_DONE;
}

/** A row of the list, and its place in the tree. */
function jsonRow({ row, parentId, relation, depth, agent, tokens }: TreeRow) {
  return { ...row, parentId, relation, depth, agent, tokens };
}

type Printed = Omit<ThreadPage, 'threads'> & { readonly threads: readonly unknown[] };

async function printJson(run: Run, page: Printed): Promise<void> {
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
