/**
 * What a person is told of an export and of an import.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { ImportReport } from '../../home/exchange.js';
import type { View } from '../run.js';
import { countOf, fillWords, shortId, sizeText } from './words.js';

export interface ExportedView {
  readonly path: string | null;
  readonly bytes: number;
  readonly format: string;
  readonly masked: boolean;
  readonly secrets: number | undefined;
  readonly threads: number;
}

export function exportedLines(
  { path, bytes, format, masked, secrets, threads }: ExportedView,
  { columns }: View,
): readonly string[] {
  const what = threads === 1 ? '' : ` of ${countOf(threads, 'thread')}`;
  const where = path === null ? '' : ` to ${visibleLine(path)}`;
  const first = `Wrote ${sizeText(bytes)} of ${format}${what}${where}.`;
  return [...fillWords(first, columns), ...fillWords(secretWords(masked, secrets), columns)];
}

function secretWords(masked: boolean, secrets: number | undefined): string {
  if (secrets === undefined) return 'Secrets were not looked for: every byte is as it is in the log.';
  if (masked)
    return secrets === 0 ? 'No secret was found.' : `${countOf(secrets, 'secret was', 'secrets were')} masked.`;
  if (secrets === 0) return 'No secret was found in it.';
  return `It holds ${countOf(secrets, 'secret')} as they are: give it to nobody who may not have them.`;
}

/** A line for each thread. */
export function importedLines({ threads }: ImportReport, { palette }: View): readonly string[] {
  return threads.map(({ id, outcome, path, reason }) => {
    const word = outcome.padEnd(8);
    const told = outcome === 'conflict' ? palette.red(word) : outcome === 'imported' ? palette.green(word) : word;
    return `${told}  ${shortId(id)}  ${visibleLine(reason ?? path)}`;
  });
}

export function importNotes(
  { threads, home, masked, secrets, kind }: ImportReport,
  { columns, asCalled }: View,
): readonly string[] {
  const of = (wanted: string) => threads.filter(({ outcome }) => outcome === wanted);
  const bytes = threads.reduce((sum, thread) => sum + thread.bytes, 0);
  const placed = `${countOf(of('imported').length, 'thread')} imported (${sizeText(bytes)}) into ${visibleLine(home)}`;
  const rest = [
    of('present').length > 0 ? `${of('present').length} already there` : '',
    of('conflict').length > 0 ? `${of('conflict').length} in conflict, left out` : '',
  ].filter((part) => part !== '');
  const notes = [`${[placed, ...rest].join('; ')}.`];
  if (masked)
    notes.push(`The bundle was masked (${countOf(secrets, 'secret')}): its logs are not those that were written.`);
  else if (kind === 'bundle' && secrets > 0) notes.push(`The logs hold ${countOf(secrets, 'secret')}.`);
  const [first] = of('imported');
  if (first !== undefined) notes.push(asCalled(`codicil show ${shortId(first.id)} shows it.`));
  return notes.flatMap((note) => fillWords(note, columns));
}
