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

/** A source of one or two words: `cli`, `subagent guardian`. */
export function sourceWords(source: string): string {
  if (!source.startsWith('{')) return visibleLine(source);
  const words: string[] = [];
  try {
    let value: unknown = JSON.parse(source);
    while (typeof value === 'object' && value !== null && words.length < 3) {
      const [entry] = Object.entries(value);
      if (entry === undefined) break;
      words.push(entry[0] === 'other' ? '' : entry[0]);
      value = entry[1];
    }
    if (typeof value === 'string') words.push(value);
  } catch {
    // Not JSON after all: then it is a word like any other.
    return visibleLine(source);
  }
  return visibleLine(words.filter((word) => word !== '').join(' ')) || visibleLine(source);
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

export function indexText({ state, indexed, files }: IndexState): string {
  return state === 'complete'
    ? `index complete (${countOf(files, 'file')})`
    : `index still building (${indexed} of ${countOf(files, 'file')})`;
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
