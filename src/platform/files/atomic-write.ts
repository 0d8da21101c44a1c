/**
 * Writing of whole files: a reader sees the old content or the new, never a mixture, also after a power cut.
 * Temp file in the same folder, fsync, rename, fsync of the folder. Logs are never written this way.
 */
import { randomBytes } from 'node:crypto';
import { promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface AtomicWriteOptions {
  /** Permission bits; default 0600. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/** Resolves when the content is synced under its name. An abort before the rename leaves the old file as it was. */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const { mode = 0o600, signal } = options;
  signal?.throwIfAborted();
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await promises.open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      // The umask may have taken bits away that the caller asked for.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    signal?.throwIfAborted();
    await promises.rename(temporary, path);
  } catch (error) {
    await promises.rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Makes the names in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for syncing; a rename is durable there once the volume's own log is.
  if (process.platform === 'win32') return;
  const handle = await promises.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
