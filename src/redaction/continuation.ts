/**
 * Where a token goes on after something was put into its middle: a line break of a terminal (with indentation, a
 * quote mark or the marker of a patch), the same break as an escape, the seam of two strings that code puts together,
 * or a line that says how much was left out.
 * Looks ahead by a bounded number of characters.
 */

export interface Continuation {
  /** Offset of the first character after the interruption. */
  readonly at: number;
  /** Text was left out here, so that nothing is known about the length of what follows. */
  readonly omitted: boolean;
}

/** Each part is bounded and starts with a character that ends the one before. */
const LINE_BREAK =
  /(?:[ \t]{0,4}\\?\r?\n|(?:\\{1,4}r)?\\{1,4}n)(?:[ \t]{0,80}(?:[+\-|>│┃#*]{1,2}[ \t]{1,80}|[+\-|>│┃])?)/y;
/** `" + "`, on one line or over two; also two strings on two lines with nothing between. */
const SEAM =
  /\\{0,4}["'`][ \t]{0,8}(?:[+.&][ \t]{0,8}(?:\r?\n|\\{1,4}n)?|\\?(?:\r?\n|\\{1,4}n)[ \t]{0,80}[+.&]?)[ \t]{0,80}\\{0,4}["'`]/y;
const OMISSION =
  /\d[\d,]{0,15} (?:more )?(?:bytes?|chars?|characters|tokens?|lines?) (?:were |was )?(?:omitted|truncated|elided|skipped|removed)/y;
const OMISSION_FILLER = /(?:[ \t\r\n+\-|>.…[\]()<]|\\{1,4}[nrt]){1,80}/y;

/** Where the text goes on behind the interruption at `end`, or undefined when there is none. */
export function continuationAt(text: string, end: number): Continuation | undefined {
  const code = text.charCodeAt(end);
  // Most tokens end at a quote, a blank or the end of the text; only these begin an interruption.
  if (!(code === 0x0a || code === 0x0d || code === 0x5c || code === 0x20 || code === 0x09 || isMark(code))) {
    return isQuote(code) ? afterSeam(text, end) : undefined;
  }
  const omission = omissionAt(text, end);
  if (omission !== undefined) return { at: omission, omitted: true };
  LINE_BREAK.lastIndex = end;
  if (code === 0x5c) {
    const seam = afterSeam(text, end);
    if (seam !== undefined) return seam;
  }
  return LINE_BREAK.test(text) ? { at: LINE_BREAK.lastIndex, omitted: false } : undefined;
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

function afterSeam(text: string, end: number): Continuation | undefined {
  SEAM.lastIndex = end;
  return SEAM.test(text) ? { at: SEAM.lastIndex, omitted: false } : undefined;
}

function isMark(code: number): boolean {
  return code === 0x2026 || code === 0x2e || code === 0x5b || code === 0x28 || code === 0x3c;
}

function omissionAt(text: string, end: number): number | undefined {
  OMISSION_FILLER.lastIndex = end;
  if (!OMISSION_FILLER.test(text)) return undefined;
  OMISSION.lastIndex = OMISSION_FILLER.lastIndex;
  if (!OMISSION.test(text)) return undefined;
  OMISSION_FILLER.lastIndex = OMISSION.lastIndex;
  const after = OMISSION.lastIndex;
  return OMISSION_FILLER.test(text) ? OMISSION_FILLER.lastIndex : after;
}
