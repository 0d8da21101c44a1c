/**
 * The trash: `trash/<thread>[.n]/` in our own home, whatever home the thread was in. `manifest.json` says what lies
 * below `files/`, from where, how large and of what time; the files keep the places that they had below their home.
 *
 * Nothing in it is ever removed for its age.
 */
import { promises } from 'node:fs';
import { join } from 'node:path';
import { parseThreadId, type ThreadId } from '../../../base/ids.js';
import { isJsonObject, type JsonValue } from '../../../base/json.js';
import { syncFolder, writeFileAtomic } from '../../../platform/files/atomic-write.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { makeFolderSync } from '../../../platform/files/make-folder.js';
import { parseTemporaryName, removeFile, removeTree } from '../../../platform/files/move-file.js';
import { ARCHIVED_FOLDER, fileNameOf, parseRolloutName, SESSIONS_FOLDER } from '../../../rollout/paths.js';
import { isThere } from './thread-places.js';
import { namesIn, parseJson, readSmallFile } from './unfinished.js';

export const TRASH_FOLDER = 'trash';
const MANIFEST = 'manifest.json';
const FILES = 'files';
/** What an entry is called while it is removed: no list shows it, and it is never restored. */
const DOOMED = '.purging-';
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

export interface TrashedFile {
  /** Below the home it was in, with `/`. */
  readonly relativePath: string;
  readonly sizeBytes: number;
  /** Nanoseconds since 1970, in digits. */
  readonly mtimeNs: string;
}

/** What a manifest says. */
export interface TrashEntry {
  /** Name of its folder. */
  readonly entry: string;
  readonly threadId: ThreadId;
  /** Masked, as a list showed it; null when it had none. */
  readonly title: string | null;
  /** The name that its user gave it. */
  readonly name: string | null;
  /** ISO 8601. */
  readonly trashedAt: string;
  /** Absolute path of the home it was in. */
  readonly home: string;
  readonly files: readonly TrashedFile[];
}

export interface TrashList {
  /** Newest first. */
  readonly entries: readonly TrashEntry[];
  /** Folders whose manifest cannot be understood; their files are kept. */
  readonly damaged: readonly { readonly path: string; readonly message: string }[];
}

interface TrashOptions {
  readonly ownHome: string;
  readonly files: FileSystem;
}

export function entryFolder(ownHome: string, entry: string): string {
  return join(ownHome, TRASH_FOLDER, entry);
}

/** Where a file of an entry lies. */
export function trashedPath(
  ownHome: string,
  entry: string,
  { relativePath }: Pick<TrashedFile, 'relativePath'>,
): string {
  return join(entryFolder(ownHome, entry), FILES, ...relativePath.split('/'));
}

/** A name that no entry has. */
export async function freeEntry(ownHome: string, threadId: ThreadId): Promise<string> {
  for (let number = 1; ; number += 1) {
    const entry = number === 1 ? threadId : `${threadId}.${number}`;
    if (!(await isThere(entryFolder(ownHome, entry)))) return entry;
  }
}

export async function writeManifest(ownHome: string, { entry, ...manifest }: TrashEntry): Promise<void> {
  const folder = entryFolder(ownHome, entry);
  makeFolderSync(join(folder, FILES));
  // What a process that was killed while it wrote the same left; this one has the lock of the thread.
  for (const name of await promises.readdir(folder)) {
    if (parseTemporaryName(name)?.base === MANIFEST) await removeFile(join(folder, name));
  }
  await writeFileAtomic(join(folder, MANIFEST), `${JSON.stringify({ format: 1, ...manifest }, null, 2)}\n`);
}

export async function readTrash({ ownHome, files }: TrashOptions): Promise<TrashList> {
  const entries: TrashEntry[] = [];
  const damaged: { path: string; message: string }[] = [];
  for (const name of await namesIn(join(ownHome, TRASH_FOLDER), files)) {
    if (parseThreadId(name.slice(0, 36)) === undefined) continue;
    const found = await readEntry(name, { ownHome, files });
    if (typeof found === 'object') entries.push(found);
    else if (found !== undefined) damaged.push({ path: entryFolder(ownHome, name), message: found });
  }
  entries.sort((a, b) => (a.trashedAt < b.trashedAt ? 1 : a.trashedAt > b.trashedAt ? -1 : a.entry < b.entry ? -1 : 1));
  return { entries, damaged };
}

/** Undefined for a folder without a manifest, a text that says why one cannot be understood. */
export async function readEntry(
  entry: string,
  { ownHome, files }: TrashOptions,
): Promise<TrashEntry | string | undefined> {
  let text: string | undefined;
  try {
    text = await readSmallFile(join(entryFolder(ownHome, entry), MANIFEST), files, MAX_MANIFEST_BYTES);
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return `Its manifest cannot be read: ${fileErrorCode(error)}`;
  }
  if (text === undefined) return undefined;
  return parseManifest(entry, text) ?? 'Its manifest is not one that this program wrote';
}

/** Removes an entry with all that is in it: first its name goes, so that a kill leaves nothing that could be restored by half. */
export async function removeEntry(ownHome: string, entry: string): Promise<void> {
  const doomed = join(ownHome, TRASH_FOLDER, DOOMED + entry);
  try {
    await promises.rename(entryFolder(ownHome, entry), doomed);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
  }
  await removeTree(doomed);
  if (await isThere(join(ownHome, TRASH_FOLDER))) await syncFolder(join(ownHome, TRASH_FOLDER));
}

/** Completes removals that were interrupted. */
export async function removeDoomed({ ownHome, files }: TrashOptions): Promise<void> {
  for (const name of await namesIn(join(ownHome, TRASH_FOLDER), files)) {
    if (name.startsWith(DOOMED)) await removeEntry(ownHome, name.slice(DOOMED.length));
  }
}

function parseManifest(entry: string, text: string): TrashEntry | undefined {
  const value = parseJson(text);
  if (value === undefined || !isJsonObject(value) || value['format'] !== 1) return undefined;
  const threadId = parseThreadId(value['threadId']);
  const { title, name, trashedAt, home, files } = value;
  if (threadId === undefined || typeof trashedAt !== 'string' || typeof home !== 'string') return undefined;
  if (!Array.isArray(files)) return undefined;
  const listed = files.map((file: JsonValue) => parseFile(file));
  if (!listed.every((file) => file !== undefined)) return undefined;
  const textOrNull = (text: JsonValue | undefined): string | null => (typeof text === 'string' ? text : null);
  return { entry, threadId, title: textOrNull(title), name: textOrNull(name), trashedAt, home, files: listed };
}

/** Only what could have been a log below a home: a manifest decides where files are put. */
function parseFile(value: JsonValue): TrashedFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { relativePath, sizeBytes, mtimeNs } = value;
  if (typeof relativePath !== 'string' || typeof sizeBytes !== 'number' || typeof mtimeNs !== 'string')
    return undefined;
  const steps = relativePath.split('/');
  const isPlain = steps.every((step) => step !== '' && step !== '.' && step !== '..' && !/[\\\0]/.test(step));
  const isBelow = steps.length > 1 && (steps[0] === SESSIONS_FOLDER || steps[0] === ARCHIVED_FOLDER);
  const isLog = parseRolloutName(fileNameOf(relativePath)) !== undefined;
  return isPlain && isBelow && isLog ? { relativePath, sizeBytes, mtimeNs } : undefined;
}
