/**
 * What the doctor found, for a person: the checks of the program and of each home, then secrets by address, then what takes
 * the room on disk.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { DoctorCheck, DoctorReport, HomeUsage, SecretsReport } from '../../home/index.js';
import type { View } from '../run.js';
import { padToWidth } from '../width.js';
import { countOf, fillWords, shortId, sizeText } from './words.js';

const NAME_COLUMNS = 19;
const INDENT = NAME_COLUMNS + 6;
/** So many secrets, projects, threads and files are shown. */
const MAX_SECRETS = 50;
const MAX_LARGEST = 10;

export function* doctorLines({ checks, repaired, secrets, disk }: DoctorReport, view: View): Generator<string> {
  const { palette } = view;
  let home: string | null = null;
  for (const check of checks) {
    if (check.home !== home && check.home !== null) yield* ['', palette.bold(visibleLine(check.home))];
    else if (check.home !== home) yield '';
    home = check.home;
    yield* checkLines(check, view);
  }
  if (repaired !== undefined && repaired.length > 0) {
    yield* ['', palette.bold('Repaired')];
    for (const sentence of repaired) yield* indented(`${visibleLine(sentence)}.`, 2, view.columns);
  }
  if (secrets !== undefined) yield* secretLines(secrets, view);
  for (const usage of disk?.homes ?? []) yield* diskLines(usage, view);
}

function* checkLines({ name, ok, detail, repair }: DoctorCheck, view: View): Generator<string> {
  const { palette, columns } = view;
  const mark = ok ? palette.green('ok  ') : palette.red('bad ');
  const [first = '', ...more] = fillWords(`${visibleLine(detail)}.`, columns - INDENT);
  yield `${mark}  ${padToWidth(name, NAME_COLUMNS)}${first}`;
  for (const line of more) yield ' '.repeat(INDENT) + line;
  if (repair === null) return;
  for (const line of fillWords(`Repair: ${view.asCalled(repair)}`, columns - INDENT)) {
    yield palette.cyan(' '.repeat(INDENT) + line);
  }
}

function* secretLines({ findings, moreFindings, derived }: SecretsReport, view: View): Generator<string> {
  const { palette } = view;
  if (findings.length + derived.length === 0) return;
  yield* ['', palette.bold('Secrets (never shown themselves; codicil show ADDRESS opens the line)')];
  for (const { path, rule, count } of derived) {
    yield `  ${palette.red('derived')}  ${rule}${times(count)}  ${visibleLine(path)}`;
  }
  const byRule = new Map<string, number>();
  for (const { rule, count } of findings) byRule.set(rule, (byRule.get(rule) ?? 0) + count);
  for (const [rule, count] of [...byRule].sort((a, b) => b[1] - a[1])) yield `  ${countOf(count, rule, rule)}`;
  for (const { address, rule, count } of findings.slice(0, MAX_SECRETS)) {
    yield `  ${visibleLine(address)}  ${palette.yellow(rule)}${times(count)}`;
  }
  const more = findings.length - MAX_SECRETS + moreFindings;
  if (more > 0) yield `  and ${countOf(more, 'more', 'more')}; --json lists them`;
}

function times(count: number): string {
  return count === 1 ? '' : ` ×${count}`;
}

function* diskLines(
  { home, logs, databases, databaseBytes, derived, derivedBytes }: HomeUsage,
  view: View,
): Generator<string> {
  const { palette } = view;
  const size = (bytes: number): string => sizeText(bytes).padStart(8);
  yield* ['', palette.bold(`On disk: ${visibleLine(home)}`)];
  yield `  ${size(logs.bytes)}  ${countOf(logs.files, 'log')}: ${sizeText(logs.activeBytes)} active, ${sizeText(logs.archivedBytes)} archived; ${sizeText(logs.compressedBytes)} of it compressed`;
  yield `  ${size(logs.images.bytes)}  ${countOf(logs.images.images, 'image')} in them, ${countOf(logs.images.repeated, 'of them stored', 'of them stored')} again in the same log: ${sizeText(logs.images.savableBytes)} could be saved`;
  yield `  ${size(databaseBytes)}  ${countOf(databases.length, 'database file')} of other programs`;
  const share = logs.bytes === 0 ? '' : `, ${Math.round((derivedBytes / logs.bytes) * 100)} % of the logs`;
  yield `  ${size(derivedBytes)}  ${countOf(derived.length, 'file')} of ours${share}`;
  yield palette.dim('  by project');
  for (const { cwd, threads, bytes } of logs.projects.slice(0, MAX_LARGEST)) {
    yield `  ${size(bytes)}  ${cwd === null ? '-' : visibleLine(cwd)} (${countOf(threads, 'thread')})`;
  }
  yield palette.dim('  largest threads');
  for (const { id, path, cwd, bytes } of logs.threads.slice(0, MAX_LARGEST)) {
    yield `  ${size(bytes)}  ${id === null ? visibleLine(path) : shortId(id)}  ${cwd === null ? '-' : visibleLine(cwd)}`;
  }
}

function* indented(text: string, indent: number, columns: number): Generator<string> {
  for (const line of fillWords(text, columns - indent)) yield ' '.repeat(indent) + line;
}

export function doctorSummary(
  { checks, secrets }: DoctorReport,
  { palette, columns, asCalled }: View,
): readonly string[] {
  const bad = checks.filter(({ ok }) => !ok);
  if (bad.length === 0) return [palette.dim(`${countOf(checks.length, 'check')}, all is well.`)];
  const lines = [palette.red(`${countOf(checks.length, 'check')}, ${bad.length} with a fault.`)];
  const mendable = bad.filter(({ repair }) => repair === 'codicil doctor --repair').length;
  if (mendable > 0) {
    const text = `${asCalled('codicil doctor --repair')} mends ${mendable} of them. It touches no log, and no home of another program.`;
    lines.push(...fillWords(text, columns).map(palette.dim));
  }
  if ((secrets?.findings.length ?? 0) > 0) {
    const text = 'A key that stands in a log counts as known: withdraw it where it was issued.';
    lines.push(...fillWords(text, columns).map(palette.dim));
  }
  return lines;
}
