/**
 * Takes the names of one thread out of `session_index.jsonl`: the one time that the file is not only appended to.
 *
 * Every other line stays byte for byte, bad ones included. The new file is whole under its name or not at all. What another
 * program appends between the last look and the renaming would be lost: the caller holds the lock of the file.
 */
import { promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ThreadId } from '../base/ids.js';
import { LF } from '../base/jsonl.js';
import { syncFolder } from '../platform/files/atomic-write.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import { parseTemporaryName, temporaryName } from '../platform/files/move-file.js';
import { NAMES_FILE } from './paths.js';

const WINDOW_BYTES = 64 * 1024;
/** How often the file is read again because another program wrote to it. */
const MAX_LOOKS = 10;

export interface RemovalOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with how many lines went; a file without the thread is not touched. Rejects with what the system says. */
export function removeThreadNames(home: string, threadId: ThreadId, options: RemovalOptions): Promise<number> {
  return removeThreadLines(join(home, NAMES_FILE), threadId, options);
}

/** As `removeThreadNames`, of another file of lines that each hold the id of the thread they are about. */
export async function removeThreadLines(
  path: string,
  threadId: ThreadId,
  { files, signal }: RemovalOptions,
): Promise<number> {
  await removeLeftovers(path, files);
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const before = await statOf(path);
    if (before === undefined) return 0;
    const temporary = temporaryName(path);
    try {
      const handle = await promises.open(temporary, 'wx', 0o600);
      let removed: number;
      try {
        removed = await copyOthers(path, threadId, { files, signal, handle });
        await handle.chmod(Number(before.mode) & 0o7777);
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (removed === 0) return 0;
      const now = await statOf(path);
      if (now === undefined || now.size !== before.size || now.ino !== before.ino) continue;
      await promises.rename(temporary, path);
      await syncFolder(dirname(path));
      return removed;
    } finally {
      await promises.rm(temporary, { force: true });
    }
  }
  throw Object.assign(new Error(`Cannot take lines out of "${path}": another program keeps writing to it`), {
    code: 'EBUSY',
    path,
  });
}

/** Copies every line that does not hold the id, as it stands; resolves with how many do. */
async function copyOthers(
  path: string,
  threadId: ThreadId,
  {
    files,
    signal,
    handle,
  }: {
    readonly files: FileSystem;
    readonly signal: AbortSignal | undefined;
    readonly handle: promises.FileHandle;
  },
): Promise<number> {
  const id = Buffer.from(threadId);
  let removed = 0;
  let rest = Buffer.alloc(0);
  const take = async (lines: readonly Buffer[]): Promise<void> => {
    const kept = lines.filter((line) => !lowerCase(line).includes(id));
    removed += lines.length - kept.length;
    if (kept.length > 0) await handle.writeFile(Buffer.concat(kept));
  };
  const file = await files.openRegular(path);
  try {
    const window = Buffer.alloc(WINDOW_BYTES);
    for (let at = 0; ; ) {
      signal?.throwIfAborted();
      const count = await file.read(window, at);
      if (count === 0) break;
      at += count;
      const bytes = Buffer.concat([rest, window.subarray(0, count)]);
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
        lines.push(bytes.subarray(start, end + 1));
        start = end + 1;
      }
      rest = Buffer.from(bytes.subarray(start));
      await take(lines);
    }
    if (rest.length > 0) await take([rest]);
  } finally {
    await file.close();
  }
  return removed;
}

/** ASCII letters only, a byte each. */
function lowerCase(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').toLowerCase(), 'latin1');
}

/** What a process that was killed at this left behind; only the holder of the lock writes such files. */
async function removeLeftovers(path: string, files: FileSystem): Promise<void> {
  const folder = dirname(path);
  let names: readonly { readonly name: string }[];
  try {
    names = await files.readDirectory(folder);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return;
  }
  for (const { name } of names) {
    if (parseTemporaryName(name)?.base === basename(path)) await promises.rm(join(folder, name), { force: true });
  }
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof bigStat>> | undefined> {
  try {
    return await bigStat(path);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function bigStat(path: string) {
  return promises.lstat(path, { bigint: true });
}
