/**
 * Decompressing, for a thread that is to be gone on with: the plain log appears whole under its name, then the compressed
 * form goes. Killed in between, both are there, and the plain one counts.
 */
import { promises } from 'node:fs';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { nameTemporaryFile, removeFile, temporaryName } from '../../../platform/files/move-file.js';
import { decompressZstd } from '../../../platform/zstd/decompress.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { DamagedError } from '../../errors.js';
import { NameTakenError } from './errors.js';
import type { Operation } from './operation.js';
import { isThere } from './thread-places.js';
import { isCovered, readBytes, twinOf } from './twins.js';

/** Rejects with ThreadNotFoundError, DamagedError (a compressed log that does not decode), UnreadableFoldersError. */
export async function decompressBody(operation: Operation): Promise<string | null> {
  const places = await operation.places();
  places.require();
  const compressed = places.own.map(({ path }) => path).filter(isCompressed);
  if (compressed.length > 0) await operation.begin();
  for (const path of compressed) {
    await decompressLog(path, operation);
    operation.removed.push(path);
  }
  return places.headAfter(compressed.map((from) => ({ from, to: twinOf(from) })));
}

/**
 * Makes the plain log of a compressed one, and takes the latter away; resolves with the path of the plain log. One that is there
 * already is kept. The caller holds the writer lock. Rejects with DamagedError (nothing was changed) and NameTakenError
 * (a plain log that does not hold what the compressed one does: both stay).
 */
export async function decompressLog(
  path: string,
  options: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  if (!isCompressed(path)) return path;
  const plain = twinOf(path);
  if (!(await isThere(path)) && (await isThere(plain))) return plain;
  if (!(await isThere(plain))) await writePlain(path, plain, options);
  if (!(await isCovered(plain, path, options))) throw new NameTakenError(path, plain);
  await removeFile(path);
  return plain;
}

async function writePlain(
  path: string,
  plain: string,
  options: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const { signal } = options;
  const temporary = temporaryName(plain);
  const stat = await promises.lstat(path, { bigint: true });
  try {
    const handle = await promises.open(temporary, 'wx', 0o600);
    try {
      const inputBytes = Number(stat.size);
      const text = decompressZstd(readBytes(path, options), { inputBytes, ...(signal !== undefined && { signal }) });
      for (;;) {
        const step = await text.next();
        if (step.done === true) {
          if (step.value.problem !== undefined) throw undecodable(path, step.value.problem);
          break;
        }
        await handle.writeFile(step.value);
      }
      await handle.chmod(Number(stat.mode) & 0o7777);
      await handle.utimes(Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await nameTemporaryFile(temporary, plain);
  } catch (error) {
    await promises.rm(temporary, { force: true });
    // Another process has made it meanwhile; whether it holds the text is looked at next.
    if (fileErrorCode(error) !== 'EEXIST') throw error;
  }
}

function undecodable(path: string, problem: string): DamagedError {
  return new DamagedError(`Cannot decompress "${path}": ${problem}`, {
    path,
    hint: 'Nothing was changed. What can be decoded is still shown; `codicil fork` makes a sound copy of it.',
  });
}
