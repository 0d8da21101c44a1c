/**
 * How a command fails: the errors that only the command line throws, and what any error becomes
 * for a person, for `--json`, and as an exit code. Never prints.
 */
import { CodicilError } from '../base/errors.js';
import type { ThreadCandidate } from '../thread-store/session-reader.js';

export const EXIT_DONE = 0;
export const EXIT_FAULT = 1;
export const EXIT_USAGE = 2;
export const EXIT_INTERRUPTED = 130;

/** Thrown for an unknown command or option and for a value that does not fit. */
export class UsageError extends CodicilError {
  override readonly name = 'UsageError';

  constructor(message: string, options: { readonly hint?: string | undefined } = {}) {
    super('usage', message, options);
  }
}

/** Thrown when a reference fits more than one thread; carries them, newest first. */
export class AmbiguousReferenceError extends CodicilError {
  override readonly name = 'AmbiguousReferenceError';
  readonly candidates: readonly ThreadCandidate[];

  constructor(reference: string, candidates: readonly ThreadCandidate[]) {
    super('ambiguous-reference', `Cannot tell which thread "${reference}" means: ${candidates.length} fit`, {
      hint: 'Give more digits of the id.',
    });
    this.candidates = candidates;
  }
}

/** Thrown by `Output` when nobody reads it any more: the command ends quietly. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipeError';
}

/** The document of a failed command under `--json`. */
export interface FailureDocument {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly path?: string;
    readonly line?: number;
    readonly hint?: string;
    readonly candidates?: readonly ThreadCandidate[];
  };
}

/** What is said of `error`; keys that do not apply are left out. */
export function describeFailure(error: unknown): FailureDocument {
  if (error instanceof CodicilError) {
    return {
      error: {
        code: error.code,
        message: error.message,
        ...(error.path === undefined ? {} : { path: error.path }),
        ...(error.line === undefined ? {} : { line: error.line }),
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        ...(error instanceof AmbiguousReferenceError ? { candidates: error.candidates } : {}),
      },
    };
  }
  // Several failures at once: the first is told as if it were alone, the others by their messages.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const [first, ...others] = error.errors as readonly unknown[];
    const told = describeFailure(first);
    const more = others.map((other) => `; ${describeFailure(other).error.message}`).join('');
    return { error: { ...told.error, message: `${error.message}: ${told.error.message}${more}` } };
  }
  if (!(error instanceof Error)) return { error: { code: 'unexpected', message: String(error) } };
  const { code, path } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') {
    return { error: { code, message: error.message, ...(typeof path === 'string' ? { path } : {}) } };
  }
  const at = error.stack?.split('\n').find((line) => line.startsWith('    at '));
  return {
    error: {
      code: 'unexpected',
      message: `${error.name}: ${error.message}`,
      hint: `This is a fault in Codicil${at === undefined ? '' : ` (${at.trim()})`}; no log was changed.`,
    },
  };
}

/** Wrong usage, whoever found it: the parser, a reference, or a store that was given a cursor that is none. */
const USAGE_CODES: ReadonlySet<string> = new Set([
  'usage',
  'ambiguous-reference',
  'invalid-query',
  'empty-query',
  'state-cursor-invalid',
]);

export function exitCodeOf(error: unknown): number {
  return error instanceof CodicilError && USAGE_CODES.has(error.code) ? EXIT_USAGE : EXIT_FAULT;
}
