/**
 * A thread for a person: a heading for the thread and each turn, what was said in full, everything else folded to a line.
 * The address of every item is shown, so that it can be opened again or cited.
 */
import { formatAddress } from '../../base/address.js';
import { visibleLine, visibleText } from '../../base/visible-text.js';
import { withoutMediaData } from '../../projection/shown-media.js';
import type { Origin, TurnItemView, TurnStatus, TurnView } from '../../projection/turn.js';
import type { TurnsResult } from '../../thread-store/session-reader.js';
import { durationText, localMinute } from '../local-time.js';
import type { Palette } from '../palette.js';
import type { View } from '../run.js';
import { clipToWidth, displayWidth, wrapToWidth } from '../width.js';
import { countOf, fillWords, shortId, sizeText, sourceWords, titleOf } from './words.js';

export interface ShowViewOptions {
  /** Paths of the files that the thread stands in, oldest first. */
  readonly parts: readonly string[];
  readonly threadId: string | null;
  /** True when nothing was written to the thread for long: what is in progress is no more. */
  readonly isIdle: boolean;
  /** Nothing is folded. */
  readonly full: boolean;
  /** Texts are log lines. */
  readonly raw: boolean;
}

/** Where nobody looks at the width, a rule and a folded line still end somewhere. */
const UNBOUNDED_COLUMNS = 120;
const SPOKEN_TYPES = new Set(['message', 'user_message', 'agent_message', 'UserMessage', 'AgentMessage']);

export function threadLines(
  { thread }: Pick<TurnsResult, 'thread'>,
  { palette, columns, timeZone }: View,
): readonly string[] {
  const width = Math.min(columns, UNBOUNDED_COLUMNS);
  const marks = [sourceWords(thread.source), thread.modelProvider, thread.model, thread.cliVersion].flatMap((mark) =>
    mark ? [visibleLine(mark)] : [],
  );
  return [
    palette.bold(clipToWidth(titleOf(thread) || '(no message)', width)),
    palette.cyan(thread.id ?? '(no id)') + (thread.archived ? '  [archived]' : ''),
    // A path that is broken into lines cannot be copied; the terminal wraps it where it must.
    ...(thread.cwd === null ? [] : [palette.dim(visibleLine(thread.cwd))]),
    palette.dim(
      `${localMinute(thread.createdAt, timeZone)} to ${localMinute(thread.updatedAt, timeZone)} · ${sizeText(thread.sizeBytes)}`,
    ),
    ...fillWords(marks.join(' · '), columns).map(palette.dim),
    palette.dim(visibleLine(thread.path)),
    '',
  ];
}

export function* turnLines(number: number, turn: TurnView, view: View, options: ShowViewOptions): Generator<string> {
  yield turnHeading(number, turn, view, options);
  for (const item of turn.items) yield* itemLines(item, view, options);
  yield '';
}

function turnHeading(
  number: number,
  turn: TurnView,
  { palette, columns, timeZone }: View,
  { isIdle }: ShowViewOptions,
): string {
  const parts = [number === 0 ? 'Outside of any turn' : `Turn ${number}`];
  if (turn.startedAt !== null) parts.push(localMinute(turn.startedAt, timeZone));
  if (number > 0) parts.push(turn.status === 'in_progress' ? (isIdle ? 'unfinished' : 'in progress') : turn.status);
  const tookMs = Date.parse(turn.completedAt ?? '') - Date.parse(turn.startedAt ?? '');
  if (tookMs >= 0) parts.push(durationText(tookMs));
  const text = `── ${parts.join(' · ')} `;
  const rule = '─'.repeat(Math.max(2, Math.min(columns, 80) - displayWidth(text)));
  return statusPaint(turn.status, palette)(text + rule);
}

function statusPaint(status: TurnStatus, palette: Palette): (text: string) => string {
  return { completed: palette.dim, in_progress: palette.blue, interrupted: palette.yellow, failed: palette.red }[
    status
  ];
}

