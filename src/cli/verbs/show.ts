/**
 * `codicil show`: a thread turn by turn, or the log lines at an address.
 */
import { formatAddress } from '../../base/address.js';
import { CodicilError } from '../../base/errors.js';
import { fileErrorCode } from '../../platform/files/file-system.js';
import { nodeFileSystem } from '../../platform/files/node-file-system.js';
import { countLines } from '../../rollout/load-line.js';
import type { ThreadReader, TurnsQuery, TurnsResult } from '../../thread-store/session-reader.js';
import { EXIT_DONE, UsageError } from '../failure.js';
import type { Output } from '../output.js';
import { throughPager } from '../paged.js';
import { type LineRange, resolveAddress, type Target } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { shellQuote } from '../shell-quote.js';
import { itemsAtLines, type NumberedTurn, numberTurns, parseTurnRange, withRawText } from '../thread-items.js';
import type { ShowViewOptions } from '../views/show-view.js';
import { printTurnRecords } from './show-records.js';

/** On a terminal, unless --turns says otherwise. */
const DEFAULT_LAST_TURNS = 20;
const MAX_CONTEXT_LINES = 10_000;
/** A turn that nobody has written to for so long is not going on. */
const IDLE_AFTER_MS = 86_400_000;

/** What is shown: turns of the thread, or lines of one of its files. */
interface Selection {
  readonly query: Pick<TurnsQuery, 'from' | 'to' | 'last'>;
  readonly lines: Lines | undefined;
}

interface Lines {
  readonly asked: LineRange;
  /** What was asked for and the lines around it. */
  readonly range: LineRange;
}

interface Shown {
  readonly result: TurnsResult;
  readonly turns: AsyncIterable<NumberedTurn> | readonly NumberedTurn[];
  readonly count: number;
}

export const show: Verb = async (run) => {
  const { invocation } = run;
  if (invocation.has('follow') && run.json)
    throw new UsageError('Cannot follow with --json, which is one document: take --jsonl');
  return run.withHomes(async (homes) => {
    const target = await resolveAddress(run, homes);
    const { candidate } = target;
    const selection = readSelection(run, target.range);
    const reader = await homes.open(candidate, { signal: run.signal });
    try {
      if (invocation.has('follow')) {
        const { followThread } = await import('./show-follow.js');
        return await followThread(run, reader, selection.query);
      }
      const shown = await load(run, reader, target, selection);
      run.progress.clear();
      const { path } = target;
      if (path !== undefined && target.range === undefined && !reader.parts.some((part) => part.path === path)) {
        const { asCalled } = run.wordsView;
        await run.say(
          asCalled(`The thread goes on without this file: codicil list --why ${shellQuote(path)} says why.`),
        );
      }
      if (run.json) await printJson(run, shown);
      else if (invocation.has('jsonl')) await printRecords(run, shown);
      else await printForReading(run, reader, shown, selection);
    } finally {
      await reader.close();
    }
    return EXIT_DONE;
  });
};

function readSelection(run: Run, range: LineRange | undefined): Selection {
  const { invocation, context } = run;
  const around = invocation.count('context', { min: 0, max: MAX_CONTEXT_LINES });
  const turns = invocation.value('turns');
  if (range === undefined) {
    if (around !== undefined) throw new UsageError('--context needs an address: ID:LINE');
    const forReading = !run.json && !invocation.has('jsonl');
    if (turns !== undefined) return { query: parseTurnRange(turns), lines: undefined };
    return { query: forReading && context.isTTY ? { last: DEFAULT_LAST_TURNS } : {}, lines: undefined };
  }
  if (turns !== undefined) throw new UsageError('Cannot take --turns with an address');
  if (invocation.has('follow')) throw new UsageError('Cannot follow an address: give the ID alone');
  const wider = { from: Math.max(1, range.from - (around ?? 0)), to: range.to + (around ?? 0) };
  return { query: {}, lines: { asked: range, range: wider } };
}

/** The file in which the lines of an address stand. */
function fileOf(reader: ThreadReader, { path, part }: Target): string {
  if (part === undefined) return path ?? reader.path;
  const file = reader.parts[part - 1]?.path;
  if (file !== undefined) return file;
  const { length } = reader.parts;
  throw new CodicilError(
    'part-not-found',
    `Cannot show file ${part} of the thread: it stands in ${length === 1 ? 'one file' : `${length} files`}`,
    { path: reader.path },
  );
}

