/**
 * Migration 1 of state_5.sqlite: generations, threads, spawn edges. Immutable once released.
 *
 * `hidden` is 0 for a listed thread, else the code of its reason (HIDDEN_CODES); it is an integer, never null, so
 * that a count is a walk over one index. Each index ends in (instant, id): a page is read from it without sorting.
 */
export const THREADS_SQL = `
CREATE TABLE generations (
  generation INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL CHECK (state IN ('current', 'building', 'old')),
  started_at_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  process_id INTEGER NOT NULL
);
CREATE UNIQUE INDEX generations_current ON generations (state) WHERE state = 'current';
INSERT INTO generations (state, started_at_ms, host, process_id) VALUES ('current', 0, '', 0);

CREATE TABLE threads (
  generation INTEGER NOT NULL,
  id TEXT NOT NULL,
  rollout_path TEXT NOT NULL,
  hidden INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  archived_at_ms INTEGER,
  created_at INTEGER GENERATED ALWAYS AS (created_at_ms / 1000) VIRTUAL,
  updated_at INTEGER GENERATED ALWAYS AS (updated_at_ms / 1000) VIRTUAL,
  archived_at INTEGER GENERATED ALWAYS AS (archived_at_ms / 1000) VIRTUAL,
  source TEXT NOT NULL,
  model_provider TEXT,
  cwd TEXT,
  name TEXT,
  model TEXT,
  reasoning_effort TEXT,
  cli_version TEXT,
  approval_mode TEXT,
  memory_mode TEXT,
  tokens_used INTEGER NOT NULL DEFAULT 0,
  has_user_event INTEGER NOT NULL DEFAULT 0,
  has_git INTEGER NOT NULL DEFAULT 0,
  git_sha TEXT,
  git_branch TEXT,
  git_origin_url TEXT,
  dialect TEXT,
  size_bytes INTEGER NOT NULL DEFAULT 0,
  forked_from_id TEXT,
  parent_thread_id TEXT,
  title TEXT NOT NULL,
  preview TEXT NOT NULL,
  sandbox_policy TEXT,
  PRIMARY KEY (generation, id)
);
CREATE INDEX threads_updated ON threads (generation, hidden, archived, updated_at_ms, id);
CREATE INDEX threads_created ON threads (generation, hidden, archived, created_at_ms, id);
CREATE INDEX threads_source_updated ON threads (generation, hidden, archived, source, updated_at_ms, id);
CREATE INDEX threads_source_created ON threads (generation, hidden, archived, source, created_at_ms, id);
CREATE INDEX threads_provider_updated ON threads (generation, hidden, archived, model_provider, updated_at_ms, id);
CREATE INDEX threads_provider_created ON threads (generation, hidden, archived, model_provider, created_at_ms, id);
CREATE INDEX threads_cwd_updated ON threads (generation, hidden, archived, cwd, updated_at_ms, id);
CREATE INDEX threads_cwd_created ON threads (generation, hidden, archived, cwd, created_at_ms, id);
CREATE INDEX threads_name ON threads (generation, name) WHERE name IS NOT NULL;

CREATE TABLE thread_spawn_edges (
  generation INTEGER NOT NULL,
  child TEXT NOT NULL,
  parent TEXT NOT NULL,
  PRIMARY KEY (generation, child)
) WITHOUT ROWID;
CREATE INDEX thread_spawn_edges_parent ON thread_spawn_edges (generation, parent, child);
`;
