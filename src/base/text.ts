/**
 * Texts measured and cut by their UTF-8 bytes, for formats that count in bytes. Pure; a cut never splits a character.
 */

/** Bytes of `text` in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) bytes += charBytes(char);
  return bytes;
}

/** The characters from byte `start` to byte `end` (exclusive); undefined when either splits one or lies outside. */
export function utf8Slice(text: string, start: number, end: number): string | undefined {
  if (!(start <= end)) return undefined;
  let bytes = 0;
  let units = 0;
  let from = start === 0 ? 0 : -1;
  let to = end === 0 ? 0 : -1;
  for (const char of text) {
    bytes += charBytes(char);
    units += char.length;
    if (bytes === start) from = units;
    if (bytes === end) to = units;
    if (bytes >= end) break;
  }
  return from === -1 || to === -1 ? undefined : text.slice(from, to);
}

function charBytes(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
