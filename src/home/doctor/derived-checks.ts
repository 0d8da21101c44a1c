/**
 * Checks of what we derive from a home, each with its repair: who may read it, whether its databases are sound, whether the
 * index knows the logs that there are. Looking changes nothing; a repair touches nothing but what can be derived again.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../../platform/files/file-system.js';
import { isSqliteError, SqliteError } from '../../platform/sqlite/index.js';
import type { WalkResult } from '../../rollout/walk.js';
import {
  auditDatabase,
  type Obstacle,
  obstacleAt,
  obstacleHint,
  readIndexFacts,
  setAsideIfDamaged,
} from '../../state/audit/index.js';
import { openStateDatabase, SEARCH_DATABASE_NAME, STATE_DATABASE_NAME, StateError } from '../../state/index.js';
import { LOGS_DATABASE_NAME } from '../../state/logs/index.js';
import type { SessionReader } from '../../thread-store/session-reader.js';
import type { LocatedHome } from '../locate.js';
import { counted, fault, guarded, type MendableCheck, REPAIR_COMMAND, sound } from './check.js';
import { closeToOthers, type DerivedFolder, pathsOpenToOthers } from './derived-files.js';

export interface DerivedChecksOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  /** Reads the home; a repair lets it bring its index up to date. */
  readonly reader: SessionReader;
  readonly nowMs: () => number;
  /** Told of each database that a repair set aside. */
  readonly onSetAside: (movedTo: string) => void;
}

export async function derivedChecks(
  home: LocatedHome,
  walk: WalkResult,
  folders: readonly DerivedFolder[],
  options: DerivedChecksOptions,
): Promise<readonly MendableCheck[]> {
  const { signal } = options;
  const databases = await guarded('databases', home.path, signal, () => databasesCheck(home, folders, options));
  return [
    await guarded('permissions', home.path, signal, () => permissionsCheck(home, options)),
    databases,
    await guarded('index', home.path, signal, () => indexCheck(home, walk, databases, options)),
  ];
}

async function permissionsCheck(home: LocatedHome, options: DerivedChecksOptions): Promise<MendableCheck> {
  const open = await pathsOpenToOthers(home, options);
  const [first] = open;
  if (first === undefined) return sound('permissions', home.path, 'Nobody else may read what is derived');
  const more = open.length === 1 ? '' : `, and ${open.length - 1} more`;
  return fault('permissions', home.path, {
    detail: `${first.path} is open to other users of this machine (mode ${octal(first.mode)} -> ${octal(first.wanted)})${more}`,
    repair: REPAIR_COMMAND,
    mend: async () => {
      closeToOthers(open);
      return `Closed ${counted(open.length, 'file or folder', 'files and folders')} to other users`;
    },
  });
}

function octal(mode: number): string {
  return `0${mode.toString(8)}`;
}

async function databasesCheck(
  home: LocatedHome,
  folders: readonly DerivedFolder[],
  options: DerivedChecksOptions,
): Promise<MendableCheck> {
  const databases = folders.flatMap((folder) => folder.files.filter(({ name }) => name.endsWith('.sqlite')));
  const damaged: { readonly path: string; readonly detail: string }[] = [];
  for (const { path: file } of databases) {
    const problem = await problemOf(file, options);
    if (problem !== undefined) damaged.push({ path: file, detail: problem });
  }
  const [obstacle] = obstacles(folders);
  if (obstacle !== undefined) {
    return fault('databases', home.path, {
      detail: `${obstacle.path}: ${obstacle.what} is in the way of what we keep there, so it is kept in memory and made anew for each command`,
      repair: obstacleHint(obstacle),
    });
  }
  const [first] = damaged;
  if (first === undefined)
    return sound(
      'databases',
      home.path,
      `${counted(databases.length, 'derived database is', 'derived databases are')} sound`,
    );
  const more = damaged.length === 1 ? '' : `, and ${damaged.length - 1} more`;
  return fault('databases', home.path, {
    detail: `${first.path}: ${first.detail}${more}. No log is concerned`,
    repair: REPAIR_COMMAND,
    mend: async () => {
      const moved = damaged.flatMap(({ path: file }) => {
        const event = setAsideIfDamaged(file, { nowMs: options.nowMs(), processId: process.pid });
        return event === undefined ? [] : [event.movedTo];
      });
      for (const movedTo of moved) options.onSetAside(movedTo);
      await refresh(options);
      return moved.length === 0 ? undefined : `Set ${moved.join(', ')} aside, and built the index again from the logs`;
    },
  });
}

/** What stands where a database of ours should be; nobody but its owner can say whether it is needed. */
function obstacles(folders: readonly DerivedFolder[]): readonly Obstacle[] {
  const names = [STATE_DATABASE_NAME, SEARCH_DATABASE_NAME, LOGS_DATABASE_NAME];
  return folders.flatMap(({ path: folder }) =>
    names.flatMap((name) => {
      const obstacle = obstacleAt(path.join(folder, name));
      return obstacle === undefined ? [] : [obstacle];
    }),
  );
}

