/**
 * A failure as words: what failed, on which file and line, and what to do next.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { FailureDocument } from '../failure.js';
import { calendarAge } from '../local-time.js';
import type { View } from '../run.js';
import { clipToWidth, padToWidth } from '../width.js';

export function failureLines(
  { error }: FailureDocument,
  { palette, nowMs, timeZone }: Omit<View, 'columns'>,
): readonly string[] {
  const lines = [`${palette.red('Error:')} ${visibleLine(error.message)}`];
  if (error.path !== undefined && !error.message.includes(error.path)) {
    lines.push(palette.dim(`  in ${visibleLine(error.path)}${error.line === undefined ? '' : `, line ${error.line}`}`));
  } else if (error.line !== undefined) lines.push(palette.dim(`  at line ${error.line}`));
  for (const candidate of error.candidates ?? []) {
    const age = padToWidth(calendarAge(candidate.updatedAt, nowMs, timeZone), 10);
    const title = visibleLine(candidate.name ?? candidate.title) || '(no message)';
    // The whole id, because the ends of two may be the same.
    lines.push(`  ${candidate.id}  ${palette.dim(age)}  ${clipToWidth(title, 28)}`);
  }
  if (error.hint !== undefined) lines.push(palette.dim(`  ${visibleLine(error.hint)}`));
  return lines;
}
