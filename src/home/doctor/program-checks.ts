/**
 * Checks of what the program runs on: Node, SQLite, zstd, and whether Codex is there. Starts no program.
 */
import path from 'node:path';
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { isAtLeast, MINIMUM_SQLITE_VERSION, sqliteDriverStates } from '../../platform/sqlite/index.js';
import { defaultZstdEngine } from '../../platform/zstd/decompress.js';
import { fault, guarded, type MendableCheck, sound } from './check.js';

const MINIMUM_NODE_VERSION = '20.19.0';

export interface ProgramChecksOptions {
  readonly files: FileSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

export async function programChecks(options: ProgramChecksOptions): Promise<readonly MendableCheck[]> {
  const { signal } = options;
  return [
    nodeCheck(),
    await guarded('sqlite', null, signal, sqliteCheck),
    await guarded('zstd', null, signal, zstdCheck),
    await guarded('codex', null, signal, () => codexCheck(options)),
  ];
}

function nodeCheck(): MendableCheck {
  const version = process.versions.node;
  if (isAtLeast(version, MINIMUM_NODE_VERSION)) return sound('node', null, `Node ${version}`);
  return fault('node', null, {
    detail: `Node ${version} is older than what this program is tested with (${MINIMUM_NODE_VERSION})`,
    repair: `Install Node ${MINIMUM_NODE_VERSION} or later.`,
  });
}

function sqliteCheck(): MendableCheck {
  const drivers = sqliteDriverStates();
  const used = drivers.find(({ version }) => version !== undefined);
  const others = drivers
    .filter((driver) => driver !== used)
    .map(({ name, version, problem }) => `${name}: ${version === undefined ? problem : `SQLite ${version}`}`);
  const more = others.length === 0 ? '' : `; not used: ${others.join('; ')}`;
  if (used !== undefined) return sound('sqlite', null, `SQLite ${used.version} by ${used.name}${more}`);
  return fault('sqlite', null, {
    detail: `No SQLite of ${MINIMUM_SQLITE_VERSION} or later can be used, so there are no lists and no search (${others.join('; ')})`,
    repair: 'Run "npm install better-sqlite3@12" beside this package, or use Node 22.23 or later.',
  });
}

function zstdCheck(): MendableCheck {
  const isNative = defaultZstdEngine() === 'native';
  const detail = isNative
    ? 'Compressed logs are read by the zstd of Node'
    : 'Compressed logs are read by a decoder in JavaScript, which is slower; Node 22.15 and later bring their own';
  return sound('zstd', null, detail);
}

/** Looks for the program where a shell would. */
async function codexCheck({ files, env, signal }: ProgramChecksOptions): Promise<MendableCheck> {
  const names = files.pathPlatform === 'win32' ? ['codex.cmd', 'codex.exe'] : ['codex'];
  for (const folder of (env['PATH'] ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const name of names) {
      const program = path.join(folder, name);
      if (await isFile(program, files, signal)) return sound('codex', null, `Codex is at ${program}`);
    }
  }
  return sound('codex', null, 'Codex is not on the PATH: its threads are read, but open cannot go on with them');
}

async function isFile(file: string, files: FileSystem, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return (await files.stat(file, signal === undefined ? {} : { signal })).kind === 'file';
  } catch (error) {
    signal?.throwIfAborted();
    if (fileErrorCode(error) === undefined) throw error;
    return false;
  }
}
