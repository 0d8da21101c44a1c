/**
 * What a log entry of the program is, and the levels in their order. An entry says what happened, on which file and with
 * which counts; it never carries a query, a prompt or text from a log.
 */
import type { ThreadId } from '../../base/ids.js';

/** From the most talkative to the gravest. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** A level, or `off` for no log at all. */
export type LogThreshold = LogLevel | 'off';

export const DEFAULT_LOG_LEVEL: LogThreshold = 'info';

export interface LogEntry {
  readonly level: LogLevel;
  /** The part of the program that speaks, as a module path: `thread-store/indexer`. */
  readonly target: string;
  /** One sentence, without secrets as far as the speaker can tell; masked before it is stored. */
  readonly message: string;
  /** The thread that it is about, when it is about one. */
  readonly threadId?: ThreadId | undefined;
}

/** How lower floors speak to the log; never throws, never waits. */
export type LogFunction = (entry: LogEntry) => void;

/** An entry as it is stored. */
export interface LogRecord extends LogEntry {
  readonly atMs: number;
  /** Which run of the program: `pid:<pid>:<uuid>`, since the system gives a number twice. */
  readonly processId: string;
}

/** Parses a threshold in any case; undefined for anything else. */
export function parseLogThreshold(text: string): LogThreshold | undefined {
  const wanted = text.trim().toLowerCase();
  return wanted === 'off' ? 'off' : LOG_LEVELS.find((level) => level === wanted);
}

/** The levels at or above a threshold. */
export function levelsFrom(threshold: LogThreshold): readonly LogLevel[] {
  return threshold === 'off' ? [] : LOG_LEVELS.slice(LOG_LEVELS.indexOf(threshold));
}
