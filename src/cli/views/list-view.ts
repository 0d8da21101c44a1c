/**
 * A page of threads for a person: one line a thread, and below it what the page does not show and what to try next.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { ThreadRow } from '../../projection/thread-row.js';
import { fileNameOf } from '../../rollout/paths.js';
import type { ThreadPage } from '../../thread-store/session-reader.js';
import { calendarAge } from '../local-time.js';
import type { View } from '../run.js';
import { clipToWidth, displayWidth, padToWidth } from '../width.js';
import {
  countOf,
  fillPhrases,
  HIDDEN_WORDS,
  hiddenText,
  indexText,
  projectOf,
  shortId,
  sourceWords,
  titleOf,
  tryLines,
} from './words.js';

export interface ListViewOptions {
  readonly bare: boolean;
  readonly why: boolean;
  /** Rows are files. */
  readonly all: boolean;
  readonly filtered: boolean;
  readonly homePaths: readonly string[];
}

const ID_COLUMNS = 8;
const AGE_COLUMNS = 10;
const PROJECT_COLUMNS = { min: 6, max: 14 };
/** What a narrow window takes from the project, so that the title keeps some room. */
const COLUMNS_BESIDE_PROJECT = 46;
const MIN_TITLE_COLUMNS = 28;
/** And where a row has much to tell beside it. */
const LEAST_TITLE_COLUMNS = 10;
/** Rows that have a say in how wide the columns are. */
const MEASURED_ROWS = 1_000;
/** Where nobody looks at the width, a title still stays on one line that a person can read. */
const UNBOUNDED_COLUMNS = 160;

export function listLines(page: ThreadPage, view: View, options: ListViewOptions): readonly string[] {
  if (options.why) return page.threads.flatMap((row) => whyLines(row, view));
  const layout = layoutOf(page.threads, view);
  return page.threads.map((row) => rowLine(row, view, layout));
}

/** Columns of a page, the same for each of its rows. */
interface Layout {
  readonly project: number;
  /** For the title, the gap and the marks. */
  readonly available: number;
  /** What the marks of a row may take. */
  readonly marksLimit: number;
  /** What those of this page do take, so that they begin below one another. */
  readonly marks: number;
}

function layoutOf(rows: readonly ThreadRow[], { columns }: View): Layout {
  const room = Math.max(PROJECT_COLUMNS.min, Math.min(PROJECT_COLUMNS.max, columns - COLUMNS_BESIDE_PROJECT));
  const measured = rows.slice(0, MEASURED_ROWS);
  const longest = Math.max(PROJECT_COLUMNS.min, ...measured.map((row) => displayWidth(projectOf(row.cwd))));
  const project = Number.isFinite(columns) ? Math.min(room, longest) : room;
  const available = Math.min(columns, UNBOUNDED_COLUMNS) - ID_COLUMNS - AGE_COLUMNS - project - 6;
  const marksLimit = Math.max(0, available - MIN_TITLE_COLUMNS - 2);
  const widths = measured.map((row) => displayWidth(marksOf(row, marksLimit))).filter((width) => width <= marksLimit);
  return { project, available, marksLimit, marks: Math.max(0, ...widths) };
}

function rowLine(row: ThreadRow, { palette, columns, nowMs, timeZone }: View, layout: Layout): string {
  const id = row.id === null ? '-'.padEnd(ID_COLUMNS) : shortId(row.id);
  const age = padToWidth(calendarAge(row.updatedAt, nowMs, timeZone), AGE_COLUMNS);
  const project = padToWidth(clipToWidth(projectOf(row.cwd), layout.project), layout.project);
  // Marks that do not fit beside a title of the usual length take from it, down to a few words.
  const marks = clipToWidth(
    marksOf(row, layout.marksLimit),
    Math.max(layout.marksLimit, layout.available - LEAST_TITLE_COLUMNS - 2),
  );
  const marksColumns = Math.max(displayWidth(marks), Number.isFinite(columns) ? layout.marks : 0);
  const titleColumns = Math.max(4, layout.available - (marks === '' ? 0 : marksColumns + 2));
  const title = titleOf(row);
  const text = clipToWidth(title || untitledText(row), titleColumns);
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

/** What is particular about a thread; then where it comes from, as far as there is room. */
function marksOf(row: ThreadRow, columns: number): string {
  const marks: string[] = [];
  if (row.hiddenReason !== null) marks.push(`[${row.hiddenReason}]`);
  else if (row.archived) marks.push('[archived]');
  if (row.forkedFromId !== null) marks.push(`fork of ${shortId(row.forkedFromId)}`);
  if (row.children.length > 0) marks.push(`+${row.children.length}`);
  let text = marks.join(' ');
  for (const word of [sourceWords(row.source), visibleLine(row.modelProvider ?? '')]) {
    if (word === '') continue;
    const longer = text === '' ? word : `${text} ${word}`;
    if (displayWidth(longer) > columns) break;
    text = longer;
  }
  return text;
}

/** A thread may have said nothing yet; a file that stands for no thread has only its name. */
function untitledText({ hiddenReason, path }: ThreadRow): string {
  const isThread = hiddenReason === null || hiddenReason === 'child' || hiddenReason === 'archived';
  return isThread ? '(no message)' : visibleLine(fileNameOf(path));
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
    palette.dim(
      `  ${[calendarAge(row.updatedAt, nowMs, timeZone), sourceWords(row.source), ...more].filter((word) => word !== '').join(' · ')}`,
    ),
  ];
}

export function listNotes(page: ThreadPage, view: View, options: ListViewOptions): readonly string[] {
  if (options.why) return [];
  const { palette, columns, asCalled } = view;
  const shown = page.threads.length;
  const hidden = hiddenText(page.hidden);
  const notes: string[] = [];
  if (page.threads.length === 0) {
    const where = options.homePaths.map(visibleLine).join(', ') || 'no home';
    notes.push(options.filtered ? `No thread fits. Looked in ${where}.` : `No threads in ${where}.`);
  }
  const total = countOf(page.total, options.all ? 'file' : 'thread');
  notes.push(
    [
      shown < page.total ? `${shown.toLocaleString('en-US')} of ${total}` : total,
      ...(hidden === '' ? [] : [`hidden: ${hidden}`]),
      indexText(page.index),
    ].join(' · '),
  );
  const first = page.threads.find((row) => row.id !== null)?.id;
  const tries: string[] = [];
  if (first) tries.push(`codicil show ${shortId(first)}`);
  if (options.bare && first) tries.push(`codicil open ${shortId(first)}`);
  if (hidden !== '') tries.push('codicil list --all');
  if (options.bare) tries.push('codicil verify --all', 'codicil help');
  if (page.threads.length === 0 && options.filtered) tries.push('codicil list');
  else if (page.threads.length === 0) tries.push('codicil list --home DIR');
  const filled = (note: string): readonly string[] => fillPhrases(asCalled(note), columns);
  const lines = notes.flatMap(filled);
  // On a line of its own and whole, so that it can be copied.
  if (page.nextCursor !== null) {
    lines.push(...filled('More: a larger --limit, or the same command with'), `  --cursor ${page.nextCursor}`);
  }
  if (tries.length > 0) lines.push(...tryLines(tries, view));
  return lines.map((line) => palette.dim(line));
}
