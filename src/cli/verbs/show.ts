/**
 * `codicil show`: a thread turn by turn, or the log lines at an address.
 */
import { stat } from 'node:fs/promises';
import type { HomeSet } from '../../home/index.js';
import type { ThreadCandidate, ThreadReader, TurnsQuery, TurnsResult } from '../../thread-store/session-reader.js';
import { EXIT_DONE, UsageError } from '../failure.js';
import { Output } from '../output.js';
import { type LineRange, resolveAddress } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { itemsAtLines, type NumberedTurn, numberTurns, parseTurnRange, withRawText } from '../thread-items.js';

/** On a terminal, unless --turns says otherwise. */
const DEFAULT_LAST_TURNS = 20;
const FOLLOW_EVERY_MS = 500;
const MAX_CONTEXT_LINES = 10_000;

/** What is shown: turns of the thread, or lines of its own file. */
interface Selection {
  readonly query: Pick<TurnsQuery, 'from' | 'to' | 'last'>;
  readonly range: LineRange | undefined;
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
    const { candidate, range } = await resolveAddress(run, homes);
    const selection = readSelection(run, range);
    const reader = await homes.open(candidate, { signal: run.signal });
    try {
      const shown = await load(run, reader, selection);
      run.progress.clear();
      if (run.json) await printJson(run, shown);
      else if (invocation.has('jsonl')) await printRecords(run, shown);
      else await printForReading(run, shown, selection);
    } finally {
      await reader.close();
    }
    if (invocation.has('follow')) await follow(run, homes, candidate);
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
    if (turns !== undefined) return { query: parseTurnRange(turns), range };
    return { query: forReading && context.isTTY ? { last: DEFAULT_LAST_TURNS } : {}, range };
  }
  if (turns !== undefined) throw new UsageError('Cannot take --turns with an address');
  if (invocation.has('follow')) throw new UsageError('Cannot follow an address: give the ID alone');
  return { query: {}, range: { from: Math.max(1, range.from - (around ?? 0)), to: range.to + (around ?? 0) } };
}

async function load(run: Run, reader: ThreadReader, { query, range }: Selection): Promise<Shown> {
  const { invocation, signal } = run;
  const result = await reader.turns({
    ...query,
    signal,
    ...(range === undefined ? {} : { lines: range }),
    ...(invocation.has('all') ? { all: true } : {}),
  });
  let turns = numberTurns(result, query);
  if (range !== undefined) {
    const damagedLines = new Set(result.parse.errors.map((damage) => damage.line));
    turns = await itemsAtLines(reader, turns, range, { damagedLines, signal });
  }
  return { result, turns: invocation.has('raw') ? withRawText(reader, turns, signal) : turns, count: turns.length };
}

async function printJson(run: Run, { result, turns }: Shown): Promise<void> {
  const document = run.document();
  await document.field('thread', result.thread);
  await document.array('turns', turnViews(turns), 2);
  const { lines, records, errors } = result.parse;
  const reported = errors.map(({ line, byteOffset, kind, message }) => ({ line, byteOffset, kind, message }));
  await document.field('parse', { lines, records, errors: reported }, 2);
  await document.end();
}

async function* turnViews(turns: Shown['turns']): AsyncGenerator<NumberedTurn['turn']> {
  for await (const { turn } of turns) yield turn;
}

async function printRecords(run: Run, { turns }: Shown): Promise<void> {
  for await (const { number, turn } of turns) await printTurnRecords(run, number, turn, 0);
  await run.output.flush();
}

async function printTurnRecords(run: Run, number: number, turn: NumberedTurn['turn'], skip: number): Promise<void> {
  for (const item of turn.items.slice(skip))
    await run.output.line(JSON.stringify({ turn: number, turnId: turn.id, ...item }));
}

async function printForReading(run: Run, shown: Shown, selection: Selection): Promise<void> {
  const { invocation, context, view } = run;
  const { threadLines, turnLines, threadNotes } = await import('../views/show-view.js');
  const { result } = shown;
  const pager =
    context.isTTY && !invocation.has('follow') && selection.range === undefined ? await context.openPager() : undefined;
  const output = pager === undefined ? run.output : new Output(pager.input);
  const options = {
    threadPath: result.thread.path,
    threadId: result.thread.id,
    // Who asks for a line wants to see it.
    full: invocation.has('tools') || selection.range !== undefined,
    raw: invocation.has('raw'),
  };
  try {
    if (selection.range === undefined) for (const line of threadLines(result, view)) await output.line(line);
    for await (const { number, turn } of shown.turns) {
      for (const line of turnLines(number, turn, view, options)) await output.line(line);
    }
    await output.flush();
  } finally {
    await pager?.end();
  }
  if (shown.count === 0 && selection.range !== undefined) await run.say(`The log has no line ${selection.range.from}.`);
  await run.say(...threadNotes(result, shown.count, run.wordsView, { lines: selection.range !== undefined }));
}

/** Shows what is appended until the run is interrupted: reads again only when the file has changed. */
async function follow(run: Run, homes: HomeSet, candidate: ThreadCandidate): Promise<void> {
  const { context, signal, invocation } = run;
  const all = invocation.has('all');
  let path = candidate.path;
  let stamp: string | undefined;
  let turnNumber = 1;
  let itemsShown = 0;
  for (let first = true; ; first = false) {
    if (!first) await context.wait(FOLLOW_EVERY_MS, signal);
    const now = await stampOf(path);
    if (now === stamp) continue;
    stamp = now;
    const reader = await homes.open(candidate, { signal });
    try {
      path = reader.path;
      // The first look only finds out where the end is: all of it has just been shown.
      const query = first ? { last: 1 } : { from: turnNumber };
      const result = await reader.turns({ ...query, signal, ...(all ? { all } : {}) });
      if (result.totalTurns < turnNumber) {
        await run.say('Turns were taken back.');
        turnNumber = Math.max(1, result.totalTurns);
        itemsShown = Number.POSITIVE_INFINITY;
      }
      const turns = numberTurns(result, query);
      for await (const { number, turn } of invocation.has('raw') ? withRawText(reader, turns, signal) : turns) {
        const skip = number === turnNumber ? itemsShown : 0;
        if (!first && turn.items.length > skip) await printAppended(run, result, number, turn, skip);
        turnNumber = number;
        itemsShown = turn.items.length;
      }
    } finally {
      await reader.close();
    }
  }
}

async function printAppended(
  run: Run,
  result: TurnsResult,
  number: number,
  turn: NumberedTurn['turn'],
  skip: number,
): Promise<void> {
  if (run.invocation.has('jsonl')) await printTurnRecords(run, number, turn, skip);
  else {
    const { itemLines, turnLines } = await import('../views/show-view.js');
    const options = {
      threadPath: result.thread.path,
      threadId: result.thread.id,
      full: run.invocation.has('tools'),
      raw: run.invocation.has('raw'),
    };
    const lines =
      skip === 0
        ? turnLines(number, turn, run.view, options)
        : turn.items.slice(skip).flatMap((item) => [...itemLines(item, run.view, options)]);
    for (const line of lines) await run.output.line(line);
  }
  await run.output.flush();
}

/** Changes whenever the file does; undefined while it is not there (it may just be replaced). */
async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return `${size}:${mtimeMs}:${ino}`;
  } catch {
    // Compression and archiving move the file: the next look finds where it went.
    return undefined;
  }
}
