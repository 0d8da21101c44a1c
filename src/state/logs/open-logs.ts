/**
 * Opens the log of the program. A damaged one is set aside with its bytes kept and made again: it holds nothing that
 * anything else is built from.
 */
import { resolve } from 'node:path';
import type { SqliteDatabase, SqliteDriverName } from '../../platform/sqlite/index.js';
import { openMigrated, openOrSetAside, requireTables } from '../open-database.js';
import type { SetAside } from '../set-aside.js';
import { LOG_BOUNDS, type LogBounds } from './bounds.js';
import { LogsDatabase } from './logs-database.js';
import { LOGS_MIGRATIONS } from './migrations.js';

export const LOGS_DATABASE_NAME = 'logs_2.sqlite';

/** The log is not worth a wait that a person would notice. */
const BUSY_TIMEOUT_MS = 500;

export interface LogsOpenOptions {
  readonly path: string;
  /** Never creates, migrates, prunes or sets aside. */
  readonly readOnly?: boolean | undefined;
  /** Looks through the whole file first, and treats what it finds as damage: for a database that failed in use. */
  readonly check?: boolean | undefined;
  readonly now: () => number;
  readonly onSetAside?: ((event: SetAside) => void) | undefined;
  readonly driver?: SqliteDriverName | undefined;
  readonly bounds?: Partial<LogBounds> | undefined;
}

/**
 * Opens for writing and deletes what is too old, or read-only as it is. Throws SqliteError (`sqlite-foreign`,
 * `sqlite-no-driver`, `sqlite-busy`, `sqlite-cantopen`, `sqlite-readonly`, `sqlite-full`; read-only also `sqlite-notadb`,
 * `sqlite-corrupt`) and StateError (`state-migration-changed`; read-only: `state-schema-old`).
 */
export function openLogsDatabase(options: LogsOpenOptions): LogsDatabase {
  const opening = {
    ...options,
    path: resolve(options.path),
    migrations: LOGS_MIGRATIONS,
    changedHint: 'Move the database away: it holds only the account of past runs.',
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    requireWhole: (database: SqliteDatabase) => requireTables(database, ['logs']),
  };
  const database = options.readOnly === true ? openMigrated(opening) : openOrSetAside(opening);
  try {
    const bounds = { ...LOG_BOUNDS, ...options.bounds };
    const logs = new LogsDatabase(database, { bounds, busyTimeoutMs: BUSY_TIMEOUT_MS });
    if (options.readOnly !== true) logs.maintain(options.now());
    return logs;
  } catch (error) {
    database.close();
    throw error;
  }
}