/** Why a database of ours cannot be used; undefined when it can, or is another program's, which `audit` looks at. */
async function problemOf(file: string, { files, signal }: DerivedChecksOptions): Promise<string | undefined> {
  const folder = (): never => {
    throw new NotOursError();
  };
  try {
    return (await auditDatabase(file, { files, signal, ours: true, wantThreads: false, folder })).problem?.detail;
  } catch (error) {
    if (error instanceof NotOursError) return undefined;
    throw error;
  }
}

/** A copy was asked for: only databases of other programs are copied. */
class NotOursError extends Error {}

function indexCheck(
  home: LocatedHome,
  walk: WalkResult,
  databases: MendableCheck,
  options: DerivedChecksOptions,
): MendableCheck {
  if (home.index === undefined) {
    return sound('index', home.path, 'No folder of ours is there to keep an index in: each command makes it in memory');
  }
  const file = path.join(home.index.folder, STATE_DATABASE_NAME);
  // Looking into it would make it.
  if (!existsSync(file)) return sound('index', home.path, 'There is none yet; the first list makes it');
  if (!databases.ok) {
    return fault('index', home.path, {
      detail: 'It is not looked at while a database is not sound',
      repair: databases.repair ?? REPAIR_COMMAND,
    });
  }
  try {
    return indexFacts(home, file, walk, options);
  } catch (error) {
    return brokenIndex(home, file, error, options);
  }
}

function indexFacts(home: LocatedHome, file: string, walk: WalkResult, options: DerivedChecksOptions): MendableCheck {
  const { newerMigrations } = readIndexFacts(file);
  const state = openStateDatabase({ path: file, homePath: home.path, readOnly: true });
  try {
    const onDisk = new Set(walk.files.map((log) => log.path));
    const known = state.watermarks();
    const gone = [...known.keys()].filter((log) => !onDisk.has(log) && !isUnknown(log, walk)).length;
    const fresh = walk.files.filter(({ path: log, sizeBytes, mtimeNs }) => {
      const stamp = known.get(log);
      return stamp === undefined || stamp.sizeBytes !== sizeBytes || stamp.mtimeNs !== mtimeNs;
    }).length;
    const half = [...known.values()].filter(({ stage }) => stage === 'head').length;
    const newer = newerMigrations.length === 0 ? '' : '; a newer Codicil has been here, which does no harm';
    if (gone + half > 0) {
      return fault('index', home.path, {
        detail: `${counted(gone, 'row is of a log that is gone', 'rows are of logs that are gone')}, and ${half} of ${counted(known.size, 'log')} not read to the end${newer}`,
        repair: REPAIR_COMMAND,
        mend: async () => {
          await refresh(options);
          return 'Brought the index up to date with the logs';
        },
      });
    }
    const left = fresh === 0 ? '' : `; ${fresh} changed since, which the next list reads`;
    return sound('index', home.path, `It is complete (${counted(known.size, 'file')})${left}${newer}`);
  } finally {
    state.close();
  }
}

/** What an unreadable folder holds is not gone. */
function isUnknown(log: string, { problems }: WalkResult): boolean {
  return problems.some((problem) => log.startsWith(problem.path));
}

function brokenIndex(home: LocatedHome, file: string, error: unknown, options: DerivedChecksOptions): MendableCheck {
  if (error instanceof StateError && error.code === 'state-schema-old') {
    return sound('index', home.path, 'Its schema is older; the next command brings it up to date');
  }
  if (isSqliteError(error, 'sqlite-foreign')) {
    return fault('index', home.path, {
      detail: `${file} is another program's database, so the index is kept in memory and made anew for each command`,
      repair: 'Move the file away, or set CODICIL_SQLITE_HOME to another folder.',
    });
  }
  if (!(error instanceof StateError) && !(error instanceof SqliteError)) throw error;
  const isBusy = isSqliteError(error, 'sqlite-busy', 'sqlite-locked');
  return fault('index', home.path, {
    detail: `It cannot be used: ${error.message}`,
    repair: isBusy ? 'Wait for the other process to end.' : REPAIR_COMMAND,
    mend: isBusy
      ? undefined
      : async () => {
          const moved = setAsideIfDamaged(file, { nowMs: options.nowMs(), processId: process.pid, evenSound: true });
          if (moved !== undefined) options.onSetAside(moved.movedTo);
          await refresh(options);
          return moved && `Set ${moved.movedTo} aside, and built the index again from the logs`;
        },
  });
}

/** Reads what the index does not know, however long it takes. */
async function refresh({ reader, signal }: DerivedChecksOptions): Promise<void> {
  await reader.list({
    limit: 1,
    indexBudgetMs: Number.POSITIVE_INFINITY,
    ...(signal !== undefined && { signal }),
  });
}
