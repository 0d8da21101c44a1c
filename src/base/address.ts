/**
 * Addresses of log lines: `ID:LINE` and `ID:LINE-LINE`, lines counted from 1.
 *
 * Every hit, citation, evidence link and damage report prints one; `show` opens it.
 * The part before the last colon is whatever names a thread (an id, the end of one, a name); resolving it is not done here.
 */

export interface Address {
  /** What names the thread: an id, the end of an id, or a name. */
  readonly reference: string;
  /** 1-based. */
  readonly from: number;
  /** 1-based, inclusive; the same as `from` for a single line. */
  readonly to: number;
}

const ADDRESS = /^(.+):([1-9][0-9]{0,15})(?:-([1-9][0-9]{0,15}))?$/s;

/** Parses an address; undefined when `text` is none (no line, line 0, a range that runs backwards). */
export function parseAddress(text: string): Address | undefined {
  const match = ADDRESS.exec(text);
  const reference = match?.[1];
  if (reference === undefined) return undefined;
  const from = Number(match?.[2]);
  const to = match?.[3] === undefined ? from : Number(match[3]);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to < from) return undefined;
  return { reference, from, to };
}

/** Renders an address; a range of one line is written as that line. */
export function formatAddress(address: Address): string {
  const { reference, from, to } = address;
  return from === to ? `${reference}:${from}` : `${reference}:${from}-${to}`;
}
