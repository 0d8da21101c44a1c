/**
 * What `show` takes out of a thread: which turns, which lines, and the raw log line of an item.
 * Reads through the thread's reader only.
 */
import { isJsonObject } from '../base/json.js';
import type { TurnItemView, TurnView } from '../projection/turn.js';
import type { RawLine, ThreadReader, TurnsQuery, TurnsResult } from '../thread-store/session-reader.js';
import { UsageError } from './failure.js';
import type { LineRange } from './reference.js';

/** A turn with its place in the thread, from 1. */
export interface NumberedTurn {
  readonly number: number;
  readonly turn: TurnView;
}

/** Stands for the lines before the first turn. */
const NO_TURN: TurnView = { id: null, status: 'completed', startedAt: null, completedAt: null, items: [] };

/** How many raw lines are asked for at once: an item's line is nearly always near the one before. */
const RAW_WINDOW_LINES = 500;

/** `A..B`, `A..`, `..B`, `A` or `-N..` as a query. */
export function parseTurnRange(text: string): Pick<TurnsQuery, 'from' | 'to' | 'last'> {
  const last = /^-(\d{1,9})\.\.$/.exec(text);
  if (last !== null && Number(last[1]) > 0) return { last: Number(last[1]) };
  const match = /^(\d{0,9})(\.\.)?(\d{0,9})$/.exec(text);
  const from = match?.[1] ? Number(match[1]) : undefined;
  const to = match?.[2] === undefined ? from : match[3] ? Number(match[3]) : undefined;
  if (
    match === null ||
    from === 0 ||
    to === 0 ||
    (from === undefined && to === undefined) ||
    (from ?? 1) > (to ?? Number.POSITIVE_INFINITY)
  ) {
    throw new UsageError(`Cannot take "${text}" for --turns: wanted A..B, A.., ..B, A or -N..`);
  }
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

export function numberTurns(result: TurnsResult, query: Pick<TurnsQuery, 'from' | 'last'>): readonly NumberedTurn[] {
  const first = query.last === undefined ? (query.from ?? 1) : result.totalTurns - result.turns.length + 1;
  return result.turns.map((turn, index) => ({ number: first + index, turn }));
}

/**
 * Of `turns` (all of a thread, each with at least its first item) those items that stand on `rawLines`, lines of one of
 * its files. A line without an item becomes one with its raw text: under the tag of its record, `damaged` when it was
 * reported as that, `line` when it says neither.
 */
export function itemsAtLines(
  turns: readonly NumberedTurn[],
  rawLines: readonly RawLine[],
  { path, damagedLines }: { readonly path: string; readonly damagedLines: ReadonlySet<number> },
): readonly NumberedTurn[] {
  const range: LineRange = { from: rawLines[0]?.line ?? 0, to: rawLines.at(-1)?.line ?? 0 };
  const chosen = turns.map(({ number, turn }) => {
    const own = turn.items.filter((item) => item.path === path);
    const items = own.filter((item) => item.line >= range.from && item.line <= range.to);
    return { number, turn, firstLine: own[0]?.line ?? Number.POSITIVE_INFINITY, items };
  });
  const covered = new Set(chosen.flatMap(({ items }) => items.map((item) => item.line)));
  const outside: TurnItemView[] = [];
  for (const raw of rawLines) {
    if (covered.has(raw.line)) continue;
    const item: TurnItemView = {
      type: damagedLines.has(raw.line) ? 'damaged' : tagOf(raw),
      role: null,
      text: rawText(raw),
      line: raw.line,
      path: raw.path,
      origin: 'injected',
    };
    (chosen.findLast(({ firstLine }) => firstLine < raw.line)?.items ?? outside).push(item);
  }
  const found = chosen
    .filter(({ items }) => items.length > 0)
    .map(({ number, turn, items }) => ({ number, turn: { ...turn, items: items.sort((a, b) => a.line - b.line) } }));
  return outside.length === 0 ? found : [{ number: 0, turn: { ...NO_TURN, items: outside } }, ...found];
}

/** The turns again, the text of each item replaced by its log line. */
export async function* withRawText(
  reader: ThreadReader,
  turns: readonly NumberedTurn[],
  signal: AbortSignal,
): AsyncGenerator<NumberedTurn> {
  let window: ReadonlyMap<number, RawLine> = new Map();
  let windowPath = '';
  for (const { number, turn } of turns) {
    const items: TurnItemView[] = [];
    for (const item of turn.items) {
      if (windowPath !== item.path || !window.has(item.line)) {
        const range = { from: item.line, to: item.line + RAW_WINDOW_LINES - 1, path: item.path };
        window = new Map((await reader.lines(range, { signal })).map((raw) => [raw.line, raw]));
        windowPath = item.path;
      }
      const raw = window.get(item.line);
      items.push(raw === undefined ? item : { ...item, text: rawText(raw) });
    }
    yield { number, turn: { ...turn, items } };
  }
}

/** The type of a record that is no item: an event's own, else the line's. */
function tagOf({ text }: RawLine): string {
  let record: unknown;
  try {
    record = JSON.parse(text ?? '');
  } catch {
    return 'line'; // not JSON, or too large to be decoded
  }
  if (!isJsonObject(record)) return 'line';
  const payload = record['payload'];
  const inner = record['type'] === 'event_msg' && isJsonObject(payload) ? payload['type'] : undefined;
  return [inner, record['type'], record['record_type']].find((tag) => typeof tag === 'string') ?? 'line';
}

function rawText(raw: RawLine): string {
  return raw.text ?? '(a line of more than 64 MiB)';
}
