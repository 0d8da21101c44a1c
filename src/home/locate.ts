/**
 * Which homes there are, whose they are, and where what we derive from each may lie.
 * Looks only at names and marks; never creates anything.
 *
 * A folder that holds sessions or databases but no `codicil.json` is foreign, even when `CODICIL_HOME` names it;
 * any other becomes ours at the first write.
 */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import { CodicilError } from '../base/errors.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import { isInside } from '../platform/files/path-identity.js';
import { readSqliteHeader } from '../platform/sqlite/index.js';
import { ARCHIVED_FOLDER, SESSIONS_FOLDER } from '../rollout/paths.js';
import { APPLICATION_ID } from '../state/index.js';
import type { HomeInfo } from '../thread-store/session-reader.js';

/** The mark of a home of ours. */
export const HOME_MARK = 'codicil.json';

export interface LocatedHome extends HomeInfo {
  /** Where derived databases go; undefined when no home of ours is there for them. */
  readonly index: IndexPlace | undefined;
}

export interface IndexPlace {
  /** The home of ours that holds the folder; neither needs to exist yet. */
  readonly root: string;
  readonly folder: string;
}

export interface LocateOptions {
  /** `--home`: only these, in this order. */
  readonly homes?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: FileSystem;
  readonly onNotice?: ((message: string) => void) | undefined;
}

/** Thrown when a home was named that is not there, or a configuration file cannot be used. */
export class HomeError extends CodicilError {
  override readonly name = 'HomeError';
}

/** All homes to read: ours first, then the foreign ones; each folder once, links resolved. */
export async function locateHomes({ homes, env, files, onNotice }: LocateOptions): Promise<readonly LocatedHome[]> {
  const others = [codexHomePath(env), ...(homes ?? []).map((home) => path.resolve(home))];
  const { own, ownIsForeign, derived } = await ownPlaces(env, others, files);
  const wanted: string[] = [];
  if (homes !== undefined && homes.length > 0) {
    for (const home of homes) wanted.push(await requireFolder(path.resolve(home), files));
  } else {
    wanted.push(own);
    // A foreign config.toml decides nothing.
    const configured = ownIsForeign ? [] : await configuredHomes(own, files, onNotice);
    for (const home of [codexHomePath(env), ...configured]) if (await isFolder(home, files)) wanted.push(home);
  }
  const ownReal = await realPath(own, files);
  const located = new Map<string, LocatedHome>();
  for (const home of wanted) {
    const real = await realPath(home, files);
    if (located.has(real)) continue;
    const isOwn = !ownIsForeign && real === ownReal;
    const ours = isOwn || (await exists(path.join(home, HOME_MARK), files));
    let index: IndexPlace | undefined;
    if (ours) {
      const moved = isOwn ? await movedDatabases(env, others, { files, onNotice }) : undefined;
      index = { root: home, folder: moved ?? path.join(home, 'db') };
    }
    if (!ours && derived !== undefined) index = { root: derived, folder: path.join(derived, 'indexes', hashOf(real)) };
    located.set(real, { path: home, kind: ours ? 'codicil' : 'codex', own: ours, index });
  }
  return [...located.values()].sort((a, b) => Number(b.own) - Number(a.own));
}

/** Where the databases of our own home lie that belong to no other one; undefined when nothing of ours can be written. */
export async function locateOwnDatabases({ homes, env, files }: LocateOptions): Promise<IndexPlace | undefined> {
  const others = [codexHomePath(env), ...(homes ?? []).map((home) => path.resolve(home))];
  const { own, derived } = await ownPlaces(env, others, files);
  if (derived === undefined) return undefined;
  // Whoever locates the homes says what is wrong with the variable.
  const moved = derived === own ? await movedDatabases(env, others, { files, onNotice: undefined }) : undefined;
  return { root: derived, folder: moved ?? path.join(derived, 'db') };
}

