/**
 * The selected thread beside the list: what it is, and the message that was found with those around it,
 * or where nothing was searched for, how the thread ended.
 */
import { visibleLine } from '../../base/visible-text.js';
import { localMinute } from '../local-time.js';
import { shortId } from '../views/words.js';
import { wrapToWidth } from '../width.js';
import { type Entry, highlighted, keyOf } from './entry.js';
import { endOfText } from './input.js';
import { dim, fitSegments, plain, type Segment } from './segments.js';
import type { PickerState, PreviewMessage } from './state.js';

export type PaneLine = readonly Segment[];

interface PaneSize {
  readonly width: number;
  readonly height: number;
}

/** Lines of text of a message beside the one that was found. */
const NEIGHBOUR_LINES = 4;
/** Of the room, what the message that was found may take. */
const FOUND_SHARE = 0.6;
/** What of it stands before the first match: enough to see what it is about. */
const LINES_BEFORE_MATCH = 2;
const HEAD_LEAST_ROWS = 6;

/** At most `height` lines, none wider than `width`. */
export function previewLines(state: PickerState, size: PaneSize, timeZone: string | undefined): readonly PaneLine[] {
  const entry = state.entries[state.selected];
  if (entry === undefined || size.height <= 0 || size.width <= 0) return [];
  const head = headLines(entry, size, timeZone);
  const room = size.height - head.length;
  const preview = state.preview?.key === keyOf(entry) ? state.preview : undefined;
  const messages = preview?.messages ?? [];
  const found = preview?.found === undefined ? undefined : messages[preview.found];
  let body: readonly PaneLine[];
  if (found !== undefined && preview?.found !== undefined) {
    body = aroundLines(found, messages.slice(0, preview.found), messages.slice(preview.found + 1), {
      ...size,
      height: room,
    });
  } else if (entry.hit !== undefined) {
    body = [labelLine(entry.hit.role, entry.hit.line), ...wrapSegments(entry.hit.snippet, size.width - 2)];
  } else body = endLines(messages, { ...size, height: room });
  return [...head, ...body].slice(0, size.height).map((line) => fitSegments(line, size.width));
}

function headLines(entry: Entry, { width, height }: PaneSize, timeZone: string | undefined): readonly PaneLine[] {
  const title: PaneLine = fitSegments([{ text: entry.title, style: 'bold' }], width);
  if (height < HEAD_LEAST_ROWS) return [title];
  const address = entry.hit === undefined ? shortId(entry.id) : shortAddress(entry.hit.address, entry.id);
  return [
    title,
    [dim(endOfText(visibleLine(entry.cwd ?? '(no folder)'), width))],
    [
      { text: address, style: 'accent' },
      dim(` · ${[localMinute(entry.updatedAt, timeZone), ...entry.marks].join(' · ')}`),
    ],
    [],
  ];
}

/** The address with the id as views show it. */
function shortAddress(address: string, id: string): string {
  return address.startsWith(id) ? shortId(id) + address.slice(id.length) : visibleLine(address);
}

/** The message that was found, and as many on either side as there is room for, the nearest first. */
function aroundLines(
  found: PreviewMessage,
  before: readonly PreviewMessage[],
  after: readonly PreviewMessage[],
  { width, height }: PaneSize,
): readonly PaneLine[] {
  const hasMore = before.length + after.length > 0;
  const middle = foundLines(found, { width, height: hasMore ? Math.max(3, Math.floor(height * FOUND_SHARE)) : height });
  let room = height - middle.length;
  const above: PaneLine[] = [];
  const below: PaneLine[] = [];
  const sides = [
    { messages: before.toReversed(), put: (lines: readonly PaneLine[]) => above.unshift(...lines, []) },
    { messages: [...after], put: (lines: readonly PaneLine[]) => below.push([], ...lines) },
  ];
  for (let turn = 0; sides.some(({ messages }) => messages.length > 0); turn += 1) {
    const side = sides[turn % 2]!;
    const message = side.messages.shift();
    if (message === undefined) continue;
    const lines = neighbourLines(message, width);
    // What does not fit as a whole is left out on this side, so that nothing nearer is missing.
    if (lines.length + 1 > room) side.messages.length = 0;
    else {
      side.put(lines);
      room -= lines.length + 1;
    }
  }
  return [...above, ...middle, ...below];
}

/** How the thread ended: the newest message last, at the foot of the room. */
function endLines(messages: readonly PreviewMessage[], { width, height }: PaneSize): readonly PaneLine[] {
  const lines: PaneLine[] = [];
  for (const message of messages.toReversed()) {
    const more = neighbourLines(message, width, Math.max(NEIGHBOUR_LINES, Math.floor(height / 3)));
    const gap = lines.length === 0 ? 0 : 1;
    if (lines.length + more.length + gap > height) {
      if (lines.length === 0) lines.push(...more.slice(0, height));
      break;
    }
    lines.unshift(...more, ...(gap === 0 ? [] : [[]]));
  }
  return lines;
}

