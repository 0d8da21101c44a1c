/**
 * What a state database of ours says about its own upkeep, and the way to put a damaged one aside. Reading changes nothing.
 */
import { existsSync } from 'node:fs';
import { openSqlite, SqliteError } from '../../platform/sqlite/index.js';
import { APPLICATION_ID } from '../application-id.js';
import { STATE_MIGRATIONS } from '../migrations/index.js';
import { copyDamaged, removeDatabase, type SetAside } from '../set-aside.js';
import { inspectDatabase } from './inspect.js';

export interface IndexFacts {
  /** Versions of its schema that this program does not know. */
  readonly newerMigrations: readonly number[];
  /** Generations that are not the current one: being built, or left over. */
  readonly otherGenerations: readonly {
    readonly state: string;
    readonly host: string;
    readonly processId: number;
  }[];
}

/** Throws SqliteError, also for a database that has not these tables. */
export function readIndexFacts(path: string): IndexFacts {
  const database = openSqlite({ path, applicationId: APPLICATION_ID, readOnly: true });
  try {
    const versions = database.prepare<{ readonly version: number }>('SELECT version FROM _codicil_migrations').all();
    const last = Math.max(...STATE_MIGRATIONS.map(({ version }) => version));
    const others = database
      .prepare<{ readonly state: string; readonly host: string | null; readonly process_id: number | null }>(
        "SELECT state, host, process_id FROM generations WHERE state <> 'current'",
      )
      .all();
    return {
      newerMigrations: versions.map(({ version }) => version).filter((version) => version > last),
      otherGenerations: others.map(({ state, host, process_id }) => ({
        state,
        host: host ?? '',
        processId: process_id ?? 0,
      })),
    };
  } finally {
    database.close();
  }
}

/**
 * Takes a damaged database of ours out of the way with every byte kept; undefined when it is sound after all, as when
 * another process was faster, unless `evenSound`. Whoever needs it next makes it anew. Throws SqliteError when it cannot.
 */
export function setAsideIfDamaged(
  path: string,
  {
    nowMs,
    processId,
    evenSound = false,
  }: { readonly nowMs: number; readonly processId: number; readonly evenSound?: boolean },
): SetAside | undefined {
  if (!existsSync(path)) return undefined;
  const lock = openSqlite({ path: `${path}.set-aside-lock`, applicationId: APPLICATION_ID });
  try {
    return lock.transaction('immediate', () => {
      const cause = damageOf(path) ?? (evenSound ? new Error('It cannot be used by this program') : undefined);
      if (cause === undefined) return undefined;
      const copy = copyDamaged(path, { cause, nowMs, processId });
      removeDatabase(path);
      return copy;
    });
  } finally {
    lock.close();
  }
}

function damageOf(path: string): Error | undefined {
  try {
    const database = openSqlite({ path, applicationId: APPLICATION_ID, readOnly: true });
    try {
      const [fault] = inspectDatabase(database, { wantThreads: false }).faults;
      return fault === undefined ? undefined : new SqliteError('sqlite-corrupt', fault, { path });
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof SqliteError && ['sqlite-corrupt', 'sqlite-notadb'].includes(error.code)) return error;
    throw error;
  }
}

/** Deletes a database of ours and its companions: a damaged copy too. Whoever needs it next makes it anew. */
export function removeDerivedDatabase(path: string): void {
  removeDatabase(path);
}
