/**
 * The bytes that give JSON its structure, and those that a record in an envelope begins with; for walks over bytes that
 * are not parsed.
 */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const DASH = 0x2d;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;

/** How every release begins a line with an envelope. Inside a string the quotes would be escaped. */
export const ENVELOPE_START = Buffer.from('{"timestamp":');

/** True when a value that follows this byte most likely belongs to a larger one: `[`, `,` or `:` stands before it. */
export function isInsideStructure(before: number | undefined): boolean {
  return before === OPEN_BRACKET || before === COMMA || before === COLON;
}
