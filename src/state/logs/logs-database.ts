/**
 * `logs_2.sqlite`: what the program did, in partitions that keep their newest rows. Nothing is built from it; what is lost
 * with it is only the account of past runs. Messages are stored as they come: whoever writes has masked them.
 *
 * Its files stay small: rows over the bounds go with the batch that made them so, their pages go back to the disk, and the
 * write-ahead log is moved into the database when it has grown. While a long reader keeps it from being moved, nothing is
 * written beyond a bound.
 */
import { statSync } from 'node:fs';
import { isSqliteError, type SqliteDatabase } from '../../platform/sqlite/index.js';
import { releasePages } from '../release-pages.js';
import { Statements } from '../statements.js';
import type { LogBounds } from './bounds.js';
import type { LogRecord } from './log-entry.js';
import {
  type LogFilter,
  type LogPartition,
  type LogQuery,
  type LogRow,
  readPartitions,
  readRows,
  storedInstant,
  storedLevel,
} from './log-queries.js';
import { pruneOlder, prunePartitions, pruneWhole } from './prune.js';

/** Fewer free pages than this are left to the rows to come. */
const FREE_PAGES_KEPT = 256;

export class LogsDatabase implements Disposable {
  /** Absolute path. */
  readonly path: string;
  readonly #database: SqliteDatabase;
  readonly #statements: Statements;
  readonly #bounds: LogBounds;
  readonly #busyTimeoutMs: number;

  constructor(
    database: SqliteDatabase,
    { bounds, busyTimeoutMs }: { readonly bounds: LogBounds; readonly busyTimeoutMs: number },
  ) {
    this.path = database.path;
    this.#database = database;
    this.#statements = new Statements(database);
    this.#bounds = bounds;
    this.#busyTimeoutMs = busyTimeoutMs;
    // A write-ahead log that was moved into the database is cut back to this, however large it was.
    if (!database.readOnly) database.pragma(`journal_size_limit = ${Math.trunc(bounds.walCheckpointBytes)}`);
  }

  /**
   * Writes a batch and prunes the partitions it touches, in one transaction. False, and nothing is written, while a reader
   * keeps the write-ahead log above its bound.
   */
  append(records: readonly LogRecord[]): boolean {
    const { walMaxBytes, walCheckpointBytes } = this.#bounds;
    if (this.#walBytes() > walMaxBytes && !this.#checkpoint()) return false;
    const removed = this.#database.transaction('immediate', () => {
      const insert = this.#statements.prepare(
        `INSERT INTO logs (ts, ts_nanos, level, target, feedback_log_body, thread_id, process_uuid, estimated_bytes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const record of records) {
        const { level, target, threadId, processId, atMs } = record;
        // SQLite would end the text at the first NUL of it.
        const message = record.message.replaceAll('\0', '\u2400');
        insert.run(
          ...storedInstant(atMs),
          storedLevel(level),
          target,
          message,
          threadId ?? null,
          processId,
          estimatedBytes(level, target, message),
        );
      }
      return prunePartitions(this.#statements, records, this.#bounds);
    });
    const shrinks = removed > 0 && Number(this.#database.pragma('freelist_count')) > FREE_PAGES_KEPT;
    if (shrinks) releasePages(this.#database);
    // The file itself is cut when the write-ahead log is moved into it.
    if (shrinks || this.#walBytes() > walCheckpointBytes) this.#checkpoint();
    return true;
  }

  /** Deletes what is too old or too much, and gives the pages back; for the first use of a run. */
  maintain(nowMs: number): void {
    const { retentionMs, fileBytes } = this.#bounds;
    pruneOlder(this.#statements, nowMs - retentionMs);
    if (this.sizeBytes() > fileBytes) pruneWhole(this.#statements, fileBytes / 2);
    releasePages(this.#database);
    if (this.#walBytes() > this.#bounds.walCheckpointBytes) this.#checkpoint();
  }

  /**
   * Removes the partition of a thread and every row that names it, so that no page keeps a byte of them; resolves the number of
   * rows. Throws `sqlite-busy` while another process reads.
   */
  removeThread(threadId: string): number {
    const { changes } = this.#statements
      .prepare('DELETE FROM logs WHERE thread_id = ? OR INSTR(LOWER(feedback_log_body), ?) > 0')
      .run(threadId, threadId);
    this.#database.exec('VACUUM');
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
    return changes;
  }

  /** The newest rows that fit, newest last. */
  rows(query: LogQuery): readonly LogRow[] {
    return readRows(this.#statements, query);
  }

  /** The largest partition first; with `threadId` that one alone. */
  partitions(filter: Pick<LogFilter, 'threadId'> = {}): readonly LogPartition[] {
    return readPartitions(this.#statements, filter);
  }

  /** Bytes of the pages in use: neither free ones nor the write-ahead log count. */
  sizeBytes(): number {
    const pages = Number(this.#database.pragma('page_count')) - Number(this.#database.pragma('freelist_count'));
    return pages * Number(this.#database.pragma('page_size'));
  }

  /** Idempotent. */
  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #walBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Moves the write-ahead log into the database and empties it; false, without waiting, where a reader is in the way. */
  #checkpoint(): boolean {
    this.#database.pragma('busy_timeout = 0');
    try {
      return this.#database.pragma('wal_checkpoint(TRUNCATE)') === 0;
    } catch (error) {
      if (!isSqliteError(error, 'sqlite-busy', 'sqlite-locked')) throw error;
      return false;
    } finally {
      this.#database.pragma(`busy_timeout = ${Math.trunc(this.#busyTimeoutMs)}`);
    }
  }
}

function estimatedBytes(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8'), 0);
}
