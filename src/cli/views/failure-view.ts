/**
 * A failure as words: what failed, on which file and line, and what to do next.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { FailureDocument } from '../failure.js';
import { calendarAge } from '../local-time.js';
import type { View } from '../run.js';
import { clipToWidth, padToWidth } from '../width.js';
import { fillWords } from './words.js';

/** The hint is shown as it is: whoever made the document has put it as it has to be typed. */
export function failureLines(
  { error }: FailureDocument,
  { palette, columns, nowMs, timeZone }: Omit<View, 'asCalled'>,
): readonly string[] {
  const [first = '', ...more] = fillWords(visibleLine(error.message), columns - 'Error: '.length);
  const lines = [`${palette.red('Error:')} ${first}`, ...more.map((line) => `  ${line}`)];
  if (error.path !== undefined && !error.message.includes(error.path)) {
    lines.push(palette.dim(`  in ${visibleLine(error.path)}${error.line === undefined ? '' : `, line ${error.line}`}`));
  } else if (error.line !== undefined) lines.push(palette.dim(`  at line ${error.line}`));
  for (const candidate of error.candidates ?? []) {
    const age = padToWidth(calendarAge(candidate.updatedAt, nowMs, timeZone), 10);
    const title = visibleLine(candidate.name ?? candidate.title) || '(no message)';
    // The whole id, because the ends of two may be the same.
    lines.push(`  ${candidate.id}  ${palette.dim(age)}  ${clipToWidth(title, 28)}`);
  }
  if (error.hint !== undefined) {
    for (const line of fillWords(visibleLine(error.hint), columns - 2)) lines.push(palette.dim(`  ${line}`));
  }
  return lines;
}
