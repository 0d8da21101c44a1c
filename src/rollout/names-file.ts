/**
 * `session_index.jsonl`: the names that users gave their threads.
 *
 * Append-only; the last line of an id is its name. Lines that are no entry, and blank names, change nothing.
 * A home without the file has no names.
 */
import { parseThreadId, type ThreadId } from '../base/ids.js';
import { isJsonObject, type JsonValue } from '../base/json.js';
import { isBlank, LineFramer } from '../base/jsonl.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import { allocateWindow, type ByteFeed, openFeed } from './byte-feed.js';
import { NAMES_FILE } from './paths.js';
import { recoverLine } from './recover.js';

export { NAMES_FILE };

export interface ThreadName {
  readonly name: string;
  /** As written; undefined when the line has none. */
  readonly updatedAt: string | undefined;
}

export interface ThreadNames {
  readonly names: ReadonlyMap<ThreadId, ThreadName>;
  /** Lines that are no entry. */
  readonly badLines: number;
}

/** Reads the names of a home. Rejects when the file is there but cannot be read. */
export async function readThreadNames(
  home: string,
  options: { readonly files: FileSystem; readonly signal?: AbortSignal },
): Promise<ThreadNames> {
  const names = new Map<ThreadId, ThreadName>();
  let badLines = 0;
  let feed: ByteFeed;
  try {
    feed = await openFeed(options.files.join(home, NAMES_FILE), options.files, { start: 0, end: undefined }, options);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return { names, badLines };
  }
  try {
    const framer = new LineFramer({ allocate: allocateWindow, windowBytes: 64 * 1024 });
    for (let more = true; more; ) {
      options.signal?.throwIfAborted();
      more = await feed.fill(framer);
      if (!more) framer.finish();
      for (let line = framer.next(); line !== undefined; line = framer.next()) {
        if (isBlank(line.bytes, line.start, line.end)) continue;
        // The window is a Buffer, since `allocateWindow` made it.
        const { values, faults } = recoverLine(line.bytes as Buffer, line.start, line.end, line.terminated);
        const lost = faults.some((fault) => fault.lost);
        let sound = !lost;
        for (const { value } of values) sound = note(value, names) && sound;
        if (!sound) badLines += 1;
      }
    }
  } finally {
    await feed.close();
  }
  return { names, badLines };
}

/** Returns false for what is no entry. */
function note(value: JsonValue, names: Map<ThreadId, ThreadName>): boolean {
  if (!isJsonObject(value)) return false;
  const id = parseThreadId(value['id']);
  const name = value['thread_name'];
  if (id === undefined || typeof name !== 'string') return false;
  if (name.trim() === '') return true;
  const updatedAt = value['updated_at'];
  names.set(id, { name, updatedAt: typeof updatedAt === 'string' ? updatedAt : undefined });
  return true;
}
