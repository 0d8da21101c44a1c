/**
 * Opens a private copy of any SQLite database, whoever's it is, to look into it.
 *
 * The copy may be written (a rollback journal is played back, the log of a WAL database is read): never to be used on a
 * file that is not a copy in a folder of this process. What the file's own schema says is not trusted.
 */
import { resolve } from 'node:path';
import { SqliteConnection } from './connection.js';
import type { SqliteDatabase, SqliteDriverName } from './database.js';
import { findDriver } from './open.js';

/** Throws SqliteError; of a damaged file often only at the first statement. */
export function openSqliteCopy(path: string, options: { readonly driver?: SqliteDriverName } = {}): SqliteDatabase {
  const database = new SqliteConnection(findDriver(options.driver), resolve(path), {
    readOnly: false,
    onClose: () => undefined,
  });
  try {
    database.pragma('trusted_schema = OFF');
    database.pragma('cell_size_check = ON');
    database.pragma('mmap_size = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
