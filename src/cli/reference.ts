/**
 * From what a person types to one thread: ids, ends of ids, names, `--last`, and addresses `ID:LINE` or `ID:LINE-LINE`.
 * Never guesses: what fits more than one thread is an `AmbiguousReferenceError`, what fits none is `thread-not-found`.
 */
import path from 'node:path';
import { parseAddress } from '../base/address.js';
import { CodicilError } from '../base/errors.js';
import { parseThreadId } from '../base/ids.js';
import type { HomeSet } from '../home/index.js';
import type { ThreadCandidate } from '../thread-store/session-reader.js';
import { AmbiguousReferenceError, UsageError } from './failure.js';
import type { Run } from './run.js';

export interface LineRange {
  /** 1-based, inclusive. */
  readonly from: number;
  readonly to: number;
}

/** The thread that the command's ID argument, or `--last`, stands for. */
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
  return findThread(homes, requireReference(run), signal);
}

/** As `resolveThread`, for a command that takes an address too. */
export async function resolveAddress(
  run: Run,
  homes: HomeSet,
): Promise<{ readonly candidate: ThreadCandidate; readonly range: LineRange | undefined }> {
  const address = run.invocation.has('last') ? undefined : parseAddress(requireReference(run));
  if (address === undefined) return { candidate: await resolveThread(run, homes), range: undefined };
  // A name may end in something like `:12`; it wins when it is there.
  const named = await homes.candidates(requireReference(run), { signal: run.signal });
  if (named.length > 0) return { candidate: await resolveThread(run, homes), range: undefined };
  return {
    candidate: await findThread(homes, address.reference, run.signal),
    range: { from: address.from, to: address.to },
  };
}

/** Whether an argument means a file rather than a thread. */
export function looksLikePath(text: string): boolean {
  return text.includes('/') || text.includes(path.sep) || /\.jsonl(\.zst)?$/.test(text);
}

function requireReference(run: Run): string {
  const { arguments: args, command } = run.invocation;
  if (args[0] !== undefined && args[0] !== '') return args[0];
  throw new UsageError(`${command.name} needs ${command.arguments[0]!.name} or --last`, {
    hint: `Example: ${command.examples[0].line}`,
  });
}

async function findThread(homes: HomeSet, reference: string, signal: AbortSignal): Promise<ThreadCandidate> {
  const found = new Map<string, ThreadCandidate>();
  // The homes come with ours first, and of one id in two homes ours is meant.
  for (const candidate of await homes.candidates(reference, { signal })) {
    if (!found.has(candidate.id)) found.set(candidate.id, candidate);
  }
  const exact = found.get(parseThreadId(reference) ?? '');
  if (exact !== undefined) return exact;
  const candidates = [...found.values()].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const [only] = candidates;
  if (only === undefined) {
    throw new CodicilError('thread-not-found', `Cannot find thread "${reference}"`, {
      hint: /^[0-9a-f-]{1,3}$/i.test(reference)
        ? 'Give at least 4 digits from the end of its id.'
        : 'Give its id, 4 digits or more from the end of it, or its exact name; codicil list --all shows every file.',
    });
  }
  if (candidates.length > 1) throw new AmbiguousReferenceError(reference, candidates);
  return only;
}
