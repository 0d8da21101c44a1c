/**
 * Errors of every store of threads, whatever it stands on.
 */
import { CodicilError } from '../base/errors.js';

/** Thrown when no thread fits a reference. */
export class ThreadNotFoundError extends CodicilError {
  override readonly name = 'ThreadNotFoundError';

  constructor(reference: string) {
    super('thread-not-found', `Cannot find the thread "${reference}": no file and no name fits it`, {
      hint: 'List what there is with `codicil list --all`; an id may be shortened to its last 4 or more digits.',
    });
  }
}
