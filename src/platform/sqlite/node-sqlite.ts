/**
 * The `node:sqlite` driver: built into Node 22 and later, absent from Node 20.
 */
import { createRequire } from 'node:module';
import type { RawConnection, RawStatement, SqliteDriver } from './connection.js';

/** The part of the module that is used here: the type package of Node 20 does not describe it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => DatabaseSync;
}

interface DatabaseSync {
  readonly isTransaction: boolean;
  prepare(sql: string): StatementSync;
  exec(sql: string): void;
  close(): void;
}

interface StatementSync extends RawStatement {
  setReadBigInts(enabled: boolean): void;
}

/** Loads the module; throws when this Node has none, or one without full-text search. */
export function loadNodeSqlite(): SqliteDriver {
  const { DatabaseSync } = withoutExperimentalWarning(
    // require() gives untyped exports; see NodeSqlite.
    () => createRequire(import.meta.url)('node:sqlite') as NodeSqlite,
  );
  const probe = new DatabaseSync(':memory:', { readOnly: false });
  try {
    const row = probe
      .prepare("SELECT sqlite_version() AS version, sqlite_compileoption_used('ENABLE_FTS5') AS fts5")
      .get();
    // The two columns that the statement above selects.
    const { version, fts5 } = row as { readonly version: string; readonly fts5: number };
    if (fts5 !== 1) throw new Error('node:sqlite is built without FTS5');
    return {
      name: 'node:sqlite',
      version,
      open: (path, { readOnly }) => connect(new DatabaseSync(path, { readOnly })),
    };
  } finally {
    probe.close();
  }
}

function connect(database: DatabaseSync): RawConnection {
  return {
    get inTransaction() {
      return database.isTransaction;
    },
    prepare(sql, { bigints = false }) {
      const statement = database.prepare(sql);
      if (bigints) statement.setReadBigInts(true);
      return statement;
    },
    exec(sql) {
      database.exec(sql);
    },
    pragma(text) {
      const row = database.prepare(`PRAGMA ${text}`).all()[0];
      return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
    },
    close() {
      database.close();
    },
  };
}

/** Keeps back the one warning that loading this module makes, and no other. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const original = process.emitWarning;
  const filtered = (...args: readonly unknown[]): void => {
    if (args[1] === 'ExperimentalWarning' && String(args[0]).includes('SQLite')) return;
    Reflect.apply(original, process, args);
  };
  process.emitWarning = filtered;
  try {
    return load();
  } finally {
    process.emitWarning = original;
  }
}
