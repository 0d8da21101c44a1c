/**
 * One thread of a home on disk, opened for reading. Holds no file open between calls.
 */
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import type { ThreadRow } from '../../../projection/thread-row.js';
import { TurnsFold } from '../../../projection/turns.js';
import { DamageLog } from '../../../rollout/damage.js';
import { readRecords } from '../../../rollout/forward-reader.js';
import type { Lineage } from '../../../rollout/lineage.js';
import { loadBytesSync, loadLines } from '../../../rollout/load-line.js';
import type {
  FileDamage,
  FollowQuery,
  HistoryResult,
  RawLine,
  ReadOptions,
  ThreadFollower,
  ThreadPart,
  ThreadReader,
  TurnsQuery,
  TurnsResult,
} from '../../session-reader.js';
import type { Imports } from '../import/import-ledger.js';
import { LocalThreadFollower } from './thread-follower.js';
import { readHistory } from './thread-history.js';

export interface LocalThreadOptions {
  readonly id: ThreadId;
  /** Absolute path of the file that a resume would append to. */
  readonly path: string;
  readonly row: () => Promise<ThreadRow>;
  readonly lineage: Lineage;
  readonly files: FileSystem;
  /** Absolute path of the home. */
  readonly home: string;
  /** Finds the thread anew. */
  readonly reopen: (signal: AbortSignal | undefined) => Promise<LocalThread>;
  /** What of it came from elsewhere. */
  readonly imports: Imports;
}

export class LocalThread implements ThreadReader {
  readonly id: ThreadId;
  readonly path: string;
  readonly parts: readonly ThreadPart[];
  readonly #row: () => Promise<ThreadRow>;
  readonly #files: FileSystem;
  readonly #lineage: Lineage;
  readonly #home: string;
  readonly #reopen: LocalThreadOptions['reopen'];
  readonly #imports: Imports;

  constructor({ id, path, row, lineage, files, home, reopen, imports }: LocalThreadOptions) {
    this.#home = home;
    this.#reopen = reopen;
    this.id = id;
    this.path = path;
    this.parts = lineage.parts;
    this.#row = row;
    this.#lineage = lineage;
    this.#files = files;
    this.#imports = imports;
  }

  row(): Promise<ThreadRow> {
    return this.#row();
  }

  async history({ signal }: ReadOptions = {}): Promise<HistoryResult> {
    const { items, damage } = await readHistory(this.parts, { files: this.#files, signal });
    return { threadId: this.id, items, damage: [...this.#lineage.damage, ...damage] };
  }

  async turns({ from, to, last, all, lines: window, signal }: TurnsQuery = {}): Promise<TurnsResult> {
    const fold = new TurnsFold({
      from,
      to,
      last,
      all,
      lines: window && { path: this.path, ...window },
      importedBytes: (path) => this.#imports.importedBytes(path),
    });
    const errors = new DamageLog<FileDamage>();
    errors.addAll(this.#lineage.damage);
    let lines = 0;
    let records = 0;
    for (const { path, endByteOffset } of this.parts) {
      const options = { files: this.#files, endByteOffset, ...(signal !== undefined && { signal }) };
      for await (const batch of readRecords(path, options)) {
        for (const { line, lineNumber, byteOffset, byteLength, unknown } of batch.records) {
          const rawText = (): string => loadBytesSync(path, { byteOffset, byteLength }, this.#files).toString('utf8');
          fold.apply({ line, lineNumber, byteOffset, path, unknown, rawText });
        }
        for (const found of batch.damage) errors.add({ ...found, path });
        records += batch.records.length;
        if (batch.last) lines += batch.lines;
      }
    }
    return {
      thread: await this.row(),
      turns: fold.finish(),
      totalTurns: fold.totalTurns,
      parse: { lines, records, errors: errors.list() },
    };
  }

  async lines(
    { from, to, path = this.path }: { readonly from: number; readonly to: number; readonly path?: string },
    { signal }: ReadOptions = {},
  ): Promise<readonly RawLine[]> {
    return loadLines(path, { from, to }, { files: this.#files, ...(signal !== undefined && { signal }) });
  }

  /** What is missing of the files that it continues. */
  get lineageDamage(): Lineage['damage'] {
    return this.#lineage.damage;
  }

  follow(query: FollowQuery = {}): ThreadFollower {
    return new LocalThreadFollower({ open: this.#reopen, home: this.#home, files: this.#files, query });
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
