/**
 * Addresses of log lines: `ID[/PART]:LINE` and `ID[/PART]:LINE-LINE`, lines and parts counted from 1.
 *
 * Every hit, citation, evidence link and damage report prints one; `show` opens it. PART is a place among the files of
 * the thread, oldest first; without one, the line stands in the thread's own file, which is the last.
 * The part before is whatever names a thread (an id, the end of one, a name) or a file; resolving it is not done here.
 */

export interface Address {
  /** What names the thread: an id, the end of an id, a name, or a path. */
  readonly reference: string;
  /** 1-based place among the thread's files, oldest first; undefined for its own file. */
  readonly part?: number;
  /** 1-based. */
  readonly from: number;
  /** 1-based, inclusive; the same as `from` for a single line. */
  readonly to: number;
}

const ADDRESS = /^(.+?)(?:\/([1-9][0-9]{0,5}))?:([1-9][0-9]{0,15})(?:-([1-9][0-9]{0,15}))?$/s;
const ALMOST = /^(.+):([0-9]*)(?:(-)([0-9]*))?$/s;

/** Parses an address; undefined when `text` is none (no line, line 0, a range that runs backwards). */
export function parseAddress(text: string): Address | undefined {
  const match = ADDRESS.exec(text);
  const reference = match?.[1];
  if (reference === undefined) return undefined;
  const from = Number(match?.[3]);
  const to = match?.[4] === undefined ? from : Number(match[4]);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to < from) return undefined;
  return { reference, ...(match?.[2] === undefined ? {} : { part: Number(match[2]) }), from, to };
}

/** Why a text that looks like an address is none. */
export type AddressFault = 'line-zero' | 'part-zero' | 'backwards' | 'malformed';

/** What is wrong with a text that looks like an address and is none; undefined for any other text. */
export function addressFault(text: string): AddressFault | undefined {
  const address = parseAddress(text);
  if (address !== undefined) return /\/0+$/.test(address.reference) ? 'part-zero' : undefined;
  const match = ALMOST.exec(text);
  if (match === null || `${match[2]}${match[4] ?? ''}` === '') return undefined;
  const [from, to] = [match[2] ?? '', match[4]];
  if (/^0+$/.test(from) || /^0+$/.test(to ?? '')) return 'line-zero';
  return from !== '' && to !== undefined && to !== '' && Number(to) < Number(from) ? 'backwards' : 'malformed';
}

/** Renders an address; a range of one line is written as that line. */
export function formatAddress(address: Address): string {
  const { reference, part, from, to } = address;
  const file = part === undefined ? reference : `${reference}/${part}`;
  return from === to ? `${file}:${from}` : `${file}:${from}-${to}`;
}
