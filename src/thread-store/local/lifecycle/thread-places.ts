/**
 * Where the files of one thread lie in a home, and which names are free: looks only.
 */
import { promises } from 'node:fs';
import { basename, join } from 'node:path';
import type { ThreadId } from '../../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { isMovedFile, parseTemporaryName } from '../../../platform/files/move-file.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { headOfThread, orderOldestFirst } from '../../../rollout/lineage.js';
import { fileNameOf, parseRolloutName } from '../../../rollout/paths.js';
import { ThreadNotFoundError, UnsupportedError } from '../../errors.js';
import { type NamedFile, ThreadFiles } from '../thread/thread-files.js';
import { NameTakenError, UnreadableFoldersError } from './errors.js';
import type { MovedFile } from './operation.js';
import { isCovered, twinOf } from './twins.js';

export class ThreadPlaces {
  readonly threadId: ThreadId;
  /** All files of the home. */
  readonly all: ThreadFiles;
  /** Those of the thread, oldest first, compressed twins included. */
  readonly own: readonly NamedFile[];
  /** What operations that were killed left of it under temporary names: ours, and those of Codex. */
  readonly temporaries: readonly string[];

  private constructor(all: ThreadFiles, threadId: ThreadId) {
    this.all = all;
    this.threadId = threadId;
    this.own = orderOldestFirst(all.withId(threadId).filter((file) => file.threadId === threadId));
    this.temporaries = all.files
      .filter(({ path }) => isTemporaryOf(fileNameOf(path), threadId))
      .map(({ path }) => path);
  }

  /** Rejects with UnreadableFoldersError when a folder may hide files of the thread. */
  static async find(
    home: string,
    threadId: ThreadId,
    options: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
  ): Promise<ThreadPlaces> {
    const all = await ThreadFiles.walk(home, options);
    const [problem] = all.problems;
    if (problem !== undefined) throw new UnreadableFoldersError(problem.path, problem.code, all.problems.length);
    return new ThreadPlaces(all, threadId);
  }

  /** Throws ThreadNotFoundError when the home has no file of the thread, UnsupportedError for a link or device in the place of one. */
  require(): void {
    if (this.own.length > 0) return;
    const other = this.all.files.find(({ name, hidden }) => name?.threadId === this.threadId && hidden !== null);
    if (other === undefined) throw new ThreadNotFoundError(this.threadId);
    throw new UnsupportedError(`Cannot change thread ${this.threadId}: its file is no regular file`, {
      path: other.path,
      hint: 'Nothing was changed. Put the file itself in the place of the link.',
    });
  }

  /** The file that a resume appends to, once these moves are done; null when there is none. */
  headAfter(moves: readonly MovedFile[] = []): string | null {
    const head = headOfThread(this.own)?.path;
    return head === undefined ? null : (moves.find(({ from }) => from === head)?.to ?? head);
  }
}

/** Rejects with NameTakenError when one of the new names, in either form, is another file. */
export async function requireFreeNames(
  moves: readonly MovedFile[],
  options: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const coming = new Set(moves.map(({ to }) => to));
  if (coming.size < moves.length) {
    const twice = moves.find(({ to }, index) => moves.findIndex((move) => move.to === to) !== index);
    throw new NameTakenError(twice?.from ?? '', twice?.to ?? '');
  }
  for (const { from, to } of moves) {
    if ((await isThere(to)) && (await isThere(from)) && !(await isMovedFile(from, to)))
      throw new NameTakenError(from, to);
    const twin = twinOf(to);
    if (coming.has(twin) || !(await isThere(twin)) || (await isThere(to))) continue;
    // The plain form would hide the compressed one: no harm only where it holds the same.
    const [plain, compressed] = isCompressed(from) ? [twin, from] : [from, twin];
    if (!(await isCovered(plain, compressed, options))) throw new NameTakenError(from, twin);
  }
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await promises.lstat(path);
    return true;
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return false;
  }
}

/** The name of a file in another folder. */
export function inFolder(path: string, ...folders: readonly string[]): string {
  return join(...folders, basename(path));
}

function isTemporaryOf(name: string, threadId: ThreadId): boolean {
  if (!name.endsWith('.tmp') || !name.toLowerCase().includes(threadId)) return false;
  const base = parseTemporaryName(name)?.base ?? name;
  return parseRolloutName(base) !== undefined || /^rollout-.*\.tmp$/.test(name);
}