function foundLines(message: PreviewMessage, { width, height }: PaneSize): readonly PaneLine[] {
  const label = labelLine(message.role, message.line);
  const room = Math.max(1, height - 1);
  const { text, start: cutAt } = excerpt(
    message.text,
    message.matches[0]?.[0],
    (room + LINES_BEFORE_MATCH) * Math.max(2, width),
  );
  const matches = message.matches.map(([from, to]) => [from - cutAt, to - cutAt] as const);
  const inside = matches.filter(([from, to]) => from >= 0 && to <= text.length);
  const wrapped = wrapSegments(highlighted(text, inside), width - 2);
  if (wrapped.length <= room && text === message.text) return [label, ...wrapped];
  const first = wrapped.findIndex((line) => line.some(({ style }) => style === 'match'));
  const start = Math.max(0, Math.min(first - LINES_BEFORE_MATCH, wrapped.length - room));
  const shown = wrapped.slice(start, start + room);
  if (start + cutAt > 0 && shown[0] !== undefined) shown[0] = [plain('  … '), ...shown[0].slice(1)];
  return [
    label,
    ...withEllipsis(shown, start + room < wrapped.length || cutAt + text.length < message.text.length, width),
  ];
}

function neighbourLines(message: PreviewMessage, width: number, limit = NEIGHBOUR_LINES): readonly PaneLine[] {
  // No line takes more units than this, but where marks are heaped on letters.
  const units = (limit + 1) * Math.max(2, width);
  const text = headOf(message.text, units);
  const matches = message.matches.filter(([, end]) => end <= text.length);
  const wrapped = wrapSegments(highlighted(text, matches), width - 2);
  const isCut = wrapped.length > limit || text.length < message.text.length;
  return [labelLine(message.role, message.line), ...withEllipsis(wrapped.slice(0, limit), isCut, width)];
}

function headOf(text: string, units: number): string {
  return text.slice(0, isLowSurrogate(text.charCodeAt(units)) ? units - 1 : units);
}

function withEllipsis(lines: readonly PaneLine[], isCut: boolean, width: number): readonly PaneLine[] {
  const last = lines.at(-1);
  if (!isCut || last === undefined) return lines;
  return [...lines.slice(0, -1), [...fitSegments(last, width - 2), dim(' …')]];
}

function labelLine(role: string, line: number): PaneLine {
  const style = role === 'user' || role === 'assistant' ? role : 'notice';
  return [{ text: role, style }, dim(line > 0 ? ` :${line}` : '')];
}

/** `segments` as lines of at most `width` columns, two spaces before each. */
function wrapSegments(segments: readonly Segment[], width: number): readonly PaneLine[] {
  const text = segments.map((segment) => segment.text).join('');
  const lines: PaneLine[] = [];
  let at = 0;
  let place = 0;
  let placeStart = 0;
  for (const piece of wrapToWidth(text.trimEnd(), Math.max(2, width))) {
    // A line that was broken at a space or a line break leaves that out.
    const start = text.indexOf(piece, at);
    if (start === -1) break;
    const end = start + piece.length;
    const line: Segment[] = [plain('  ')];
    for (;;) {
      const segment = segments[place];
      if (segment === undefined) break;
      const segmentEnd = placeStart + segment.text.length;
      const from = Math.max(start, placeStart);
      const to = Math.min(end, segmentEnd);
      if (from < to) line.push({ text: text.slice(from, to), style: segment.style });
      if (segmentEnd > end) break;
      place += 1;
      placeStart = segmentEnd;
    }
    lines.push(line);
    at = end;
  }
  return lines;
}

/** What a preview keeps of a message: one that is longer than any screen is cut around its first match. */
export function excerpt(
  text: string,
  firstMatch: number | undefined,
  maxUnits: number,
): { readonly text: string; readonly start: number } {
  if (text.length <= maxUnits) return { text, start: 0 };
  const wanted = Math.max(0, (firstMatch ?? 0) - Math.floor(maxUnits / 4));
  let start = Math.min(wanted, text.length - maxUnits);
  // Not between the halves of one character.
  if (start > 0 && isLowSurrogate(text.charCodeAt(start))) start -= 1;
  let end = start + maxUnits;
  if (isLowSurrogate(text.charCodeAt(end))) end -= 1;
  return { text: visibleEdge(text, start, end), start };
}

function visibleEdge(text: string, start: number, end: number): string {
  return `${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
