/**
 * The tokens that a document has in the full-text index, for a tokenizer that splits at ASCII separators and takes
 * every other byte as part of a token (FTS5: `tokenize = 'ascii'`).
 *
 * Pure: the same text gives the same tokens on every machine, and NFD and NFC of a text give the same.
 * Linear in its input, whatever that is. A change of what comes out needs a new ANALYSER_VERSION.
 *
 * What a token is, `TermWriter` says. The loop here is its shortcut for what nearly all text is made of: words of
 * small ASCII letters, and composed Hangul. It gives up at the first character that is anything else.
 */
import { APOSTROPHE, ASCII_CLASSES, SEPARATOR } from './char-class.js';
import { MAY_INFLECT, stemEnglish } from './stem-english.js';
import { TermSink } from './term-sink.js';
import { MAX_TERM_UNITS, TermWriter } from './term-writer.js';
import { WordScanner } from './word-scanner.js';

/** Stands in an index beside its tokens; tokens of another version are not comparable. */
export const ANALYSER_VERSION = 1;

const SPACE = 0x20;
/** What the shortcut writes at most for one word: 65 syllables make 64 bigrams of 7 bytes. */
const ROOM = MAX_TERM_UNITS * 7 + 8;
const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** ASCII units that a word can begin with. */
const STARTS_WORD: Uint8Array = ASCII_CLASSES.map((found) => (found === SEPARATOR || found === APOSTROPHE ? 0 : 1));

const sink = new TermSink();
const writer = new TermWriter(sink);
const scanner = new WordScanner();

/** Tokens in the order of the text, one space between; '' when the text has no word. */
export function indexTerms(text: string): string {
  write(text, sink, writer);
  return sink.take();
}

/**
 * Writes the tokens of many texts into one buffer, without making a string of them: half the time of `indexTerms`.
 * The buffer is the caller's: `sink.bytes` up to `sink.length` is UTF-8 with a space behind each token.
 */
export class TermIndexer {
  readonly sink: TermSink;
  readonly #writer: TermWriter;

  constructor(sink: TermSink = new TermSink()) {
    this.sink = sink;
    this.#writer = new TermWriter(sink);
  }

  /** Appends the tokens of `text`. */
  append(text: string): void {
    write(text, this.sink, this.#writer);
  }
}

/** As the indexer writes, without its shortcut: for tests that hold one against the other. */
export function indexTermsPlainly(text: string): string {
  scanner.reset(text);
  while (scanner.next()) writer.write(text, scanner);
  return sink.take();
}

/**
 * One function with everything in local variables: calls and fields would double its time. Each word is tried as a
 * plain one; where it is not, nothing of it is kept and `into` writes it.
 */
function write(text: string, target: TermSink, into: TermWriter): void {
  const length = text.length;
  let bytes = target.bytes;
  let at = target.length;
  scanner.reset(text);
  for (let index = 0; index < length; ) {
    let unit = text.charCodeAt(index);
    if (unit < 0x80 && STARTS_WORD[unit] === 0) {
      index++;
      continue;
    }
    const start = index;
    const from = at;
    const limit = Math.min(length, start + MAX_TERM_UNITS + 1);
    let isPlain = true;
    let isIdentifier = unit < 0x40;
    if (at + ROOM > bytes.length) {
      target.length = at;
      target.reserve(ROOM);
      bytes = target.bytes;
    }
    if (unit < 0x80) {
      bytes[at++] = unit | 0x20;
      for (index++; index < limit; index++) {
        unit = text.charCodeAt(index);
        if (unit >= 0x61 && unit <= 0x7a) bytes[at++] = unit;
        else if (unit < 0x80) {
          const found = ASCII_CLASSES[unit]!;
          if (found === SEPARATOR) break;
          if (found === APOSTROPHE) isPlain = false;
          isIdentifier = true;
          bytes[at++] = unit | 0x20;
        } else {
          isPlain = isPlain && unit >= FIRST_SYLLABLE && unit <= LAST_SYLLABLE;
          break;
        }
      }
      isPlain = isPlain && index - start <= MAX_TERM_UNITS;
      if (isPlain && !isIdentifier) {
        if (at - from > 3 && MAY_INFLECT[bytes[at - 1]!] === 1) at = stemEnglish(bytes, from, at);
        bytes[at++] = SPACE;
        continue;
      }
    } else if (unit >= FIRST_SYLLABLE && unit <= LAST_SYLLABLE) {
      let before = unit;
      for (index++; index < limit; index++) {
        unit = text.charCodeAt(index);
        if (unit < FIRST_SYLLABLE || unit > LAST_SYLLABLE) {
          isPlain = unit < 0x80;
          break;
        }
        bytes[at] = 0xe0 | (before >> 12);
        bytes[at + 1] = 0x80 | ((before >> 6) & 0x3f);
        bytes[at + 2] = 0x80 | (before & 0x3f);
        bytes[at + 3] = 0xe0 | (unit >> 12);
        bytes[at + 4] = 0x80 | ((unit >> 6) & 0x3f);
        bytes[at + 5] = 0x80 | (unit & 0x3f);
        bytes[at + 6] = SPACE;
        at += 7;
        before = unit;
      }
      if (isPlain && index - start <= MAX_TERM_UNITS) {
        if (index - start > 1) continue;
        bytes[at] = 0xe0 | (before >> 12);
        bytes[at + 1] = 0x80 | ((before >> 6) & 0x3f);
        bytes[at + 2] = 0x80 | (before & 0x3f);
        bytes[at + 3] = SPACE;
        at += 4;
        continue;
      }
      isPlain = false;
    } else isPlain = false;
    target.length = from;
    if (isPlain) into.writeIdentifier(text, start, index);
    else {
      scanner.end = start;
      if (scanner.next()) into.write(text, scanner);
      index = scanner.end;
    }
    bytes = target.bytes;
    at = target.length;
  }
  target.length = at;
  // The scanner outlives the call; the text need not.
  scanner.reset('');
}
