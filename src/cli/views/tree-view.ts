/**
 * Trees of threads for a person: one line a thread, drawn below the thread that it comes from, with what it has cost.
 * What is too deep for the window, and all but the first of many siblings, is folded to a count. Never wider than the window.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { TreePage, TreeRow } from '../../home/list-trees.js';
import { fileNameOf } from '../../rollout/paths.js';
import { calendarAge } from '../local-time.js';
import type { View } from '../run.js';
import { clipToWidth, displayWidth, padToWidth } from '../width.js';
import {
  countOf,
  fillPhrases,
  hiddenText,
  indexText,
  projectOf,
  shortId,
  sourceWords,
  titleOf,
  tryLines,
} from './words.js';

export interface TreeViewOptions {
  readonly filtered: boolean;
  readonly homePaths: readonly string[];
}

const ID_COLUMNS = 8;
const AGE_COLUMNS = 10;
const TOKEN_COLUMNS = 6;
const PROJECT_COLUMNS = { min: 6, max: 14 };
const LEAST_TITLE_COLUMNS = 10;
/** What a narrow window takes from the project, so that the title keeps some room. */
const COLUMNS_BESIDE_PROJECT = 71;
const MARKS_PART = 0.36;
/** A window that is narrower has no room for the tokens, or the folders either. */
const LEAST_COLUMNS = { tokens: 64, project: 52 };
/** Where nobody looks at the width, a row still stays on one line that a person can read. */
const UNBOUNDED_COLUMNS = 160;
const STEP_COLUMNS = 3;
const MAX_DEPTH = 6;
/** Of one parent; so many more are shown as well when they are the last. */
const MAX_SIBLINGS = 20;

/** Columns of a page, the same for each of its rows; 0 for a column that is left out. */
interface Layout {
  readonly project: number;
  readonly tokens: number;
  /** All of those that stand before the tree. */
  readonly before: number;
  readonly available: number;
  readonly marks: number;
  readonly depth: number;
}

export function* treeLines({ rows }: TreePage, view: View): Generator<string> {
  const layout = layoutOf(rows, view);
  /** By depth: whether the row shown there is the last of its parent, and how many of them were shown. */
  const isLast: boolean[] = [];
  const shown: number[] = [];
  let folded = 0;
  let foldedAt = 0;
  for (const row of rows) {
    const { depth } = row;
    if (folded > 0 && depth >= foldedAt) {
      folded += 1;
      continue;
    }
    if (folded > 0) yield foldLine(folded, isLast.slice(1, foldedAt), view, layout);
    folded = 0;
    // Below a row that was just shown, counting begins anew.
    shown.length = Math.min(shown.length, depth + 1);
    const before = shown[depth] ?? 0;
    if (depth > layout.depth || (depth > 0 && before >= MAX_SIBLINGS && !row.isLast)) {
      folded = 1;
      foldedAt = depth;
      continue;
    }
    shown[depth] = before + 1;
    isLast[depth] = row.isLast;
    yield rowLine(row, branch(isLast.slice(1, depth), depth === 0 ? '' : row.isLast ? '└─ ' : '├─ '), view, layout);
  }
  if (folded > 0) yield foldLine(folded, isLast.slice(1, foldedAt), view, layout);
}

function branch(above: readonly boolean[], end: string): string {
  return above.map((last) => (last ? '   ' : '│  ')).join('') + end;
}

function foldLine(count: number, above: readonly boolean[], { palette }: View, { before }: Layout): string {
  const indent = ' '.repeat(before);
  return palette.dim(`${indent}${branch(above, '└─ ')}${count.toLocaleString('en-US')} more`);
}

function layoutOf(rows: readonly TreeRow[], { columns }: View): Layout {
  const width = Math.min(columns, UNBOUNDED_COLUMNS);
  const room = Math.max(PROJECT_COLUMNS.min, Math.min(PROJECT_COLUMNS.max, width - COLUMNS_BESIDE_PROJECT));
  let project = PROJECT_COLUMNS.min;
  for (const { row } of rows) project = Math.max(project, Math.min(room, displayWidth(projectOf(row.cwd))));
  if (width < LEAST_COLUMNS.project) project = 0;
  const tokens = width < LEAST_COLUMNS.tokens ? 0 : TOKEN_COLUMNS;
  const columnsBefore = [ID_COLUMNS, AGE_COLUMNS, project, tokens].filter((column) => column > 0);
  const before = columnsBefore.reduce((sum, column) => sum + column + 2, 0);
  const available = width - before;
  const limit = Math.max(0, Math.floor(available * MARKS_PART));
  let marks = 0;
  for (const row of rows) marks = Math.max(marks, displayWidth(marksOf(row, limit)));
  marks = Math.min(marks, limit);
  const beside = marks === 0 ? 0 : marks + 2;
  const depth = Math.floor((available - beside - LEAST_TITLE_COLUMNS) / STEP_COLUMNS);
  return { project, tokens, before, available, marks, depth: Math.max(1, Math.min(MAX_DEPTH, depth)) };
}

