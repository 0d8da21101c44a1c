/**
 * The log of the program for a person: one line an entry, newest last, and how much the log holds.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { LogLevel, LogPage, LogRow } from '../../home/index.js';
import { localMinute } from '../local-time.js';
import type { Palette } from '../palette.js';
import type { View } from '../run.js';
import { clipToWidth, padToWidth } from '../width.js';
import { countOf, fillWords, shortId, sizeText } from './words.js';

/** Of what a target may be, the longest that moves the messages of a page to the right. */
const MAX_TARGET_COLUMNS = 24;
/** What a narrow window takes from the target, so that the message keeps some room. */
const MIN_MESSAGE_COLUMNS = 24;
/** `2026-11-30 18:40:12  ` and `LEVEL  `. */
const COLUMNS_BEFORE_TARGET = 28;

export function logLines({ rows }: LogPage, view: View): readonly string[] {
  const longest = rows.reduce((columns, { target }) => Math.max(columns, target.length), 0);
  const free = view.columns - COLUMNS_BEFORE_TARGET - 2;
  const targetColumns = Math.max(0, Math.min(MAX_TARGET_COLUMNS, longest, free - MIN_MESSAGE_COLUMNS));
  const room = free - targetColumns;
  return rows.map((row) => rowLine(row, view, targetColumns, room));
}

function rowLine(row: LogRow, { palette, timeZone }: View, targetColumns: number, room: number): string {
  const { at, level, target, threadId } = row;
  // Zones differ by whole minutes, so the seconds are those of the instant.
  const time = `${localMinute(at, timeZone)}:${at.slice(17, 19)}`;
  const thread = threadId === null || room < MIN_MESSAGE_COLUMNS ? '' : `${shortId(threadId)}  `;
  const message = clipToWidth(visibleLine(row.message), Math.max(0, room - thread.length));
  const speaker = padToWidth(clipToWidth(visibleLine(target), targetColumns), targetColumns);
  return [
    `${palette.dim(time)}  ${paintOf(level, palette)(level.toUpperCase().padEnd(5))}  `,
    `${palette.dim(speaker)}  ${palette.cyan(thread)}${message}`,
  ].join('');
}

function paintOf(level: LogLevel, { red, yellow, green, dim }: Palette): (text: string) => string {
  return { error: red, warn: yellow, info: green, debug: dim, trace: dim }[level];
}

export function logNotes(
  { rows, partitions }: LogPage,
  { palette, columns, asCalled }: View,
  { filtered }: { readonly filtered: boolean },
): readonly string[] {
  const total = partitions.reduce((sum, partition) => sum + partition.rows, 0);
  const bytes = partitions.reduce((sum, partition) => sum + partition.bytes, 0);
  const notes: string[] = [];
  if (total === 0) notes.push('The log is empty. CODICIL_LOG=debug, before a command, logs more.');
  else if (rows.length === 0 && filtered) notes.push('No entry fits.');
  if (total > 0) {
    notes.push(
      `${rows.length.toLocaleString('en-US')} of ${countOf(total, 'entry', 'entries')} in ${countOf(partitions.length, 'partition')} · ${sizeText(bytes)}`,
    );
  }
  if (rows.length < total && !filtered) notes.push('More: codicil logs --limit 1000');
  return notes.flatMap((note) => fillWords(asCalled(note), columns)).map(palette.dim);
}
