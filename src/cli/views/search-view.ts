/**
 * What a search found, for a person: the thread once for hits that follow one another, then who said it, the words in
 * their context, and the address that `show` opens.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { SearchHit, SearchPage } from '../../thread-store/session-reader.js';
import { calendarAge } from '../local-time.js';
import type { View } from '../run.js';
import { clipToWidth, displayWidth } from '../width.js';
import { countOf, fillPhrases, indexText, projectOf, shortId, tryLines } from './words.js';

/** Where nobody looks at the width. */
const UNBOUNDED_COLUMNS = 160;
const INDENT = '  ';

export function searchLines({ hits }: SearchPage, view: View): readonly string[] {
  return hits.flatMap((hit, index) => {
    const before = hits[index - 1];
    const isSame = before?.threadId === hit.threadId && before.home === hit.home;
    return [...(isSame ? [] : [...(index === 0 ? [] : ['']), titleLine(hit, view)]), ...hitLines(hit, view)];
  });
}

function titleLine(hit: SearchHit, { palette, columns, nowMs, timeZone }: View): string {
  const id = shortId(hit.threadId);
  const age = calendarAge(hit.updatedAt, nowMs, timeZone);
  const project = projectOf(hit.cwd);
  const title = visibleLine(hit.name ?? '') || visibleLine(hit.title) || '(no message)';
  const room = Math.min(columns, UNBOUNDED_COLUMNS) - displayWidth(`${id}  ${age}  ${project}  `);
  return `${palette.cyan(id)}  ${palette.dim(age)}  ${project}  ${palette.bold(clipToWidth(title, Math.max(8, room)))}`;
}

function hitLines(hit: SearchHit, view: View): readonly string[] {
  const { palette, columns } = view;
  const room = Math.min(columns, UNBOUNDED_COLUMNS) - INDENT.length;
  const role = palette.dim(`${hit.role}: `);
  const lines = snippetLines(hit, view, { room, indent: hit.role.length + 2 });
  const address = visibleLine(hit.address);
  return [...lines.map((line, index) => INDENT + (index === 0 ? role : '') + line), INDENT + palette.dim(address)];
}

/** A stretch of the snippet: a word and the white space before it, with what of it was found. */
interface Word {
  readonly start: number;
  readonly end: number;
}

/** The snippet on lines of at most `room` columns, the first one shorter by `indent`. */
function snippetLines(
  hit: SearchHit,
  view: View,
  { room, indent }: { readonly room: number; readonly indent: number },
): readonly string[] {
  const { snippet } = hit;
  const words: Word[] = [...snippet.matchAll(/\S+/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const lines: string[] = [];
  let line: Word | undefined;
  for (const word of words) {
    const free = lines.length === 0 ? room - indent : room;
    if (line !== undefined && displayWidth(snippet.slice(line.start, word.end)) > free) {
      lines.push(painted(hit, line, view));
      line = word;
    } else line = { start: line?.start ?? word.start, end: word.end };
  }
  return line === undefined && lines.length > 0 ? lines : [...lines, painted(hit, line ?? { start: 0, end: 0 }, view)];
}

function painted({ snippet, matches }: SearchHit, { start, end }: Word, { palette }: View): string {
  let text = '';
  let at = start;
  for (const [from, to] of matches) {
    if (to <= at || from >= end) continue;
    text +=
      snippet.slice(at, Math.max(at, from)) + palette.yellow(snippet.slice(Math.max(at, from), Math.min(to, end)));
    at = Math.min(to, end);
  }
  return text + snippet.slice(at, end);
}

export function searchNotes(
  { hits, total, totalIsBound, index, tookMs }: SearchPage,
  view: View,
  { byThread, filtered, text }: { readonly byThread: boolean; readonly filtered: boolean; readonly text: string },
): readonly string[] {
  const { palette, columns, asCalled } = view;
  const [first] = hits;
  if (first === undefined) {
    const what = filtered ? 'No matches with these filters' : 'No matches';
    const hints = [
      ...(filtered ? ['leave out --cwd, --role, --since, --until'] : []),
      ...(text.includes('"') ? ['leave out the quotes: words need not stand side by side'] : []),
      ...(/(?:^|\s)-\S/.test(text) ? ['a word behind - is excluded'] : []),
      'fewer or shorter words find more',
    ];
    return [
      ...fillPhrases(`${what} · ${indexText(index)}`, columns),
      ...fillPhrases(`Try: ${hints.join(' · ')}`, columns),
    ].map(palette.dim);
  }
  const found = byThread ? countOf(total, 'thread') : countOf(total, 'message');
  const shown =
    hits.length < total ? `${hits.length.toLocaleString('en-US')} of ${totalIsBound ? 'up to ' : ''}${found}` : found;
  const note = `${shown} · ${Math.round(tookMs)} ms · ${indexText(index)}`;
  const tries = [`codicil show ${shortAddress(first)} --context 3`];
  return [...fillPhrases(asCalled(note), columns), ...tryLines(tries, view)].map((line) => palette.dim(line));
}

function shortAddress({ address, threadId }: SearchHit): string {
  return address.startsWith(threadId) ? shortId(threadId) + address.slice(threadId.length) : address;
}
