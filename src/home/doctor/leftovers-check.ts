/**
 * What was left behind: damaged databases that were set aside, rebuilds that died, temporary files and copies of processes that
 * are gone. All of it can be deleted; nothing of a process that runs is touched.
 */
import { promises } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { ownerOfPrivateFolder } from '../../platform/files/private-folder.js';
import { SqliteError } from '../../platform/sqlite/index.js';
import { readIndexFacts } from '../../state/audit/index.js';
import {
  openSearchDatabase,
  openStateDatabase,
  SEARCH_DATABASE_NAME,
  STATE_DATABASE_NAME,
  type StateDatabase,
} from '../../state/index.js';
import { isRunning } from '../../state/process-alive.js';
import type { LocatedHome } from '../locate.js';
import { counted, fault, type MendableCheck, REPAIR_COMMAND, sound } from './check.js';
import type { DerivedFolder } from './derived-files.js';

export interface LeftoversOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  /** Where copies of databases are made. */
  readonly tempRoot: string;
  /** Databases that this run set aside: their owner may want to look at them. */
  readonly kept: ReadonlySet<string>;
}

const SET_ASIDE = /\.damaged-\d{8}T\d{9}Z-\d{1,10}(?:-wal|-shm)?$/;
const TEMPORARY = /^\..+\.(\d{1,10})\.[0-9a-f]{12}\.tmp$/;

interface Leftover {
  readonly what: 'set-aside database' | 'temporary file' | 'temporary copy';
  readonly path: string;
  readonly bytes: number;
}

export async function leftoversCheck(
  home: LocatedHome,
  folders: readonly DerivedFolder[],
  options: LeftoversOptions,
): Promise<MendableCheck> {
  const left = [...fileLeftovers(folders, options), ...(await copyLeftovers(options))];
  const unswept = generationalDatabases(home).filter(({ path: file }) => abandonedGenerations(file, folders) > 0);
  const generations = unswept.reduce((sum, { path: file }) => sum + abandonedGenerations(file, folders), 0);
  if (left.length + generations === 0) return sound('leftovers', home.path, 'Nothing was left behind');
  const megabytes = (left.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000).toFixed(1);
  const parts = [
    ...(left.length === 0
      ? []
      : [
          `${counted(left.length, 'file or folder', 'files and folders')} (${megabytes} MB), the first of them ${left[0]!.path}`,
        ]),
    ...(generations === 0
      ? []
      : [`${counted(generations, 'unfinished or old generation', 'unfinished or old generations')} of the index`]),
  ];
  return fault('leftovers', home.path, {
    detail: `Left behind by processes that are gone: ${parts.join('; ')}. None of it is needed`,
    repair: REPAIR_COMMAND,
    mend: async () => {
      for (const { path: file } of left) await promises.rm(file, { recursive: true, force: true });
      for (const { sweep } of unswept) sweep();
      return `Deleted ${parts.join('; ')}`;
    },
  });
}

function fileLeftovers(folders: readonly DerivedFolder[], { kept }: LeftoversOptions): readonly Leftover[] {
  return folders.flatMap(({ files }) =>
    files.flatMap(({ path: file, name, sizeBytes }): readonly Leftover[] => {
      const isKept = [...kept].some((keptFile) => file.startsWith(keptFile));
      if (SET_ASIDE.test(name) && !isKept) return [{ what: 'set-aside database', path: file, bytes: sizeBytes }];
      const owner = TEMPORARY.exec(name)?.[1];
      if (owner === undefined || isRunning(Number(owner))) return [];
      return [{ what: 'temporary file', path: file, bytes: sizeBytes }];
    }),
  );
}

/** Copies that a killed audit left; only those of this user can be told of, and deleted. */
async function copyLeftovers({ files, signal, tempRoot }: LeftoversOptions): Promise<readonly Leftover[]> {
  try {
    const entries = await files.readDirectory(tempRoot, signal === undefined ? {} : { signal });
    const user = process.getuid?.();
    const found: Leftover[] = [];
    for (const { name, kind } of entries) {
      const owner = kind === 'directory' ? ownerOfPrivateFolder(name) : undefined;
      if (owner === undefined || isRunning(owner)) continue;
      const folder = path.join(tempRoot, name);
      if ((await promises.lstat(folder)).uid !== (user ?? 0)) continue;
      found.push({ what: 'temporary copy', path: folder, bytes: await sizeOf(folder) });
    }
    return found;
  } catch (error) {
    signal?.throwIfAborted();
    if (fileErrorCode(error) === undefined) throw error;
    return []; // no such folder, or one that went meanwhile
  }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await promises.readdir(folder)) bytes += (await promises.lstat(path.join(folder, name))).size;
  return bytes;
}

function abandonedGenerations(database: string, folders: readonly DerivedFolder[]): number {
  if (!folders.some(({ files }) => files.some(({ path: file }) => file === database))) return 0;
  try {
    return readIndexFacts(database).otherGenerations.filter(
      ({ state, host, processId }) => state === 'old' || (host === hostname() && !isRunning(processId)),
    ).length;
  } catch (error) {
    // A database that cannot be read has a check of its own.
    if (!(error instanceof SqliteError)) throw error;
    return 0;
  }
}

/** Databases that are built generation by generation; beginning one sweeps what died before it. */
function generationalDatabases(home: LocatedHome): readonly { readonly path: string; readonly sweep: () => void }[] {
  if (home.index === undefined) return [];
  const { folder } = home.index;
  const opened = (name: string, open: (path: string) => Generational) => {
    const file = path.join(folder, name);
    return { path: file, sweep: () => sweepGenerations(open(file)) };
  };
  const homePath = home.path;
  return [
    opened(STATE_DATABASE_NAME, (file) => openStateDatabase({ path: file, homePath })),
    opened(SEARCH_DATABASE_NAME, (file) => openSearchDatabase({ path: file, homePath })),
  ];
}

type Generational = Pick<StateDatabase, 'beginGeneration' | 'abandonGeneration' | 'close'>;

function sweepGenerations(database: Generational): void {
  try {
    database.abandonGeneration(database.beginGeneration());
  } finally {
    database.close();
  }
}
