/** The log of the program: entries, the database that keeps them, and the writer that brings them there. */
export { LOG_BOUNDS, type LogBounds } from './bounds.js';
export {
  DEFAULT_LOG_LEVEL,
  LOG_LEVELS,
  type LogEntry,
  type LogFunction,
  type LogLevel,
  type LogRecord,
  type LogThreshold,
  parseLogThreshold,
} from './log-entry.js';
export type { LogFilter, LogPartition, LogQuery, LogRow } from './log-queries.js';
export { LazyLogStore, type LogStore } from './log-store.js';
export { type LogTimer, LogWriter } from './log-writer.js';
export { LogsDatabase } from './logs-database.js';
export { LOGS_DATABASE_NAME, openLogsDatabase } from './open-logs.js';
