/**
 * Reads the sessions of a home on disk. Nothing in the home is ever written; what is derived from it lies in the index.
 *
 * Opening, showing and checking a thread need no index: names on disk are enough. Lists, names and the newest thread do;
 * each such call first brings the index up to date with the files. What only some calls need is loaded by those: a list
 * answers before the rest would be read.
 */
import path from 'node:path';
import { parseThreadId, type ThreadId } from '../../base/ids.js';
import type { FileSystem } from '../../platform/files/file-system.js';
import { isSqliteError } from '../../platform/sqlite/index.js';
import type { ThreadRow } from '../../projection/thread-row.js';
import type { FileLookup, LineageFile } from '../../rollout/lineage.js';
import { IMPORTS_FILE } from '../../rollout/paths.js';
import type { StateDatabase } from '../../state/index.js';
import type { LogFunction } from '../../state/logs/index.js';
import { IndexNotWritableError, ThreadNotFoundError } from '../errors.js';
import {
  DEFAULT_LIST_LIMIT,
  type HomeInfo,
  type IndexState,
  type ListQuery,
  type ReadOptions,
  type RebuildResult,
  type SearchPage,
  type SearchQuery,
  type SessionReader,
  type ThreadCandidate,
  type ThreadLineage,
  type ThreadPage,
  type ThreadReader,
  type VerifiedFile,
} from '../session-reader.js';
import { candidateOf } from '../thread-candidate.js';
import { type DatabasePaths, type HomeIndex, IndexHandle } from './index/index-handle.js';
import { rebuildEntry, refreshEntry } from './index/index-log.js';
import { Indexer, type RefreshOptions, type RefreshResult } from './index/indexer.js';
import { endScanWorkers } from './scan/scan-workers.js';
import type { LocalSearch } from './search/local-search.js';
import type { LocalThread } from './thread/local-thread.js';
import { withLoggedFolder } from './thread/logged-folder.js';
import { ThreadFiles } from './thread/thread-files.js';

export interface LocalSessionReaderOptions {
  readonly home: HomeInfo;
  readonly files: FileSystem;
  /** The ledger of what was imported; default `imports.jsonl` of a home of ours, and none for another program's. */
  readonly importsFile?: string | undefined;
  /** Asked when the index is first needed; undefined keeps it in memory. */
  readonly indexPaths: () => Promise<DatabasePaths | undefined>;
  /** Whether what tools were asked and answered is searched too; default false. */
  readonly searchTools?: boolean | undefined;
  /** Milliseconds on a clock that only goes forward. */
  readonly clock: () => number;
  /** Told what a person should know: an index that was set aside, one that is in memory. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** Told how far a refresh has come. */
  readonly onProgress?: RefreshOptions['onProgress'];
  /** Told what was done to the index, with counts and times. */
  readonly log?: LogFunction | undefined;
}

type RefreshQuery = Pick<ListQuery, 'signal' | 'indexBudgetMs' | 'indexMaxAgeMs'> & Pick<RefreshOptions, 'fullText'>;

/** So that a first list, heads included, answers within two seconds. */
const DEFAULT_BUDGET_MS = 1_500;

export class LocalSessionReader implements SessionReader {
  readonly home: HomeInfo;
  readonly #options: LocalSessionReaderOptions;
  readonly #indexer: Indexer;
  readonly #index: IndexHandle;
  readonly #importsFile: string | undefined;
  #search: LocalSearch | undefined;
  #lastRefresh:
    | {
        readonly state: StateDatabase;
        readonly atMs: number;
        readonly result: RefreshResult;
        readonly fullText: RefreshQuery['fullText'];
      }
    | undefined;

