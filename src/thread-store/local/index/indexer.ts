/**
 * Brings the index of a home up to date with its logs. Here it is found out whether anything is to be done; what is done
 * then (`index-update.ts`) is loaded when there is something to do, since most commands find everything as it was.
 */
import type { FileSystem } from '../../../platform/files/file-system.js';
import { nodeFileSystem } from '../../../platform/files/node-file-system.js';
import { type WalkResult, walkRollouts } from '../../../rollout/walk.js';
import type { SearchIndex, StateIndex } from '../../../state/index.js';
import type { IndexProgress, IndexState } from '../../session-reader.js';
import { type ScanWorkers, startScanWorkers } from '../scan/scan-workers.js';
import { changedFiles } from './file-changes.js';
import { isMaskedAsNow, namesAreKnown, openChanges } from './index-notes.js';

export interface IndexerOptions {
  readonly home: string;
  /** The ledger of what was imported; undefined where there can be none. */
  readonly importsFile?: string | undefined;
  readonly files: FileSystem;
  /** Milliseconds on a clock that only goes forward. */
  readonly clock: () => number;
  /** Told, once each, what could not be read and is missing from every answer. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** Whether what tools were asked and answered is searched too. */
  readonly searchTools?: boolean | undefined;
}

/** What a refresh brings up to date. */
export interface IndexTarget {
  readonly state: StateIndex;
  /** The full text; asked for only when there is something to write, or when `fullText` is `complete`. */
  readonly search: () => Promise<SearchIndex>;
}

export interface RefreshOptions {
  readonly signal?: AbortSignal | undefined;
  /** Stops reading bodies after so long; heads are always finished. Default: no limit. */
  readonly budgetMs?: number | undefined;
  /** Heads first, so that a list can answer; default true. */
  readonly headsFirst?: boolean | undefined;
  /**
   * `along`: the full text of what has to be read anyway. `complete`: all of it. Default `along`.
   */
  readonly fullText?: 'along' | 'complete' | undefined;
  /** True when nobody else writes this index, as while a generation is filled. */
  readonly alone?: boolean | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  /** What `workAhead` gave, for one refresh that reads everything; whoever asked for it ends it. */
  readonly ahead?: WorkAhead | undefined;
}

/** A look at the home, and threads that were started for what it holds. */
export interface WorkAhead {
  readonly walk: WalkResult;
  readonly workers: ScanWorkers;
}

export interface RefreshResult extends IndexState {
  /** Bytes of all files on disk. */
  readonly bytes: number;
  /** True when texts that were masked by older rules were replaced: their bytes may still lie in free pages. */
  readonly remasked?: true;
}

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #noticed = new Set<string>();

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Resolves when the index fits the files, or when the budget is used up. Rejects with the signal's reason. */
  async refresh(target: IndexTarget, options: RefreshOptions = {}): Promise<RefreshResult> {
    const startedAt = this.#options.clock();
    const walk = options.ahead?.walk ?? (await this.#walk(options.signal));
    for (const { path, code } of walk.problems)
      this.#notice(`Cannot read ${path} (${code}): what it holds is not listed`);
    const stamps = target.state.stamps();
    if (options.fullText !== 'complete' && (await this.#isUpToDate(target.state, walk, stamps))) {
      const files = walk.files.length;
      options.onProgress?.({ phase: 'walk', done: files, files });
      return { state: 'complete', indexed: files, files, ...sumOf(walk) };
    }
    const { IndexUpdate } = await import('./index-update.js');
    const { clock } = this.#options;
    const update = new IndexUpdate({ ...this.#options, onNotice: (message) => this.#notice(message) });
    const { budgetMs } = options;
    return update.run(
      target,
      { walk, stamps },
      {
        ...options,
        ...(budgetMs !== undefined && { budgetMs: budgetMs - (clock() - startedAt) }),
      },
    );
  }

  /** Looks at the home and starts threads to read all of it, so that they are ready when an index is open. */
  async workAhead(signal: AbortSignal | undefined): Promise<WorkAhead> {
    const walk = await this.#walk(signal);
    // A thread has no file system but the real one.
    if (this.#options.files !== nodeFileSystem) return { walk, workers: [] };
    const bytes = walk.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    return { walk, workers: startScanWorkers({ bytes, most: walk.files.length }) };
  }

  /** Files that are not as an index has seen them. */
  async changedSince(index: StateIndex, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
    const { changed, vanished } = changedFiles(await this.#walk(signal), index.stamps());
    return new Set([...changed.map(({ file }) => file.path), ...vanished]);
  }

  #walk(signal: AbortSignal | undefined): Promise<WalkResult> {
    const { home, files } = this.#options;
    return walkRollouts(home, { files, ...(signal !== undefined && { signal }) });
  }

  /** True when there is nothing to read, to compose or to take away. */
  async #isUpToDate(state: StateIndex, walk: WalkResult, stamps: ReadonlyMap<string, string>): Promise<boolean> {
    if (stamps.size === 0 || !isMaskedAsNow(state) || openChanges(state) > 0) return false;
    const { changed, vanished } = changedFiles(walk, stamps);
    return changed.length + vanished.length === 0 && (await namesAreKnown(state, this.#options, this.#options.files));
  }

  #notice(message: string): void {
    if (this.#noticed.has(message)) return;
    this.#noticed.add(message);
    this.#options.onNotice?.(message);
  }
}

/** What a result says of the home itself. */
function sumOf({ files, problems }: WalkResult): Pick<RefreshResult, 'bytes' | 'unreadableFolders'> {
  return {
    bytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    ...(problems.length > 0 && { unreadableFolders: problems.length }),
  };
}
