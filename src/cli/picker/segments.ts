/**
 * Styled text for one line of the screen: measured and cut by its words, coloured only when it is written.
 * Texts come in visible (`visibleLine` first); styles are this program's own.
 */
import { clipToWidth, displayWidth } from '../width.js';

/** Characters that join no neighbour: one column each, or two for a Hangul syllable or an ideograph. */
const SIMPLE = /^[\x20-\x7e\uac00-\ud7a3\u4e00-\u9fff]*$/;
const FIRST_WIDE = '\u4e00';
/** Units of a text that are looked at for each column: a longer grapheme is none that a title needs. */
const UNITS_A_COLUMN = 8;

export type Style = 'plain' | 'dim' | 'bold' | 'match' | 'accent' | 'user' | 'assistant' | 'error' | 'notice';

export interface Segment {
  readonly text: string;
  readonly style: Style;
}

/** Bold and dim are no colours: they stay under NO_COLOR, as the cursor does. */
const ATTRIBUTES: Readonly<Record<Style, string>> = {
  plain: '',
  dim: '2',
  bold: '1',
  match: '1;4',
  accent: '',
  user: '1',
  assistant: '1',
  error: '1',
  notice: '1',
};

const COLOURS: Readonly<Record<Style, string>> = {
  plain: '',
  dim: '2',
  bold: '1',
  match: '1;33',
  accent: '36',
  user: '1;32',
  assistant: '1;36',
  error: '31',
  notice: '33',
};

export function plain(text: string): Segment {
  return { text, style: 'plain' };
}

export function dim(text: string): Segment {
  return { text, style: 'dim' };
}

/** As `displayWidth`; measuring most titles of a screen in a few microseconds each. */
export function columnsOf(text: string): number {
  if (!SIMPLE.test(text)) return displayWidth(text);
  let columns = text.length;
  for (let at = 0; at < text.length; at += 1) if (text[at]! >= FIRST_WIDE) columns += 1;
  return columns;
}

export function widthOf(segments: readonly Segment[]): number {
  return segments.reduce((width, { text }) => width + columnsOf(text), 0);
}

/** As much of `segments` as `width` columns take; what is cut off becomes `…`. */
export function fitSegments(segments: readonly Segment[], width: number): readonly Segment[] {
  const fitted: Segment[] = [];
  let left = width;
  for (const [place, segment] of segments.entries()) {
    // No more is measured than may be shown.
    const head = segment.text.slice(0, left * UNITS_A_COLUMN + 1);
    const needed = columnsOf(head);
    const isWhole = head.length === segment.text.length;
    // Of a piece that fills the line to its end, the last column tells that more follows.
    const isEnd = isWhole && segments.slice(place + 1).every(isEmpty);
    if (!isWhole || needed > left || (needed === left && !isEnd)) {
      if (left > 0) fitted.push({ ...segment, text: cut(head, left) });
      break;
    }
    fitted.push(segment);
    left -= needed;
  }
  return fitted;
}

/** `text` in at most `width` columns, `…` at its end. */
function cut(text: string, width: number): string {
  if (!SIMPLE.test(text)) return clipToWidth(columnsOf(text) <= width ? `${text}${' '.repeat(width)}` : text, width);
  let end = 0;
  for (let columns = 0; end < text.length; end += 1) {
    columns += text[end]! >= FIRST_WIDE ? 2 : 1;
    if (columns > width - 1) break;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}

function isEmpty({ text }: Segment): boolean {
  return text === '';
}

/** `segments` filled with spaces to `width` columns, or cut to it. */
export function padSegments(segments: readonly Segment[], width: number): readonly Segment[] {
  const fitted = fitSegments(segments, width);
  const gap = width - widthOf(fitted);
  return gap > 0 ? [...fitted, plain(' '.repeat(gap))] : fitted;
}

/** The line as a terminal takes it; it ends without any attribute set. */
export function paint(
  segments: readonly Segment[],
  { isColoured, isReversed = false }: { readonly isColoured: boolean; readonly isReversed?: boolean },
): string {
  const codes = isColoured ? COLOURS : ATTRIBUTES;
  return segments
    .map(({ text, style }) => {
      const code = [isReversed ? '7' : '', codes[style]].filter((part) => part !== '').join(';');
      return code === '' || text === '' ? text : `\x1b[${code}m${text}\x1b[0m`;
    })
    .join('');
}
