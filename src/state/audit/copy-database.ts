/**
 * Copies a database that another process may be writing: the main file with its write-ahead log or rollback journal, never
 * `-shm`, which only the processes that share it may use.
 *
 * A copy taken across a write is torn, so size, times and inode of every part are compared before and after; a copy that
 * is torn is made again, a few times. Stated limit: a write within the same tick of the file system's clock that changes
 * no size is not seen.
 */
import { type FileStat, type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import type { PrivateFolder } from '../../platform/files/private-folder.js';

export type DatabaseCopy =
  /** Nothing changed while it was made. */
  | { readonly kind: 'still'; readonly path: string }
  /** Something changed each time: it may be torn. */
  | { readonly kind: 'changing'; readonly path: string; readonly attempts: number }
  | { readonly kind: 'refused'; readonly detail: string };

export interface CopyOptions {
  readonly files: FileSystem;
  readonly folder: PrivateFolder;
  readonly signal?: AbortSignal | undefined;
}

const ATTEMPTS = 4;
const PARTS = ['', '-wal', '-journal'] as const;
const COPY_NAME = 'copy.sqlite';

/** What the parts of a database were; a part that is not there is undefined. */
type Parts = readonly (FileStat | undefined)[];

/** Rejects with what opening or reading of a part meets, and the signal's reason. The copy lies in `folder`. */
export async function copyWhileStill(file: string, options: CopyOptions): Promise<DatabaseCopy> {
  const { folder } = options;
  const path = options.files.join(folder.path, COPY_NAME);
  for (let attempt = 1; ; attempt += 1) {
    await folder.empty();
    const before = await statParts(file, options);
    const needed = before.reduce((sum, part) => sum + (part?.sizeBytes ?? 0), 0);
    const free = await folder.freeBytes();
    if (needed > free) {
      return {
        kind: 'refused',
        detail: `It is larger (${needed} bytes) than what is free for a copy (${free} bytes); free some disk space, or set TMPDIR to a folder with more`,
      };
    }
    const torn = await copyParts(file, before, options);
    if ((before[2]?.sizeBytes ?? 0) > 0 && !torn && (await namesOtherFile(`${path}-journal`, options))) {
      const detail = 'A transaction over several databases was cut off; only the program that began it can end it';
      return { kind: 'refused', detail };
    }
    if (!torn && sameParts(before, await statParts(file, options))) return { kind: 'still', path };
    // A part that is missing: nothing to open.
    if (torn && attempt === ATTEMPTS) {
      return { kind: 'refused', detail: 'Another process wrote it during each attempt to copy it; close that program' };
    }
    if (attempt === ATTEMPTS) return { kind: 'changing', path, attempts: attempt };
  }
}

async function statParts(file: string, options: CopyOptions): Promise<Parts> {
  const parts: (FileStat | undefined)[] = [];
  for (const suffix of PARTS) parts.push(await statOrNone(file + suffix, suffix !== '', options));
  return parts;
}

async function statOrNone(
  file: string,
  mayBeAbsent: boolean,
  { files, signal }: CopyOptions,
): Promise<FileStat | undefined> {
  try {
    return await files.lstat(file, signal === undefined ? {} : { signal });
  } catch (error) {
    if (mayBeAbsent && fileErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** True when a part went away meanwhile. */
async function copyParts(file: string, parts: Parts, { files, folder, signal }: CopyOptions): Promise<boolean> {
  for (const [index, suffix] of PARTS.entries()) {
    if (parts[index] === undefined) continue;
    try {
      await folder.copy(file + suffix, COPY_NAME + suffix, { files, ...(signal !== undefined && { signal }) });
    } catch (error) {
      if (suffix !== '' && fileErrorCode(error) === 'ENOENT') return true;
      throw error;
    }
  }
  return false;
}

function sameParts(before: Parts, after: Parts): boolean {
  return before.every((part, index) => {
    const other = after[index];
    if (part === undefined || other === undefined) return part === other;
    return (
      part.sizeBytes === other.sizeBytes &&
      part.mtimeNs === other.mtimeNs &&
      part.ctimeNs === other.ctimeNs &&
      part.inode === other.inode
    );
  });
}

/** The last bytes of a journal whose transaction had a file of its own that names all databases in it. */
const JOURNAL_MAGIC = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7] as const;

/** Playing such a journal back would look for that file, and may delete it, where the original lies. */
async function namesOtherFile(journal: string, { files, signal }: CopyOptions): Promise<boolean> {
  const opened = await files.openRegular(journal, signal === undefined ? {} : { signal });
  try {
    const end = new Uint8Array(JOURNAL_MAGIC.length);
    await opened.read(end, Math.max(0, opened.stat.sizeBytes - end.length));
    return JOURNAL_MAGIC.every((byte, index) => end[index] === byte);
  } finally {
    await opened.close();
  }
}
