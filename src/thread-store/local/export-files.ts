/**
 * Which files of a home belong in a bundle of some threads: all files of these threads, and all of every thread that one of
 * them continues, so that on the other side each of them is whole. What others continue comes first. Reads heads only.
 */
import type { ThreadId } from '../../base/ids.js';
import type { FileSystem } from '../../platform/files/file-system.js';
import { isCompressed } from '../../rollout/byte-feed.js';
import { type Lineage, orderOldestFirst, resolveLineage } from '../../rollout/lineage.js';
import { dateFolderOf, fileNameOf, SESSIONS_FOLDER } from '../../rollout/paths.js';
import type { WalkedFile } from '../../rollout/walk.js';
import { isBundlePath } from '../bundle/format.js';
import { ThreadNotFoundError, UnsupportedError } from '../errors.js';
import { type NamedFile, ThreadFiles } from './thread/thread-files.js';

/** A log that is to be exported. */
export interface ExportedLog {
  /** Absolute. */
  readonly source: string;
  /** Where it goes in a home; of a known shape. */
  readonly path: string;
  readonly file: NamedFile;
  readonly base: { readonly source: string; readonly endByteOffset: number } | undefined;
}

export interface ExportedFiles {
  /** In the order in which they were asked for, then those that they continue. */
  readonly threads: readonly { readonly id: ThreadId; readonly requested: boolean }[];
  /** What others continue comes before them. */
  readonly logs: readonly ExportedLog[];
  /** What of their lineage is missing or does not fit. */
  readonly damage: Lineage['damage'];
}

export interface ExportFilesOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** Throws ThreadNotFoundError for an id that stands in no name of a file. */
export async function filesToExport(
  home: string,
  ids: readonly ThreadId[],
  { files, signal }: ExportFilesOptions,
): Promise<ExportedFiles> {
  const found = await ThreadFiles.walk(home, { files, signal });
  const requested = new Set(ids);
  const threads = new Set<ThreadId>(ids);
  const logs = new Map<string, ExportedLog>();
  const damage: Lineage['damage'][number][] = [];
  for (const id of threads) {
    const own = withoutTwins(found.withId(id).filter((file) => file.threadId === id));
    if (own.length === 0) throw notNamed(id, requested.has(id));
    for (const file of own) {
      const lineage = await resolveLineage(file.path, found.lookup, { files, ...(signal && { signal }) });
      damage.push(...lineage.damage.filter(({ path }) => path === file.path));
      const base = lineage.parts.at(-2);
      for (const part of lineage.parts) {
        const of = found.byPath(part.path)?.name?.threadId;
        // Visited by this very loop.
        if (of !== undefined) threads.add(of);
      }
      logs.set(file.path, {
        source: file.path,
        path: placeOf(file.walked),
        file,
        base: base && { source: base.path, endByteOffset: base.endByteOffset ?? 0 },
      });
    }
  }
  return {
    threads: [...threads].map((id) => ({ id, requested: requested.has(id) })),
    logs: basesFirst(logs),
    damage,
  };
}

function notNamed(id: ThreadId, requested: boolean): ThreadNotFoundError | UnsupportedError {
  if (!requested) return new ThreadNotFoundError(id);
  return new UnsupportedError(`Cannot export thread ${id}: no file has its id in its name`, {
    hint: 'Its log lies under the name of another thread; copy that file as it is.',
  });
}

function withoutTwins(files: readonly NamedFile[]): readonly NamedFile[] {
  const plain = new Set(files.map(({ path }) => path));
  const single = files.filter(({ path }) => !isCompressed(path) || !plain.has(path.slice(0, -'.zst'.length)));
  return orderOldestFirst(single);
}

function placeOf({ relativePath, name }: WalkedFile): string {
  if (isBundlePath(relativePath)) return relativePath;
  const [year, month, day] = dateFolderOf(name?.startedAtText ?? '') ?? [];
  return `${SESSIONS_FOLDER}/${year}/${month}/${day}/${fileNameOf(relativePath)}`;
}

function basesFirst(logs: ReadonlyMap<string, ExportedLog>): readonly ExportedLog[] {
  const ordered = new Set<ExportedLog>();
  for (const log of logs.values()) {
    const chain: ExportedLog[] = [];
    // Two files may each name the other.
    for (let at: ExportedLog | undefined = log; at !== undefined && !ordered.has(at) && !chain.includes(at); ) {
      chain.unshift(at);
      at = at.base === undefined ? undefined : logs.get(at.base.source);
    }
    for (const next of chain) ordered.add(next);
  }
  return [...ordered];
}
