/**
 * Where the files of one thread lie in a home, and which names are free: looks only.
 */
import { promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseThreadId, type ThreadId } from '../../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { isMovedFile, parseTemporaryName } from '../../../platform/files/move-file.js';
import type { SessionMeta } from '../../../protocol/session-meta.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { headOfThread, orderOldestFirst, readFirstMeta } from '../../../rollout/lineage.js';
import { fileNameOf } from '../../../rollout/paths.js';
import type { WalkedFile } from '../../../rollout/walk.js';
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

  private constructor(all: ThreadFiles, threadId: ThreadId, own: readonly NamedFile[]) {
    this.all = all;
    this.threadId = threadId;
    this.own = orderOldestFirst(own);
    const ownPaths = new Set(own.map(({ path }) => path));
    const others = new Set(all.files.filter(({ path }) => !ownPaths.has(path)).map(({ path }) => path));
    this.temporaries = all.files.map(({ path }) => path).filter((path) => isTemporaryOf(path, threadId, others));
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
    const named = await filesOf(
      threadId,
      all.withId(threadId).map(({ walked }) => walked),
      options,
    );
    // A log may bear another id in its name than in its first record, which is the one that counts.
    const own = named.length > 0 ? named : await filesOf(threadId, all.files, options);
    return new ThreadPlaces(all, threadId, own);
  }

  /** Links and devices that bear the name of a log of the thread. */
  get impostors(): readonly string[] {
    return this.all.files
      .filter(({ name, hidden }) => hidden !== null && name?.threadId === this.threadId && name.segmentId === undefined)
      .map(({ path }) => path);
  }

  /** Throws ThreadNotFoundError when the home has no file of the thread, UnsupportedError for a link or device in the place of one. */
  require(): void {
    if (this.own.length > 0) return;
    const [path] = this.impostors;
    if (path === undefined) throw new ThreadNotFoundError(this.threadId);
    throw new UnsupportedError(`Cannot change thread ${this.threadId}: its file is no regular file`, {
      path,
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

/** Those that say themselves that they are the thread's, by the rule by which the index tells threads apart. */
async function filesOf(
  threadId: ThreadId,
  candidates: readonly WalkedFile[],
  { files, signal }: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
): Promise<readonly NamedFile[]> {
  const own: NamedFile[] = [];
  for (const walked of candidates) {
    if (walked.hidden !== null || walked.name === undefined) continue;
    const { name, path } = walked;
    let meta: SessionMeta | undefined;
    try {
      meta = await readFirstMeta(path, { files, ...(signal !== undefined && { signal }) });
    } catch (error) {
      // One that cannot be read is known by its name alone.
      if (fileErrorCode(error) === undefined) throw error;
    }
    const isCopy = meta !== undefined && name.segmentId !== undefined && (meta.history_base ?? undefined) === undefined;
    const told = isCopy ? parseThreadId(name.segmentId) : (parseThreadId(meta?.id) ?? name.threadId);
    if (told === threadId) own.push({ path, threadId, segmentId: isCopy ? undefined : name.segmentId, walked });
  }
  return own;
}

/** `others`: paths of files that are not the thread's. */
function isTemporaryOf(path: string, threadId: ThreadId, others: ReadonlySet<string>): boolean {
  const name = fileNameOf(path);
  if (!name.endsWith('.tmp') || !name.toLowerCase().includes(threadId)) return false;
  const base = parseTemporaryName(name)?.base ?? /^(.*\.jsonl(?:\.zst)?)\./.exec(name)?.[1] ?? name;
  const target = join(dirname(path), base);
  // What another thread's operation is writing is left to it.
  return !others.has(target) && !others.has(twinOf(target));
}
