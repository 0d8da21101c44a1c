/**
 * From what a person types to one thread: ids, ends of ids, names, files, `--last`, and addresses `ID[/PART]:LINE[-LINE]`.
 * Never guesses: what fits more than one thread is an `AmbiguousReferenceError`, what fits none is `thread-not-found`.
 */
import path from 'node:path';
import { type AddressFault, addressFault, parseAddress } from '../base/address.js';
import { CodicilError } from '../base/errors.js';
import { parseThreadId } from '../base/ids.js';
import type { HomeSet } from '../home/index.js';
import type { ThreadCandidate } from '../thread-store/session-reader.js';
import { AmbiguousReferenceError, UsageError } from './failure.js';
import { findFile } from './file-reference.js';
import type { Run } from './run.js';

export interface LineRange {
  /** 1-based, inclusive. */
  readonly from: number;
  readonly to: number;
}

/** A thread, and what of it was asked for. */
export interface Target {
  readonly candidate: ThreadCandidate;
  readonly range?: LineRange;
  /** 1-based place among the files of the thread. */
  readonly part?: number;
  /** The file of the thread that was named, as its home has it. */
  readonly path?: string;
}

/** The thread that the command's ID argument, or `--last`, stands for. An address is refused. */
export async function resolveThread(run: Run, homes: HomeSet): Promise<ThreadCandidate> {
  const { invocation, signal } = run;
  const [reference] = invocation.arguments;
  if (invocation.has('last')) {
    if (reference !== undefined) throw new UsageError(`Cannot take both "${reference}" and --last`);
    const latest = await homes.latest({ signal });
    if (latest !== undefined) return latest;
    throw new CodicilError('thread-not-found', 'Cannot take the newest thread: there is no active one', {
      hint: 'codicil list --all shows every file.',
    });
  }
  return resolveNamedThread(run, homes, requireReference(run));
}

/** As `resolveThread`, of what stands in an option. */
export async function resolveNamedThread(run: Run, homes: HomeSet, text: string): Promise<ThreadCandidate> {
  const found = await findTarget(run, homes, text);
  if (found !== undefined) return found.candidate;
  throw refusedAddress(text, run.invocation.command.name) ?? notFound(text);
}

/** As `resolveThread`, for a command that takes an address too. */
export async function resolveAddress(run: Run, homes: HomeSet): Promise<Target> {
  if (run.invocation.has('last')) return { candidate: await resolveThread(run, homes) };
  const text = requireReference(run);
  // A name may end in something like `:12`; it wins when it is there.
  const whole = await findTarget(run, homes, text);
  if (whole !== undefined) return whole;
  const fault = addressFault(text);
  if (fault !== undefined) throw faultyAddress(text, fault);
  const address = parseAddress(text);
  if (address === undefined) throw notFound(text);
  const range = { from: address.from, to: address.to };
  const { reference, part } = address;
  const target = await findTarget(run, homes, reference);
  if (target !== undefined) return { ...target, range, ...(part === undefined ? {} : { part }) };
  // `fix/2` may be a name, too.
  const named = part === undefined ? undefined : await findTarget(run, homes, `${reference}/${part}`);
  if (named !== undefined) return { ...named, range };
  throw notFound(reference);
}

/** Why a command cannot take `text`, when it is an address, or meant as one; undefined when it is none. */
export function refusedAddress(text: string, command: string): UsageError | undefined {
  const address = parseAddress(text);
  if (address === undefined && addressFault(text) === undefined) return undefined;
  const reference = address?.reference ?? text.slice(0, text.lastIndexOf(':'));
  return new UsageError(`Cannot take the address "${text}": ${command} takes a thread as a whole`, {
    hint: `Give "${reference}" alone; codicil show ${text} opens the lines.`,
  });
}

/** Whether an argument means a file rather than a thread. */
export function looksLikePath(text: string): boolean {
  return text.includes('/') || text.includes(path.sep) || /\.jsonl(\.zst)?$/.test(text);
}

function faultyAddress(text: string, fault: AddressFault): UsageError {
  const why: Readonly<Record<AddressFault, string>> = {
    'line-zero': 'lines are counted from 1',
    'part-zero': 'the files of a thread are counted from 1',
    backwards: 'the range runs backwards',
    malformed: 'wanted ID:LINE or ID:LINE-LINE',
  };
  return new UsageError(`Cannot take the address "${text}": ${why[fault]}`);
}

function requireReference(run: Run): string {
  const { arguments: args, command } = run.invocation;
  if (args[0] !== undefined && args[0] !== '') return args[0];
  throw new UsageError(`${command.name} needs ${command.arguments[0]!.name} or --last`, {
    hint: `Example: ${command.examples[0].line}`,
  });
}

/** Undefined when nothing fits. */
async function findTarget({ signal, context }: Run, homes: HomeSet, reference: string): Promise<Target | undefined> {
  const found = new Map<string, ThreadCandidate>();
  // The homes come with ours first, and of one id in two homes ours is meant.
  for (const candidate of await homes.candidates(reference, { signal })) {
    if (!found.has(candidate.id)) found.set(candidate.id, candidate);
  }
  const exact = found.get(parseThreadId(reference) ?? '');
  if (exact !== undefined) return { candidate: exact };
  const candidates = [...found.values()].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const [only] = candidates;
  if (candidates.length > 1) throw new AmbiguousReferenceError(reference, candidates);
  if (only !== undefined) return { candidate: only };
  // What ends like an address is a file only when one is there.
  return looksLikePath(reference) ? findFile(homes, reference, { cwd: context.cwd, signal }) : undefined;
}

function notFound(reference: string): CodicilError {
  const hint = looksLikePath(reference)
    ? `It lies in none of the homes; --home DIR names one, codicil verify ${reference} checks a file that lies elsewhere.`
    : /^[0-9a-f-]{1,3}$/i.test(reference)
      ? 'Give at least 4 digits from the end of its id.'
      : 'Give its id, 4 digits or more from the end of it, or its exact name; codicil list --all shows every file.';
  return new CodicilError('thread-not-found', `Cannot find thread "${reference}"`, { hint });
}
