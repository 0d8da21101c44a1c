/**
 * Applies numbered migrations, forward only. A released migration never changes: its checksum is kept with the
 * database and compared at every open. Versions that this program does not know are ignored, so that a database
 * of a newer release still opens.
 *
 * All missing migrations and their records are one transaction under the write lock, re-checked inside: processes
 * that start together do the work once, and a killed one leaves the database as it was.
 */
import { createHash } from 'node:crypto';
import type { SqliteDatabase } from '../../platform/sqlite/index.js';
import { StateError } from '../errors.js';

/** `NNNN_name.sql`; the SQL is embedded because the package is bundled. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

interface AppliedRow {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

const CHANGED_HINT = 'Move the database away: its content can be rebuilt from the logs.';

/**
 * Brings `database` to the last of `migrations`; `now` stamps what is applied. Throws StateError, SqliteError.
 * `changedHint` is for a database that the logs of a home do not rebuild.
 */
export function migrate(
  database: SqliteDatabase,
  migrations: readonly Migration[],
  now: () => number,
  { changedHint = CHANGED_HINT }: { readonly changedHint?: string | undefined } = {},
): void {
  // Nearly every open finds nothing to do, and then takes no lock.
  if (missing(database, migrations, changedHint).length === 0) return;
  if (database.readOnly) {
    throw new StateError('state-schema-old', `Cannot read "${database.path}": its schema is older than this program`, {
      path: database.path,
      hint: 'Open it once for writing, or run "codicil rebuild".',
    });
  }
  database.transaction('immediate', () => {
    database.exec(
      `CREATE TABLE IF NOT EXISTS _codicil_migrations (
         version INTEGER PRIMARY KEY,
         name TEXT NOT NULL,
         checksum TEXT NOT NULL,
         applied_at TEXT NOT NULL
       )`,
    );
    const record = database.prepare(
      'INSERT INTO _codicil_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)',
    );
    for (const migration of missing(database, migrations, changedHint)) {
      database.exec(migration.sql);
      record.run(migration.version, migration.name, migrationChecksum(migration.sql), new Date(now()).toISOString());
    }
  });
}

/** SHA-256 (hex) of the text with LF line ends, so that a checkout with CRLF makes no other checksum. */
export function migrationChecksum(sql: string): string {
  return createHash('sha256').update(sql.replaceAll('\r\n', '\n'), 'utf8').digest('hex');
}

function missing(
  database: SqliteDatabase,
  migrations: readonly Migration[],
  changedHint: string,
): readonly Migration[] {
  const applied = new Map(readApplied(database).map((row) => [row.version, row]));
  return migrations.filter((migration) => {
    const row = applied.get(migration.version);
    if (row === undefined) return true;
    const checksum = migrationChecksum(migration.sql);
    if (row.checksum === checksum) return false;
    throw new StateError(
      'state-migration-changed',
      `Cannot open "${database.path}": migration ${row.version} ("${row.name}") is not the one that was applied: ` +
        `${row.checksum.slice(0, 12)} -> ${checksum.slice(0, 12)}`,
      { path: database.path, hint: changedHint },
    );
  });
}

function readApplied(database: SqliteDatabase): readonly AppliedRow[] {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_codicil_migrations'");
  if (table.get() === undefined) return [];
  return database.prepare<AppliedRow>('SELECT version, name, checksum FROM _codicil_migrations').all();
}
