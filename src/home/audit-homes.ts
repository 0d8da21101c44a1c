/**
 * Looks at every database of the homes, and compares the rows of Codex's with the logs. Writes nothing but copies of databases
 * in a private folder, which are gone when it ends, however it ends.
 */
import { CodicilError } from '../base/errors.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import { isInside } from '../platform/files/path-identity.js';
import { PrivateFolder } from '../platform/files/private-folder.js';
import { type AuditRow, auditDatabase, type DatabaseAudit, type DatabaseOwner } from '../state/audit/index.js';
import { compareRows, type RowProblemKind } from '../thread-store/local/inspect/audit.js';
import { type DatabaseFile, findDatabases } from './database-folders.js';
import type { LocatedHome } from './locate.js';

export type AuditProblemKind =
  | RowProblemKind
  | 'damaged-database'
  | 'unreadable-database'
  /** Another process wrote it all the time, and no sound copy was to be had. */
  | 'changing-database'
  /** The state database is of a newer kind that has not the columns that all releases had so far. */
  | 'newer-schema'
  /** The state database is of a kind that no release made. */
  | 'unknown-schema';

export interface AuditedDatabase {
  /** Absolute. */
  readonly file: string;
  readonly owner: DatabaseOwner;
  readonly ok: boolean;
  readonly problem: string | null;
}

export interface AuditProblem {
  readonly kind: AuditProblemKind;
  /** The thread; null for a database or folder. */
  readonly id: string | null;
  /** What was found and what it means. */
  readonly detail: string;
  /** The database, log or folder in question. */
  readonly path: string;
}

export interface AuditReport {
  readonly databases: readonly AuditedDatabase[];
  /** Rows of Codex's state databases, by home and id. */
  readonly rows: readonly AuditRow[];
  readonly problems: readonly AuditProblem[];
  /** Homes that have logs of Codex and no state database, so that nothing could be compared. */
  readonly uncompared: readonly string[];
}

export interface AuditOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: AuditProgress) => void;
}

export type AuditProgress =
  | { readonly phase: 'databases'; readonly done: number; readonly databases: number }
  | { readonly phase: 'rows'; readonly done: number; readonly rows: number };

export interface AuditHomesOptions extends AuditOptions {
  readonly files: FileSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the private folder is made. */
  readonly tempRoot: string;
}

/** The last generation of Codex's state database whose schema is known. */
const KNOWN_GENERATION = 5;

/**
 * Rejects with CodicilError (`no-temp-folder`), SqliteError (`sqlite-no-driver`) and the signal's reason; whatever is wrong with a
 * home is a problem of the report.
 */
export async function auditHomes(homes: readonly LocatedHome[], options: AuditHomesOptions): Promise<AuditReport> {
  const folder = new LazyFolder(homes, options);
  const report: MutableReport = { databases: [], rows: [], problems: [], uncompared: [] };
  try {
    for (const home of homes) await auditHome(home, report, folder, options);
  } finally {
    folder[Symbol.dispose]();
  }
  return report;
}

interface MutableReport {
  readonly databases: AuditedDatabase[];
  readonly rows: AuditRow[];
  readonly problems: AuditProblem[];
  readonly uncompared: string[];
}

async function auditHome(
  home: LocatedHome,
  report: MutableReport,
  folder: LazyFolder,
  options: AuditHomesOptions,
): Promise<void> {
  const { files, signal, onProgress } = options;
  const { databases, unreadable } = await findDatabases(home, options);
  for (const { path, code } of unreadable) {
    const detail = `The folder cannot be read (${code}): what databases it holds is unknown`;
    report.problems.push({ kind: 'unreadable-folder', id: null, detail, path });
  }
  let rows: readonly AuditRow[] | undefined;
  for (const [index, database] of databases.entries()) {
    onProgress?.({ phase: 'databases', done: index, databases: databases.length });
    const audit = await auditDatabase(database.path, {
      files,
      signal,
      ours: database.ours,
      wantThreads: database.isState,
      folder: () => folder.open(),
    });
    const problem = databaseProblem(audit, database);
    report.databases.push({
      file: audit.file,
      owner: audit.owner,
      ok: problem === undefined,
      problem: problem?.detail ?? null,
    });
    if (problem !== undefined) report.problems.push({ ...problem, id: null, path: audit.file });
    if (typeof audit.threads === 'object') rows = audit.threads;
  }
  if (rows === undefined) {
    if (!home.own && !databases.some(({ isState }) => isState)) report.uncompared.push(home.path);
    return;
  }
  for (const row of rows) report.rows.push(row);
  const found = await compareRows(rows, home.path, {
    files,
    signal,
    onProgress: (done, total) => onProgress?.({ phase: 'rows', done, rows: total }),
  });
  for (const problem of found) report.problems.push(problem);
}

function databaseProblem(
  { problem, threads }: DatabaseAudit,
  { generation = 0 }: DatabaseFile,
): Pick<AuditProblem, 'kind' | 'detail'> | undefined {
  if (problem !== undefined) return problem;
  if (threads !== 'other-schema') return undefined;
  return generation > KNOWN_GENERATION
    ? {
        kind: 'newer-schema',
        detail: `Its schema is newer (generation ${generation} -> ${KNOWN_GENERATION} is known): its rows are not compared`,
      }
    : {
        kind: 'unknown-schema',
        detail: 'It has no table of threads as releases of Codex have it: its rows are not compared',
      };
}

/** The private folder, made when the first database must be copied. */
class LazyFolder implements Disposable {
  readonly #homes: readonly LocatedHome[];
  readonly #options: AuditHomesOptions;
  #folder: PrivateFolder | undefined;

  constructor(homes: readonly LocatedHome[], options: AuditHomesOptions) {
    this.#homes = homes;
    this.#options = options;
  }

  open(): PrivateFolder {
    this.#folder ??= this.#create();
    return this.#folder;
  }

  [Symbol.dispose](): void {
    this.#folder?.[Symbol.dispose]();
  }

  #create(): PrivateFolder {
    const { tempRoot, files } = this.#options;
    const hint = 'Set TMPDIR to a folder outside of every home that can be written.';
    const home = this.#homes.find(({ path }) => isInside(tempRoot, path, files.pathPlatform));
    if (home !== undefined) {
      const message = `Cannot copy databases to "${tempRoot}": it lies in the home ${home.path}`;
      throw new CodicilError('no-temp-folder', message, { path: tempRoot, hint });
    }
    try {
      return PrivateFolder.create(tempRoot);
    } catch (error) {
      const code = fileErrorCode(error);
      if (code === undefined) throw error;
      const message = `Cannot make a private folder in "${tempRoot}" for copies of databases (${code})`;
      throw new CodicilError('no-temp-folder', message, { path: tempRoot, hint, cause: error });
    }
  }
}
