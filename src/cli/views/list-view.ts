/**
 * A page of threads for a person: one line a thread, and below it what the page does not show and what to try next.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { ThreadRow } from '../../projection/thread-row.js';
import type { ThreadPage } from '../../thread-store/session-reader.js';
import { calendarAge } from '../local-time.js';
import type { View } from '../run.js';
import { clipToWidth, displayWidth, padToWidth } from '../width.js';
import {
  countOf,
  fillWords,
  HIDDEN_WORDS,
  hiddenText,
  indexText,
  projectOf,
  shortId,
  sourceWords,
  titleOf,
} from './words.js';

export interface ListViewOptions {
  readonly bare: boolean;
  readonly tree: boolean;
  readonly why: boolean;
  readonly filtered: boolean;
  readonly homePaths: readonly string[];
}

const ID_COLUMNS = 8;
const AGE_COLUMNS = 10;
const PROJECT_COLUMNS = { min: 6, max: 14 };
/** What a narrow window takes from the project, so that the title keeps some room. */
const COLUMNS_BESIDE_PROJECT = 46;
const MIN_TITLE_COLUMNS = 20;
/** Where nobody looks at the width, a title still stays on one line that a person can read. */
const UNBOUNDED_COLUMNS = 160;

export function listLines(page: ThreadPage, view: View, options: ListViewOptions): readonly string[] {
  if (options.why) return page.threads.flatMap((row) => whyLines(row, view));
  const depths = options.tree ? depthsOf(page.threads) : undefined;
  return page.threads.map((row) => rowLine(row, view, depths?.get(row) ?? 0));
}

function rowLine(row: ThreadRow, { palette, columns, nowMs, timeZone }: View, depth: number): string {
  const id = row.id === null ? '-'.padEnd(ID_COLUMNS) : shortId(row.id);
  const age = padToWidth(calendarAge(row.updatedAt, nowMs, timeZone), AGE_COLUMNS);
  const projectColumns = Math.max(PROJECT_COLUMNS.min, Math.min(PROJECT_COLUMNS.max, columns - COLUMNS_BESIDE_PROJECT));
  const project = padToWidth(clipToWidth(projectOf(row.cwd), projectColumns), projectColumns);
  const available = Math.min(columns, UNBOUNDED_COLUMNS) - ID_COLUMNS - AGE_COLUMNS - projectColumns - 6;
  const marks = clipToWidth(marksOf(row).join(' '), Math.max(0, available - MIN_TITLE_COLUMNS - 2));
  const indent = depth === 0 ? '' : `${'  '.repeat(Math.min(depth, 4) - 1)}└ `;
  const titleColumns = Math.max(4, available - displayWidth(marks) - (marks === '' ? 0 : 2));
  const title = titleOf(row);
  const text = clipToWidth(`${indent}${title || fileNameOf(row)}`, titleColumns);
  const shown = title === '' ? palette.dim(text) : text;
  // Padding would be white space at the end of a line that nobody measures.
  const gap = ' '.repeat(Number.isFinite(columns) ? Math.max(2, titleColumns - displayWidth(text) + 2) : 2);
  return [
    palette.cyan(id),
    '  ',
    palette.dim(age),
    '  ',
    project,
    '  ',
    shown,
    marks === '' ? '' : gap + palette.dim(marks),
  ].join('');
}

/** What is particular about a thread, the most telling first: the rest is cut off in a narrow window. */
function marksOf(row: ThreadRow): readonly string[] {
  const marks: string[] = [];
  if (row.hiddenReason !== null) marks.push(`[${row.hiddenReason}]`);
  else if (row.archived) marks.push('[archived]');
  if (row.forkedFromId !== null) marks.push(`fork of ${shortId(row.forkedFromId)}`);
  if (row.children.length > 0) marks.push(`+${row.children.length}`);
  marks.push(sourceWords(row.source));
  if (row.modelProvider !== null) marks.push(visibleLine(row.modelProvider));
  return marks.filter((mark) => mark !== '');
}

function fileNameOf(row: ThreadRow): string {
  return row.hiddenReason === null || row.hiddenReason === 'child' || row.hiddenReason === 'archived'
    ? '(no message)'
    : visibleLine(row.path.split(/[/\\]/).at(-1) ?? row.path);
}

/** How deep each row stands below the parent that is on the same page. */
function depthsOf(rows: readonly ThreadRow[]): ReadonlyMap<ThreadRow, number> {
  const depthById = new Map<string, number>();
  const depths = new Map<ThreadRow, number>();
  for (const row of rows) {
    const parentDepth = row.parentThreadId === null ? undefined : depthById.get(row.parentThreadId);
    const depth = parentDepth === undefined ? 0 : parentDepth + 1;
    if (row.id !== null) depthById.set(row.id, depth);
    depths.set(row, depth);
  }
  return depths;
}

function whyLines(row: ThreadRow, { palette, columns, nowMs, timeZone }: View): readonly string[] {
  const reason = row.hiddenReason;
  const answer = reason === null ? palette.green('listed') : palette.yellow(`hidden: ${reason}`);
  const more: string[] = [];
  if (row.parentThreadId !== null) more.push(`parent ${row.parentThreadId}`);
  if (row.forkedFromId !== null) more.push(`fork of ${row.forkedFromId}`);
  if (row.archived) more.push('archived');
  return [
    `${palette.cyan(row.id ?? '(no id)')}  ${answer}`,
    ...(reason === null ? [] : [`  ${HIDDEN_WORDS[reason]}`]),
    `  ${clipToWidth(titleOf(row) || '(no message)', Math.min(columns, UNBOUNDED_COLUMNS) - 2)}`,
    palette.dim(`  ${visibleLine(row.path)}`),
    palette.dim(`  ${[calendarAge(row.updatedAt, nowMs, timeZone), sourceWords(row.source), ...more].join(' · ')}`),
  ];
}

export function listNotes(page: ThreadPage, view: View, options: ListViewOptions): readonly string[] {
  if (options.why) return [];
  const { palette, columns } = view;
  const hidden = hiddenText(page.hidden);
  const notes: string[] = [];
  if (page.threads.length === 0) {
    const where = options.homePaths.map(visibleLine).join(', ') || 'no home';
    notes.push(options.filtered ? `No thread fits. Looked in ${where}.` : `No threads in ${where}.`);
  }
  const roots = options.tree
    ? [...depthsOf(page.threads).values()].filter((depth) => depth === 0).length
    : page.threads.length;
  const counts = roots < page.total ? `${roots} of ${countOf(page.total, 'thread')}` : countOf(page.total, 'thread');
  notes.push([counts, ...(hidden === '' ? [] : [`hidden: ${hidden}`]), indexText(page.index)].join(' · '));
  if (page.nextCursor !== null) notes.push(`More: add --cursor ${page.nextCursor}, or a larger --limit.`);
  const first = page.threads.find((row) => row.id !== null)?.id;
  const tries: string[] = [];
  if (first) tries.push(`codicil show ${shortId(first)}`);
  if (options.bare && first) tries.push(`codicil open ${shortId(first)}`);
  if (hidden !== '') tries.push('codicil list --all');
  if (options.bare) tries.push('codicil verify --all', 'codicil help');
  if (page.threads.length === 0 && options.filtered) tries.push('codicil list');
  else if (page.threads.length === 0) tries.push('codicil list --home DIR');
  if (tries.length > 0) notes.push(`Try: ${tries.join(' · ')}`);
  return notes.flatMap((note) => fillWords(note, columns)).map((line) => palette.dim(line));
}
