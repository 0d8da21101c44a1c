/**
 * Migration 2 of state_5.sqlite: one row a file, and notes of the indexer. Immutable once released.
 *
 * A file is listed under its own instants, the head of a thread under those of its thread.
 * What the check for changes compares of every file lies in a narrow table of its own, as one text, so that
 * thousands of them load in milliseconds; the rest is needed only for a file that did change.
 */
export const ROLLOUT_FILES_SQL = `
CREATE TABLE rollout_stamps (
  generation INTEGER NOT NULL,
  path TEXT NOT NULL,
  stamp TEXT NOT NULL,
  PRIMARY KEY (generation, path)
) WITHOUT ROWID;

CREATE TABLE rollout_files (
  generation INTEGER NOT NULL,
  path TEXT NOT NULL,
  thread_id TEXT,
  segment_id TEXT,
  location TEXT NOT NULL CHECK (location IN ('active', 'archived')),
  compressed INTEGER NOT NULL CHECK (compressed IN (0, 1)),
  stage TEXT NOT NULL CHECK (stage IN ('head', 'full')),
  bytes_read INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  head_hash TEXT NOT NULL,
  tail_hash TEXT NOT NULL,
  hidden_reason TEXT,
  dialect TEXT,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  listed_created_at_ms INTEGER NOT NULL,
  listed_updated_at_ms INTEGER NOT NULL,
  facts TEXT,
  PRIMARY KEY (generation, path)
);
CREATE INDEX rollout_files_updated ON rollout_files (generation, listed_updated_at_ms DESC, path);
CREATE INDEX rollout_files_created ON rollout_files (generation, listed_created_at_ms DESC, path);
CREATE INDEX rollout_files_thread ON rollout_files (generation, thread_id);
CREATE INDEX rollout_files_segment ON rollout_files (generation, segment_id) WHERE segment_id IS NOT NULL;
CREATE INDEX rollout_files_hidden ON rollout_files (generation, hidden_reason) WHERE hidden_reason IS NOT NULL;
CREATE INDEX rollout_files_pending ON rollout_files (generation, updated_at_ms) WHERE stage = 'head';
CREATE INDEX rollout_files_base ON rollout_files (generation, path)
  WHERE CASE WHEN json_valid(facts) THEN json_extract(facts, '$.facts.historyBase') END IS NOT NULL;

CREATE TABLE index_notes (
  generation INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (generation, key)
) WITHOUT ROWID;
`;
