/**
 * An audit for a person: each database on a line, then the problems by kind, with what each kind means and what to do.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { AuditProblem, AuditProblemKind, AuditReport } from '../../home/index.js';
import type { View } from '../run.js';
import { countOf, fillWords, shortId } from './words.js';

/** So many problems of one kind are shown. */
const MAX_SHOWN = 10;

interface Meaning {
  /** What is counted. */
  readonly one: string;
  readonly many: string;
  /** What to do. */
  readonly repair: string;
}

/** Logs are never at fault here: each of these is mended, or mends itself, in the database. */
const AUDIT_MEANING: Readonly<Record<AuditProblemKind, Meaning>> = {
  'damaged-database': {
    one: 'damaged database',
    many: 'damaged databases',
    repair:
      'One of Codex: close Codex, move the file with its -wal and -shm away, and start it; threads come back from the logs. One of ours: codicil doctor --repair',
  },
  'unreadable-database': {
    one: 'database that cannot be read',
    many: 'databases that cannot be read',
    repair: 'See what is said of each.',
  },
  'changing-database': {
    one: 'database that is being written',
    many: 'databases that are being written',
    repair: 'Close Codex and audit again.',
  },
  'newer-schema': {
    one: 'database of a newer kind',
    many: 'databases of a newer kind',
    repair: 'Get a newer Codicil; the logs are read all the same.',
  },
  'unknown-schema': {
    one: 'database of an unknown kind',
    many: 'databases of an unknown kind',
    repair: 'Another program may have made it. The logs are read all the same.',
  },
  'missing-file': {
    one: 'row without its log',
    many: 'rows without their logs',
    repair: 'Nothing to mend by hand: Codex drops such a row. If the log should be there, look in a backup.',
  },
  'moved-file': {
    one: 'log that lies elsewhere',
    many: 'logs that lie elsewhere',
    repair: 'Nothing to do: codex resume finds the log and mends the row.',
  },
  'archived-mismatch': {
    one: 'row that does not agree with its log on archived',
    many: 'rows that do not agree with their logs on archived',
    repair: 'Move the log to where the row says, or archive or unarchive the thread in Codex.',
  },
  'wrong-id': {
    one: 'row that names the log of another thread',
    many: 'rows that name the log of another thread',
    repair: 'codex resume ID searches for the log itself and mends the row.',
  },
  'path-outside-home': {
    one: 'row that leads out of the home',
    many: 'rows that lead out of the home',
    repair:
      'Was the home moved or copied? Then move the state database away and start Codex: it makes a new one from the logs.',
  },
  'duplicate-path': {
    one: 'row for a log that has one already',
    many: 'rows for a log that has one already',
    repair: 'codex resume ID for each of the two; the one that the log is not of is dropped.',
  },
  'no-row': {
    one: 'log without a row',
    many: 'logs without a row',
    repair: 'codex resume ID makes the row; codicil list shows the thread in any case.',
  },
  'unreadable-folder': {
    one: 'folder that cannot be read',
    many: 'folders that cannot be read',
    repair: 'Check its permissions, or the mount it is on.',
  },
};

export function* auditLines({ databases, problems }: AuditReport, view: View): Generator<string> {
  const { palette } = view;
  for (const { file, owner, ok, problem } of databases) {
    const mark = ok ? palette.green('ok ') : palette.red('bad');
    yield `${mark}  ${owner.padEnd(7)}  ${visibleLine(file)}`;
    if (problem !== null) yield* indented(`${visibleLine(problem)}.`, 14, view);
  }
  for (const [kind, found] of byKind(problems)) {
    const { one, many, repair } = AUDIT_MEANING[kind];
    yield '';
    yield `${palette.yellow(kind)}  ${countOf(found.length, one, many)}`;
    for (const problem of found.slice(0, MAX_SHOWN)) yield* problemLines(problem, view);
    if (found.length > MAX_SHOWN) yield `  and ${countOf(found.length - MAX_SHOWN, 'more', 'more')}; --json has all`;
    for (const line of fillWords(view.asCalled(repair), view.columns - 2)) yield palette.dim(`  ${line}`);
  }
}

function* problemLines({ id, detail, path }: AuditProblem, view: View): Generator<string> {
  yield id === null ? `  ${visibleLine(path)}` : `  ${visibleLine(shortId(id))}  ${visibleLine(path)}`;
  // What is wrong with a database stands beside it already.
  if (id !== null) yield* indented(`${visibleLine(detail)}.`, 4, view);
}

function* indented(text: string, indent: number, { palette, columns }: View): Generator<string> {
  for (const line of fillWords(text, columns - indent)) yield palette.dim(' '.repeat(indent) + line);
}

export function auditSummary(
  { databases, rows, problems, uncompared }: AuditReport,
  { palette, columns }: View,
): readonly string[] {
  const counted = `${countOf(databases.length, 'database')}, ${countOf(rows.length, 'row')}: `;
  const lines = [
    problems.length === 0
      ? palette.dim(`${counted}no problem was found.`)
      : palette.red(`${counted}${countOf(problems.length, 'problem')}. No log is at fault, and nothing was changed.`),
  ];
  for (const home of uncompared) {
    const text = `${visibleLine(home)} has no state database of Codex; there are no rows to compare with its logs.`;
    lines.push(...fillWords(text, columns).map(palette.dim));
  }
  return lines;
}

function byKind(problems: readonly AuditProblem[]): ReadonlyMap<AuditProblemKind, readonly AuditProblem[]> {
  const kinds = new Map<AuditProblemKind, AuditProblem[]>();
  for (const problem of problems) {
    const found = kinds.get(problem.kind);
    if (found === undefined) kinds.set(problem.kind, [problem]);
    else found.push(problem);
  }
  return kinds;
}
