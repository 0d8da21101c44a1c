/**
 * Errors of every store of threads, whatever it stands on.
 */
import { CodicilError } from '../base/errors.js';

/** Thrown when no thread fits a reference. */
export class ThreadNotFoundError extends CodicilError {
  override readonly name = 'ThreadNotFoundError';

  constructor(reference: string) {
    super('thread_not_found', `Cannot find the thread "${reference}": no file and no name fits it`, {
      hint: 'List what there is with `codicil list --all`; an id may be shortened to its last 4 or more digits.',
    });
  }
}

/** Thrown for a query that cannot be answered: a limit out of bounds, a cursor that is none. */
export class InvalidQueryError extends CodicilError {
  override readonly name = 'InvalidQueryError';

  constructor(message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super('invalid_query', message, options);
  }
}
