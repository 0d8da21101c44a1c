/**
 * Compares the rows of Codex's state database with the rollout files of its home.
 *
 * Rows name files, files name threads: what one side says and the other does not is a problem, told with what it means for
 * Codex. A path that leads out of the home is never asked. Of a log nothing is read but the head of one whose name or
 * missing row leaves a question.
 */
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { canonicalPath, isInside } from '../../../platform/files/path-identity.js';
import { nextTurn } from '../../../platform/next-turn.js';
import { type RolloutHead, readHeadSync } from '../../../rollout/head.js';
import { ARCHIVED_FOLDER, fileNameOf, SESSIONS_FOLDER } from '../../../rollout/paths.js';
import { type WalkedFile, type WalkResult, walkRollouts } from '../../../rollout/walk.js';
import type { AuditRow } from '../../../state/audit/index.js';

export type RowProblemKind =
  /** The row's log is nowhere in the home. */
  | 'missing-file'
  /** The row's log lies in another folder than the row says. */
  | 'moved-file'
  /** One says archived, the other active. */
  | 'archived-mismatch'
  /** The row's log is another thread's. */
  | 'wrong-id'
  | 'path-outside-home'
  /** Two rows name one log. */
  | 'duplicate-path'
  /** A log that Codex should know has no row. */
  | 'no-row'
  /** What a folder holds is unknown, so rows that point into it are not judged. */
  | 'unreadable-folder';

export interface RowProblem {
  readonly kind: RowProblemKind;
  /** The thread; null for a folder. */
  readonly id: string | null;
  readonly detail: string;
  /** The file or folder in question. */
  readonly path: string;
}

export interface CompareOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, rows: number) => void) | undefined;
}

/** Problems in the order of the rows, those of files without a row last. Rejects only for an abort. */
export async function compareRows(
  rows: readonly AuditRow[],
  home: string,
  options: CompareOptions,
): Promise<readonly RowProblem[]> {
  const { files, signal } = options;
  const walked = await walkRollouts(home, { files, ...(signal !== undefined && { signal }) });
  const comparison = new Comparison(await rootsOf(home, options), walked, options);
  for (const [index, row] of rows.entries()) {
    signal?.throwIfAborted();
    await comparison.checkRow(row);
    options.onProgress?.(index + 1, rows.length);
  }
  await comparison.checkFiles();
  return comparison.problems;
}

/** Folders that paths of the home may begin with, each with what it is below the home. */
interface Root {
  readonly folder: string;
  readonly relative: string;
}

async function rootsOf(home: string, { files, signal }: CompareOptions): Promise<readonly Root[]> {
  const roots: Root[] = [{ folder: home, relative: '' }];
  for (const relative of ['', SESSIONS_FOLDER, ARCHIVED_FOLDER]) {
    try {
      const folder = await files.realPath(relative === '' ? home : files.join(home, relative), {
        ...(signal !== undefined && { signal }),
      });
      roots.push({ folder, relative });
    } catch (error) {
      // A root that is not there, or does not answer, has no other spelling.
      if (fileErrorCode(error) === undefined) throw error;
    }
  }
  // The deepest first: `sessions` may be a link into another folder of the home.
  return roots.sort((a, b) => b.folder.length - a.folder.length);
}

/** The event loop is given a turn after so many heads, so that an interrupt is seen. */
const HEADS_AT_A_TIME = 32;

class Comparison {
  readonly problems: RowProblem[] = [];
  readonly #roots: readonly Root[];
  readonly #walk: WalkResult;
  readonly #options: CompareOptions;
  readonly #byPlace = new Map<string, WalkedFile>();
  readonly #byName = new Map<string, WalkedFile[]>();
  readonly #rowIds = new Set<string>();
  /** First row of each path. */
  readonly #rowPaths = new Map<string, string>();
  /** Files that a row stands for. */
  readonly #taken = new Set<WalkedFile>();

  constructor(roots: readonly Root[], walk: WalkResult, options: CompareOptions) {
    this.#roots = roots;
    this.#walk = walk;
    this.#options = options;
    for (const file of walk.files) {
      this.#byPlace.set(this.#key(file.relativePath), file);
      const name = plainName(fileNameOf(file.path));
      const named = this.#byName.get(name);
      if (named === undefined) this.#byName.set(name, [file]);
      else named.push(file);
    }
    for (const { path, code } of walk.problems) {
      const detail = `The folder cannot be read (${code}): rows of logs in it are not judged`;
      this.problems.push({ kind: 'unreadable-folder', id: null, detail, path });
    }
  }

  async checkRow(row: AuditRow): Promise<void> {
    this.#rowIds.add(row.id.toLowerCase());
    const { rolloutPath } = row;
    const relative = this.#relativePath(rolloutPath);
    if (relative === undefined) {
      const here = this.#namedAlike(rolloutPath);
      if (here !== undefined) this.#taken.add(here);
      const also = here === undefined ? 'no log of this name is in the home' : `a log of this name is at ${here.path}`;
      return this.#report(
        'path-outside-home',
        row,
        `The row names a log outside of the home; ${also}. Codex looks where the row says`,
      );
    }
    const key = plainName(this.#key(relative));
    const other = this.#rowPaths.get(key);
    if (other === undefined) this.#rowPaths.set(key, row.id);
    else this.#report('duplicate-path', row, `The row of ${other} names the same log: one of the two opens the other`);
    const at = this.#byPlace.get(key) ?? this.#byPlace.get(`${key}.zst`);
    if (at !== undefined) return this.#checkFile(row, at, relative);
    if (this.#inUnreadable(rolloutPath) || (await this.#isThere(rolloutPath))) return;
    const moved = this.#namedAlike(rolloutPath);
    if (moved === undefined) {
      return this.#report(
        'missing-file',
        row,
        'The log is neither there, nor compressed, nor in another folder of the home: Codex drops the row when it lists it',
      );
    }
    return this.#checkFile(row, moved, relative);
  }

