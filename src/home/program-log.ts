/**
 * The log of the program: composes level, masking and database, and finds where it lies. Costs nothing until there is
 * something to write, and never disturbs the work that it tells of: where nothing can be written, nothing is logged.
 *
 * The log follows the home and never creates one: it is written only where a home of ours has its mark.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import {
  DEFAULT_LOG_LEVEL,
  LazyLogStore,
  LOGS_DATABASE_NAME,
  type LogFunction,
  type LogLevel,
  type LogsDatabase,
  type LogThreshold,
  LogWriter,
  openLogsDatabase,
  parseLogThreshold,
} from '../state/logs/index.js';
import { HOME_MARK, locateOwnDatabases, ownConfigTable } from './locate.js';

export interface ProgramLog extends AsyncDisposable {
  /** Whether an entry of this level would be kept: for a message that is costly to make. */
  enabled(level: LogLevel): boolean;
  /** Queues an entry. Never throws, never waits. */
  readonly log: LogFunction;
  /** Resolves when what was logged before is written, or was dropped because it could not be. Never rejects. */
  flush(): Promise<void>;
  /** Flushes, and lets the database go. Idempotent, never rejects. */
  close(): Promise<void>;
}

export interface ProgramLogOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--home`: folders in which no log of ours may come to lie. */
  readonly homes?: readonly string[] | undefined;
  /** Told of a level that is none. */
  readonly onNotice?: ((message: string) => void) | undefined;
}

/** Opens the log of this run; its database is opened with the first entries that are written. Never rejects. */
export async function openProgramLog(options: ProgramLogOptions): Promise<ProgramLog> {
  const writer = new LogWriter({
    store: new LazyLogStore(({ check }) => openForWriting(options, check)),
    level: await resolveLevel(options),
    // Loaded with the first entry that is written: its rules take longer to load than most commands to run.
    mask: async (text) => (await import('../redaction/index.js')).maskSecrets(text),
    now: () => Date.now(),
    processId: `pid:${process.pid}:${randomUUID()}`,
    timer: (work, delayMs) => {
      // A program that has nothing else to do ends; it closes its log first.
      const timer = setTimeout(work, delayMs).unref();
      return () => clearTimeout(timer);
    },
  });
  return {
    enabled: (level) => writer.enabled(level),
    log: (entry) => writer.log(entry),
    flush: () => writer.flush(),
    close: () => writer.close(),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}

/** The database file of the log; undefined where nothing of ours can be written. */
export async function logsDatabasePath(
  options: ProgramLogOptions,
): Promise<{ readonly root: string; readonly file: string } | undefined> {
  const place = await locateOwnDatabases({ ...options, files: nodeFileSystem });
  return place && { root: place.root, file: path.join(place.folder, LOGS_DATABASE_NAME) };
}

async function openForWriting(options: ProgramLogOptions, check: boolean): Promise<LogsDatabase | undefined> {
  const place = await logsDatabasePath(options);
  if (place === undefined || !existsSync(path.join(place.root, HOME_MARK))) return undefined;
  return openLogsDatabase({ path: place.file, now: () => Date.now(), check });
}

/** `CODICIL_LOG`, else `level` of `[codicil.log]` in our own `config.toml`, else `info`. */
async function resolveLevel({ env, onNotice }: ProgramLogOptions): Promise<LogThreshold> {
  const read = (value: unknown, where: string): LogThreshold => {
    const level = typeof value === 'string' ? parseLogThreshold(value) : undefined;
    if (level === undefined) {
      const wanted = 'wanted off, error, warn, info, debug or trace';
      onNotice?.(`${where} is no level (${JSON.stringify(value)}): ${wanted}; ${DEFAULT_LOG_LEVEL} is used`);
    }
    return level ?? DEFAULT_LOG_LEVEL;
  };
  if (env['CODICIL_LOG']) return read(env['CODICIL_LOG'], 'CODICIL_LOG');
  try {
    const level = (await ownConfigTable('log', { env, files: nodeFileSystem }))?.['level'];
    return level === undefined ? DEFAULT_LOG_LEVEL : read(level, '[codicil.log] level');
  } catch {
    return DEFAULT_LOG_LEVEL; // a configuration that cannot be read: whoever opens the homes says so
  }
}
