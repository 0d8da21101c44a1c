/**
 * Where a log writer puts its batches: a database that is opened with the first of them, and replaced once when it turns
 * out to be damaged in use.
 */
import { isDamageError, isSqliteError } from '../../platform/sqlite/index.js';
import type { LogRecord } from './log-entry.js';
import type { LogsDatabase } from './logs-database.js';

export interface LogStore {
  /** Resolves when the batch is written; false when it was not. May reject. */
  write(records: readonly LogRecord[]): Promise<boolean>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Opens the database; undefined where there is no place for one. `check` after it failed in use. */
export type OpenLogs = (options: { readonly check: boolean }) => Promise<LogsDatabase | undefined>;

export class LazyLogStore implements LogStore {
  readonly #open: OpenLogs;
  #database: LogsDatabase | undefined;
  /** Nothing is written in this run any more: asking again would cost as much and end the same way. */
  #givenUp = false;

  constructor(open: OpenLogs) {
    this.#open = open;
  }

  async write(records: readonly LogRecord[]): Promise<boolean> {
    const database = this.#database ?? (await this.#opened({ check: false }));
    if (database === undefined) return false;
    try {
      return database.append(records);
    } catch (error) {
      // A table that is missing is damage that only using the database shows.
      if (!isDamageError(error) && !isSqliteError(error, 'sqlite-error', 'sqlite-schema')) throw error;
    }
    await this.close();
    const fresh = await this.#opened({ check: true });
    // Once a run: a fresh one that fails as well is not going to get better.
    this.#givenUp = true;
    return fresh?.append(records) ?? false;
  }

  async close(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    database?.close();
  }

  async #opened(options: { readonly check: boolean }): Promise<LogsDatabase | undefined> {
    if (this.#givenUp) return undefined;
    // Set first, so that a second failure on the way out finds it set; taken back when all went well.
    this.#givenUp = true;
    try {
      this.#database = await this.#open(options);
      this.#givenUp = this.#database === undefined;
      return this.#database;
    } catch (error) {
      this.#givenUp = !isSqliteError(error, 'sqlite-busy', 'sqlite-locked');
      throw error;
    }
  }
}
