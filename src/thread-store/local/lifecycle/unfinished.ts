/**
 * Notes of operations on whole threads that were begun: `unfinished/<thread>.<home>.json` in our own home, one for a thread of a
 * home at most. There only while an operation is at work, or after its process died.
 */
import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { parseThreadId, type ThreadId } from '../../../base/ids.js';
import { isJsonObject, type JsonValue } from '../../../base/json.js';
import { writeFileAtomic } from '../../../platform/files/atomic-write.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { makeFolderSync } from '../../../platform/files/make-folder.js';
import { parseTemporaryName, removeFile } from '../../../platform/files/move-file.js';
import { isRunning } from '../../../state/process-alive.js';
import { DamagedError } from '../../errors.js';

export const UNFINISHED_FOLDER = 'unfinished';

const NAMES = ['archive', 'unarchive', 'compress', 'decompress', 'trash', 'restore', 'purge'] as const;
export type OperationName = (typeof NAMES)[number];

/** What a body has to know to go on where another process ended. */
export interface UnfinishedDetails {
  /** Name of the entry in the trash. */
  readonly entry?: string;
  /** What the trash calls the thread; masked. */
  readonly title?: string;
  /** Absolute paths of what is derived from the home. */
  readonly derived?: { readonly state: string; readonly search: string };
  /** Absolute path of the log of the program. */
  readonly logs?: string;
  /** Absolute path of the ledger of imports. */
  readonly imports?: string;
}

export interface Unfinished {
  readonly operation: OperationName;
  readonly home: string;
  readonly threadId: ThreadId;
  readonly startedAtMs: number;
  readonly details: UnfinishedDetails;
}

const MAX_BYTES = 64 * 1024;

/** Resolves when the note is synced. */
export async function writeUnfinished(ownHome: string, begun: Unfinished): Promise<void> {
  makeFolderSync(join(ownHome, UNFINISHED_FOLDER));
  await writeFileAtomic(pathOf(ownHome, begun), `${JSON.stringify({ format: 1, ...begun })}\n`);
}

export async function endUnfinished(ownHome: string, begun: Unfinished, files: FileSystem): Promise<void> {
  const path = pathOf(ownHome, begun);
  await removeFile(path);
  // What a process that was killed while it wrote this note left behind names the thread as well.
  const folder = dirname(path);
  for (const { name } of await files.readDirectory(folder)) {
    if (parseTemporaryName(name)?.base === basename(path)) await removeFile(join(folder, name));
  }
}

/** The note of one thread of a home. Rejects with DamagedError when it cannot be understood. */
export async function readUnfinished(
  ownHome: string,
  { home, threadId, files }: { readonly home: string; readonly threadId: ThreadId; readonly files: FileSystem },
): Promise<Unfinished | undefined> {
  return readNote(pathOf(ownHome, { home, threadId }), files);
}

/** Removes what processes that are gone left of notes that they were writing: nothing was begun then. */
export async function removeUnwrittenNotes(ownHome: string, files: FileSystem): Promise<void> {
  const folder = join(ownHome, UNFINISHED_FOLDER);
  for (const name of await namesIn(folder, files)) {
    const left = parseTemporaryName(name);
    if (left !== undefined && !isRunning(left.processId)) await removeFile(join(folder, name));
  }
}

/** Paths of all notes. */
export async function listUnfinished(ownHome: string, files: FileSystem): Promise<readonly string[]> {
  const folder = join(ownHome, UNFINISHED_FOLDER);
  return (await namesIn(folder, files))
    .filter((name) => /^[0-9a-f-]{36}\.[0-9a-f]{16}\.json$/.test(name))
    .map((name) => join(folder, name));
}

/** Sorted; none for a folder that is not there. */
export async function namesIn(folder: string, files: FileSystem): Promise<readonly string[]> {
  try {
    return (await files.readDirectory(folder)).map(({ name }) => name).sort();
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return [];
  }
}

/** Undefined when it is gone. Rejects with DamagedError. */
export async function readNote(path: string, files: FileSystem): Promise<Unfinished | undefined> {
  const text = await readSmallFile(path, files, MAX_BYTES);
  if (text === undefined) return undefined;
  const note = parse(text);
  if (note !== undefined) return note;
  throw new DamagedError('Cannot understand the note of an operation that was begun', {
    path,
    hint: 'No log is affected. Look at the thread that its name begins with, then move the note away.',
  });
}

/** The text of a small regular file; undefined when it is not there. Rejects with DamagedError when it is larger. */
export async function readSmallFile(path: string, files: FileSystem, maxBytes: number): Promise<string | undefined> {
  let file: Awaited<ReturnType<FileSystem['openRegular']>>;
  try {
    file = await files.openRegular(path);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
  try {
    if (file.stat.sizeBytes > maxBytes) {
      throw new DamagedError(`The file is larger than ${maxBytes} bytes: it was not written by this program`, {
        path,
        hint: 'Nothing was changed. Move the file away.',
      });
    }
    const bytes = Buffer.alloc(file.stat.sizeBytes);
    return bytes.toString('utf8', 0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

export function parseJson(text: string): JsonValue | undefined {
  try {
    // What JSON.parse gives is a JsonValue.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // the caller says which file holds no JSON
  }
}

function parse(text: string): Unfinished | undefined {
  const value = parseJson(text);
  if (value === undefined || !isJsonObject(value) || value['format'] !== 1) return undefined;
  const operation = NAMES.find((name) => name === value['operation']);
  const threadId = parseThreadId(value['threadId']);
  const { home, startedAtMs, details } = value;
  if (operation === undefined || threadId === undefined || typeof home !== 'string') return undefined;
  if (typeof startedAtMs !== 'number' || details === undefined || !isJsonObject(details)) return undefined;
  const { entry, title, derived, logs, imports } = details;
  const isDerived = derived !== undefined && isJsonObject(derived);
  return {
    operation,
    threadId,
    home,
    startedAtMs,
    details: {
      ...(typeof entry === 'string' && { entry }),
      ...(typeof title === 'string' && { title }),
      ...(typeof imports === 'string' && { imports }),
      ...(typeof logs === 'string' && { logs }),
      ...(isDerived && { derived: { state: String(derived['state']), search: String(derived['search']) } }),
    },
  };
}

function pathOf(ownHome: string, { home, threadId }: Pick<Unfinished, 'home' | 'threadId'>): string {
  const hash = createHash('sha256').update(resolve(home)).digest('hex').slice(0, 16);
  return join(ownHome, UNFINISHED_FOLDER, `${threadId}.${hash}.json`);
}
