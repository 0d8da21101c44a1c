/**
 * A growing buffer of UTF-8 in which tokens are written one after the other, a space behind each.
 *
 * Bytes and not strings: a token of the index lives only until it is handed to SQLite, and a slice a token would
 * cost more than all the rest of the analysis. Owns room and encoding; never looks at what a token means.
 */

const SPACE = 0x20;
const FIRST_SIZE = 4096;
/** A buffer that one huge text has made larger than this is not kept for the next. */
const KEPT_SIZE = 1 << 20;

export class TermSink {
  /** Valid up to `length`. Replaced when it grows: read it again after `reserve`. */
  bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
  length = 0;
  readonly #decoder = new TextDecoder();

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  /** Writes `text` in UTF-8 and a space. No lone surrogates. */
  writeTerm(text: string): void {
    this.reserve(text.length * 3 + 1);
    for (let index = 0; index < text.length; index++) {
      const code = text.codePointAt(index)!;
      if (code > 0xffff) index++;
      this.writeCode(code);
    }
    this.bytes[this.length++] = SPACE;
  }

  /** Writes one code point; room for 4 bytes must be reserved. */
  writeCode(code: number): void {
    const bytes = this.bytes;
    let at = this.length;
    if (code < 0x80) bytes[at++] = code;
    else {
      if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
      else {
        if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
        else {
          bytes[at++] = 0xf0 | (code >> 18);
          bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
        }
        bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
      }
      bytes[at++] = 0x80 | (code & 0x3f);
    }
    this.length = at;
  }

  /** Forgets what was written. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT_SIZE) this.bytes = new Uint8Array(FIRST_SIZE);
  }

  /** All tokens since the last call, a space between each; empties the sink. */
  take(): string {
    if (this.length === 0) return '';
    const text = this.#decoder.decode(this.bytes.subarray(0, this.length - 1));
    this.clear();
    return text;
  }
}
