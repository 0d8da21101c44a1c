/**
 * Where the databases of a home lie: those of Codex (in the home, in its `sqlite` folder, or where Codex was told to put them)
 * and what we derive. Names only; no database is opened, and nothing is created.
 *
 * A foreign `config.toml` decides nothing here but where to look.
 */
import path from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { type DirectoryEntry, type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import { codexHomePath, type LocatedHome, readConfig } from './locate.js';

export interface DatabaseFile {
  /** Absolute. */
  readonly path: string;
  /** True in a folder that is ours to write. */
  readonly ours: boolean;
  /** True for the state database that Codex would use: one of a home at most. */
  readonly isState: boolean;
  /** The number in the name of a state database: Codex begins a new file when its schema breaks with the old one. */
  readonly generation: number | undefined;
}

export interface FoundDatabases {
  /** Those of Codex first, in the order in which Codex looks for them. */
  readonly databases: readonly DatabaseFile[];
  /** Folders that are there and cannot be read. */
  readonly unreadable: readonly { readonly path: string; readonly code: string }[];
}

export interface DatabaseFoldersOptions {
  readonly files: FileSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects only for an abort. */
export async function findDatabases(home: LocatedHome, options: DatabaseFoldersOptions): Promise<FoundDatabases> {
  const databases: DatabaseFile[] = [];
  const unreadable: { path: string; code: string }[] = [];
  const seen = new Set<string>();
  const ours = home.index?.folder;
  let sawState = false;
  for (const folder of [...(await codexFolders(home, options)), ...(ours === undefined ? [] : [ours])]) {
    const listed = await list(folder, options);
    if (listed.code !== undefined) unreadable.push({ path: folder, code: listed.code });
    if (listed.realPath === undefined || seen.has(listed.realPath)) continue;
    seen.add(listed.realPath);
    const names = listed.entries.map(({ name }) => name).filter((name) => name.endsWith('.sqlite'));
    const state: string | undefined = folder === ours || sawState ? undefined : newestState(names);
    sawState ||= state !== undefined;
    for (const name of names.sort()) {
      const file = { path: path.join(folder, name), ours: folder === ours, generation: generationOf(name) };
      databases.push({ ...file, isState: name === state });
    }
  }
  return { databases, unreadable };
}

/** `sqlite_home` of its configuration, then `$CODEX_SQLITE_HOME`, then the home. */
async function codexFolders(home: LocatedHome, options: DatabaseFoldersOptions): Promise<readonly string[]> {
  const { env, files } = options;
  const configured = await configuredFolder(home.path, files);
  const moved = env['CODEX_SQLITE_HOME']?.trim();
  const isCodexHome = path.resolve(home.path) === codexHomePath(env);
  return [
    ...(configured === undefined ? [] : [configured]),
    ...(moved === undefined || moved === '' || !isCodexHome ? [] : [path.resolve(moved)]),
    home.path,
    path.join(home.path, 'sqlite'),
  ];
}

async function configuredFolder(home: string, files: FileSystem): Promise<string | undefined> {
  const text = await readConfig(path.join(home, 'config.toml'), files, undefined);
  // The file may be of any size and shape; most say nothing about it.
  if (text === undefined || !text.includes('sqlite_home')) return undefined;
  let value: unknown;
  try {
    value = parseToml(text)['sqlite_home'];
  } catch {
    return undefined; // Codex does not start with such a file either
  }
  return typeof value === 'string' && path.isAbsolute(value) ? value : undefined;
}

interface Listed {
  readonly entries: readonly DirectoryEntry[];
  readonly realPath: string | undefined;
  readonly code: string | undefined;
}

async function list(folder: string, { files, signal }: DatabaseFoldersOptions): Promise<Listed> {
  const limits = signal === undefined ? {} : { signal };
  try {
    const realPath = await files.realPath(folder, limits);
    return { entries: await files.readDirectory(folder, limits), realPath, code: undefined };
  } catch (error) {
    signal?.throwIfAborted();
    const code = fileErrorCode(error);
    if (code === undefined) throw error;
    const absent = code === 'ENOENT' || code === 'ENOTDIR';
    return { entries: [], realPath: undefined, code: absent ? undefined : code };
  }
}

function newestState(names: readonly string[]): string | undefined {
  const states = names.filter((name) => generationOf(name) !== undefined);
  return states.sort((a, b) => (generationOf(b) ?? 0) - (generationOf(a) ?? 0))[0];
}

/** `state.sqlite` was the first. */
function generationOf(name: string): number | undefined {
  const match = /^state(?:_(\d{1,9}))?\.sqlite$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? 0);
}
