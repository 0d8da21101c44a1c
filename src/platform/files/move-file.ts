/**
 * Moving of whole files, and removing them, in steps that a killed process leaves for the next one to complete.
 *
 * Never overwrites. A move gives the file its second name, syncs the folder, then takes the first name away: killed in
 * between, both names are one file. To another file system the bytes are copied under a temporary name, compared, synced and
 * named; the first file goes last. Permissions and the time of the last change stay as they are.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type BigIntStats, promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from './atomic-write.js';
import { fileErrorCode } from './file-system.js';

const COPY_BYTES = 1024 * 1024;
/** File systems without hard links, and links that the system does not grant. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Moves a regular file. Resolves when it is synced under its new name alone; also when an earlier move of it was
 * interrupted and is completed by this. Rejects with `EEXIST` when another file has the name (both stay), and with what the system
 * says. The folder of `to` must be there.
 */
export async function moveFileNoReplace(from: string, to: string): Promise<void> {
  try {
    await promises.link(from, to);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === 'EEXIST') {
      if (await finishMove(from, to)) return;
      throw error;
    }
    if (code === 'EXDEV') await copyFileNoReplace(from, to);
    else if (NO_LINKS.has(code)) return renameWhereFree(from, to, error);
    else throw error;
  }
  await syncFolder(dirname(to));
  await removeFile(from);
}

/**
 * Completes a move that was interrupted when both names were there already: takes the first one away. False, and nothing
 * changed, when `to` is another file. Rejects with `ENOENT` when one of them is missing.
 */
export async function finishMove(from: string, to: string): Promise<boolean> {
  if (!(await isMovedFile(from, to))) return false;
  await syncFolder(dirname(to));
  await removeFile(from);
  return true;
}

/** True when both names are one file, or `to` is a whole copy of it on another file system. */
export async function isMovedFile(from: string, to: string): Promise<boolean> {
  const [first, second] = await Promise.all([promises.lstat(from, BIG), promises.lstat(to, BIG)]);
  if (!first.isFile() || !second.isFile()) return false;
  if (first.dev === second.dev) return first.ino === second.ino;
  return first.size === second.size && (await hashOf(from)) === (await hashOf(to));
}

/** Takes a name away and syncs its folder; false when it was not there. */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await promises.unlink(path);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return false;
  }
  await syncFolder(dirname(path));
  return true;
}

/** Removes a folder with all that is in it, links as links; nothing when it is not there. */
export async function removeTree(folder: string): Promise<void> {
  let names: readonly string[];
  try {
    names = await promises.readdir(folder);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    if ((await promises.lstat(path)).isDirectory()) await removeTree(path);
    else await promises.unlink(path);
  }
  await promises.rmdir(folder);
}

/** A name beside `path` that no reader takes for anything; it says which process made it. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
}

/** What `temporaryName` was given and by which process, from the last step of a path; undefined for any other name. */
export function parseTemporaryName(name: string): { readonly base: string; readonly processId: number } | undefined {
  const match = /^\.(.+)\.(\d{1,10})\.[0-9a-f]{12}\.tmp$/.exec(name);
  return match?.[1] === undefined ? undefined : { base: match[1], processId: Number(match[2]) };
}

/** Gives a file its own name, which must be free, and takes the temporary one away. Rejects with `EEXIST`; the temporary file stays. */
export async function nameTemporaryFile(temporary: string, path: string): Promise<void> {
  try {
    await promises.link(temporary, path);
  } catch (error) {
    if (!NO_LINKS.has(fileErrorCode(error))) throw error;
    return renameWhereFree(temporary, path, error);
  }
  await promises.unlink(temporary);
  await syncFolder(dirname(path));
}

/** Hash of a whole file, read in windows. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await promises.open(path, 'r');
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: COPY_BYTES }))
      hash.update(chunk);
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

async function copyFileNoReplace(from: string, to: string): Promise<void> {
  const temporary = temporaryName(to);
  try {
    const before = await promises.stat(from, BIG);
    const copied = await copyBytes(from, temporary, before);
    const after = await promises.stat(from, BIG);
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs || (await hashOf(temporary)) !== copied) {
      throw Object.assign(new Error(`Cannot move "${from}": it changed while it was copied`), { code: 'EBUSY' });
    }
    await nameTemporaryFile(temporary, to);
  } catch (error) {
    await promises.rm(temporary, { force: true });
    if (fileErrorCode(error) !== 'EEXIST' || !(await isMovedFile(from, to))) throw error;
  }
}

/** Resolves with the hash of what was read. */
async function copyBytes(from: string, to: string, stat: BigIntStats): Promise<string> {
  const hash = createHash('sha256');
  const source = await promises.open(from, 'r');
  try {
    const target = await promises.open(to, 'wx', 0o600);
    try {
      for await (const chunk of source.createReadStream({ autoClose: false, highWaterMark: COPY_BYTES })) {
        hash.update(chunk);
        await target.writeFile(chunk);
      }
      await target.chmod(Number(stat.mode) & 0o7777);
      await target.utimes(Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  return hash.digest('hex');
}

/** Where no second name can be given: the look and the rename are two steps, so another process could come between. */
async function renameWhereFree(from: string, to: string, cause: unknown): Promise<void> {
  try {
    await promises.lstat(to);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    await promises.rename(from, to);
    await syncFolder(dirname(to));
    await syncFolder(dirname(from));
    return;
  }
  throw Object.assign(new Error(`Cannot move "${from}": "${to}" is there`, { cause }), { code: 'EEXIST', path: to });
}

const BIG = { bigint: true } as const;
