/**
 * What takes the room on disk: logs by project and thread, databases of Codex, and what we derive.
 */
import { type LogUsage, logUsage } from '../../thread-store/local/inspect/disk-usage.js';
import { findDatabases } from '../database-folders.js';
import type { LocatedHome } from '../locate.js';
import { type DerivedFile, derivedFolders } from './derived-files.js';
import type { DoctorOptions, DoctorWorld } from './options.js';

export interface FileUsage {
  readonly path: string;
  readonly bytes: number;
}

export interface HomeUsage {
  readonly home: string;
  readonly logs: LogUsage;
  /** Databases of other programs with their write-ahead logs, largest first. */
  readonly databases: readonly FileUsage[];
  /** Files of ours, largest first. */
  readonly derived: readonly FileUsage[];
  readonly databaseBytes: number;
  readonly derivedBytes: number;
}

export interface DiskReport {
  readonly homes: readonly HomeUsage[];
}

/** Rejects only for an abort. */
export async function diskReport(
  homes: readonly LocatedHome[],
  { files, env }: DoctorWorld,
  { signal, onProgress }: DoctorOptions,
): Promise<DiskReport> {
  const found: HomeUsage[] = [];
  for (const home of homes) {
    const logs = await logUsage(home.path, {
      files,
      signal,
      onProgress: (done, of) => onProgress?.({ phase: 'disk', done, of }),
    });
    const derived = (await derivedFolders(home, { files, signal })).flatMap((folder) => folder.files.map(usageOf));
    const { databases } = await findDatabases(home, { files, env, signal });
    const foreign = databases
      .filter(({ ours }) => !ours)
      .flatMap(({ path }) => ['', '-wal', '-journal'].flatMap((suffix) => sizeOf(path + suffix, files)));
    found.push({
      home: home.path,
      logs,
      databases: foreign.sort(bySize),
      derived: derived.sort(bySize),
      databaseBytes: sum(foreign),
      derivedBytes: sum(derived),
    });
  }
  return { homes: found };
}

function usageOf({ path, sizeBytes }: DerivedFile): FileUsage {
  return { path, bytes: sizeBytes };
}

/** None for what is not there. */
function sizeOf(path: string, files: DoctorWorld['files']): readonly FileUsage[] {
  try {
    return [{ path, bytes: files.lstatSync(path).sizeBytes }];
  } catch {
    return []; // the folder has just answered: the file is not there
  }
}

function bySize(a: FileUsage, b: FileUsage): number {
  return b.bytes - a.bytes;
}

function sum(files: readonly FileUsage[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}