function rowLine(node: TreeRow, prefix: string, { palette, columns, nowMs, timeZone }: View, layout: Layout): string {
  const { row } = node;
  const id = row.id === null ? '-'.padEnd(ID_COLUMNS) : shortId(row.id);
  const age = padToWidth(calendarAge(row.updatedAt, nowMs, timeZone), AGE_COLUMNS);
  const project = padToWidth(clipToWidth(projectOf(row.cwd), layout.project), layout.project);
  const tokens = (node.tokens === null ? '' : tokensText(node.tokens.own.totalTokens)).padStart(TOKEN_COLUMNS);
  const marks = clipToWidth(marksOf(node, layout.marks), layout.marks);
  const titleColumns = Math.max(4, layout.available - (layout.marks === 0 ? 0 : layout.marks + 2) - prefix.length);
  const name = agentName(node);
  const title = titleOf(row);
  const words =
    title || (row.hiddenReason === null || node.tokens !== null ? '(no message)' : visibleLine(fileNameOf(row.path)));
  const text = clipToWidth(name === '' ? words : `${name}: ${words}`, titleColumns);
  const gap = Number.isFinite(columns) ? ' '.repeat(Math.max(2, titleColumns - displayWidth(text) + 2)) : '  ';
  return [
    palette.cyan(id),
    '  ',
    palette.dim(age),
    '  ',
    ...(layout.project === 0 ? [] : [project, '  ']),
    ...(layout.tokens === 0 ? [] : [palette.dim(tokens), '  ']),
    palette.dim(prefix),
    title === '' ? palette.dim(text) : text,
    marks === '' ? '' : gap + palette.dim(marks),
  ].join('');
}

/** How its parent calls it: the nickname, else the role. */
function agentName({ agent }: TreeRow): string {
  return visibleLine(agent?.nickname ?? agent?.role ?? '');
}

/** What is particular about the thread, as far as there is room. */
function marksOf(node: TreeRow, columns: number): string {
  const { row, below, relation, tokens } = node;
  const marks: string[] = [];
  if (relation === 'fork') marks.push('fork');
  if (below > 0) {
    marks.push(`+${below.toLocaleString('en-US')}`);
    if (tokens !== null) marks.push(`Σ${tokensText(tokens.tree.totalTokens)}`);
  }
  if (row.hiddenReason === null || row.hiddenReason === 'child') {
    if (row.archived) marks.push('[archived]');
  } else marks.push(`[${row.hiddenReason}]`);
  if (relation === null) {
    const gone = row.parentThreadId ?? row.forkedFromId;
    if (gone !== null && gone !== row.id)
      marks.push(`${row.parentThreadId === null ? 'fork of' : 'child of'} ${shortId(gone)}`);
  }
  if (relation === 'subagent') marks.push(visibleLine(node.agent?.role ?? 'subagent'));
  else if (relation === null) marks.push(sourceWords(row.source));
  let text = '';
  for (const mark of marks) {
    const longer = text === '' ? mark : `${text} ${mark}`;
    if (mark === '' || displayWidth(longer) > columns) continue;
    text = longer;
  }
  return text;
}

/** `950`, `12.3k`, `456k`, `7.8M`. */
export function tokensText(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  const units = ['k', 'M', 'G', 'T'];
  let value = tokens / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 99.95 ? value.toFixed(1) : Math.round(value)}${units[unit]}`;
}

export function treeNotes(page: TreePage, view: View, { filtered, homePaths }: TreeViewOptions): readonly string[] {
  const { palette, columns, asCalled } = view;
  const { rows, total, nextCursor } = page;
  const notes: string[] = [];
  if (rows.length === 0) {
    const where = homePaths.map(visibleLine).join(', ') || 'no home';
    notes.push(filtered ? `No thread fits. Looked in ${where}.` : `No threads in ${where}.`);
  }
  const shown = rows.filter(({ depth }) => depth === 0).length;
  const below = rows.length - shown;
  const hidden = hiddenText(page.hidden);
  notes.push(
    [
      (shown < total ? `${shown.toLocaleString('en-US')} of ${countOf(total, 'tree')}` : countOf(total, 'tree')) +
        (below === 0 ? '' : `, ${countOf(below, 'thread')} below`),
      ...(hidden === '' ? [] : [`hidden: ${hidden}`]),
      indexText(page.index),
    ].join(' · '),
  );
  if (below > 0) notes.push('Tokens are those that each thread spent itself; Σ is with all below it.');
  const first = rows.find(({ row }) => row.id !== null)?.row.id;
  const tries = first ? [`codicil show ${shortId(first)}`, 'codicil list --tree --jsonl'] : ['codicil list --home DIR'];
  const filled = (note: string): readonly string[] => fillPhrases(asCalled(note), columns);
  const lines = notes.flatMap(filled);
  if (nextCursor !== null) {
    lines.push(...filled('More: a larger --limit, or the same command with'), `  --cursor ${nextCursor}`);
  }
  lines.push(...tryLines(tries, view));
  return lines.map((line) => palette.dim(line));
}