  constructor(options: LocalSessionReaderOptions) {
    this.home = options.home;
    this.#options = options;
    const { home, files } = options;
    this.#importsFile =
      options.importsFile ?? (home.kind === 'codicil' ? files.join(home.path, IMPORTS_FILE) : undefined);
    this.#index = new IndexHandle({ homePath: options.home.path, ...options });
    this.#indexer = new Indexer({
      home: options.home.path,
      importsFile: this.#importsFile,
      files: options.files,
      clock: options.clock,
      onNotice: options.onNotice,
      searchTools: options.searchTools,
    });
  }

  async list(query: ListQuery = {}): Promise<ThreadPage> {
    const { files } = this.#options;
    return this.#index.use(async (index) => {
      const { state } = index;
      const refreshed = await this.#refresh(index, query);
      const filter = filterOf(await withLoggedFolder(query, state, files));
      const page = { ...filter, limit: query.limit ?? DEFAULT_LIST_LIMIT, cursor: query.cursor };
      return state.snapshot(() => ({
        ...(query.all ? state.listFiles(page) : state.listThreads(page)),
        total: query.all ? state.countListedFiles(filter) : state.countThreads(filter),
        hidden: query.all ? onlyEmpty(state.hiddenCounts(filter)) : state.hiddenCounts(filter),
        index: indexStateOf(refreshed),
      }));
    });
  }

  async listedIds(query: ListQuery = {}): Promise<readonly ThreadId[]> {
    const { files } = this.#options;
    return this.#index.use(async ({ state }) => state.listedIds(filterOf(await withLoggedFolder(query, state, files))));
  }

  async lineageOf(
    ids: readonly ThreadId[],
    { signal }: ReadOptions = {},
  ): Promise<ReadonlyMap<ThreadId, ThreadLineage>> {
    const { files } = this.#options;
    return this.#index.use(async ({ state }) => {
      const { LineageReader } = await import('./thread/index.js');
      const reader = new LineageReader({ state, files, signal });
      const found = new Map<ThreadId, ThreadLineage>();
      for (const id of ids) {
        const lineage = await reader.lineageOf(id);
        if (lineage !== undefined) found.set(id, lineage);
      }
      return found;
    });
  }

  async candidates(reference: string, options: ReadOptions = {}): Promise<readonly ThreadCandidate[]> {
    const digits = reference.replaceAll('-', '').toLowerCase();
    const isIdEnd = /^[0-9a-f]{4,32}$/.test(digits);
    const named = isIdEnd ? await this.#namedThreads(digits, options) : [];
    const full = parseThreadId(reference);
    if (full !== undefined && named.length > 0) return named;
    return this.#index.use(async (index) => {
      const { state } = index;
      await this.#refresh(index, options);
      const rows = [...(isIdEnd ? state.findByIdEnd(digits) : []), ...state.findByName(reference)];
      const known = new Map<ThreadId, ThreadCandidate>();
      for (const candidate of rows.map(candidateOf)) if (candidate !== undefined) known.set(candidate.id, candidate);
      for (const candidate of named) if (!known.has(candidate.id)) known.set(candidate.id, candidate);
      return [...known.values()];
    });
  }

  async latest({
    cwd,
    ...options
  }: ReadOptions & { readonly cwd?: string } = {}): Promise<ThreadCandidate | undefined> {
    const { files } = this.#options;
    return this.#index.use(async (index) => {
      const { state } = index;
      await this.#refresh(index, options);
      const row = state.latest({ cwd: (await withLoggedFolder({ cwd }, state, files)).cwd });
      return row && candidateOf(row);
    });
  }

  open(id: ThreadId, { signal }: ReadOptions = {}): Promise<ThreadReader> {
    return this.#open(id, signal);
  }

  async #open(id: ThreadId, signal: AbortSignal | undefined): Promise<LocalThread> {
    const { files } = this.#options;
    const {
      headOfThread,
      Imports,
      LocalThread: Thread,
      readImports,
      resolveLineage,
      rowFromHead,
    } = await import('./thread/index.js');
    const found = await ThreadFiles.walk(this.home.path, { files, signal });
    const named = found.withId(id);
    const active = named.filter(({ walked }) => walked.location === 'sessions');
    // An id that stands in no name is one that only a log itself tells; which of several files counts, the index knows.
    const [only, ...others] = named;
    const isTold = only !== undefined && others.length === 0 && (await isNamedRightly(only, { files, signal }));
    const refresh = others.length === 0;
    const known = isTold ? undefined : await this.#indexedRow(id, { refresh, holding: named, signal });
    const head = this.#pathOnDisk(known, found) ?? headOfThread(active.length > 0 ? active : named)?.path;
    if (head === undefined) throw new ThreadNotFoundError(id);
    const lineage = await resolveLineage(head, found.lookup, { files, ...(signal !== undefined && { signal }) });
    const ledger = this.#importsFile;
    const imports = ledger === undefined ? Imports.none : await readImports(ledger, { files, signal });
    const row = async (): Promise<ThreadRow> => {
      const indexed = await this.#indexedRow(id, { refresh: false, signal }).catch(withoutIndex);
      const isMoved = imports.foldersOf(id).length > 0;
      if (indexed?.path === head && !isMoved) return indexed;
      const walked = found.byPath(head);
      if (walked === undefined) throw new ThreadNotFoundError(id);
      const row = rowFromHead(id, walked, named, { home: this.home.path, files, imports });
      // The index may not have seen yet where its folder is here.
      return indexed?.path === head ? { ...indexed, cwd: row.cwd } : row;
    };
    return new Thread({
      id,
      path: head,
      row,
      lineage,
      files,
      imports,
      home: this.home.path,
      reopen: (again) => this.#open(id, again),
    });
  }

  async why(reference: string, options: ReadOptions = {}): Promise<readonly ThreadRow[]> {
    return this.#index.use(async (index) => {
      const { state } = index;
      await this.#refresh(index, options);
      const absolute = path.resolve(reference);
      if (state.file(absolute) !== undefined) return state.rowsOfFiles([absolute]);
      const ids = (await this.candidates(reference, options)).map(({ id }) => id);
      return state.rowsOfFiles(ids.flatMap((id) => state.filesOfThread(id).map((file) => file.path)));
    });
  }

  async *verify(
    target: { readonly id: ThreadId } | { readonly path: string } | 'all',
    options: Parameters<SessionReader['verify']>[1] = {},
  ): AsyncGenerator<VerifiedFile, void> {
    const { files } = this.#options;
    const { signal } = options;
    const { verifyRollout, withLineageFaults } = await import('./thread/index.js');
    let found: ThreadFiles | undefined;
    // Only a log that continues another asks for the others.
    const lookup: FileLookup = async (id) => {
      found ??= await ThreadFiles.walk(this.home.path, { files, signal });
      return found.withId(id);
    };
    if (target === 'all') {
      const { problems } = await ThreadFiles.walk(this.home.path, { files, signal });
      for (const { path: folder, code } of problems) yield unreadableFolder(folder, code);
    }
    for (const file of await this.#filesToVerify(target, options))
      yield await withLineageFaults(await verifyRollout(file, { ...options, files }), lookup, { files, signal });
  }

  async rebuild(options: Parameters<SessionReader['rebuild']>[0] = {}): Promise<RebuildResult> {
    // A proof looks at the index in use first, and at the home again after that.
    let ahead = options.prove ? undefined : await this.#indexer.workAhead(options.signal);
    const workers = ahead?.workers ?? [];
    try {
      return await this.#index.use(async (index) => {
        const target = { state: index.state, search: await index.search() };
        if (this.#index.memoryCause !== undefined) throw new IndexNotWritableError(this.#index.memoryCause);
        const { rebuildIndex } = await import('./index/rebuild.js');
        const rebuilding = rebuildIndex(target, this.#indexer, { ...options, ahead, clock: this.#options.clock });
        // Work that is done again, because a database had to be replaced, looks again.
        ahead = undefined;
        const result = await rebuilding;
        this.#options.log?.(rebuildEntry(this.home.path, result));
        return result;
      });
    } finally {
      await endScanWorkers(workers);
    }
  }

  async indexState(
    options: ReadOptions = {},
  ): Promise<IndexState & { readonly bytes: number; readonly threads: number }> {
    return this.#index.use(async (index) => {
      const { state } = index;
      const refreshed = await this.#refresh(index, options);
      return { ...refreshed, threads: state.countThreads() };
    });
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const { clock, files } = this.#options;
    return this.#index.use(async (index) => {
      const { state } = index;
      const budget = { indexBudgetMs: query.indexBudgetMs ?? Number.POSITIVE_INFINITY };
      const refreshed = await this.#refresh(index, { ...query, ...budget, fullText: 'complete' });
      const fullText = await index.search();
      const { cwd } = await withLoggedFolder(query, state, files);
      const { completeHits, LocalSearch } = await import('./search/index.js');
      const startedMs = clock();
      this.#search ??= new LocalSearch();
      const threads = cwd === undefined ? undefined : new Set(state.threadsInFolder(cwd));
      const found = this.#search.search({ ...query, threads }, { state, index: fullText, files });
      // A log that changed since it was indexed is looked at again by the next call.
      if (found.isStale) this.#lastRefresh = undefined;
      return {
        hits: await completeHits(found.hits, { state, home: this.home.path, files, signal: query.signal }),
        total: found.total,
        totalIsBound: found.totalIsBound,
        tookMs: Math.round((clock() - startedMs) * 100) / 100,
        index: indexStateOf(refreshed),
      };
    });
  }

  /** Waits for calls that are at work. */
  close(): Promise<void> {
    return this.#index.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #filesToVerify(
    target: { readonly id: ThreadId } | { readonly path: string } | 'all',
    { signal }: ReadOptions,
  ): Promise<readonly string[]> {
    if (target !== 'all' && 'path' in target) return [path.resolve(target.path)];
    const found = await ThreadFiles.walk(this.home.path, { files: this.#options.files, signal });
    const rollouts = found.files.filter(({ hidden }) => hidden === null || hidden === 'unreadable');
    if (target === 'all') return rollouts.map((file) => file.path);
    const named = found.withId(target.id).map((file) => file.path);
    if (named.length > 0) return named;
    const indexed = this.#pathOnDisk(await this.#indexedRow(target.id, { refresh: true, signal }), found);
    if (indexed === undefined) throw new ThreadNotFoundError(target.id);
    return [indexed];
  }

  /** Threads whose file names end in these digits, without asking the index. */
  async #namedThreads(digits: string, { signal }: ReadOptions): Promise<readonly ThreadCandidate[]> {
    const { files } = this.#options;
    const { headOfThread, Imports, readImports, rowFromHead } = await import('./thread/index.js');
    const ledger = this.#importsFile;
    const imports = ledger === undefined ? Imports.none : await readImports(ledger, { files, signal });
    const found = await ThreadFiles.walk(this.home.path, { files, signal });
    const candidates = found.idsEndingIn(digits).map((id) => {
      const named = found.withId(id);
      const head = headOfThread(named);
      return head && candidateOf(rowFromHead(id, head.walked, named, { home: this.home.path, files, imports }));
    });
    return candidates.filter((candidate) => candidate !== undefined);
  }

  #pathOnDisk(row: ThreadRow | undefined, found: ThreadFiles): string | undefined {
    return row !== undefined && found.byPath(row.path) !== undefined ? row.path : undefined;
  }

  /**
   * What the index says, as it is: opening a thread that a file name tells of never waits for an index to be built.
   * `refresh` is for an id that stands in no name. Nothing when it lacks a file of `holding`: that may be a segment
   * which has come since, and the one that counts.
   */
  async #indexedRow(
    id: ThreadId,
    options: {
      readonly refresh: boolean;
      readonly holding?: readonly LineageFile[];
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<ThreadRow | undefined> {
    const { refresh, holding = [], signal } = options;
    return this.#index.use(async (index) => {
      const { state } = index;
      if (refresh) await this.#refresh(index, { ...(signal !== undefined && { signal }) });
      if (holding.some(({ path: file }) => state.file(file) === undefined)) return undefined;
      return state.findById(id);
    });
  }

  async #refresh(index: HomeIndex, options: RefreshQuery): Promise<RefreshResult> {
    const { clock, log, onProgress } = this.#options;
    const { state } = index;
    const last = this.#lastRefresh;
    const isEnough = options.fullText === undefined || options.fullText === last?.fullText;
    if (last?.state === state && isEnough && clock() - last.atMs < (options.indexMaxAgeMs ?? 0)) return last.result;
    const atMs = clock();
    let changed = 0;
    const result = await this.#indexer.refresh(index, {
      signal: options.signal,
      budgetMs: options.indexBudgetMs ?? DEFAULT_BUDGET_MS,
      fullText: options.fullText,
      onProgress: (progress) => {
        if (progress.phase === 'walk') changed = progress.files - progress.done;
        onProgress?.(progress);
      },
    });
    if (result.remasked) await forgetOldBytes(index);
    log?.(refreshEntry(this.home.path, result, { changed, tookMs: Math.round(clock() - atMs) }));
    const { fullText } = options;
    this.#lastRefresh = result.state === 'complete' ? { state, atMs, result, fullText } : undefined;
    return result;
  }
}

