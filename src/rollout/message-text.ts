/**
 * The text of a message found on the bytes of its line, so that two records of one message can be known as such without
 * parsing both.
 *
 * Only the form that every known release writes is recognised: one part, nothing after it. Anything else has no range
 * here, and the caller parses the line. Equal bytes mean equal texts; different bytes mean different messages only where
 * the first difference is one that nothing which is left out of a comparison can explain.
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, QUOTE } from './json-bytes.js';

const LESS_THAN = 0x3c;

/** Index range of a JSON string without its quotes. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

const ITEM_CONTENT = Buffer.from('"content":[{"type":"');
const INPUT_TEXT = Buffer.from('input_text","text":"');
const OUTPUT_TEXT = Buffer.from('output_text","text":"');
const EVENT_MESSAGE = Buffer.from('"message":"');
const PART_TEXT = Buffer.from('"text":"');
/** What stands behind the text of a part without more to say of it. */
const NO_ANNOTATIONS = Buffer.from(',"annotations":[]');
const NO_ELEMENTS = Buffer.from(',"text_elements":[]');

/** The text of a `message` item that has one part, and that a text. */
export function itemTextRange(bytes: Buffer, start: number, end: number): TextRange | undefined {
  const at = bytes.indexOf(ITEM_CONTENT, start);
  if (at === -1 || at >= end) return undefined;
  const part = at + ITEM_CONTENT.length;
  const textStart = behind(bytes, part, OUTPUT_TEXT) ?? behind(bytes, part, INPUT_TEXT);
  if (textStart === undefined) return undefined;
  const textEnd = closingQuote(bytes, textStart, end);
  if (textEnd === -1 || !endsPart(bytes, behind(bytes, textEnd + 1, NO_ANNOTATIONS) ?? textEnd + 1)) return undefined;
  return { start: textStart, end: textEnd };
}

/** The text of a `user_message` or `agent_message` event, or of a turn item with one part. */
export function eventTextRange(bytes: Buffer, start: number, end: number, isTurnItem: boolean): TextRange | undefined {
  const name = isTurnItem ? PART_TEXT : EVENT_MESSAGE;
  const at = bytes.indexOf(name, start);
  if (at === -1 || at >= end) return undefined;
  const textStart = at + name.length;
  const textEnd = closingQuote(bytes, textStart, end);
  if (textEnd === -1) return undefined;
  if (!isTurnItem) return { start: textStart, end: textEnd };
  if (!endsPart(bytes, behind(bytes, textEnd + 1, NO_ELEMENTS) ?? textEnd + 1)) return undefined;
  return { start: textStart, end: textEnd };
}

/**
 * Whether two texts are those of one message, white space around them and citations in them aside; `unsure` where only
 * parsing both can tell.
 */
export function compareTexts(a: Buffer, inA: TextRange, b: Buffer, inB: TextRange): 'same' | 'other' | 'unsure' {
  const length = inA.end - inA.start;
  if (length === inB.end - inB.start && a.compare(b, inB.start, inB.end, inA.start, inA.end) === 0) return 'same';
  const both = Math.min(length, inB.end - inB.start);
  for (let at = 0; at < both; at += 1) {
    const byte = a[inA.start + at];
    const other = b[inB.start + at];
    if (byte !== other) return isPlain(byte) && isPlain(other) ? 'other' : 'unsure';
    // The same character may be escaped in two ways, and a citation may have begun.
    if (byte === BACKSLASH || byte === LESS_THAN) return 'unsure';
  }
  return 'unsure';
}

/** True for a byte that is a character of its own, and none that may be left out. */
function isPlain(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte < 0x7f && byte !== BACKSLASH && byte !== LESS_THAN;
}

/** True where a part ends, and with it the parts. */
function endsPart(bytes: Buffer, at: number): boolean {
  return bytes[at] === CLOSE_BRACE && bytes[at + 1] === CLOSE_BRACKET;
}

function behind(bytes: Buffer, at: number, wanted: Buffer): number | undefined {
  for (let index = 0; index < wanted.length; index += 1) if (bytes[at + index] !== wanted[index]) return undefined;
  return at + wanted.length;
}

/** Index of the quote that ends the string which begins at `from`; -1 when there is none before `end`. */
function closingQuote(bytes: Buffer, from: number, end: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1 && at < end; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}
