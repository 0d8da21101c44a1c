/**
 * Tells what a database file is by its first 108 bytes, without SQLite: even a read-only open of a database
 * in WAL mode makes files beside it. https://www.sqlite.org/fileformat.html, sections 1.3 and 1.6.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 108;
const WRITE_VERSION_OFFSET = 18;
const APPLICATION_ID_OFFSET = 68;
/** The root page of the schema, a b-tree leaf, begins after the file's header; its cells are tables and indexes. */
const SCHEMA_PAGE_TYPE_OFFSET = 100;
const SCHEMA_CELLS_OFFSET = 103;
const TABLE_LEAF = 13;
const ROLLBACK_JOURNAL = 1;

export type SqliteFileKind =
  | { readonly kind: 'absent' }
  /** No byte yet, or a database without schema and application id: what one that is being made looks like. */
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
    const applicationId = header.getInt32(APPLICATION_ID_OFFSET);
    return applicationId === 0 && hasNoSchema(header) ? { kind: 'empty' } : { kind: 'database', applicationId };
  } finally {
    closeSync(fd);
  }
}

/** Certain only without a write-ahead log, in which a schema may stand that the main file does not have yet. */
function hasNoSchema(header: DataView): boolean {
  return (
    header.getUint8(WRITE_VERSION_OFFSET) === ROLLBACK_JOURNAL &&
    header.getUint8(SCHEMA_PAGE_TYPE_OFFSET) === TABLE_LEAF &&
    header.getUint16(SCHEMA_CELLS_OFFSET) === 0
  );
}