  /** Logs whose thread no row knows. */
  async checkFiles(): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const seen = new Set<string>();
    let heads = 0;
    for (const file of this.#walk.files) {
      const id = file.name?.threadId;
      if (id === undefined || file.hidden !== null || this.#taken.has(file)) continue;
      if (this.#rowIds.has(id) || seen.has(id)) continue;
      this.#options.signal?.throwIfAborted();
      heads += 1;
      if (heads % HEADS_AT_A_TIME === 0) await nextTurn();
      const head = this.#head(file);
      // Codex takes no row from an empty log, nor from one of its first releases, whose lines it cannot read.
      if (head === undefined || head.empty || head.dialect === undefined || head.dialect === 'bare') continue;
      const own = idIn(head);
      if (own !== undefined && this.#rowIds.has(own)) continue;
      seen.add(id);
      const detail = 'No row stands for this log: lists of Codex that ask its database alone do not show the thread';
      this.problems.push({ kind: 'no-row', id, detail, path: file.path });
    }
  }

  #checkFile(row: AuditRow, file: WalkedFile, relative: string): void {
    this.#taken.add(file);
    if (file.hidden === 'not-a-file' || file.hidden === 'link-outside-home') {
      this.#report('missing-file', row, 'What is there is a link or no plain file, which is never opened');
      return;
    }
    const archived = file.location === 'archived';
    if (archived !== row.archived) {
      const [says, lies] = archived ? ['active', 'archived'] : ['archived', 'active'];
      this.#report(
        'archived-mismatch',
        row,
        `The row says ${says}, the log lies among the ${lies} (${file.path}): Codex lists the thread where it is not`,
      );
    } else if (plainName(this.#key(file.relativePath)) !== plainName(this.#key(relative))) {
      this.#report('moved-file', row, `The log lies at ${file.path}: Codex searches for it each time`);
    }
    const wrong = this.#otherId(row, file);
    if (wrong !== undefined) {
      this.#report('wrong-id', row, `The log is of thread ${wrong}: Codex does not open it for this row`);
    }
  }

  /** The thread that the file is of when it is not the row's: its name tells, in doubt its first record. */
  #otherId(row: AuditRow, file: WalkedFile): string | undefined {
    const named = file.name?.threadId;
    const id = row.id.toLowerCase();
    if (named === undefined || named === id) return undefined;
    const head = this.#head(file);
    const own = head && idIn(head);
    return own === id ? undefined : (own ?? named);
  }

  /** Undefined when the file cannot be read. */
  #head(file: WalkedFile): RolloutHead | undefined {
    try {
      return readHeadSync(file.path, this.#options.files);
    } catch (error) {
      if (fileErrorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Below the home, with `/`; undefined when the path leads elsewhere. */
  #relativePath(path: string): string | undefined {
    const { pathPlatform } = this.#options.files;
    const canonical = withoutDotDot(canonicalPath(path, pathPlatform));
    for (const { folder, relative } of this.#roots) {
      if (canonical === undefined || !isInside(canonical, folder, pathPlatform)) continue;
      const rest = canonical.slice(canonicalPath(folder, pathPlatform).length).replaceAll('\\', '/');
      const below = rest.startsWith('/') ? rest.slice(1) : rest;
      return relative === '' ? below : `${relative}/${below}`;
    }
    return undefined;
  }

  #namedAlike(path: string): WalkedFile | undefined {
    return this.#byName.get(plainName(fileNameOf(path)))?.find(({ hidden }) => hidden === null);
  }

  #inUnreadable(path: string): boolean {
    const { pathPlatform } = this.#options.files;
    return this.#walk.problems.some((problem) => isInside(path, problem.path, pathPlatform));
  }

  /** A walk knows each file by one path; it may have another through a linked folder. */
  async #isThere(path: string): Promise<boolean> {
    const { files, signal } = this.#options;
    try {
      return (await files.lstat(path, signal === undefined ? {} : { signal })).kind === 'file';
    } catch (error) {
      signal?.throwIfAborted();
      if (fileErrorCode(error) === undefined) throw error;
      return false;
    }
  }

  /** Windows folds case. */
  #key(relativePath: string): string {
    return this.#options.files.pathPlatform === 'win32' ? relativePath.toLowerCase() : relativePath;
  }

  #report(kind: RowProblemKind, { id, rolloutPath }: AuditRow, detail: string): void {
    this.problems.push({ kind, id, detail, path: rolloutPath });
  }
}

/** A log keeps its name when it is compressed. */
function plainName(name: string): string {
  return name.endsWith('.zst') ? name.slice(0, -'.zst'.length) : name;
}

/** A path that goes up is nowhere that its text tells. */
function withoutDotDot(path: string): string | undefined {
  return path.split(/[\\/]/).includes('..') ? undefined : path;
}

function idIn({ meta }: RolloutHead): string | undefined {
  const item = meta?.line.item;
  return item?.type === 'session_meta' ? item.payload.id.toLowerCase() : undefined;
}
