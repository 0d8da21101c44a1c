/**
 * Whether a run is one for the picker. Small, since every bare call asks; the picker itself is loaded afterwards.
 */
import type { Readable } from 'node:stream';
import type { Run } from '../run.js';
import type { TerminalInput } from './terminal.js';

/** Options that say which homes and how to show them; any other asks for a list. */
const TAKEN: ReadonlySet<string> = new Set(['home', 'no-color']);

/** True for a bare call whose user looks at a screen and has a keyboard. */
export function wantsPicker({ context, invocation }: Run): boolean {
  const { bare, command } = invocation;
  if (!bare || !context.isTTY || !isTerminalInput(context.stdin) || context.env['TERM'] === 'dumb') return false;
  return !['json', ...command.options.map(({ name }) => name)].some((name) => !TAKEN.has(name) && invocation.has(name));
}

export function isTerminalInput(stream: Readable): stream is TerminalInput {
  // What only a terminal has is looked for on whatever stream was passed.
  const terminal = stream as { readonly isTTY?: unknown; readonly setRawMode?: unknown };
  return terminal.isTTY === true && typeof terminal.setRawMode === 'function';
}
