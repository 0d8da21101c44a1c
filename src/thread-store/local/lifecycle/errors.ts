/** Errors of changes to whole threads on disk. In each case nothing was changed by the step that threw. */

import { CodicilError } from '../../../base/errors.js';
import type { ThreadId } from '../../../base/ids.js';
import { UnsupportedError } from '../../errors.js';

/** Thrown when the place that a file would go to is taken by another one: both stay. */
export class NameTakenError extends CodicilError {
  override readonly name = 'NameTakenError';

  constructor(from: string, to: string) {
    super('name-taken', `Cannot move "${from}": "${to}" is another file`, {
      path: to,
      hint: 'Both files are kept. Move one of them out of the home, then repeat the command.',
    });
  }
}

/** Thrown when folders that may hold files of the thread cannot be read. */
export class UnreadableFoldersError extends CodicilError {
  override readonly name = 'UnreadableFoldersError';

  constructor(path: string, code: string, folders: number) {
    super(
      'home-unreadable',
      `Cannot look for the files of the thread: ${folders === 1 ? 'a folder' : `${folders} folders`} of the home cannot be read (${code})`,
      {
        path,
        hint: 'Nothing was changed. Make the folder readable, or take it out of the home, and repeat the command.',
      },
    );
  }
}

/** Thrown for the removal of a thread whose log others continue. */
export class AttachedForksError extends UnsupportedError {
  readonly forks: readonly ThreadId[];

  constructor(threadId: ThreadId, forks: readonly ThreadId[], path: string) {
    super(`Cannot remove thread ${threadId}: ${forks.join(', ')} ${forks.length === 1 ? 'continues' : 'continue'} it`, {
      path,
      hint: 'Nothing was changed. What they hold of it would be lost: remove them first, or force it.',
    });
    this.forks = forks;
  }
}

/** Thrown when a log changed while it was worked on. */
export class LogChangedError extends CodicilError {
  override readonly name = 'LogChangedError';

  constructor(path: string) {
    super('log-changed', `Cannot compress "${path}": another program wrote to it meanwhile`, {
      path,
      hint: 'The log stays as it is. Repeat the command when nobody writes to the thread.',
    });
  }
}

/** Thrown when what is derived from the home cannot be written, so that words of the thread would stay in it. */
export class DerivedNotWritableError extends CodicilError {
  override readonly name = 'DerivedNotWritableError';

  constructor(path: string, cause: Error) {
    super('index-not-writable', `Cannot purge: what is derived from the thread cannot be removed (${cause.message})`, {
      path,
      cause,
      hint: 'No file was removed. Make the database writable, or close the program that holds it, and repeat the command.',
    });
  }
}
