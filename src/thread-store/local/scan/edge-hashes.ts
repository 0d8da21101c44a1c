/**
 * What tells a file that was appended to from one that was rewritten: the hashes of both edges of what was read of it.
 */
import type { FileSystem } from '../../../platform/files/file-system.js';
import { digestOf } from './digest.js';

const HASHED_BYTES = 4096;

export interface EdgeHashes {
  /** Of the first 4 KiB. */
  readonly headHash: string;
  /** Of the 4 KiB before the end of what was read. */
  readonly tailHash: string;
}

/** Bytes of the file that are at hand; undefined where they have to be read. */
export type HeldBytes = (byteOffset: number, byteLength: number) => Uint8Array | undefined;

/** Equal ones mean that a file which has grown was appended to, not rewritten. Of the file as it is, compressed or not. */
export function edgeHashes(path: string, bytesRead: number, files: FileSystem, held?: HeldBytes): EdgeHashes {
  const edgeBytes = Math.min(HASHED_BYTES, bytesRead);
  const head = held?.(0, edgeBytes);
  const tail = held?.(bytesRead - edgeBytes, edgeBytes);
  if (head !== undefined && tail !== undefined) return { headHash: digestOf(head), tailHash: digestOf(tail) };
  const file = files.openRegularSync(path);
  try {
    const hash = (start: number): string => {
      const bytes = Buffer.allocUnsafe(edgeBytes);
      return digestOf(bytes.subarray(0, file.readSync(bytes, start)));
    };
    return { headHash: hash(0), tailHash: hash(bytesRead - edgeBytes) };
  } finally {
    file.closeSync();
  }
}