/** `[codicil.NAME]` of our own `config.toml`; undefined when it is not there, cannot be used, or is another program's. */
export async function ownConfigTable(
  name: string,
  { env, files }: Pick<LocateOptions, 'env' | 'files'>,
): Promise<{ readonly [key: string]: unknown } | undefined> {
  const own = ownHomePath(env);
  const file = path.join(own, 'config.toml');
  const text = await readConfig(file, files, undefined);
  if (text === undefined || (await ownPlaces(env, [codexHomePath(env)], files)).ownIsForeign) return undefined;
  const table = (await codicilTable(text, file))[name];
  return typeof table === 'object' && table !== null ? (table as { readonly [key: string]: unknown }) : undefined;
}

interface OwnPlaces {
  readonly own: string;
  readonly ownIsForeign: boolean;
  /** The home that what we derive from foreign ones goes to; undefined where even the usual place is another program's. */
  readonly derived: string | undefined;
}

async function ownPlaces(env: LocateOptions['env'], others: readonly string[], files: FileSystem): Promise<OwnPlaces> {
  const own = ownHomePath(env);
  const ownIsForeign = (await isForeign(own, files)) || (await isInsideForeign(own, others, files));
  if (!ownIsForeign) return { own, ownIsForeign, derived: own };
  const usual = path.join(userHome(env), '.codicil');
  return { own, ownIsForeign, derived: (await isForeign(usual, files)) ? undefined : usual };
}

/** `$CODICIL_HOME`, else `~/.codicil`. */
export function ownHomePath(env: LocateOptions['env']): string {
  return path.resolve(env['CODICIL_HOME'] || path.join(userHome(env), '.codicil'));
}

/** `$CODICIL_SQLITE_HOME`: moves the databases of our own home, and of no other; never into another program's. */
async function movedDatabases(
  env: LocateOptions['env'],
  others: readonly string[],
  { files, onNotice }: Pick<LocateOptions, 'files' | 'onNotice'>,
): Promise<string | undefined> {
  const value = env['CODICIL_SQLITE_HOME'];
  if (!value) return undefined;
  const folder = path.resolve(value);
  const isForeignPlace = (await isForeign(folder, files)) && !(await holdsOnlyOurDatabases(folder, files));
  if (!isForeignPlace && !(await isInsideForeign(folder, others, files))) return folder;
  onNotice?.(`CODICIL_SQLITE_HOME names a folder of another program (${folder}); it is left out`);
  return undefined;
}

/** `$CODEX_HOME`, else `~/.codex`. */
export function codexHomePath(env: LocateOptions['env']): string {
  return path.resolve(env['CODEX_HOME'] || path.join(userHome(env), '.codex'));
}

function userHome(env: LocateOptions['env']): string {
  return env['HOME'] || env['USERPROFILE'] || homedir();
}

/** Whether a folder is another program's home: it holds sessions or databases, and not our mark. */
export async function isForeign(home: string, files: FileSystem): Promise<boolean> {
  let names: readonly string[];
  try {
    names = (await files.readDirectory(home)).map(({ name }) => name);
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return false; // not there, or not readable: nothing in it that could be another program's
  }
  if (names.includes(HOME_MARK)) return false;
  return names.some((name) => name === SESSIONS_FOLDER || name === ARCHIVED_FOLDER || name.endsWith('.sqlite'));
}

/** A folder of databases has no mark of a home: they carry their own. One that is damaged passes for what the others are. */
async function holdsOnlyOurDatabases(folder: string, files: FileSystem): Promise<boolean> {
  const names = (await files.readDirectory(folder)).map(({ name }) => name);
  if (names.includes(SESSIONS_FOLDER) || names.includes(ARCHIVED_FOLDER)) return false;
  const databases = names
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => readSqliteHeader(path.join(folder, name)));
  const owners = databases.flatMap((file) => (file.kind === 'database' ? [file.applicationId] : []));
  return owners.length > 0 && owners.every((owner) => owner === APPLICATION_ID);
}

/** True when the folder lies inside one of these homes, and that one is another program's. */
async function isInsideForeign(folder: string, homes: readonly string[], files: FileSystem): Promise<boolean> {
  const real = await nearestRealPath(folder, files);
  for (const home of homes) {
    const inside = isInside(real, await realPath(home, files), files.pathPlatform);
    if (inside && (await isForeign(home, files))) return true;
  }
  return false;
}

