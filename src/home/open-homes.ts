/**
 * Composition root for reading: finds the homes, wires a reader to each, and decides where their indexes lie.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../platform/files/atomic-write.js';
import { fileErrorCode } from '../platform/files/file-system.js';
import { makeFolderSync } from '../platform/files/make-folder.js';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import { ARCHIVED_FOLDER, IMPORTS_FILE, SESSIONS_FOLDER } from '../rollout/paths.js';
import { SEARCH_DATABASE_NAME, STATE_DATABASE_NAME } from '../state/index.js';
import type { LogFunction } from '../state/logs/index.js';
import type { DatabasePaths } from '../thread-store/local/index/index-handle.js';
import { LocalSessionReader } from '../thread-store/local/local-session-reader.js';
import type { IndexProgress, SessionReader } from '../thread-store/session-reader.js';
import { HomeDiagnostics } from './diagnostics.js';
import { type HomeSet, MergedHomes } from './home-set.js';
import { HOME_MARK, type LocatedHome, locateHomes, ownConfigTable, ownHomePath } from './locate.js';

export interface OpenHomesOptions {
  /** Only these homes (`--home`); default: ours, `$CODEX_HOME` or `~/.codex`, and those of `[codicil.homes]`. */
  readonly homes?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told what a person should know but no command failed for. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** Told how far an index has come while a call waits for it. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  /** Told what was done, for the log of the program; default: nobody. */
  readonly log?: LogFunction | undefined;
}

/**
 * Opens homes for reading. Throws HomeError (`home-not-found`, `home-not-a-folder`, `invalid-config`). Databases are
 * opened when first needed.
 */
export async function openHomes(options: OpenHomesOptions): Promise<HomeSet> {
  const onNotice = noticeOf('home/locate', options);
  const located = await locateHomes({ ...options, files: nodeFileSystem, onNotice });
  const searchTools = await searchesTools(options.env);
  const readers = located.map((home) => readerOf(home, { ...options, searchTools }));
  return new MergedHomes(readers, new HomeDiagnostics(located, { files: nodeFileSystem, env: options.env, readers }));
}

type ReaderOptions = Pick<OpenHomesOptions, 'env' | 'onNotice' | 'onProgress' | 'log'>;

/** The reader of a home that was located. */
export async function openReader(home: LocatedHome, options: ReaderOptions): Promise<LocalSessionReader> {
  return readerOf(home, { ...options, searchTools: await searchesTools(options.env) });
}

function readerOf(home: LocatedHome, options: ReaderOptions & { readonly searchTools: boolean }): LocalSessionReader {
  return new LocalSessionReader({
    home: { path: home.path, kind: home.kind, own: home.own },
    files: nodeFileSystem,
    importsFile: importsFileOf(home),
    indexPaths: () => indexPathsOf(home),
    searchTools: options.searchTools,
    clock: () => performance.now(),
    onNotice: noticeOf('thread-store/indexer', options),
    onProgress: options.onProgress,
    log: options.log,
  });
}

async function searchesTools(env: OpenHomesOptions['env']): Promise<boolean> {
  return (await ownConfigTable('search', { env, files: nodeFileSystem }))?.['tools'] === true;
}

function noticeOf(target: string, { log, onNotice }: ReaderOptions): (message: string) => void {
  return (message) => {
    log?.({ level: 'warn', target, message });
    onNotice?.(message);
  };
}

export interface OpenHomeOptions {
  /** Absolute path of the home; default: ours. */
  readonly at?: string;
  readonly env?: OpenHomesOptions['env'];
  readonly onNotice?: OpenHomesOptions['onNotice'];
}

/** Opens one home for reading. Throws HomeError, as `openHomes`. */
export async function openHome({ at, env = process.env, onNotice }: OpenHomeOptions = {}): Promise<SessionReader> {
  const homes = await openHomes({ homes: [at ?? ownHomePath(env)], env, ...(onNotice !== undefined && { onNotice }) });
  const [reader] = homes.readers;
  if (reader === undefined) throw new TypeError('openHomes() gives one reader for one home');
  return reader;
}

/** The ledger of what was imported into a home: in a home of ours, and beside it for another program's. */
export function importsFileOf({ path: home, kind, index }: LocatedHome): string | undefined {
  if (kind === 'codicil') return path.join(home, IMPORTS_FILE);
  return index === undefined ? undefined : path.join(index.root, 'imports', `${path.basename(index.folder)}.jsonl`);
}

/** Makes what is needed for derived databases to be written; undefined when they belong in memory. */
async function indexPathsOf({ path: home, index }: LocatedHome): Promise<DatabasePaths | undefined> {
  // A home without sessions has nothing to derive, and reading it is no reason to create it.
  const holdsSessions = [SESSIONS_FOLDER, ARCHIVED_FOLDER].some((name) => existsSync(path.join(home, name)));
  if (index === undefined || !holdsSessions) return undefined;
  try {
    await markAsOurs(index.root);
  } catch (error) {
    // Whoever opens the index meets the same, says so, and keeps it in memory.
    if (fileErrorCode(error) === undefined) throw error;
  }
  return {
    state: path.join(index.folder, STATE_DATABASE_NAME),
    search: path.join(index.folder, SEARCH_DATABASE_NAME),
  };
}

/** Creates a home of ours with its mark, or marks the folder that is to be one. */
export async function markAsOurs(root: string): Promise<void> {
  const mark = path.join(root, HOME_MARK);
  if (existsSync(mark)) return;
  makeFolderSync(root);
  await writeFileAtomic(mark, `${JSON.stringify({ format: 1, id: randomUUID() })}\n`);
}
