/**
 * The one error class of the SQLite port. Drivers report a result code as a name (better-sqlite3) or as a
 * number (`node:sqlite`); both are reduced to the primary code, so that callers branch on one set of words.
 */
import { CodicilError, type CodicilErrorOptions } from '../../base/errors.js';

/** Primary result codes that a caller may branch on; every other one is `sqlite-error`. */
const CODE_BY_NUMBER = {
  5: 'sqlite-busy',
  6: 'sqlite-locked',
  8: 'sqlite-readonly',
  9: 'sqlite-interrupt',
  10: 'sqlite-io',
  11: 'sqlite-corrupt',
  13: 'sqlite-full',
  14: 'sqlite-cantopen',
  15: 'sqlite-protocol',
  17: 'sqlite-schema',
  18: 'sqlite-toobig',
  19: 'sqlite-constraint',
  20: 'sqlite-mismatch',
  26: 'sqlite-notadb',
} as const;

export type SqliteErrorCode =
  | (typeof CODE_BY_NUMBER)[keyof typeof CODE_BY_NUMBER]
  /** Any other failure that SQLite reports: a wrong statement, misuse, out of memory. */
  | 'sqlite-error'
  /** No usable driver is installed. */
  | 'sqlite-no-driver'
  /** The database belongs to another program: it is not empty and lacks the wanted application id. */
  | 'sqlite-foreign';

const CODES_BY_NAME: ReadonlyMap<string, SqliteErrorCode> = new Map(
  Object.values(CODE_BY_NUMBER).map((code) => [code.slice('sqlite-'.length).toUpperCase(), code]),
);

/** Thrown by every call of the SQLite port that SQLite itself refuses; `path` is the database file. */
export class SqliteError extends CodicilError {
  override readonly name = 'SqliteError';
  declare readonly code: SqliteErrorCode;

  constructor(code: SqliteErrorCode, message: string, options: CodicilErrorOptions = {}) {
    super(code, message, options);
  }
}

/** True when `error` is a `SqliteError` with one of `codes`. */
export function isSqliteError(error: unknown, ...codes: readonly SqliteErrorCode[]): error is SqliteError {
  return error instanceof SqliteError && codes.includes(error.code);
}

/** True when the bytes of the database are no longer a sound SQLite file. */
export function isDamageError(error: unknown): error is SqliteError {
  return isSqliteError(error, 'sqlite-corrupt', 'sqlite-notadb');
}

/** What a driver threw, as a `SqliteError`; an error that did not come from SQLite is returned as it is. */
export function toSqliteError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof SqliteError) return error;
  const code = resultCode(error);
  if (code === undefined) return error;
  const hint = HINTS.get(code);
  return new SqliteError(code, `SQLite failed on "${path}": ${error.message}`, { cause: error, path, hint });
}

const HINTS: ReadonlyMap<SqliteErrorCode, string> = new Map([
  ['sqlite-busy', 'Another process holds the database; try again when it is done.'],
  ['sqlite-full', 'Free some disk space.'],
]);

function resultCode(error: Error): SqliteErrorCode | undefined {
  // The fields that the two drivers add to their errors.
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof errcode === 'number') {
    // The low byte of an extended result code is the primary one; the cast only says "may be a key".
    return CODE_BY_NUMBER[(errcode & 0xff) as keyof typeof CODE_BY_NUMBER] ?? 'sqlite-error';
  }
  if (typeof code === 'string' && code.startsWith('SQLITE_')) {
    return CODES_BY_NAME.get(code.split('_')[1] ?? '') ?? 'sqlite-error';
  }
  return undefined;
}
