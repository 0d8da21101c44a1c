/**
 * Divides a message of the user into what was typed and what was brought along: fenced code, quoted lines, pastes.
 *
 * The parts joined are the text. Only lowers: a part is `user` or `external`. A paste of more than twenty lines is
 * known by its length alone, so a long message that was really typed is lowered too, but for a first and last
 * paragraph of one line; a short paste without fence or quote cannot be told from typing.
 */
import type { Origin } from './turn.js';

export interface UserTextPart {
  readonly text: string;
  readonly origin: Extract<Origin, 'user' | 'external'>;
}

/** More lines in a row, unfenced and unquoted, are a paste. */
const TYPED_MAX_LINES = 20;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const QUOTE = /^\s{0,3}>/;

type LineKind = 'plain' | 'brought';

/** Parts in order; none for the empty text. */
export function splitUserText(text: string): readonly UserTextPart[] {
  const lines = linesOf(text);
  const kinds = kindsOf(lines);
  const origins: UserTextPart['origin'][] = [];
  for (let start = 0; start < lines.length; ) {
    const kind = kinds[start];
    let end = start + 1;
    while (end < lines.length && kinds[end] === kind) end += 1;
    if (kind === 'plain') lowerPaste(lines.slice(start, end), origins);
    else for (let index = start; index < end; index += 1) origins.push('external');
    start = end;
  }
  const parts: { text: string; origin: UserTextPart['origin'] }[] = [];
  for (const [index, line] of lines.entries()) {
    const origin = origins[index] ?? 'external';
    const last = parts.at(-1);
    if (last?.origin === origin) last.text += line;
    else parts.push({ text: line, origin });
  }
  return parts;
}

/** Lines with their ends, so that joining them gives the text. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end + 1;
    lines.push(text.slice(start, next));
    start = next;
  }
  return lines;
}

/** A fence that is never closed runs to the end, as renderers have it. */
function kindsOf(lines: readonly string[]): readonly LineKind[] {
  const kinds: LineKind[] = [];
  let fence: string | undefined;
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      kinds.push(mark !== undefined || QUOTE.test(line) ? 'brought' : 'plain');
      continue;
    }
    kinds.push('brought');
    const closes = mark?.startsWith(fence) && line.trim() === mark;
    if (closes) fence = undefined;
  }
  return kinds;
}

function lowerPaste(lines: readonly string[], origins: UserTextPart['origin'][]): void {
  const isPaste = lines.filter((line) => line.trim() !== '').length > TYPED_MAX_LINES;
  if (!isPaste) {
    for (const _ of lines) origins.push('user');
    return;
  }
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const leadsIn = lines[first + 1]?.trim() === '';
  const leadsOut = lines[last - 1]?.trim() === '';
  for (const index of lines.keys()) {
    const typed = (leadsIn && index <= first + 1) || (leadsOut && index >= last);
    origins.push(typed ? 'user' : 'external');
  }
}
