/**
 * What a check of the doctor is: what was found, what it means, and its repair.
 */

import { messageOf, nextStep } from './next-step.js';

/** As reports show it. */
export interface DoctorCheck {
  /** Kebab-case, the same in every release. */
  readonly name: string;
  /** The home in question; null for the program as a whole. */
  readonly home: string | null;
  readonly ok: boolean;
  /** What was found and what it means. */
  readonly detail: string;
  /** The command or the sentence that mends it; null when there is nothing to do. */
  readonly repair: string | null;
}

/** A check with what `--repair` does about it: derived data only. */
export interface MendableCheck extends DoctorCheck {
  /** Resolves with what was done, a sentence; undefined when there was nothing left to do. */
  readonly mend?: () => Promise<string | undefined>;
}

/** The command that runs every repair of derived data. */
export const REPAIR_COMMAND = 'codicil doctor --repair';

export function sound(name: string, home: string | null, detail: string): MendableCheck {
  return { name, home, ok: true, detail, repair: null };
}

export function fault(
  name: string,
  home: string | null,
  found: {
    readonly detail: string;
    readonly repair: string;
    readonly mend?: (() => Promise<string | undefined>) | undefined;
  },
): MendableCheck {
  const { detail, repair, mend } = found;
  return { name, home, ok: false, detail, repair, ...(mend !== undefined && { mend }) };
}

/**
 * Runs the work of one check; what it throws becomes its finding, so that the other checks go on. Rejects only for an
 * abort, with the signal's reason.
 */
export async function guarded(
  name: string,
  home: string | null,
  signal: AbortSignal | undefined,
  work: () => MendableCheck | Promise<MendableCheck>,
): Promise<MendableCheck> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    return fault(name, home, { detail: `It could not be looked into: ${messageOf(error)}`, repair: nextStep(error) });
  }
}

/** `1 log`, `2 logs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
