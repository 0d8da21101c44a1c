/**
 * `imports.jsonl`: what came into a home from elsewhere, beside the logs, which stay byte for byte what they were.
 *
 * One JSON line an import of a thread: `{at, threadId, from, sha256, masked, files:[{file, bytes, sha256}], cwd:[{from, to}]}`.
 * `file` is the id of the thread, with `_` and the id of the segment for a segment, since files are moved and compressed;
 * `bytes` counts in the decompressed log: what stands before is of origin `imported`. A line is on disk before the file that it
 * is about has a name, so that an imported text never counts as typed here. Append-only; a line that is none changes nothing.
 */
import { parseThreadId, type ThreadId } from '../../../base/ids.js';
import { isJsonObject, type JsonValue } from '../../../base/json.js';
import { isBlank, LineFramer } from '../../../base/jsonl.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { appendLineSynced } from '../../../platform/files/place-file.js';
import { allocateWindow, type ByteFeed, openFeed } from '../../../rollout/byte-feed.js';
import { fileNameOf, parseRolloutName, type RolloutName } from '../../../rollout/paths.js';
import { recoverLine } from '../../../rollout/recover.js';

/** A folder of another machine, and the one that stands for it here. */
export interface FolderMapping {
  readonly from: string;
  readonly to: string;
}

export interface ImportEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly threadId: ThreadId;
  /** A bundle, or logs that lay somewhere. */
  readonly from: 'bundle' | 'log';
  /** Of the bundle; null for a log, whose own is among `files`. */
  readonly sha256: string | null;
  readonly masked: boolean;
  readonly files: readonly { readonly file: string; readonly bytes: number; readonly sha256: string }[];
  /** Where the folder of the thread is here; none when nothing was said. */
  readonly cwd: readonly FolderMapping[];
}

/** How the ledger names a file. */
export function ledgerNameOf({ threadId, segmentId }: Pick<RolloutName, 'threadId' | 'segmentId'>): string {
  return segmentId === undefined ? threadId : `${threadId}_${segmentId}`;
}

/** What the ledger of a home says. */
export class Imports {
  static readonly none = new Imports([]);
  readonly #bytes = new Map<string, number>();
  readonly #folders = new Map<ThreadId, readonly FolderMapping[]>();
  readonly #masked = new Set<ThreadId>();

  constructor(entries: Iterable<ImportEntry>) {
    for (const { threadId, files, cwd, masked } of entries) {
      for (const { file, bytes } of files) this.#bytes.set(file, Math.max(bytes, this.#bytes.get(file) ?? 0));
      if (cwd.length > 0) this.#folders.set(threadId, cwd);
      if (masked) this.#masked.add(threadId);
    }
  }

  /** Where, in the decompressed log at `path`, what was written here begins; 0 for a log that was not imported. */
  importedBytes(path: string): number {
    if (this.#bytes.size === 0) return 0;
    const name = parseRolloutName(fileNameOf(path));
    return name === undefined ? 0 : (this.#bytes.get(ledgerNameOf(name)) ?? 0);
  }

  isMasked(id: ThreadId): boolean {
    return this.#masked.has(id);
  }

  /** Threads whose folder stands elsewhere than their logs say. */
  get movedThreads(): readonly ThreadId[] {
    return [...this.#folders.keys()];
  }

  foldersOf(id: ThreadId): readonly FolderMapping[] {
    return this.#folders.get(id) ?? [];
  }

  /** The folder of a thread here, out of the one that its log names. */
  folderOf(id: ThreadId, cwd: string | null): string | null {
    return cwd === null ? null : mapFolder(cwd, this.foldersOf(id));
  }
}

/** `cwd` with the longest folder that it lies in, or is, mapped. */
export function mapFolder(cwd: string, mappings: readonly FolderMapping[]): string {
  const fits = mappings.filter(({ from }) => cwd === from || isBelow(cwd, from));
  const [best] = fits.toSorted((a, b) => b.from.length - a.from.length);
  if (best === undefined) return cwd;
  return cwd === best.from ? best.to : `${withoutEnd(best.to)}${cwd.slice(withoutEnd(best.from).length)}`;
}

function isBelow(cwd: string, folder: string): boolean {
  const rest = cwd.startsWith(withoutEnd(folder)) ? cwd.slice(withoutEnd(folder).length) : '';
  return rest.startsWith('/') || rest.startsWith('\\');
}

function withoutEnd(folder: string): string {
  return folder.replace(/[/\\]$/, '');
}

/** Reads a ledger; one that is not there says nothing. Rejects when it is there but cannot be read. */
export async function readImports(
  path: string,
  options: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
): Promise<Imports> {
  const { files, signal } = options;
  let feed: ByteFeed;
  try {
    feed = await openFeed(path, files, { start: 0, end: undefined }, signal === undefined ? {} : { signal });
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return Imports.none;
  }
  const entries: ImportEntry[] = [];
  try {
    const framer = new LineFramer({ allocate: allocateWindow, windowBytes: 64 * 1024 });
    for (let more = true; more; ) {
      signal?.throwIfAborted();
      more = await feed.fill(framer);
      if (!more) framer.finish();
      for (let line = framer.next(); line !== undefined; line = framer.next()) {
        if (isBlank(line.bytes, line.start, line.end)) continue;
        // The window is a Buffer, since `allocateWindow` made it.
        const { values } = recoverLine(line.bytes as Buffer, line.start, line.end, line.terminated);
        for (const { value } of values) {
          const entry = readEntry(value);
          if (entry !== undefined) entries.push(entry);
        }
      }
    }
  } finally {
    await feed.close();
  }
  return new Imports(entries);
}

/** Resolves when the entry is on disk. */
export async function appendImport(path: string, entry: ImportEntry): Promise<void> {
  await appendLineSynced(path, JSON.stringify(entry));
}

function readEntry(value: JsonValue): ImportEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const threadId = parseThreadId(value['threadId']);
  if (threadId === undefined) return undefined;
  const files = listOf(value['files']).flatMap((file) => {
    const { file: name, bytes, sha256 } = isJsonObject(file) ? file : {};
    if (typeof name !== 'string' || typeof bytes !== 'number' || typeof sha256 !== 'string') return [];
    return [{ file: name, bytes, sha256 }];
  });
  const cwd = listOf(value['cwd']).flatMap((mapping) => {
    const { from, to } = isJsonObject(mapping) ? mapping : {};
    return typeof from === 'string' && typeof to === 'string' ? [{ from, to }] : [];
  });
  return {
    at: typeof value['at'] === 'string' ? value['at'] : '',
    threadId,
    from: value['from'] === 'log' ? 'log' : 'bundle',
    sha256: typeof value['sha256'] === 'string' ? value['sha256'] : null,
    masked: value['masked'] === true,
    files,
    cwd,
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
