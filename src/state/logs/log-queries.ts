/** What can be asked of the log: rows by level, thread, text and time, and how large each partition is. */
import type { SqliteParameter } from '../../platform/sqlite/index.js';
import type { Statements } from '../statements.js';
import { type LogLevel, levelsFrom } from './log-entry.js';

export interface LogFilter {
  /** This level and graver ones. */
  readonly level?: LogLevel | undefined;
  readonly threadId?: string | undefined;
  /** Text that the message holds, letter by letter: capitals count, nothing is a wildcard. */
  readonly search?: string | undefined;
  /** Inclusive. */
  readonly sinceMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
}

export interface LogQuery extends LogFilter {
  /** The newest so many. */
  readonly limit: number;
}

/** A row for whoever reads the log; keys and order are those of `codicil logs --json`. */
export interface LogRow {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly level: LogLevel;
  readonly target: string;
  readonly threadId: string | null;
  readonly processId: string;
  readonly message: string;
}

export interface LogPartition {
  /** A thread's id, or a process's where its entries belong to no thread. */
  readonly key: string;
  readonly rows: number;
  /** Estimated: the bytes of what is told. */
  readonly bytes: number;
}

interface StoredRow {
  readonly id: number;
  readonly ts: number;
  readonly ts_nanos: number;
  readonly level: string;
  readonly target: string;
  readonly feedback_log_body: string;
  readonly thread_id: string | null;
  readonly process_uuid: string;
}

/** The newest rows that fit, newest last. */
export function readRows(statements: Statements, query: LogQuery): readonly LogRow[] {
  const { where, bindings } = conditions(query);
  return statements
    .prepare<StoredRow>(
      `SELECT id, ts, ts_nanos, level, target, feedback_log_body, thread_id, process_uuid FROM logs
       ${where === '' ? '' : `WHERE ${where}`} ORDER BY ts DESC, ts_nanos DESC, id DESC LIMIT ?`,
    )
    .all(...bindings, query.limit)
    .reverse()
    .map(toRow);
}

/** The largest partition first; with `threadId` that one alone. */
export function readPartitions(
  statements: Statements,
  { threadId }: Pick<LogFilter, 'threadId'>,
): readonly LogPartition[] {
  if (threadId !== undefined) {
    return statements
      .prepare<LogPartition>(
        `SELECT thread_id AS key, COUNT(*) AS rows, SUM(estimated_bytes) AS bytes
         FROM logs WHERE thread_id = ? GROUP BY thread_id`,
      )
      .all(threadId);
  }
  return statements
    .prepare<LogPartition>(
      `SELECT thread_id AS key, COUNT(*) AS rows, SUM(estimated_bytes) AS bytes
       FROM logs WHERE thread_id IS NOT NULL GROUP BY thread_id
       UNION ALL
       SELECT process_uuid, COUNT(*), SUM(estimated_bytes) FROM logs WHERE thread_id IS NULL GROUP BY process_uuid
       ORDER BY bytes DESC, key`,
    )
    .all();
}

function conditions(filter: LogFilter): { readonly where: string; readonly bindings: readonly SqliteParameter[] } {
  const parts: string[] = [];
  const bindings: SqliteParameter[] = [];
  const add = (sql: string, ...values: readonly SqliteParameter[]): void => {
    parts.push(sql);
    bindings.push(...values);
  };
  const { level, threadId, search, sinceMs, untilMs } = filter;
  if (level !== undefined) {
    const levels = levelsFrom(level);
    add(`level IN (${levels.map(() => '?').join(', ')})`, ...levels.map(storedLevel));
  }
  if (threadId !== undefined) add('thread_id = ?', threadId);
  if (search !== undefined && search !== '') add('INSTR(feedback_log_body, ?) > 0', search);
  if (sinceMs !== undefined) add('(ts, ts_nanos) >= (?, ?)', ...storedInstant(sinceMs));
  if (untilMs !== undefined) add('(ts, ts_nanos) < (?, ?)', ...storedInstant(untilMs));
  return { where: parts.join(' AND '), bindings };
}

function toRow(row: StoredRow): LogRow {
  return {
    id: row.id,
    at: new Date(row.ts * 1000 + Math.floor(row.ts_nanos / 1_000_000)).toISOString(),
    // Only `storedLevel` writes this column.
    level: row.level.toLowerCase() as LogLevel,
    target: row.target,
    threadId: row.thread_id,
    processId: row.process_uuid,
    message: row.feedback_log_body,
  };
}

/** Capitals, as Codex stores it. */
export function storedLevel(level: LogLevel): string {
  return level.toUpperCase();
}

/** Seconds, and the nanoseconds beyond them. */
export function storedInstant(ms: number): readonly [ts: number, tsNanos: number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)];
}
