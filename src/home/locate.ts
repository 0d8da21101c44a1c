/**
 * Which homes there are, whose they are, and where what we derive from each may lie.
 * Looks only at names and marks; never creates anything.
 *
 * A folder that holds sessions or databases but no `codicil.json` is foreign, even when `CODICIL_HOME` names it;
 * any other becomes ours at the first write.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parse as parseToml, TomlError } from 'smol-toml';
import { CodicilError } from '../base/errors.js';
import type { HomeInfo } from '../thread-store/session-reader.js';

/** The mark of a home of ours. */
export const HOME_MARK = 'codicil.json';

export interface LocatedHome extends HomeInfo {
  /** Where derived databases go; undefined when nothing may be written anywhere for it yet. */
  readonly indexFolder: string;
}

export interface LocateOptions {
  /** `--home`: only these, in this order. */
  readonly homes?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onNotice?: ((message: string) => void) | undefined;
}

/** Thrown when a home was named that is not there, or a configuration file cannot be used. */
export class HomeError extends CodicilError {
  override readonly name = 'HomeError';
}

/** All homes to read: ours first, then the foreign ones; each folder once, links resolved. */
export function locateHomes({ homes, env, onNotice }: LocateOptions): readonly LocatedHome[] {
  const own = ownHomePath(env);
  const derived = derivedRoot(own, env);
  const wanted =
    homes && homes.length > 0
      ? homes.map((home) => requireFolder(path.resolve(home)))
      : [own, codexHomePath(env), ...configuredHomes(own, onNotice)].filter((home) => home === own || isFolder(home));
  const located = new Map<string, LocatedHome>();
  for (const home of wanted) {
    const real = realPath(home);
    if (located.has(real)) continue;
    const ours = isOurs(home, own);
    located.set(real, {
      path: home,
      kind: ours ? 'codicil' : 'codex',
      own: ours,
      indexFolder: ours ? (env['CODICIL_SQLITE_HOME'] ?? path.join(home, 'db')) : path.join(derived, 'indexes', hashOf(real)),
    });
  }
  return [...located.values()].sort((a, b) => Number(b.own) - Number(a.own));
}

/** `$CODICIL_HOME`, else `~/.codicil`. */
export function ownHomePath(env: LocateOptions['env']): string {
  return path.resolve(env['CODICIL_HOME'] || path.join(userHome(env), '.codicil'));
}

/** `$CODEX_HOME`, else `~/.codex`. */
export function codexHomePath(env: LocateOptions['env']): string {
  return path.resolve(env['CODEX_HOME'] || path.join(userHome(env), '.codex'));
}

/** The home below which indexes of foreign homes lie: ours, or `~/.codicil` when `CODICIL_HOME` names a foreign one. */
export function derivedRoot(own: string, env: LocateOptions['env']): string {
  return isForeign(own) ? path.join(userHome(env), '.codicil') : own;
}

function userHome(env: LocateOptions['env']): string {
  return env['HOME'] || env['USERPROFILE'] || homedir();
}

function isOurs(home: string, own: string): boolean {
  return existsSync(path.join(home, HOME_MARK)) || (home === own && !isForeign(home));
}

/** Sessions or databases, and not our mark. */
function isForeign(home: string): boolean {
  if (existsSync(path.join(home, HOME_MARK))) return false;
  let names: readonly string[];
  try {
    names = readdirSync(home);
  } catch {
    return false; // not there, or not readable: nothing in it that could be another program's
  }
  return names.some((name) => name === 'sessions' || name === 'archived_sessions' || name.endsWith('.sqlite'));
}

/** Paths of `[codicil.homes]` (name = "path") in our own `config.toml`. */
function configuredHomes(own: string, onNotice: LocateOptions['onNotice']): readonly string[] {
  if (isForeign(own)) return []; // a foreign config.toml decides nothing
  const file = path.join(own, 'config.toml');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return []; // no configuration
  }
  try {
    const config = parseToml(text) as { codicil?: { homes?: unknown } };
    const homes = config.codicil?.homes ?? {};
    const paths = typeof homes === 'object' && homes !== null ? Object.values(homes) : [];
    return paths.flatMap((home) => {
      if (typeof home === 'string' && path.isAbsolute(home)) {
        if (!isFolder(home)) onNotice?.(`${file}: the home ${JSON.stringify(home)} of [codicil.homes] is not a folder; it is left out`);
        return [home];
      }
      onNotice?.(`${file}: [codicil.homes] takes absolute paths as text; ${JSON.stringify(home)} is left out`);
      return [];
    });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new HomeError('invalid_config', `Cannot read the configuration ${file}: ${error.message.split('\n')[0]}`, {
      path: file,
      line: error.line,
      hint: 'Mend that line, or move the file away; no session is affected.',
      cause: error,
    });
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function requireFolder(folder: string): string {
  if (!isFolder(folder)) {
    throw new HomeError('home_not_found', `Cannot open the home "${folder}": no such folder`, { path: folder, hint: 'Name the folder that holds sessions/, such as ~/.codex.' });
  }
  return folder;
}

function realPath(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder; // does not exist yet
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
