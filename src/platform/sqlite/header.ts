/**
 * Tells what a database file is by its first 100 bytes, without SQLite: even a read-only open of a database
 * in WAL mode makes files beside it. https://www.sqlite.org/fileformat.html, section 1.3.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const APPLICATION_ID_OFFSET = 68;

export type SqliteFileKind =
  | { readonly kind: 'absent' }
  | { readonly kind: 'empty' }
  /** A folder, FIFO, socket or device: never to be opened. */
  | { readonly kind: 'not-a-file' }
  /** Bytes that are no SQLite database. */
  | { readonly kind: 'not-a-database' }
  | { readonly kind: 'database'; readonly applicationId: number };

/** Reads the header of `path`; throws only what the file system throws (no permission, input/output). */
export function readSqliteHeader(path: string): SqliteFileKind {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: 'absent' };
  if (!stat.isFile()) return { kind: 'not-a-file' };
  // Non-blocking, in case a FIFO took the file's place since.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) return { kind: 'not-a-file' };
    const header = new DataView(new ArrayBuffer(HEADER_BYTES));
    const bytesRead = readSync(fd, header, 0, HEADER_BYTES, 0);
    if (bytesRead === 0) return { kind: 'empty' };
    const magic = String.fromCharCode(...new Uint8Array(header.buffer, 0, MAGIC.length));
    if (bytesRead < HEADER_BYTES || magic !== MAGIC) return { kind: 'not-a-database' };
    return { kind: 'database', applicationId: header.getInt32(APPLICATION_ID_OFFSET) };
  } finally {
    closeSync(fd);
  }
}
