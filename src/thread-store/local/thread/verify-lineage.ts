/**
 * What a check of one file cannot find: that the log which it continues is gone, or does not reach so far.
 *
 * A file may be sound and its thread still lack its beginning; whoever checks the file is told. Never reads more of
 * other files than it takes to find where their prefix ends.
 */
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import type { Damage } from '../../../rollout/damage.js';
import { type FileLookup, resolveLineage } from '../../../rollout/lineage.js';
import type { VerifiedFile } from '../../../rollout/verify.js';

export interface VerifyLineageOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** The same findings and those of the file's lineage; a lost base makes the file not `ok`. */
export async function withLineageFaults(
  file: VerifiedFile,
  lookup: FileLookup,
  { files, signal }: VerifyLineageOptions,
): Promise<VerifiedFile> {
  // A bare log, and one without records, continues nothing.
  if (file.dialect === null || file.dialect === 'bare') return file;
  const found = await lineageFaults(file.path, lookup, { files, signal });
  if (found.length === 0) return file;
  const errors = [...file.errors, ...found].sort((a, b) => a.line - b.line || a.byteOffset - b.byteOffset);
  return { ...file, errors, ok: file.ok && !found.some(({ lost }) => lost) };
}

async function lineageFaults(
  path: string,
  lookup: FileLookup,
  { files, signal }: VerifyLineageOptions,
): Promise<readonly Damage[]> {
  try {
    const { damage } = await resolveLineage(path, lookup, { files, ...(signal !== undefined && { signal }) });
    // The fault of a base stands on no line of the file that continues it.
    return damage.map(({ path: at, ...fault }) => (at === path ? fault : { ...fault, line: 0 }));
  } catch (error) {
    // Gone since it was checked, which the check has no words for.
    if (fileErrorCode(error) === undefined || signal?.aborted) throw error;
    return [];
  }
}
