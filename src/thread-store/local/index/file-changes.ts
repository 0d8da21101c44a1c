/** What changed on disk since a database of ours was written: by what `stat` says, without opening a file. */
import type { WalkedFile, WalkResult } from '../../../rollout/walk.js';
import { type FileStamp, stampText } from '../../../state/index.js';

export interface ChangedFile {
  readonly file: WalkedFile;
  /** True for a file that has no row yet. */
  readonly isNew: boolean;
}

/** `known`: the stamps that an index has. Files of a folder that could not be read count as unchanged. */
export function changedFiles(
  walk: WalkResult,
  known: ReadonlyMap<string, string>,
): { readonly changed: readonly ChangedFile[]; readonly vanished: readonly string[] } {
  const present = new Set<string>();
  const changed: ChangedFile[] = [];
  for (const file of walk.files) {
    present.add(file.path);
    const stamp = known.get(file.path);
    // Texts are compared: to make one of a file takes less than to parse the other one.
    if (stamp !== stampText(file, 'full')) changed.push({ file, isNew: stamp === undefined });
  }
  const vanished = [...known.keys()].filter(
    (path) => !present.has(path) && !walk.problems.some((problem) => isBelow(path, problem.path)),
  );
  return { changed, vanished };
}

export function isSameStamp(file: Omit<FileStamp, 'stage'>, stamp: FileStamp): boolean {
  return (
    file.sizeBytes === stamp.sizeBytes &&
    file.mtimeNs === stamp.mtimeNs &&
    file.ctimeNs === stamp.ctimeNs &&
    file.inode === stamp.inode &&
    file.device === stamp.device
  );
}

export function newestFirst(a: WalkedFile, b: WalkedFile): number {
  return a.mtimeNs < b.mtimeNs ? 1 : a.mtimeNs > b.mtimeNs ? -1 : 0;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path[folder.length] === '/' || path[folder.length] === '\\');
}
