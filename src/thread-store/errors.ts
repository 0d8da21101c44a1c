/**
 * Errors of every store of threads, whatever it stands on.
 */
import { CodicilError } from '../base/errors.js';

export { DamagedError, ThreadBusyError, UnsupportedError } from '../rollout/errors.js';

/** Thrown instead of building an index that would forget what lies in folders that cannot be read now. */
export class UnreadableHomeError extends CodicilError {
  override readonly name = 'UnreadableHomeError';

  constructor(folders: number) {
    super(
      'home-unreadable',
      `Cannot rebuild the index: ${folders} ${folders === 1 ? 'folder' : 'folders'} of the home cannot be read`,
      {
        hint: 'The index in use stays as it is. Make the folders readable, or take them out of the home, and rebuild again.',
      },
    );
  }
}

const ELSEWHERE = 'Reading works without it; set CODICIL_HOME to a folder that can be written to keep an index.';

/** Thrown when an index that was to be rebuilt can be kept in memory only. */
export class IndexNotWritableError extends CodicilError {
  override readonly name = 'IndexNotWritableError';

  constructor(cause: Error) {
    super('index-not-writable', `Cannot rebuild the index: ${cause.message}`, {
      cause,
      hint: (cause instanceof CodicilError ? cause.hint : undefined) ?? ELSEWHERE,
    });
  }
}

/** Thrown when no thread fits a reference. */
export class ThreadNotFoundError extends CodicilError {
  override readonly name = 'ThreadNotFoundError';

  constructor(reference: string) {
    super('thread-not-found', `Cannot find the thread "${reference}": no file and no name fits it`, {
      hint: 'List what there is with `codicil list --all`; an id may be shortened to its last 4 or more digits.',
    });
  }
}

/** Thrown for a query that cannot be searched: `empty-query` has no word, or only such as are excluded. */
export class SearchError extends CodicilError {
  override readonly name = 'SearchError';
  declare readonly code: 'empty-query';

  constructor() {
    super('empty-query', 'Cannot search: the query has no word to look for', {
      hint: 'Give at least one word; "…" is a phrase, and -word leaves out what has it.',
    });
  }
}
