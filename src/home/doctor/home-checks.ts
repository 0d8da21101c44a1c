/**
 * Checks of a home as it is on disk: its folders, links and files, the file of names, and the room that is left. Reads no log,
 * writes nothing; what is wrong here is for a person to mend.
 */
import { promises } from 'node:fs';
import path from 'node:path';
import { type FileSystem, fileErrorCode } from '../../platform/files/file-system.js';
import { NAMES_FILE, readThreadNames } from '../../rollout/names-file.js';
import type { WalkResult } from '../../rollout/walk.js';
import type { LocatedHome } from '../locate.js';
import { counted, fault, guarded, type MendableCheck, sound } from './check.js';

export interface HomeChecksOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** Below this an index cannot be kept, and Codex itself will soon fail. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;

export async function homeChecks(
  home: LocatedHome,
  walk: WalkResult,
  options: HomeChecksOptions,
): Promise<readonly MendableCheck[]> {
  const { signal } = options;
  return [
    foldersCheck(home, walk),
    linksCheck(home, walk),
    logsCheck(home, walk),
    await guarded('names-file', home.path, signal, () => namesCheck(home, options)),
    await guarded('disk-space', home.path, signal, () => spaceCheck(home)),
  ];
}

function foldersCheck({ path: home }: LocatedHome, { problems }: WalkResult): MendableCheck {
  const [first] = problems;
  if (first === undefined) return sound('folders', home, 'Every folder can be read');
  const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more`;
  return fault('folders', home, {
    detail: `${first.path} cannot be read (${first.code})${more}: the logs in it are known from earlier only`,
    repair: 'Check the permissions of the folder, or the mount that it is on.',
  });
}

function linksCheck({ path: home }: LocatedHome, { files }: WalkResult): MendableCheck {
  const outside = files.filter(({ hidden }) => hidden === 'link-outside-home');
  const links = files.filter(({ hidden }) => hidden === 'not-a-file').length;
  const [first] = outside;
  const others =
    links === 0
      ? 'No link is in the way'
      : `${counted(links, 'link or special file', 'links or special files')} found and never opened`;
  if (first === undefined) return sound('links', home, others);
  const more = outside.length === 1 ? '' : `, and ${outside.length - 1} more`;
  return fault('links', home, {
    detail: `${first.path} leads out of the home${more}: the logs behind it are not read`,
    repair: 'Make sessions itself the link, or name the other place as a home in [codicil.homes].',
  });
}

function logsCheck({ path: home }: LocatedHome, { files }: WalkResult): MendableCheck {
  const logs = files.filter(({ hidden }) => hidden === null);
  const unreadable = files.filter(({ hidden }) => hidden === 'unreadable');
  const [first] = unreadable;
  if (first === undefined) {
    return sound('logs', home, `${counted(logs.length, 'log')}; codicil verify --all reads each of them for damage`);
  }
  return fault('logs', home, {
    detail: `${unreadable.length} of ${counted(logs.length + unreadable.length, 'log')} cannot be read, the first of them ${first.path}`,
    repair: 'Check the permissions of these files.',
  });
}

async function namesCheck({ path: home }: LocatedHome, options: HomeChecksOptions): Promise<MendableCheck> {
  const { files, signal } = options;
  const file = path.join(home, NAMES_FILE);
  try {
    const { names, badLines } = await readThreadNames(home, { files, ...(signal !== undefined && { signal }) });
    if (badLines === 0)
      return sound('names-file', home, `${counted(names.size, 'thread has a name', 'threads have a name')}`);
    return fault('names-file', home, {
      detail: `${counted(badLines, 'line')} of ${file} cannot be read as an entry; each costs one name at most`,
      repair: 'Give those threads their names again; the lines themselves may stay.',
    });
  } catch (error) {
    signal?.throwIfAborted();
    const code = fileErrorCode(error);
    if (code === undefined) throw error;
    return fault('names-file', home, {
      detail: `${file} cannot be read (${code}): threads are listed without the names that users gave them`,
      repair: 'Check the permissions of the file; it must be a plain file.',
    });
  }
}

async function spaceCheck({ path: home, index }: LocatedHome): Promise<MendableCheck> {
  const places = [home, ...(index === undefined ? [] : [index.root])];
  const low: string[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const place of places) {
    const free = await freeBytes(place);
    if (free === undefined) continue;
    least = Math.min(least, free);
    if (free < LEAST_FREE_BYTES) low.push(place);
  }
  const [first] = low;
  const megabytes = Math.floor(least / 1_000_000);
  if (first === undefined) {
    return sound(
      'disk-space',
      home,
      Number.isFinite(least) ? `${megabytes} MB are free` : 'The room left is not known',
    );
  }
  return fault('disk-space', home, {
    detail: `Only ${megabytes} MB are free at ${first}: logs may be cut off and the index cannot be kept`,
    repair: 'Free some disk space; codicil doctor --disk shows what takes it.',
  });
}

/** Undefined for a folder that is not there, or a system that does not say. */
async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await promises.statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined; // asked for nothing but a number
  }
}
