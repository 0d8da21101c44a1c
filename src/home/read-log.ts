/**
 * Reads the log of the program. Creates, repairs and prunes nothing; where even reading in place is not possible (a folder
 * that takes no files), a private copy is read.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import { PrivateFolder } from '../platform/files/private-folder.js';
import { isSqliteError } from '../platform/sqlite/index.js';
import { StateError } from '../state/index.js';
import {
  LOGS_DATABASE_NAME,
  type LogPartition,
  type LogQuery,
  type LogRow,
  type LogsDatabase,
  openLogsDatabase,
} from '../state/logs/index.js';
import { logsDatabasePath, type ProgramLogOptions } from './program-log.js';

export interface LogPage {
  /** Newest last. */
  readonly rows: readonly LogRow[];
  /** The largest first; of one thread when the query names one. */
  readonly partitions: readonly LogPartition[];
}

export interface ReadLogOptions extends Pick<ProgramLogOptions, 'env' | 'homes'>, LogQuery {
  readonly signal?: AbortSignal | undefined;
}

const EMPTY: LogPage = { rows: [], partitions: [] };

/** What the log holds; nothing where there is none. Rejects with SqliteError, StateError. */
export async function readProgramLog(options: ReadLogOptions): Promise<LogPage> {
  const file = (await logsDatabasePath(options))?.file;
  if (file === undefined || !existsSync(file)) return EMPTY;
  const read = (logs: LogsDatabase): LogPage => ({ rows: logs.rows(options), partitions: logs.partitions(options) });
  try {
    return readFrom(file, read);
  } catch (error) {
    // Another process is making it, or was killed at that.
    if (error instanceof StateError && error.code === 'state-schema-old') return EMPTY;
    if (!isSqliteError(error, 'sqlite-cantopen', 'sqlite-readonly', 'sqlite-io')) throw error;
    return readCopy(file, read, options.signal);
  }
}

function readFrom(file: string, read: (logs: LogsDatabase) => LogPage): LogPage {
  using logs = openLogsDatabase({ path: file, readOnly: true, now: () => Date.now() });
  return read(logs);
}

/** Even to read a database, SQLite makes files beside it. */
async function readCopy(
  file: string,
  read: (logs: LogsDatabase) => LogPage,
  signal: AbortSignal | undefined,
): Promise<LogPage> {
  using folder = PrivateFolder.create(tmpdir());
  const copying = { files: nodeFileSystem, ...(signal !== undefined && { signal }) };
  await folder.copy(file, LOGS_DATABASE_NAME, copying);
  if (existsSync(`${file}-wal`)) await folder.copy(`${file}-wal`, `${LOGS_DATABASE_NAME}-wal`, copying);
  return readFrom(path.join(folder.path, LOGS_DATABASE_NAME), read);
}
