/**
 * The better-sqlite3 driver: an optional native dependency, loaded only when a database is opened.
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type { RawConnection, RawStatement, SqliteDriver } from './connection.js';

/** The newest Node on which version 12 of the module ends well. */
const LAST_NODE_MAJOR = 22;

/** Loads the module and its native part; throws what the loader throws when either is not usable here. */
export function loadBetterSqlite3(): SqliteDriver {
  const major = Number(process.versions.node.split('.')[0]);
  if (major > LAST_NODE_MAJOR) throw new Error(`version 12 aborts the process at its end on Node ${major}`);
  // require() gives untyped exports; the types are those of the module named on the same line.
  const Database = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
  // The native part is loaded by the first constructor call, not by require().
  const probe = new Database(':memory:');
  try {
    const version = String(probe.prepare('SELECT sqlite_version()').pluck().get());
    return {
      name: 'better-sqlite3',
      version,
      open: (path, { readOnly }) => connect(new Database(path, { readonly: readOnly, fileMustExist: readOnly })),
    };
  } finally {
    probe.close();
  }
}

function connect(database: BetterSqlite3.Database): RawConnection {
  return {
    get inTransaction() {
      return database.inTransaction;
    },
    prepare(sql, { bigints = false }) {
      const statement = database.prepare<unknown[]>(sql);
      // Bound parameters are typed by the port, rows by its callers.
      return (bigints ? statement.safeIntegers(true) : statement) as unknown as RawStatement;
    },
    exec(sql) {
      database.exec(sql);
    },
    pragma(text) {
      return database.pragma(text, { simple: true });
    },
    close() {
      database.close();
    },
  };
}
