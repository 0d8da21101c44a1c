/**
 * Compressing: every plain file of a thread becomes a `.zst` beside it, with its permissions and time.
 *
 * Encoded under a temporary name, decoded and compared, named, and only when the log is still what was read is it taken away.
 */

import { createHash } from 'node:crypto';
import { promises } from 'node:fs';
import { nameTemporaryFile, removeFile, temporaryName } from '../../../platform/files/move-file.js';
import { compressZstd } from '../../../platform/zstd/compress.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { DamagedError } from '../../errors.js';
import { LogChangedError, NameTakenError } from './errors.js';
import type { Operation } from './operation.js';
import { isThere } from './thread-places.js';
import { digestCompressed, isCovered, readBytes, twinOf } from './twins.js';

/** Rejects with ThreadNotFoundError, NameTakenError, LogChangedError, ZstdEncoderError, UnreadableFoldersError. */
export async function compressBody(operation: Operation): Promise<string | null> {
  const places = await operation.places();
  places.require();
  const plain = places.own.map(({ path }) => path).filter((path) => !isCompressed(path));
  for (const path of plain) {
    const twin = twinOf(path);
    if ((await isThere(twin)) && !(await isCovered(path, twin, operation))) throw new NameTakenError(path, twin);
  }
  if (plain.length > 0) await operation.begin();
  for (const path of plain) {
    const twin = twinOf(path);
    // Left by a kill, or older than what was appended since: the plain file holds all of it.
    if (await isThere(twin)) await operation.remove(twin);
    await compressFile(path, operation);
  }
  return places.headAfter(plain.map((from) => ({ from, to: twinOf(from) })));
}

async function compressFile(path: string, operation: Operation): Promise<void> {
  const target = twinOf(path);
  const temporary = temporaryName(target);
  const { signal } = operation;
  const before = await promises.lstat(path, { bigint: true });
  const isUnchanged = async (): Promise<boolean> => {
    const now = await promises.lstat(path, { bigint: true });
    return now.size === before.size && now.mtimeNs === before.mtimeNs && now.ino === before.ino;
  };
  try {
    const written = createHash('sha256');
    const handle = await promises.open(temporary, 'wx', 0o600);
    try {
      const input = observed(readBytes(path, operation), (chunk) => written.update(chunk));
      for await (const bytes of compressZstd(input, { signal })) await handle.writeFile(bytes);
      const decoded = await digestCompressed(temporary, operation);
      if (decoded.problem !== undefined || decoded.sha256 !== written.digest('hex')) {
        throw new DamagedError(`Cannot compress "${path}": what was written does not decode to the log`, {
          path,
          hint: 'The log stays as it is. The disk or the encoder may be at fault.',
        });
      }
      if (BigInt(decoded.bytes) !== before.size || !(await isUnchanged())) throw new LogChangedError(path);
      await handle.chmod(Number(before.mode) & 0o7777);
      await handle.utimes(Number(before.atimeNs) / 1e9, Number(before.mtimeNs) / 1e9);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await nameTemporaryFile(temporary, target);
  } catch (error) {
    await promises.rm(temporary, { force: true });
    throw error;
  }
  if (!(await isUnchanged())) {
    await removeFile(target);
    throw new LogChangedError(path);
  }
  await operation.remove(path);
}

async function* observed(
  input: AsyncIterable<Uint8Array>,
  look: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) {
    look(chunk);
    yield chunk;
  }
}
