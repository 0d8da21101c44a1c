/**
 * Every text that a database of ours stores, value by value, whatever its tables: for a check that something is not in it.
 * Texts that are kept deflated (those of compressed logs) are inflated, since their bytes tell nothing.
 */
import { inflateRawSync } from 'node:zlib';
import { openSqlite } from '../../platform/sqlite/index.js';
import { APPLICATION_ID } from '../application-id.js';

/** Where texts are kept deflated, a JSON array of them in each value. */
const DEFLATED = { table: 'search_places', column: 'texts' } as const;
/** What compressed texts may come to: far more than the texts of one log that we keep. */
const MAX_INFLATED_BYTES = 256 * 1024 * 1024;

/** Texts as they are, deflated ones inflated, other bytes as Latin-1. Throws SqliteError; ends its connection when the loop ends. */
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
        for (const [column, value] of Object.entries(row)) {
          if (typeof value === 'string') yield value;
          else if (value instanceof Uint8Array) {
            yield Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
            if (name === DEFLATED.table && column === DEFLATED.column) yield* inflated(value);
          }
        }
      }
    }
  } finally {
    database.close();
  }
}

function inflated(bytes: Uint8Array): readonly string[] {
  let json: string;
  try {
    json = inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES }).toString('utf8');
  } catch {
    return []; // not what we wrote: its bytes were searched as they are
  }
  try {
    const texts: unknown = JSON.parse(json);
    if (Array.isArray(texts)) return texts.filter((text) => typeof text === 'string');
  } catch {
    // No JSON: it is searched as the text that it is.
  }
  return [json];
}
