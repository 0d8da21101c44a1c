/**
 * Errors of writing to a log. Those that every store of threads throws stand here, because the writer of a file is the first
 * to see them.
 */
import { CodicilError } from '../base/errors.js';

/** Thrown when another writer has the thread. */
export class ThreadBusyError extends CodicilError {
  override readonly name = 'ThreadBusyError';

  constructor(
    id: string,
    holder: string,
    options: { readonly path?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super('thread-busy', `Cannot write to thread ${id}: ${holder} is writing to it`, {
      ...options,
      hint: 'Nothing was changed. Close the thread there, or fork it to go on beside.',
    });
  }
}

/** Thrown for what this store, or a thread of this kind, cannot do. */
export class UnsupportedError extends CodicilError {
  override readonly name = 'UnsupportedError';

  constructor(message: string, options: { readonly path?: string | undefined; readonly hint?: string } = {}) {
    super('unsupported', message, options);
  }
}

/** Thrown when a log is damaged in a way that going on would make worse. Reading it still works. */
export class DamagedError extends CodicilError {
  override readonly name = 'DamagedError';

  constructor(
    message: string,
    options: { readonly path?: string | undefined; readonly line?: number; readonly hint?: string } = {},
  ) {
    super('damaged', message, {
      hint: 'Nothing was changed. `codicil verify` says what is wrong; `codicil fork` makes a sound copy of what can be read.',
      ...options,
    });
  }
}

/**
 * Thrown instead of writing behind what somebody else did to the log: a writer that takes no lock has added to it, or it
 * was cut, replaced or removed. Nothing of the call was written or kept. The next call writes behind what is there then;
 * a log that is gone stays an error.
 */
export class LogChangedError extends CodicilError {
  override readonly name = 'LogChangedError';
  /** Bytes that the log had when this writer last wrote. */
  readonly expectedBytes: number;
  /** Bytes that it has; undefined when it is gone. */
  readonly foundBytes: number | undefined;

  constructor(path: string, expectedBytes: number, foundBytes: number | undefined) {
    const found = foundBytes === undefined ? 'it is gone' : `${expectedBytes} -> ${foundBytes} bytes`;
    super('log-changed', `Cannot append to ${JSON.stringify(path)}: it was changed by another program, ${found}`, {
      path,
      hint:
        foundBytes === undefined
          ? 'What was written went with it, unless it was moved: look for it with `codicil list --all`.'
          : 'Nothing was written. Read the thread again before going on; releases of Codex before 0.147 take no lock.',
    });
    this.expectedBytes = expectedBytes;
    this.foundBytes = foundBytes;
  }
}

/**
 * Thrown when the system refused a write, and again after the log was opened anew. What was acknowledged is on disk.
 * `kept` says whether the records of the call wait to be written first by the next call; when too many wait already, they
 * do not.
 */
export class AppendFailedError extends CodicilError {
  override readonly name = 'AppendFailedError';
  /** Records that wait to be written. */
  readonly waiting: number;
  readonly kept: boolean;

  constructor(
    path: string,
    { waiting, kept, cause }: { readonly waiting: number; readonly kept: boolean; readonly cause: unknown },
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('append-failed', `Cannot write to ${JSON.stringify(path)}: ${reason}`, {
      path,
      cause,
      hint: kept
        ? `What was acknowledged is on disk. ${waiting} ${waiting === 1 ? 'record waits' : 'records wait'} and will be written first by the next try.`
        : 'What was acknowledged is on disk. Too much waits already: these records were not taken.',
    });
    this.waiting = waiting;
    this.kept = kept;
  }
}

/**
 * Thrown when the system could not say that what was written survives a power cut. It may be written or not, and a second
 * try would prove nothing, so the writer stays failed: resume the thread to go on behind what is really there.
 */
export class SyncFailedError extends CodicilError {
  override readonly name = 'SyncFailedError';

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('sync-failed', `Cannot make ${JSON.stringify(path)} safe from a power cut: ${reason}`, {
      path,
      cause,
      hint: 'Look after the disk, then resume the thread: what the log holds then is what was kept.',
    });
  }
}

/** Thrown when the numbers of a paginated log are used up. */
export class OrdinalOverflowError extends CodicilError {
  override readonly name = 'OrdinalOverflowError';

  constructor(path: string) {
    super('ordinal-overflow', `Cannot append to ${JSON.stringify(path)}: the ordinals of its records are used up`, {
      path,
      hint: 'Nothing was written. Fork the thread to go on.',
    });
  }
}
