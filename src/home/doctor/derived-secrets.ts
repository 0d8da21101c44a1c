/**
 * Looks for secrets in what we derive, where there must be none: in every value of our databases, and in the bytes of all
 * derived files (free pages and write-ahead logs too). Says in which file and how many, never what.
 *
 * Opening and closing a file gives up the locks that this process has on it: no database of these may be open in it.
 */
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { nextTurn } from '../../platform/next-turn.js';
import { SqliteError } from '../../platform/sqlite/index.js';
import { storedTexts } from '../../state/audit/index.js';
import { SecretCounter } from '../../thread-store/local/inspect/secrets-in-text.js';
import type { DerivedFile, DerivedFolder } from './derived-files.js';

export interface DerivedSecrets {
  readonly path: string;
  readonly rule: string;
  readonly count: number;
}

export interface DerivedSecretsOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

const WINDOW_BYTES = 1024 * 1024;
/** A secret that begins in a window is found whole. */
const OVERLAP_BYTES = 16 * 1024;
/** The event loop is given a turn after so many values. */
const VALUES_AT_A_TIME = 2_000;

/** Rejects only for an abort; a file that cannot be read is another check's finding. */
export async function derivedSecrets(
  folders: readonly DerivedFolder[],
  options: DerivedSecretsOptions,
): Promise<readonly DerivedSecrets[]> {
  const found: DerivedSecrets[] = [];
  for (const { files } of folders) {
    for (const file of files) {
      if (file.name.endsWith('-shm') || file.sizeBytes === 0) continue;
      const counts = new Map(await inBytes(file, options));
      if (file.name.endsWith('.sqlite')) {
        // Both ways see the same text mostly: the larger number is the better one.
        for (const [rule, count] of await inValues(file, options)) {
          counts.set(rule, Math.max(count, counts.get(rule) ?? 0));
        }
      }
      for (const [rule, count] of counts) found.push({ path: file.path, rule, count });
    }
  }
  return found;
}

async function inBytes(
  file: DerivedFile,
  { files, signal }: DerivedSecretsOptions,
): Promise<ReadonlyMap<string, number>> {
  const counter = new SecretCounter();
  try {
    const opened = await files.openRegular(file.path, signal === undefined ? {} : { signal });
    try {
      const window = Buffer.allocUnsafe(WINDOW_BYTES + OVERLAP_BYTES);
      for (let at = 0; at < opened.stat.sizeBytes; at += WINDOW_BYTES) {
        signal?.throwIfAborted();
        const count = await opened.read(window, at);
        const ownChars = at + count >= opened.stat.sizeBytes ? undefined : WINDOW_BYTES;
        // One character a byte, so that places in the text are places in the file.
        counter.add(window.toString('latin1', 0, count), { ...(ownChars !== undefined && { ownChars }) });
      }
    } finally {
      await opened.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (fileErrorCode(error) === undefined) throw error;
  }
  return counter.counts;
}

async function inValues(file: DerivedFile, { signal }: DerivedSecretsOptions): Promise<ReadonlyMap<string, number>> {
  const counter = new SecretCounter();
  try {
    let values = 0;
    for (const text of storedTexts(file.path)) {
      counter.add(text);
      values += 1;
      if (values % VALUES_AT_A_TIME !== 0) continue;
      await nextTurn();
      signal?.throwIfAborted();
    }
  } catch (error) {
    signal?.throwIfAborted();
    // Damaged, or another program's: its bytes were searched.
    if (!(error instanceof SqliteError)) throw error;
  }
  return counter.counts;
}
