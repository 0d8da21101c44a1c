/**
 * Small phrases that several views use: short ids, counts, sizes, projects, sources, titles.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { HiddenReason, ThreadRow } from '../../projection/thread-row.js';
import type { IndexState } from '../../thread-store/session-reader.js';
import { displayWidth } from '../width.js';

/** Ids of one minute share their beginning, so views show the end, which every command takes. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** `1 thread`, `2,345 threads`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = bytes / 1_000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** The last folder of a working directory. */
export function projectOf(cwd: string | null): string {
  if (cwd === null) return '-';
  return visibleLine(cwd.split(/[/\\]/).findLast((part) => part !== '') ?? cwd);
}

/** A source of one or two words: `cli`, `subagent`, `subagent guardian`. */
export function sourceWords(source: string): string {
  if (!source.startsWith('{')) return visibleLine(source);
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return 'other'; // not JSON after all, and too much for a word
  }
  const [kind, detail] = firstEntry(value);
  const [inner, name] = firstEntry(detail);
  // What another thread started says no more than that; its parent is told elsewhere.
  const more = typeof detail === 'string' ? detail : inner === 'other' && typeof name === 'string' ? name : '';
  return visibleLine(`${kind} ${more}`) || 'other';
}

function firstEntry(value: unknown): readonly [string, unknown] {
  return (typeof value === 'object' && value !== null ? Object.entries(value)[0] : undefined) ?? ['', undefined];
}

export function titleOf(row: ThreadRow): string {
  return visibleLine(row.name ?? '') || visibleLine(row.title) || visibleLine(row.preview);
}

/** Why a file or thread is not in the default list. */
export const HIDDEN_WORDS: Readonly<Record<HiddenReason, string>> = {
  'not-a-file': 'It is no plain file, so it is not opened.',
  'link-outside-home': 'It is a link that leads out of the home.',
  'foreign-name': 'Its name is not that of a rollout.',
  unreadable: 'It cannot be read.',
  empty: 'It has no record.',
  'no-session-meta': 'It has no session metadata, and no id in its name.',
  'compressed-twin': 'The same log stands beside it uncompressed.',
  segment: 'It is an earlier part of a thread that goes on in another file.',
  duplicate: 'Another file of the same thread is shown.',
  internal: 'It is a thread that the program made for itself.',
  child: 'It is the child of another thread; list --tree shows it.',
  archived: 'It is archived; list --archived shows it.',
};

export function hiddenText(hidden: Readonly<Partial<Record<HiddenReason, number>>>): string {
  return Object.entries(hidden)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

export function indexText({ state, indexed, files, unreadableFolders = 0 }: IndexState): string {
  const unread = unreadableFolders === 0 ? '' : `; ${countOf(unreadableFolders, 'folder')} cannot be read`;
  return state === 'complete'
    ? `index complete (${countOf(files, 'file')}${unread})`
    : `index still building (${indexed} of ${countOf(files, 'file')}${unread})`;
}

/** Words filled into lines of at most `columns`. */
export function fillWords(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** `Try:` and commands, those on further lines below the first. */
export function tryLines(
  commands: readonly string[],
  { columns, asCalled }: { readonly columns: number; asCalled(text: string): string },
): readonly string[] {
  const [first = '', ...more] = fillPhrases(asCalled(commands.join(' · ')), columns - 5);
  return [`Try: ${first}`, ...more.map((line) => `     ${line}`)];
}

/** As `fillWords`, broken only between the phrases that ` · ` separates, where they fit a line: a command stays whole. */
export function fillPhrases(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const phrase of text.split(' · ')) {
    const longer = line === '' ? phrase : `${line} · ${phrase}`;
    if (line === '' || displayWidth(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = phrase;
    }
  }
  return [...lines, line].flatMap((filled) => fillWords(filled, columns));
}
