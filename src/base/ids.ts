/**
 * Branded ids. An id is parsed once where it enters (file name, wire, argument); inside, the type is trusted.
 * Thread ids are UUIDs: version 7 since Codex 0.40, version 4 before.
 */

declare const brand: unique symbol;

/** A conversation's id: a UUID in lower case. */
export type ThreadId = string & { readonly [brand]: 'ThreadId' };

/** The id of a file that continues a thread after a revert: the second UUID of its name, in lower case. */
export type SegmentId = string & { readonly [brand]: 'SegmentId' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Parses a UUID of any version; undefined when `text` is none. */
export function parseThreadId(text: unknown): ThreadId | undefined {
  // The brand has no run-time part; the check on the line is what earns it.
  return typeof text === 'string' && UUID.test(text) ? (text.toLowerCase() as ThreadId) : undefined;
}

/** As `parseThreadId`, for the second UUID of a segment's file name. */
export function parseSegmentId(text: unknown): SegmentId | undefined {
  return typeof text === 'string' && UUID.test(text) ? (text.toLowerCase() as SegmentId) : undefined;
}
