/**
 * Adds to what a search found what the index of threads knows: the thread as a list shows it, and the address that
 * `show` opens. Only a line of another file than the thread's own needs the logs for its address.
 */
import { formatAddress } from '../../../base/address.js';
import type { ThreadId } from '../../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import type { ThreadRow } from '../../../projection/thread-row.js';
import { type LineagePart, resolveLineage } from '../../../rollout/lineage.js';
import type { StateIndex } from '../../../state/index.js';
import type { SearchHit } from '../../session-reader.js';
import type { LocalHit } from './local-search.js';

export interface CompleteOptions {
  readonly state: StateIndex;
  /** Absolute path of the home. */
  readonly home: string;
  readonly files: FileSystem;
  readonly signal: AbortSignal | undefined;
}

/** The same hits in the same order. */
export async function completeHits(hits: readonly LocalHit[], options: CompleteOptions): Promise<readonly SearchHit[]> {
  const ids = new Set(hits.map(({ file }) => file.threadId).filter((id) => id !== null));
  const rows = new Map(options.state.findByIds([...ids]).map((row) => [row.id, row]));
  const addresses = new Addresses(options);
  const complete: SearchHit[] = [];
  for (const { file, place, timestamp, score, snippet } of hits) {
    const { threadId, path, updatedAtMs } = file;
    if (threadId === null) continue;
    const row = rows.get(threadId);
    complete.push({
      threadId,
      address: await addresses.of(threadId, row, path, place.line),
      path,
      home: options.home,
      line: place.line,
      role: place.role,
      timestamp,
      snippet: snippet.text,
      matches: snippet.matches,
      score,
      title: row?.title ?? '',
      name: row?.name ?? null,
      cwd: row?.cwd ?? null,
      updatedAt: row?.updatedAt ?? new Date(updatedAtMs).toISOString(),
    });
  }
  return complete;
}

class Addresses {
  readonly #options: CompleteOptions;
  readonly #parts = new Map<ThreadId, readonly LineagePart[]>();

  constructor(options: CompleteOptions) {
    this.#options = options;
  }

  async of(id: ThreadId, row: ThreadRow | undefined, path: string, line: number): Promise<string> {
    const own = formatAddress({ reference: id, from: line, to: line });
    if (row === undefined || row.path === path) return own;
    const part = (await this.#partsOf(id, row.path)).findIndex((known) => known.path === path) + 1;
    // A file that the thread no longer leads over is opened by itself.
    return part === 0
      ? formatAddress({ reference: path, from: line, to: line })
      : formatAddress({ reference: id, part, from: line, to: line });
  }

  async #partsOf(id: ThreadId, head: string): Promise<readonly LineagePart[]> {
    const known = this.#parts.get(id);
    if (known !== undefined) return known;
    const { files, signal } = this.#options;
    let parts: readonly LineagePart[] = [];
    try {
      ({ parts } = await resolveLineage(head, (named) => this.#named(named), {
        files,
        ...(signal !== undefined && { signal }),
      }));
    } catch (error) {
      // A head that went away since: its other files can still be opened by their paths.
      if (fileErrorCode(error) === undefined || signal?.aborted) throw error;
    }
    this.#parts.set(id, parts);
    return parts;
  }

  #named(uuid: string) {
    // An id in a history_base is one of a thread or of a segment.
    return this.#options.state
      .filesByUuid(uuid as ThreadId)
      .flatMap(({ path, threadId, segmentId, facts }) =>
        threadId === null || facts === null ? [] : [{ path, threadId, segmentId: segmentId ?? undefined }],
      );
  }
}
