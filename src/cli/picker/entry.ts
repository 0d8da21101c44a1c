/**
 * One row of the picker: a thread as a list has it, or with the message of it that a search found.
 * All text is made visible here, once; what is passed on to other programs (ids, folders, paths) stays as it is.
 */
import type { ThreadId } from '../../base/ids.js';
import { visibleLine, visibleText } from '../../base/visible-text.js';
import type { ThreadRow } from '../../projection/thread-row.js';
import { ARCHIVED_FOLDER } from '../../rollout/paths.js';
import type { SearchHit } from '../../thread-store/session-reader.js';
import { projectOf, sourceWords, titleOf } from '../views/words.js';
import type { Segment } from './segments.js';

export interface Entry {
  readonly id: ThreadId;
  /** Absolute path of the home. */
  readonly home: string;
  /** Absolute path of the file that a preview reads. */
  readonly path: string;
  readonly cwd: string | null;
  /** ISO 8601. */
  readonly updatedAt: string;
  readonly title: string;
  readonly project: string;
  /** Model, source and the like, each one word or two. */
  readonly marks: readonly string[];
  readonly hit: EntryHit | undefined;
}

export interface EntryHit {
  readonly address: string;
  /** 1-based, in `path`. */
  readonly line: number;
  readonly role: string;
  readonly snippet: readonly Segment[];
}

const UNTITLED = '(no message)';
const ARCHIVED = 'archived';

/** The entry of a row; undefined for a file from which no id can be had. */
export function entryOfRow(row: ThreadRow): Entry | undefined {
  if (row.id === null) return undefined;
  return {
    id: row.id,
    home: row.home,
    path: row.path,
    cwd: row.cwd,
    updatedAt: row.updatedAt,
    title: titleOf(row) || UNTITLED,
    project: projectOf(row.cwd),
    marks: marksOf(row),
    hit: undefined,
  };
}

/** The entry of a hit; `known` is the row of its thread, where it has been listed. */
export function entryOfHit(hit: SearchHit, known: Entry | undefined): Entry {
  return {
    id: hit.threadId,
    home: hit.home,
    path: hit.path,
    cwd: hit.cwd,
    updatedAt: hit.updatedAt,
    title: visibleLine(hit.name ?? '') || visibleLine(hit.title) || UNTITLED,
    project: projectOf(hit.cwd),
    marks: known?.marks ?? (isArchived(hit) ? [ARCHIVED] : []),
    hit: {
      address: hit.address,
      line: hit.line,
      role: hit.role,
      snippet: highlighted(hit.snippet.replaceAll(/[\n\t]/g, ' '), hit.matches),
    },
  };
}

/** What an entry is known by: a thread, and the message of it that was found. */
export function keyOf({ home, id, hit }: Entry): string {
  return `${home}\n${id}\n${hit?.address ?? ''}`;
}

/** `text` with the ranges (UTF-16 units, ascending) set off, all of it made visible. */
export function highlighted(
  text: string,
  ranges: readonly (readonly [start: number, end: number])[],
): readonly Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    if (start < from || end <= start) continue;
    if (start > from) segments.push({ text: visibleText(text.slice(from, start)), style: 'plain' });
    segments.push({ text: visibleText(text.slice(start, end)), style: 'match' });
    from = end;
  }
  if (from < text.length) segments.push({ text: visibleText(text.slice(from)), style: 'plain' });
  return segments;
}

/** What a search says of a thread lacks that; where its file lies tells it. */
function isArchived({ path, home }: SearchHit): boolean {
  return path.slice(home.length + 1).startsWith(ARCHIVED_FOLDER);
}

function marksOf(row: ThreadRow): readonly string[] {
  const marks = [row.model ?? row.modelProvider ?? '', sourceWords(row.source), row.archived ? ARCHIVED : ''];
  return marks.map(visibleLine).filter((mark) => mark !== '');
}