async function load(run: Run, reader: ThreadReader, target: Target, { query, lines }: Selection): Promise<Shown> {
  const { invocation, signal } = run;
  const path = fileOf(reader, target);
  // Looked for first: a line that is not there is no reason to read the whole thread.
  const rawLines = lines === undefined ? [] : await reader.lines({ ...lines.range, path }, { signal });
  if (lines !== undefined && !rawLines.some(({ line }) => line >= lines.asked.from)) {
    throw await lineNotFound(reader, path, { line: lines.asked.from, signal });
  }
  const result = await reader.turns({
    ...query,
    signal,
    ...(lines === undefined ? {} : { lines: { ...lines.range, path } }),
    ...(invocation.has('all') ? { all: true } : {}),
  });
  let turns = numberTurns(result, query);
  if (lines !== undefined) {
    const damaged = result.parse.errors.filter((damage) => damage.path === path);
    turns = itemsAtLines(turns, rawLines, { path, damagedLines: new Set(damaged.map(({ line }) => line)) });
  }
  return { result, turns: invocation.has('raw') ? withRawText(reader, turns, signal) : turns, count: turns.length };
}

async function lineNotFound(
  reader: ThreadReader,
  path: string,
  { line, signal }: { readonly line: number; readonly signal: AbortSignal },
): Promise<CodicilError> {
  let count: number | undefined;
  try {
    count = await countLines(path, { files: nodeFileSystem, signal });
  } catch (error) {
    // Just now it was read; how long it is remains unsaid.
    if (fileErrorCode(error) === undefined || signal.aborted) throw error;
  }
  const place = reader.parts.findIndex((part) => part.path === path);
  const part = place < reader.parts.length - 1 && place >= 0 ? { part: place + 1 } : {};
  const last = formatAddress({ reference: reader.id.slice(-8), ...part, from: count ?? 1, to: count ?? 1 });
  return new CodicilError(
    'line-not-found',
    `Cannot show line ${line}: ${count === undefined ? 'the file has no such line' : `the file has ${count} ${count === 1 ? 'line' : 'lines'}`}`,
    { path, line, ...(count === undefined || count === 0 ? {} : { hint: `codicil show ${last} shows the last.` }) },
  );
}

async function printJson(run: Run, { result, turns }: Shown): Promise<void> {
  const document = run.document();
  await document.field('thread', result.thread);
  await document.array('turns', turnViews(turns), 2);
  const { lines, records, errors } = result.parse;
  const reported = errors.map(({ line, byteOffset, kind, message, path }) => ({
    line,
    byteOffset,
    kind,
    message,
    path,
  }));
  await document.field('parse', { lines, records, errors: reported }, 2);
  await document.end();
}

async function* turnViews(turns: Shown['turns']): AsyncGenerator<NumberedTurn['turn']> {
  for await (const { turn } of turns) yield turn;
}

async function printRecords(run: Run, { turns }: Shown): Promise<void> {
  for await (const { number, turn } of turns) await printTurnRecords(run, number, turn);
  await run.output.flush();
}

async function printForReading(run: Run, reader: ThreadReader, shown: Shown, { lines }: Selection): Promise<void> {
  const { invocation, context, view } = run;
  const { threadLines, turnLines, threadNotes } = await import('../views/show-view.js');
  const { result } = shown;
  const options = {
    ...viewOptions(run, reader, result),
    // Who asks for a line wants to see it.
    full: invocation.has('tools') || lines !== undefined,
  };
  const write = async (output: Output): Promise<void> => {
    if (lines === undefined) for (const line of threadLines(result, view)) await output.line(line);
    for await (const { number, turn } of shown.turns) {
      for (const line of turnLines(number, turn, view, options)) await output.line(line);
    }
  };
  if (context.isTTY && lines === undefined) await throughPager(run, write);
  else await write(run.output);
  await run.say(...threadNotes(result, shown.count, run.wordsView, { lines: lines !== undefined }));
}

function viewOptions(run: Run, { parts }: ThreadReader, { thread }: TurnsResult): ShowViewOptions {
  return {
    parts: parts.map(({ path }) => path),
    threadId: thread.id,
    isIdle: run.context.now() - Date.parse(thread.updatedAt) > IDLE_AFTER_MS,
    full: run.invocation.has('tools'),
    raw: run.invocation.has('raw'),
  };
}
