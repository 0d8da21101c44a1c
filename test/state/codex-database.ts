/** State databases as Codex makes them: the columns of its 0.171 release, WAL mode, rows that are still in the log. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSqliteCopy } from '../../src/platform/sqlite/index.js';

export interface CodexRow {
  readonly id: string;
  readonly path: string;
  readonly archived?: boolean;
  readonly source?: string;
  readonly provider?: string;
}

const BOOKKEEPING = `CREATE TABLE _sqlx_migrations (
  version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL)`;

const FIRST_COLUMNS = `id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  source TEXT NOT NULL, model_provider TEXT NOT NULL, cwd TEXT NOT NULL, title TEXT NOT NULL, sandbox_policy TEXT NOT NULL,
  approval_mode TEXT NOT NULL, tokens_used INTEGER NOT NULL DEFAULT 0, has_user_event INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0, archived_at INTEGER, git_sha TEXT, git_branch TEXT, git_origin_url TEXT`;

const LATER_COLUMNS = `cli_version TEXT NOT NULL DEFAULT '', first_user_message TEXT NOT NULL DEFAULT '', agent_nickname TEXT,
  agent_role TEXT, memory_mode TEXT NOT NULL DEFAULT 'enabled', model TEXT, reasoning_effort TEXT, agent_path TEXT,
  created_at_ms INTEGER, updated_at_ms INTEGER, thread_source TEXT, preview TEXT NOT NULL DEFAULT '',
  recency_at INTEGER NOT NULL DEFAULT 0, recency_at_ms INTEGER NOT NULL DEFAULT 0,
  history_mode TEXT NOT NULL DEFAULT 'legacy', name TEXT, is_pinned INTEGER NOT NULL DEFAULT 0, originator TEXT`;

/** `first`: what Codex's first migration makes. `of-another-kind`: threads that are kept otherwise. */
export type CodexSchema = 'newest' | 'first' | 'of-another-kind';

export interface CodexDatabaseOptions {
  readonly schema?: CodexSchema;
  /** Rows that are only in the write-ahead log. */
  readonly uncheckpointed?: readonly CodexRow[];
  readonly journal?: 'wal' | 'delete';
}

/** Writes a state database to `path`: the file and its `-wal`, never `-shm`, as after Codex was killed. */
export function writeCodexDatabase(
  path: string,
  rows: readonly CodexRow[],
  { schema = 'newest', uncheckpointed = [], journal = 'wal' }: CodexDatabaseOptions = {},
): void {
  const folder = mkdtempSync(join(tmpdir(), 'codex-database-'));
  try {
    const made = join(folder, 'made.sqlite');
    const database = openSqliteCopy(made);
    try {
      database.pragma('auto_vacuum = 2');
      database.pragma(`journal_mode = ${journal}`);
      database.exec(BOOKKEEPING);
      database.exec("INSERT INTO _sqlx_migrations VALUES (1, 'threads', '2026-11-29', 1, x'00', 1)");
      if (schema === 'of-another-kind') database.exec('CREATE TABLE threads (key BLOB PRIMARY KEY, body BLOB)');
      else {
        const columns = schema === 'first' ? FIRST_COLUMNS : `${FIRST_COLUMNS}, ${LATER_COLUMNS}`;
        database.exec(`CREATE TABLE threads (${columns})`);
      }
      const put = (row: CodexRow): void => {
        database
          .prepare(
            `INSERT INTO threads (id, rollout_path, created_at, updated_at, source, model_provider, cwd, title,
               sandbox_policy, approval_mode, archived) VALUES (?, ?, 1, 1, ?, ?, '/p', 't', '{}', 'never', ?)`,
          )
          .run(row.id, row.path, row.source ?? 'cli', row.provider ?? 'openai', row.archived ? 1 : 0);
      };
      for (const row of rows) put(row);
      if (journal === 'wal') {
        database.pragma('wal_checkpoint(TRUNCATE)');
        database.pragma('wal_autocheckpoint = 0');
      }
      for (const row of uncheckpointed) put(row);
      mkdirSync(dirname(path), { recursive: true });
      copyFileSync(made, path);
      if (uncheckpointed.length > 0 && existsSync(`${made}-wal`)) copyFileSync(`${made}-wal`, `${path}-wal`);
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
