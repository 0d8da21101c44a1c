/** What can go wrong with the databases of a home beyond what SQLite itself reports. */
import { CodicilError, type CodicilErrorOptions } from '../base/errors.js';

export type StateErrorCode =
  /** The text given as cursor was not made by a list with this sort order. */
  | 'state-cursor-invalid'
  /** A migration that this database went through is not the one this program has. */
  | 'state-migration-changed'
  /** A database opened read-only lacks migrations that this program needs. */
  | 'state-schema-old'
  /** The generation is no longer being built: flipped, abandoned or swept. */
  | 'state-generation-gone';

/** Thrown by the state databases; `path` is the database file. */
export class StateError extends CodicilError {
  override readonly name = 'StateError';
  declare readonly code: StateErrorCode;

  constructor(code: StateErrorCode, message: string, options: CodicilErrorOptions = {}) {
    super(code, message, options);
  }
}
