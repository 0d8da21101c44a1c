/**
 * The screen as a function of the state: one string a line, and where the cursor stands. Pure.
 *
 * Every line fits the width of the screen and ends without attributes. Where two panes stand side by side, the second
 * begins at a column that is named, so that a character which a terminal draws wider than expected moves nothing.
 */
import type { IndexProgress } from '../../thread-store/session-reader.js';
import { countOf, indexText } from '../views/words.js';
import { endOfText } from './input.js';
import { GUTTER_COLUMNS, type Layout, layoutOf } from './layout.js';
import { type ListLine, listLines } from './list-pane.js';
import { type PaneLine, previewLines } from './preview-pane.js';
import { columnsOf, dim, fitSegments, padSegments, paint, plain, type Segment, widthOf } from './segments.js';
import { isSearch, type PickerState, type Size } from './state.js';

export interface Frame {
  /** As many as the screen has rows. */
  readonly lines: readonly string[];
  /** 0-based. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface RenderOptions {
  readonly isColoured: boolean;
  readonly nowMs: number;
  readonly timeZone: string | undefined;
}

const PROMPT = '> ';
const PLACEHOLDER = 'Type to search every message';
/** What keys do, the fullest first: one that fits beside the status is shown. */
const LIST_HINTS = ['Enter open · y copy · o log · ? help', 'Enter open · ? help', '? help'];
const SEARCH_HINTS = [
  'Enter open · Ctrl-Y copy · Ctrl-O log · Esc clear',
  'Enter · ^Y copy · ^O log · Esc',
  '^Y copy · ^O log',
];
const HINT_GAP = 3;

export function render(state: PickerState, size: Size, options: RenderOptions): Frame {
  const { columns, rows } = size;
  const layout = layoutOf(state, size);
  const list = listLines(state, layout, options.nowMs);
  const preview =
    layout.preview === undefined ? [] : previewLines(state, layout.preview, options.timeZone).map((line) => [...line]);
  const prompt = promptLine(state, columns);
  const lines = [
    paint(prompt.segments, options),
    ...bodyLines(layout, list, preview, options),
    ...footLines(state, layout, columns).map((line) => paint(fitSegments(line, columns), options)),
  ];
  return {
    lines: Array.from({ length: rows }, (_, row) => lines[row] ?? ''),
    cursor: { row: 0, column: prompt.cursorColumn },
  };
}

function promptLine(
  { query }: PickerState,
  columns: number,
): { readonly segments: readonly Segment[]; readonly cursorColumn: number } {
  // The cursor stands behind the text, and needs a cell of its own.
  const room = columns - PROMPT.length - 1;
  if (room < 1) return { segments: fitSegments([plain(PROMPT)], columns), cursorColumn: Math.max(0, columns - 1) };
  const text = endOfText(query, room);
  const segments = query === '' ? [dim(PLACEHOLDER)] : [plain(text)];
  return {
    segments: fitSegments([{ text: PROMPT, style: 'accent' }, ...segments], columns),
    cursorColumn: PROMPT.length + columnsOf(text),
  };
}

function bodyLines(
  layout: Layout,
  list: readonly ListLine[],
  preview: readonly PaneLine[],
  options: RenderOptions,
): readonly string[] {
  const { width, height } = layout.list;
  const left = Array.from({ length: height }, (_, row) => {
    const line = list[row];
    const isReversed = line?.isSelected ?? false;
    const segments = line?.segments ?? [];
    const fitted = layout.arrangement === 'beside' || isReversed ? padSegments(segments, width) : segments;
    return paint(fitSegments(fitted, width), { ...options, isReversed });
  });
  if (layout.preview === undefined) return left;
  if (layout.arrangement === 'below') {
    const rule = paint([dim('─'.repeat(width))], options);
    return [
      ...left,
      rule,
      ...Array.from({ length: layout.preview.height }, (_, row) => paint(preview[row] ?? [], options)),
    ];
  }
  const gutter = paint([dim(`${' '.repeat(Math.floor(GUTTER_COLUMNS / 2))}│ `)], options);
  return left.map((line, row) => `${line}\x1b[${width + 1}G${gutter}${paint(preview[row] ?? [], options)}`);
}

function footLines(state: PickerState, layout: Layout, columns: number): readonly (readonly Segment[])[] {
  if (layout.footRows === 0) return [];
  if (layout.foot !== undefined) return layout.foot.map((line) => [dim(line)]);
  const { notice } = state;
  if (notice !== undefined) return [[{ text: notice.text, style: notice.isError ? 'error' : 'notice' }]];
  const status = statusSegments(state);
  const room = columns - widthOf(status) - HINT_GAP;
  const hints = (isSearch(state) ? SEARCH_HINTS : LIST_HINTS).find((text) => columnsOf(text) <= room);
  if (hints === undefined) return [status];
  const gap = columns - widthOf(status) - columnsOf(hints);
  return [[...status, plain(' '.repeat(gap)), dim(hints)]];
}

function statusSegments(state: PickerState): readonly Segment[] {
  const parts: string[] = [];
  if (state.index !== undefined || state.entries.length > 0) parts.push(countText(state));
  if (state.progress !== undefined) parts.push(progressText(state.progress));
  else if (state.index !== undefined) parts.push(indexText(state.index));
  const text = parts.join(' · ');
  return [{ text, style: state.index?.state === 'complete' && state.progress === undefined ? 'dim' : 'notice' }];
}

function countText(state: PickerState): string {
  const { entries, total, shows, totalIsBound, scope } = state;
  const most = totalIsBound ? 'at most ' : '';
  if (shows === 'list') return countOf(total, scope === 'archived' ? 'archived thread' : 'thread');
  const first = entries.length < total ? `best ${entries.length} of ` : '';
  return `${first}${most}${countOf(total, 'thread')} found`;
}

function progressText({ phase, done, files }: IndexProgress): string {
  const what = { walk: 'looking for logs', heads: 'reading first lines', full: 'reading logs' }[phase];
  return files === 0 || phase === 'walk' ? `${what} …` : `${what}: ${done} of ${files}`;
}