/** Texts that older rules left unmasked may still lie in pages that are free. */
async function forgetOldBytes(index: HomeIndex): Promise<void> {
  index.state.vacuum();
  (await index.search()).vacuum();
}

/** What a folder holds that cannot be read is unknown, and nothing to call sound. */
function unreadableFolder(folder: string, code: string): VerifiedFile {
  const message = `The folder cannot be read: ${code}`;
  const errors = [{ line: 0, byteOffset: 0, kind: 'unreadable', message, lost: true }] as const;
  return { path: folder, dialect: null, lines: 0, records: 0, unknown: [], errors, tornTail: false, ok: false };
}

/** A thread can be opened where there is no SQLite at all. */
function withoutIndex(error: unknown): undefined {
  if (!isSqliteError(error, 'sqlite-no-driver')) throw error;
}

function filterOf({ cwd, provider, source, archived, sort, sinceMs, untilMs }: ListQuery) {
  return { cwd, provider, source, archived, sort, sinceMs, untilMs };
}

/** Of what `list --all` does not show there is one kind only: files without any record. */
function onlyEmpty({ empty }: ThreadPage['hidden']): ThreadPage['hidden'] {
  return empty === undefined ? {} : { empty };
}

function indexStateOf({ bytes: _bytes, remasked: _remasked, ...state }: RefreshResult): IndexState {
  return state;
}

/** False for a log that says by itself that it is another thread's than the one in its name. */
async function isNamedRightly(
  { path: file, threadId, segmentId }: LineageFile,
  { files, signal }: { readonly files: FileSystem; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  if (segmentId !== undefined) return true;
  const { readFirstMeta } = await import('./thread/index.js');
  const told = (await readFirstMeta(file, { files, ...(signal !== undefined && { signal }) }))?.id;
  return told === undefined || parseThreadId(told) === undefined || parseThreadId(told) === threadId;
}
