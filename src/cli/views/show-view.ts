/**
 * A thread for a person: a heading for the thread and each turn, what was said in full, everything else folded to a line.
 * The address of every item is shown, so that it can be opened again or cited.
 */
import { visibleLine, visibleText } from '../../base/visible-text.js';
import type { TurnItemView, TurnStatus, TurnView } from '../../projection/turn.js';
import type { TurnsResult } from '../../thread-store/session-reader.js';
import { durationText, localMinute } from '../local-time.js';
import type { Palette } from '../palette.js';
import type { View } from '../run.js';
import { clipToWidth, displayWidth, wrapToWidth } from '../width.js';
import { countOf, fillWords, shortId, sizeText, sourceWords, titleOf } from './words.js';

export interface ShowViewOptions {
  readonly threadPath: string;
  readonly threadId: string | null;
  /** Nothing is folded. */
  readonly full: boolean;
  /** Texts are log lines. */
  readonly raw: boolean;
}

/** Where nobody looks at the width, a rule and a folded line still end somewhere. */
const UNBOUNDED_COLUMNS = 120;
const SPOKEN_TYPES = new Set(['message', 'user_message', 'agent_message', 'UserMessage', 'AgentMessage']);

export function threadLines({ thread }: TurnsResult, { palette, columns, timeZone }: View): readonly string[] {
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
  yield turnHeading(number, turn, view);
  for (const item of turn.items) yield* itemLines(item, view, options);
  yield '';
}

function turnHeading(number: number, turn: TurnView, { palette, columns, timeZone }: View): string {
  const parts = [number === 0 ? 'Outside of any turn' : `Turn ${number}`];
  if (turn.startedAt !== null) parts.push(localMinute(turn.startedAt, timeZone));
  if (number > 0) parts.push(turn.status.replace('_', ' '));
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
  const label = visibleLine(SPOKEN_TYPES.has(item.type) ? (item.role ?? item.type) : item.type);
  if (!options.full && !options.raw && (!spoken || item.origin === 'injected')) {
    const kind = item.origin === 'injected' ? `${label}, injected` : label;
    const fold = `  ${kind} `;
    const rest = Math.min(columns, UNBOUNDED_COLUMNS) - displayWidth(fold) - displayWidth(address) - 2;
    yield `  ${paint(kind)} ${palette.dim(address)}  ${palette.dim(foldedText(item.text, rest))}`.trimEnd();
    return;
  }
  const note = item.origin === item.role ? '' : ` (${item.origin})`;
  yield `${paint(label)} ${palette.dim(address + note)}`;
  for (const line of wrapToWidth(visibleText(item.text), columns - 2)) yield line === '' ? '' : `  ${line}`;
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
  if (item.origin === 'injected') return palette.dim;
  if (item.role === 'user') return (text) => palette.bold(palette.green(text));
  if (item.role === 'assistant') return (text) => palette.bold(palette.cyan(text));
  return item.type === 'reasoning' ? palette.magenta : palette.yellow;
}

/** `ID:LINE` as it can be typed; a line of another thread's file under that thread's id. */
function addressOf(item: TurnItemView, { threadPath, threadId }: ShowViewOptions): string {
  if (item.path === threadPath && threadId !== null) return `${shortId(threadId)}:${item.line}`;
  const name = item.path.split(/[/\\]/).at(-1) ?? item.path;
  const ids = name.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi);
  // An earlier file of the same thread has no address of its own.
  if (ids?.length === 1 && ids[0] !== threadId) return `${shortId(ids[0]!)}:${item.line}`;
  return `${visibleLine(name)}:${item.line}`;
}

export function threadNotes(
  result: TurnsResult,
  shown: number,
  { palette, columns }: View,
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
  return notes.flatMap((note) => fillWords(note, columns)).map(palette.dim);
}
