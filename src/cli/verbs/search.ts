/**
 * `codicil search`: messages by their words, over the full text of every home.
 */
import path from 'node:path';
import type { HomeSet } from '../../home/index.js';
import { SearchError } from '../../thread-store/errors.js';
import { mergeIndexStates } from '../../thread-store/index-state.js';
import {
  type IndexState,
  MAX_SEARCH_LIMIT,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
} from '../../thread-store/session-reader.js';
import { EXIT_DONE, UsageError } from '../failure.js';
import type { Output } from '../output.js';
import { throughPager } from '../paged.js';
import { readLines } from '../read-lines.js';
import type { Run, Verb } from '../run.js';
import { readTimeSpan } from '../time-span.js';

type Filters = Omit<SearchQuery, 'text'>;

export const search: Verb = async (run) => {
  const { invocation } = run;
  const text = invocation.arguments.join(' ');
  const filters = readFilters(run);
  if (invocation.has('batch')) {
    if (text !== '') throw new UsageError('Cannot take a QUERY with --batch: queries come from stdin, a line each');
    return run.withHomes((homes) => searchBatch(run, homes, filters));
  }
  if (invocation.arguments.length === 0) {
    throw new UsageError('search needs QUERY: the words to look for', { hint: 'Example: codicil search "flaky test"' });
  }
  const page = await run.withHomes((homes) => homes.search({ ...filters, text }));
  if (run.json) await run.printDocument(documentOf(page));
  else if (invocation.has('jsonl')) for (const hit of page.hits) await run.output.line(JSON.stringify(hit));
  else await printForReading(run, page, text);
  return EXIT_DONE;
};

function readFilters(run: Run): Filters {
  const { invocation, context, signal } = run;
  const limit = invocation.count('limit', { min: 1, max: MAX_SEARCH_LIMIT });
  const by = BY.find((name) => name === invocation.value('by'));
  const role = ROLES.find((name) => name === invocation.value('role'));
  const cwd = invocation.value('cwd');
  const { sinceMs, untilMs } = readTimeSpan(run);
  return {
    signal,
    ...(limit === undefined ? {} : { limit }),
    ...(by === undefined ? {} : { by }),
    ...(role === undefined ? {} : { role }),
    ...(cwd === undefined ? {} : { cwd: path.resolve(context.cwd, cwd) }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
  };
}

const BY = ['message', 'thread'] as const;
const ROLES = ['user', 'assistant', 'tool'] as const;

/** A document a line, in the order of the queries. Files are compared with the index once, before the first. */
async function searchBatch(run: Run, homes: HomeSet, filters: Filters): Promise<number> {
  let index: IndexState | undefined;
  for await (const lines of readLines(run.context.stdin, run.signal)) {
    for (const text of lines) {
      const page = await searchOrNothing(homes, { ...filters, text, ...(index && { indexMaxAgeMs: Infinity }) }, index);
      index = page.index;
      await run.output.line(JSON.stringify(documentOf(page)));
    }
    // Whoever writes a query may wait for its answer before the next.
    await run.output.flush();
  }
  return EXIT_DONE;
}

/** A line without a word finds nothing; it is no reason to leave the lines behind it unanswered. */
async function searchOrNothing(homes: HomeSet, query: SearchQuery, index: IndexState | undefined): Promise<SearchPage> {
  try {
    return await homes.search(query);
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    const states = index ?? mergeIndexStates(await Promise.all(homes.readers.map((reader) => reader.indexState())));
    return { hits: [], total: 0, totalIsBound: false, tookMs: 0, index: states };
  }
}

function documentOf({ hits, total, totalIsBound, tookMs, index }: SearchPage): Readonly<Record<string, unknown>> {
  const { state, indexed, files, unreadableFolders } = index;
  return {
    hits: hits.map(recordOf),
    total,
    totalIsBound,
    tookMs,
    index: { state, indexed, files, ...(unreadableFolders === undefined ? {} : { unreadableFolders }) },
  };
}

function recordOf(hit: SearchHit): SearchHit {
  const { threadId, address, path: file, home, line, role, timestamp, snippet, matches, score } = hit;
  const { title, name, cwd, updatedAt } = hit;
  const found = { threadId, address, path: file, home, line, role, timestamp, snippet, matches, score };
  return { ...found, title, name, cwd, updatedAt };
}

async function printForReading(run: Run, page: SearchPage, text: string): Promise<void> {
  const { context, view, invocation } = run;
  const { searchLines, searchNotes } = await import('../views/search-view.js');
  const byThread = invocation.value('by') === 'thread';
  const filtered = ['cwd', 'role', 'since', 'until'].some((name) => invocation.has(name));
  const lines = searchLines(page, view);
  const notes = searchNotes(page, run.wordsView, { byThread, filtered, text });
  const write = async (output: Output): Promise<void> => {
    for (const line of lines) await output.line(line);
  };
  if (context.isTTY && lines.length + notes.length >= context.rows) await throughPager(run, write);
  else await write(run.output);
  await run.say(...notes);
}
