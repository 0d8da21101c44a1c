/**
 * Checked files for a person: one line when all is well, else each fault with its place and what it means.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { Damage, DamageKind } from '../../rollout/damage.js';
import type { VerifiedFile } from '../../thread-store/session-reader.js';
import type { View } from '../run.js';
import { wrapToWidth } from '../width.js';
import { countOf, fillWords } from './words.js';

/** So many faults of one file are shown; a file may be damaged from end to end. */
const MAX_FAULTS = 50;

/** What a fault means for the thread. */
export const DAMAGE_MEANING: Readonly<Record<DamageKind, string>> = {
  json: 'The line is no JSON. It is skipped; everything around it is read.',
  utf8: 'The line has bytes that are no UTF-8. They are read as replacement characters.',
  nul: 'NUL bytes, as a power cut leaves them. They are passed over.',
  bom: 'A byte order mark. It is passed over.',
  fused: 'Several records stand on one line. They are read one by one.',
  schema: 'The JSON is no record of a rollout. It is skipped.',
  'too-deep': 'JSON nested deeper than 1,000 levels. It is kept as bytes and not decoded.',
  zstd: 'The compressed file breaks off or is damaged. What comes before is read.',
  'torn-tail': 'The last line was not written to its end. The next append starts on a line of its own.',
  'no-session-meta': 'The id in its name is used.',
  ordinal: 'Records are numbered out of order. They are read in the order of the file.',
  'id-mismatch': 'The id in the file is not the one in its name. The one in the file counts.',
  'history-mode': 'A kind of history that this version does not know. It is read, but not appended to.',
  'history-base': 'The thread continues one whose log is not there or does not reach so far.',
  empty: 'The file holds no record.',
  unreadable: 'The file cannot be read.',
};

/** True when something is to be said about the file, be it sound or not. */
export function isNoted(file: VerifiedFile): boolean {
  return file.errors.length + file.unknown.length > 0 || file.tornTail;
}

export function fileLines(file: VerifiedFile, view: View): readonly string[] {
  const { palette, columns } = view;
  const noted = isNoted(file);
  const mark = !file.ok ? palette.red('bad ') : noted ? palette.yellow('note') : palette.green('ok  ');
  const facts = `${file.dialect ?? 'unknown'} · ${countOf(file.lines, 'line')} · ${countOf(file.records, 'record')}`;
  const lines = [`${mark}  ${visibleLine(file.path)}`];
  // A file that is fine stays on its line; what follows a fault may take more.
  if (!noted) return lines;
  lines.push(palette.dim(`      ${facts}`), ...damageLines(file.errors, view).map((line) => `    ${line}`));
  if (file.tornTail && !file.errors.some(({ kind }) => kind === 'torn-tail')) {
    lines.push(`      ${palette.yellow('torn-tail')}`, ...meaningLines('torn-tail', view, 8));
  }
  const byType = new Map<string, { count: number; line: number }>();
  for (const { line, type } of file.unknown) {
    const seen = byType.get(type);
    byType.set(type, { count: (seen?.count ?? 0) + 1, line: seen?.line ?? line });
  }
  for (const [type, { count, line }] of byType) {
    lines.push(
      `      line ${line}  ${palette.yellow('unknown type')}  ${visibleLine(type)}${count > 1 ? `, and ${count - 1} more` : ''}`,
      ...fillWords(
        'Written by a release that this version does not know, or by another program. Nothing is lost.',
        columns - 8,
      ).map((words) => palette.dim(`        ${words}`)),
    );
  }
  return lines;
}

/** Each fault with its place, kind, message and meaning; the meaning of a kind is told once. */
export function damageLines(damage: readonly Damage[], view: View): readonly string[] {
  const { palette, columns } = view;
  const told = new Set<DamageKind>();
  const lines = damage.slice(0, MAX_FAULTS).flatMap((fault) => {
    const place = placeOf(fault);
    const paint = fault.lost ? palette.red : palette.yellow;
    const message = wrapToWidth(visibleLine(fault.message), columns - 10).map((line) => `      ${line}`);
    // The caller may indent by four.
    const meaning =
      told.has(fault.kind) || saysTheSame(fault) ? [] : meaningLines(fault.kind, { palette, columns: columns - 4 }, 6);
    told.add(fault.kind);
    return [`  ${place}  ${paint(fault.kind)}${fault.lost ? palette.red(' (lost)') : ''}`, ...message, ...meaning];
  });
  const more = damage.length - MAX_FAULTS;
  return more > 0 ? [...lines, `  and ${countOf(more, 'fault')} more; --json lists all`] : lines;
}

/** Some messages are their meaning already, or that and a number. */
function saysTheSame({ kind, message }: Damage): boolean {
  return message.startsWith(DAMAGE_MEANING[kind].replace(/\.$/, ''));
}

function meaningLines(
  kind: DamageKind,
  { palette, columns }: Pick<View, 'palette' | 'columns'>,
  indent: number,
): readonly string[] {
  return fillWords(DAMAGE_MEANING[kind], columns - indent).map((line) => palette.dim(`${' '.repeat(indent)}${line}`));
}

export function verifySummary(
  { files, bad, noted }: { readonly files: number; readonly bad: number; readonly noted: number },
  { palette, columns }: View,
): readonly string[] {
  if (files === 0) return [palette.dim('No rollout file was found.')];
  const checked = `${countOf(files, 'file')} checked`;
  const notes = noted === 0 ? '' : ` ${countOf(noted, 'sound file')} with notes that verify PATH shows.`;
  if (bad === 0) return fillWords(`${checked}, no record is lost.${notes}`, columns).map(palette.dim);
  const lost = `${checked}, ${bad} with lost records or refused by the policy.`;
  return [palette.red(lost), ...(notes === '' ? [] : fillWords(notes.trim(), columns).map(palette.dim))];
}

/** A log that was read from its end has offsets, but no line numbers. */
function placeOf({ line, byteOffset }: Damage): string {
  if (line > 0) return `${line}:${byteOffset}`;
  return byteOffset > 0 ? `byte ${byteOffset}` : 'whole file';
}
