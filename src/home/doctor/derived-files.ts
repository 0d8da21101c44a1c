/**
 * The files that we derive, wherever they lie, and the modes that they should have. Looks only; a link is never followed.
 */
import { chmodSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { HOME_MARK, type LocatedHome } from '../locate.js';

export interface DerivedFile {
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
}

/** A folder of ours with the files in it; one that is not there has none. */
export interface DerivedFolder {
  readonly path: string;
  readonly files: readonly DerivedFile[];
}

export interface DerivedOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** Where databases of ours lie: that of the home's index, and the `db` of the home of ours that holds it. */
export async function derivedFolders(home: LocatedHome, options: DerivedOptions): Promise<readonly DerivedFolder[]> {
  if (home.index === undefined) return [];
  const { root, folder } = home.index;
  const found: DerivedFolder[] = [];
  for (const place of new Set([folder, path.join(root, 'db')])) {
    found.push({ path: place, files: await listFiles(place, options) });
  }
  return found;
}

async function listFiles(folder: string, { files, signal }: DerivedOptions): Promise<readonly DerivedFile[]> {
  const limits = signal === undefined ? {} : { signal };
  try {
    const entries = await files.readDirectory(folder, limits);
    const found: DerivedFile[] = [];
    for (const { name, kind } of entries) {
      if (kind !== 'file') continue;
      const file = path.join(folder, name);
      found.push({ path: file, name, sizeBytes: files.lstatSync(file).sizeBytes });
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    signal?.throwIfAborted();
    if (fileErrorCode(error) === undefined) throw error;
    return []; // not there, or gone meanwhile; other checks say what cannot be read
  }
}

/** A folder or file of ours that others may enter or read. */
export interface OpenPath {
  readonly path: string;
  readonly mode: number;
  readonly wanted: number;
}

/** Those of the home of ours that holds what we derive: the home, its mark, its databases. Logs are not among them. */
export async function pathsOpenToOthers(home: LocatedHome, options: DerivedOptions): Promise<readonly OpenPath[]> {
  if (home.index === undefined || options.files.pathPlatform === 'win32') return [];
  const { root } = home.index;
  const folders = await derivedFolders(home, options);
  const candidates = [
    { path: root, wanted: 0o700 },
    { path: path.join(root, HOME_MARK), wanted: 0o600 },
    ...folders.flatMap(({ path: folder, files }) => [
      { path: folder, wanted: 0o700 },
      ...files.map((file) => ({ path: file.path, wanted: 0o600 })),
    ]),
  ];
  const open: OpenPath[] = [];
  for (const candidate of candidates) {
    const mode = modeOf(candidate.path);
    if (mode !== undefined && (mode & 0o077) !== 0) open.push({ ...candidate, mode });
  }
  return open;
}

export function closeToOthers(paths: readonly OpenPath[]): void {
  for (const { path: file, mode } of paths) chmodSync(file, mode & 0o700);
}

/** Undefined for what is not there, and for a link. */
function modeOf(file: string): number | undefined {
  try {
    const stat = lstatSync(file);
    return stat.isSymbolicLink() ? undefined : stat.mode & 0o777;
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
