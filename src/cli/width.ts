/**
 * Text measured in terminal columns: a Korean syllable or an emoji takes two. Never cuts a grapheme.
 * Input is plain text without escape sequences (`visibleText` first, colour afterwards).
 */
import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const PLAIN = /^[\x20-\x7e]*$/;

export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** `text` in at most `width` columns; what is cut off becomes `…`. */
export function clipToWidth(text: string, width: number): string {
  if (width <= 0) return '';
  // A column may hold a grapheme of many code units, but no title needs more than this; the rest is not measured.
  const head = text.length > width * 32 ? text.slice(0, width * 32) : text;
  if (head === text && displayWidth(text) <= width) return text;
  let clipped = '';
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    const columns = displayWidth(segment);
    if (used + columns > width - 1) break;
    clipped += segment;
    used += columns;
  }
  return `${clipped.trimEnd()}…`;
}

/** `text` filled with spaces to `width` columns. */
export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** The lines of `text`, each at most `width` columns: broken at spaces where there are any, else between graphemes. Tabs become four spaces. */
export function wrapToWidth(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const line of text.replaceAll('\t', '    ').split('\n')) {
    if (!Number.isFinite(width) || (line.length <= width && displayWidth(line) <= width)) lines.push(line);
    else for (const piece of breakLine(line, Math.max(2, width))) lines.push(piece);
  }
  return lines;
}

function* breakLine(line: string, width: number): Generator<string> {
  let start = 0;
  let used = 0;
  let space = -1;
  let usedAtSpace = 0;
  for (const { segment, index } of graphemes.segment(line)) {
    const columns = displayWidth(segment);
    if (used + columns > width && index > start) {
      if (space > start) {
        yield line.slice(start, space);
        start = space + 1;
        used -= usedAtSpace;
      } else {
        yield line.slice(start, index);
        start = index;
        used = 0;
      }
      space = -1;
    }
    used += columns;
    if (segment === ' ') {
      space = index;
      usedAtSpace = used;
    }
  }
  yield line.slice(start);
}