export function* itemLines(item: TurnItemView, view: View, options: ShowViewOptions): Generator<string> {
  const { palette, columns } = view;
  const spoken =
    SPOKEN_TYPES.has(item.type) && (item.role === 'user' || item.role === 'assistant' || item.role === null);
  const address = addressOf(item, options);
  const paint = labelPaint(item, palette);
  const text = options.raw ? item.text : withoutMediaData(item.text);
  const origin = shownOrigin(item);
  const label = visibleLine(SPOKEN_TYPES.has(item.type) ? (item.role ?? item.type) : item.type);
  if (!options.full && !options.raw && item.type !== 'error' && (!spoken || origin === 'injected')) {
    const kind = origin === 'injected' ? `${label}, injected` : label;
    const fold = `  ${kind} `;
    const rest = Math.min(columns, UNBOUNDED_COLUMNS) - displayWidth(fold) - displayWidth(address) - 2;
    yield `  ${paint(kind)} ${palette.dim(address)}  ${palette.dim(foldedText(text, rest))}`.trimEnd();
    return;
  }
  const note = origin === undefined || origin === item.role ? '' : ` (${origin})`;
  yield `${paint(label)} ${palette.dim(address + note)}`;
  for (const line of wrapToWidth(visibleText(text), columns - 2)) yield line === '' ? '' : `  ${line}`;
}

/** Records that are no items have an origin too, but nobody put them before the model. */
function shownOrigin({ type, role, origin }: TurnItemView): Origin | undefined {
  return origin === 'injected' && role === null && type !== 'compacted' ? undefined : origin;
}

/** The first words, and how many lines there are when they are not all. */
function foldedText(text: string, columns: number): string {
  // Only the beginning can be seen; a tool's output may be megabytes.
  const head = visibleLine(text.slice(0, 2_000));
  let lines = 0;
  for (let at = text.trimEnd().indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  const more = lines > 0 && columns > 30 ? ` (${countOf(lines + 1, 'line')})` : '';
  return clipToWidth(head, columns - more.length) + more;
}

function labelPaint(item: TurnItemView, palette: Palette): (text: string) => string {
  if (item.type === 'damaged' || item.type === 'error') return palette.red;
  if (shownOrigin(item) === 'injected') return palette.dim;
  if (item.role === 'user') return (text) => palette.bold(palette.green(text));
  if (item.role === 'assistant') return (text) => palette.bold(palette.cyan(text));
  return item.type === 'reasoning' ? palette.magenta : palette.yellow;
}

/** The address as it can be typed: `ID:LINE`, `ID/PART:LINE` in an older file; a line that the thread does not read has none. */
function addressOf(item: TurnItemView, { parts, threadId }: ShowViewOptions): string {
  const place = parts.indexOf(item.path);
  if (place === -1 || threadId === null) return `line ${item.line}`;
  const part = place === parts.length - 1 ? {} : { part: place + 1 };
  return formatAddress({ reference: shortId(threadId), ...part, from: item.line, to: item.line });
}

export function threadNotes(
  result: Omit<TurnsResult, 'turns'>,
  shown: number,
  { palette, columns, asCalled }: View,
  what: { readonly lines: boolean },
): readonly string[] {
  const { thread, totalTurns, parse } = result;
  const id = thread.id === null ? 'ID' : shortId(thread.id);
  const notes: string[] = [];
  if (!what.lines && shown < totalTurns)
    notes.push(`${shown} of ${countOf(totalTurns, 'turn')}; codicil show ${id} --turns 1.. shows all.`);
  else if (!what.lines && totalTurns === 0)
    notes.push(`No turn yet; codicil show ${id} --all shows the records that are there.`);
  if (parse.errors.length > 0) {
    const lost = parse.errors.filter((damage) => damage.lost).length;
    const loss = lost === 0 ? 'nothing is lost' : `${countOf(lost, 'record')} lost`;
    notes.push(`${countOf(parse.errors.length, 'fault')} in the log, ${loss}; codicil verify ${id} says where.`);
  }
  return notes.flatMap((note) => fillWords(asCalled(note), columns)).map(palette.dim);
}
