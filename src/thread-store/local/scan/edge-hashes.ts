/**
 * What tells a file that was appended to from one that was rewritten: the hashes of both edges of what was read of it.
 */
import type { FileSystem } from '../../../platform/files/file-system.js';
import { digestOf } from './digest.js';

const HASHED_BYTES = 4096;

/**
 * Hashes of the first 4 KiB and of the 4 KiB before `bytesRead`: equal ones mean that a file which has grown was
 * appended to, not rewritten.
 */
export function edgeHashes(
  path: string,
  bytesRead: number,
  files: FileSystem,
): { readonly headHash: string; readonly tailHash: string } {
  const file = files.openRegularSync(path);
  try {
    const hash = (start: number, end: number): string => {
      const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
      return digestOf(bytes.subarray(0, file.readSync(bytes, start)));
    };
    return {
      headHash: hash(0, Math.min(HASHED_BYTES, bytesRead)),
      tailHash: hash(Math.max(0, bytesRead - HASHED_BYTES), bytesRead),
    };
  } finally {
    file.closeSync();
  }
}
