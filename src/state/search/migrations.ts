/**
 * The migrations of search_1.sqlite, in order. Add at the end; never change one that was released.
 *
 * The full text itself lies in one FTS5 table a generation (`full-text.ts`), which no migration makes. A document is a
 * number in it; spans say which numbers belong to which file, and where in the log each document stands. Places lie in
 * a table of their own, so that reading all spans does not walk over them.
 */
import type { Migration } from '../migrations/migrate.js';

const SEARCH_SQL = `
CREATE TABLE generations (
  generation INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL CHECK (state IN ('current', 'building', 'old')),
  started_at_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  process_id INTEGER NOT NULL
);
CREATE UNIQUE INDEX generations_current ON generations (state) WHERE state = 'current';

CREATE TABLE search_stamps (
  generation INTEGER NOT NULL,
  path TEXT NOT NULL,
  stamp TEXT NOT NULL,
  PRIMARY KEY (generation, path)
) WITHOUT ROWID;

CREATE TABLE search_files (
  generation INTEGER NOT NULL,
  path TEXT NOT NULL,
  file INTEGER NOT NULL,
  thread_id TEXT,
  compressed INTEGER NOT NULL CHECK (compressed IN (0, 1)),
  updated_at_ms INTEGER NOT NULL,
  bytes_read INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  head_hash TEXT NOT NULL,
  tail_hash TEXT NOT NULL,
  carry TEXT NOT NULL,
  PRIMARY KEY (generation, path)
) WITHOUT ROWID;
CREATE UNIQUE INDEX search_files_number ON search_files (generation, file);

CREATE TABLE search_spans (
  generation INTEGER NOT NULL,
  first_document INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  file INTEGER NOT NULL,
  chars INTEGER NOT NULL,
  from_seconds INTEGER NOT NULL,
  to_seconds INTEGER NOT NULL,
  PRIMARY KEY (generation, first_document)
) WITHOUT ROWID;
CREATE INDEX search_spans_file ON search_spans (generation, file, first_document);

CREATE TABLE search_places (
  generation INTEGER NOT NULL,
  first_document INTEGER NOT NULL,
  places BLOB NOT NULL,
  texts BLOB,
  PRIMARY KEY (generation, first_document)
);

CREATE TABLE index_notes (
  generation INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (generation, key)
) WITHOUT ROWID;
`;

export const SEARCH_MIGRATIONS: readonly Migration[] = [{ version: 1, name: '0001_search.sql', sql: SEARCH_SQL }];

/** The tables that hold generations, each with the column that, with the generation, is its key. */
export const SEARCH_TABLES = [
  ['search_stamps', 'path'],
  ['search_files', 'path'],
  ['search_spans', 'first_document'],
  ['search_places', 'first_document'],
  ['index_notes', 'key'],
] as const;
