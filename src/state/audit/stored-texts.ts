/**
 * Every text that a database of ours stores, value by value, whatever its tables: for a check that something is not in it.
 */
import { openSqlite } from '../../platform/sqlite/index.js';
import { APPLICATION_ID } from '../application-id.js';

/** Texts as they are, bytes as Latin-1. Throws SqliteError; ends its connection when the loop ends. */
export function* storedTexts(path: string): Generator<string> {
  const database = openSqlite({ path, applicationId: APPLICATION_ID, readOnly: true });
  try {
    const tables = database
      .prepare<{ readonly name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .all();
    for (const { name } of tables) {
      const rows = database.prepare<Readonly<Record<string, unknown>>>(`SELECT * FROM "${name.replaceAll('"', '""')}"`);
      for (const row of rows.iterate()) {
        for (const value of Object.values(row)) {
          if (typeof value === 'string') yield value;
          else if (value instanceof Uint8Array) {
            yield Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
          }
        }
      }
    }
  } finally {
    database.close();
  }
}