/** Where the folder is, or would be: links resolved as far as it is there. */
async function nearestRealPath(folder: string, files: FileSystem): Promise<string> {
  const parent = path.dirname(folder);
  const real = await realPath(folder, files);
  if (real !== folder || parent === folder || (await exists(folder, files))) return real;
  return path.join(await nearestRealPath(parent, files), path.basename(folder));
}

/** Paths of `[codicil.homes]` (name = "path") in our own `config.toml`. */
async function configuredHomes(
  own: string,
  files: FileSystem,
  onNotice: LocateOptions['onNotice'],
): Promise<readonly string[]> {
  const file = path.join(own, 'config.toml');
  const text = await readConfig(file, files, onNotice);
  if (text === undefined) return [];
  const homes = (await codicilTable(text, file))['homes'] ?? {};
  const paths: unknown[] = typeof homes === 'object' && homes !== null ? Object.values(homes) : [homes];
  const found: string[] = [];
  for (const home of paths) {
    if (typeof home !== 'string' || !path.isAbsolute(home)) {
      onNotice?.(`${file}: [codicil.homes] takes absolute paths as text; ${JSON.stringify(home)} is left out`);
    } else if (await isFolder(home, files)) {
      found.push(home);
    } else {
      onNotice?.(
        `${file}: the home ${JSON.stringify(home)} of [codicil.homes] is no folder that answers; it is left out`,
      );
    }
  }
  return found;
}

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Undefined when there is none that can be used. It may be a link, but never anything that could block. */
export async function readConfig(
  file: string,
  files: FileSystem,
  onNotice: LocateOptions['onNotice'],
): Promise<string | undefined> {
  try {
    const opened = await files.openRegular(await files.realPath(file));
    try {
      if (opened.stat.sizeBytes > MAX_CONFIG_BYTES) {
        onNotice?.(`The configuration ${file} is larger than ${MAX_CONFIG_BYTES} bytes; it is left out`);
        return undefined;
      }
      const bytes = Buffer.alloc(opened.stat.sizeBytes);
      return bytes.toString('utf8', 0, await opened.read(bytes, 0)).replace(/^\uFEFF/, '');
    } finally {
      await opened.close();
    }
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      onNotice?.(`Cannot read the configuration ${file} (${code}); it is left out`);
    return undefined;
  }
}

async function codicilTable(text: string, file: string): Promise<{ readonly [key: string]: unknown }> {
  // Loaded only where there is something to parse: most homes have no configuration of ours.
  const { parse: parseToml, TomlError } = await import('smol-toml');
  try {
    const table: unknown = parseToml(text)['codicil'];
    // A TOML table is an object without a prototype of its own.
    return typeof table === 'object' && table !== null ? (table as { readonly [key: string]: unknown }) : {};
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new HomeError('invalid-config', `Cannot read the configuration ${file}: ${error.message.split('\n')[0]}`, {
      path: file,
      line: error.line,
      hint: 'Mend that line, or move the file away; no session is affected.',
      cause: error,
    });
  }
}

async function exists(file: string, files: FileSystem): Promise<boolean> {
  return (await kindOf(file, files)) !== undefined;
}

async function isFolder(folder: string, files: FileSystem): Promise<boolean> {
  return (await kindOf(folder, files)) === 'directory';
}

/** Undefined when it is not there, may not be seen, or does not answer in time. */
async function kindOf(file: string, files: FileSystem): Promise<string | undefined> {
  try {
    return (await files.stat(file)).kind;
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function requireFolder(folder: string, files: FileSystem): Promise<string> {
  const kind = await kindOf(folder, files);
  if (kind === 'directory') return folder;
  const hint = 'Name the folder that holds sessions/, such as ~/.codex.';
  if (kind !== undefined) {
    const message = `Cannot open the home "${folder}": it is ${kind === 'file' ? 'a file' : 'something else'}, not a folder`;
    throw new HomeError('home-not-a-folder', message, { path: folder, hint });
  }
  throw new HomeError('home-not-found', `Cannot open the home "${folder}": no such folder`, { path: folder, hint });
}

async function realPath(folder: string, files: FileSystem): Promise<string> {
  try {
    return await files.realPath(folder);
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return folder; // does not exist yet
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
