/**
 * Migration 1 of logs_2.sqlite. Immutable once released.
 *
 * The columns bear the names that Codex gives them in its own database of logs. Each index holds what its query reads:
 * a partition is counted, summed and put in order without touching the rows.
 */
export const LOGS_SQL = `
CREATE TABLE logs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ts INTEGER NOT NULL,
  ts_nanos INTEGER NOT NULL,
  level TEXT NOT NULL,
  target TEXT NOT NULL,
  feedback_log_body TEXT NOT NULL,
  thread_id TEXT,
  process_uuid TEXT NOT NULL,
  estimated_bytes INTEGER NOT NULL
);
CREATE INDEX logs_ts ON logs (ts, ts_nanos, id);
CREATE INDEX logs_thread ON logs (thread_id, ts, ts_nanos, id, estimated_bytes) WHERE thread_id IS NOT NULL;
CREATE INDEX logs_process ON logs (process_uuid, ts, ts_nanos, id, estimated_bytes) WHERE thread_id IS NULL;
`;
