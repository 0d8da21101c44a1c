/**
 * Makes the invisible visible: text from a log is shown to a person only after it went through here.
 *
 * Terminal controls, characters that reorder what is read, and characters that take no room are replaced
 * by a printable stand-in: C0 and DEL by their control picture (`␛`), everything else by its number (`<U+202E>`).
 * Pure; never changes what is stored. The result has no control but `\n` and `\t` (`visibleText`) or none (`visibleLine`).
 */

/** Controls but newline and tab, lone surrogates, line separators, annotation anchors, and everything that Unicode lets a renderer leave out. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, 'gu');
const LINE_WHITE_SPACE = /[\t\n\v\f\r\u0085\u2028\u2029 ]+/gu;

const ZERO_WIDTH_JOINER = 0x200d;
const ENDS_IN_PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u;
const STARTS_WITH_PICTURE = /^\p{Extended_Pictographic}/u;

/** As `text`, with line breaks and tabs kept and `\r\n` as `\n`; for a view of many lines. */
export function visibleText(text: string): string {
  return HIDDEN.test(text) ? text.replaceAll('\r\n', '\n').replace(HIDDEN_ALL, standIn) : text;
}

/** As `text` on one line: each run of white space is one space; for titles, table cells and messages. */
export function visibleLine(text: string): string {
  const oneLine = text.replace(LINE_WHITE_SPACE, ' ').trim();
  return HIDDEN.test(oneLine) ? oneLine.replace(HIDDEN_ALL, standIn) : oneLine;
}

function standIn(character: string, offset: number, text: string): string {
  const code = character.codePointAt(0) ?? 0;
  // U+2400 holds a picture for each C0 control.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  // A variation selector after a character asks for its text or picture form; both are seen.
  if ((code === 0xfe0e || code === 0xfe0f) && offset > 0) return character;
  // Choseong and jungseong fillers belong to the spelling of old Korean syllables.
  if (code === 0x115f || code === 0x1160) return character;
  if (code === ZERO_WIDTH_JOINER && joinsPictures(text, offset)) return character;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** A joiner between two pictures makes one picture of them; anywhere else it hides. */
function joinsPictures(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 3), offset);
  return ENDS_IN_PICTURE.test(before) && STARTS_WITH_PICTURE.test(text.slice(offset + 1, offset + 3));
}
