/**
 * One database file, looked into without touching it.
 *
 * Even a read-only open of a WAL database makes files beside it, so the file is copied, with its write-ahead log or rollback
 * journal, to a private folder and opened there. One of ours, in a folder of ours, is opened where it is. Whatever is
 * wrong with the file is a finding; only an abort, or a fault of this program, is thrown.
 */
import { CodicilError } from '../../base/errors.js';
import { FileAccessError, type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import type { PrivateFolder } from '../../platform/files/private-folder.js';
import {
  isDamageError,
  isSqliteError,
  openSqlite,
  openSqliteCopy,
  type SqliteDatabase,
  SqliteError,
} from '../../platform/sqlite/index.js';
import { APPLICATION_ID } from '../application-id.js';
import { copyWhileStill } from './copy-database.js';
import { type DatabaseFindings, type DatabaseOwner, inspectDatabase, type ThreadRows } from './inspect.js';

export type DatabaseProblemKind = 'damaged-database' | 'unreadable-database' | 'changing-database';

export interface DatabaseAudit {
  /** Absolute. */
  readonly file: string;
  readonly owner: DatabaseOwner;
  readonly problem: { readonly kind: DatabaseProblemKind; readonly detail: string } | undefined;
  /** Undefined when they were not asked for, or cannot be read. */
  readonly threads: ThreadRows | undefined;
}

export interface AuditDatabaseOptions {
  readonly files: FileSystem;
  /** Where copies go; asked only for a database that must be copied. */
  readonly folder: () => PrivateFolder;
  /** True in a folder of ours: a database that carries our mark is then opened where it is. */
  readonly ours: boolean;
  readonly wantThreads: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects only for an abort. */
export async function auditDatabase(file: string, options: AuditDatabaseOptions): Promise<DatabaseAudit> {
  const { signal } = options;
  signal?.throwIfAborted();
  try {
    if ((await options.files.lstat(file, signal === undefined ? {} : { signal })).kind !== 'file') {
      return finding(file, options, 'unreadable-database', NOT_REGULAR);
    }
    const audit = options.ours ? inPlace(file, options) : undefined;
    if (audit !== undefined) return audit;
    return await onCopy(file, options);
  } catch (error) {
    signal?.throwIfAborted();
    const detail = unreadableDetail(error);
    if (detail === undefined) throw error;
    return finding(file, options, 'unreadable-database', detail);
  }
}

/** Undefined when it is not ours after all. */
function inPlace(file: string, options: AuditDatabaseOptions): DatabaseAudit | undefined {
  try {
    return inspect(file, options, () => openSqlite({ path: file, applicationId: APPLICATION_ID, readOnly: true }));
  } catch (error) {
    if (isSqliteError(error, 'sqlite-foreign')) return undefined;
    throw error;
  }
}

async function onCopy(file: string, options: AuditDatabaseOptions): Promise<DatabaseAudit> {
  const folder = options.folder();
  try {
    const copy = await copyWhileStill(file, { ...options, folder });
    if (copy.kind === 'refused') return finding(file, options, 'unreadable-database', copy.detail);
    const audit = inspect(file, options, () => openSqliteCopy(copy.path));
    if (copy.kind === 'still' || audit.problem === undefined) return audit;
    return {
      ...audit,
      problem: {
        kind: 'changing-database',
        detail: `Another process wrote it during each of ${copy.attempts} copies, so the copy may be torn (${audit.problem.detail}); nothing is known against the database itself. Close that program and audit again`,
      },
    };
  } finally {
    await folder.empty();
  }
}

function inspect(file: string, options: AuditDatabaseOptions, open: () => SqliteDatabase): DatabaseAudit {
  let found: DatabaseFindings;
  try {
    const database = open();
    try {
      found = inspectDatabase(database, options);
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof SqliteError) || isSqliteError(error, 'sqlite-foreign', 'sqlite-no-driver')) throw error;
    if (isDamageError(error)) {
      return finding(file, options, 'damaged-database', `It is damaged: ${rootMessage(error)}`);
    }
    return finding(file, options, 'unreadable-database', `SQLite cannot read it: ${rootMessage(error)}`);
  }
  const owner = found.owner ?? ownerByName(file, options);
  const [fault, ...others] = found.faults;
  const more = others.length === 0 ? '' : `, and ${others.length} more findings`;
  const problem =
    fault === undefined ? undefined : ({ kind: 'damaged-database', detail: `It is damaged: ${fault}${more}` } as const);
  return { file, owner, problem, threads: found.threads };
}

function finding(
  file: string,
  options: AuditDatabaseOptions,
  kind: DatabaseProblemKind,
  detail: string,
): DatabaseAudit {
  return { file, owner: ownerByName(file, options), problem: { kind, detail }, threads: undefined };
}

const CODEX_NAME = /^(?:state|logs|goals|memories|memories_v2|queue|thread_history)(?:_\d+)?\.sqlite$/;

/** Whose a database is that says nothing itself: by its place and name. */
function ownerByName(file: string, { ours }: AuditDatabaseOptions): DatabaseOwner {
  if (ours) return 'codicil';
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  return CODEX_NAME.test(name) ? 'codex' : 'unknown';
}

const NOT_REGULAR = 'It is a link, a folder or a device, which is never opened';

function unreadableDetail(error: unknown): string | undefined {
  // Such as having no driver, or no place for copies: not the fault of this database.
  if (error instanceof CodicilError && !(error instanceof FileAccessError)) return undefined;
  const code = fileErrorCode(error);
  if (code === undefined) return undefined;
  if (code === 'not-a-regular-file') return NOT_REGULAR;
  if (code === 'time-limit') return 'The folder that it lies in does not answer';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'There is no room for a copy to look into; free some disk space';
  return `It cannot be read (${code})`;
}

/** What the driver said, without our frame around it: the path would be that of the copy. */
function rootMessage(error: SqliteError): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
