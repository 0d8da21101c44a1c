/**
 * The threads of a home on disk, for writing. What is in the logs is the truth; names are those of `session_index.jsonl`.
 *
 * Reading goes through the reader of the same home, so both show the same. A log is written under the writer lock that the
 * real client takes too. Each change is made by one step that counts, so that a process that is killed leaves the state
 * before or the state after it.
 */
import type { ThreadId } from '../../base/ids.js';
import type { FileSystem } from '../../platform/files/file-system.js';
import { writeNewFile } from '../../platform/files/new-file.js';
import { formatInstant } from '../../projection/instant.js';
import { encodeLine } from '../../protocol/decode-line.js';
import type { WrittenDialect } from '../../protocol/persistence.js';
import type { HistoryBase, SessionMeta } from '../../protocol/session-meta.js';
import { appendThreadName } from '../../rollout/append-name.js';
import { readFirstMeta } from '../../rollout/lineage.js';
import { type Durability, RolloutRecorder } from '../../rollout/recorder.js';
import { acquireWriterLock, type WriterLock } from '../../rollout/writer-lock.js';
import { checkedLimit, checkedName, checkTurn, storedThread } from '../checked.js';
import { DamagedError, UnsupportedError } from '../errors.js';
import { forkedThreadMeta, newThreadMeta, type Writer } from '../first-record.js';
import type { ReadOptions, SessionReader, ThreadReader } from '../session-reader.js';
import type {
  CreateThread,
  ForkThread,
  LiveThread,
  ReadThread,
  StoredThread,
  StoredThreadPage,
  StoredThreadQuery,
  ThreadPatch,
  ThreadStore,
} from '../thread-store.js';
import { decompressLog } from './lifecycle/index.js';
import { copyLog } from './write/copy-log.js';
import { baseAt, type Cut, endOf, readTurns } from './write/cut.js';
import { LocalLiveThread, type LocalLiveThreadOptions } from './write/local-live-thread.js';
import { newLogPath } from './write/new-log-place.js';

export interface LocalThreadStoreOptions {
  /** Of the home that is written to. The store closes it. */
  readonly reader: SessionReader;
  readonly files: FileSystem;
  /** What changes a whole thread: see `lifecycle`. */
  readonly lifecycle: ThreadLifecycle;
  /** Makes the folder a home of ours before the first write; nothing for a home that is another program's. */
  readonly prepare: () => Promise<void>;
  /** Of threads for which none is named; default `legacy`. */
  readonly dialect?: WrittenDialect | undefined;
  readonly durability: Durability;
  readonly writer: Writer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** UUIDs of version 7. */
  readonly newId: () => ThreadId;
}

/** Changes that move or remove all files of a thread. */
export interface ThreadLifecycle {
  archive(id: ThreadId, options: ReadOptions): Promise<void>;
  unarchive(id: ThreadId, options: ReadOptions): Promise<void>;
  remove(id: ThreadId, options: ReadOptions): Promise<void>;
}

export class LocalThreadStore implements ThreadStore {
  readonly capabilities = { durable: true };
  readonly #options: LocalThreadStoreOptions;
  readonly #live = new Set<LocalLiveThread>();

  constructor(options: LocalThreadStoreOptions) {
    this.#options = options;
  }

  async create({ meta, dialect = this.#options.dialect ?? 'legacy', signal }: CreateThread): Promise<LiveThread> {
    signal?.throwIfAborted();
    const { newId, now, prepare, writer } = this.#options;
    await prepare();
    const id = newId();
    const startedAtMs = now();
    const first = newThreadMeta(meta, { id, timestamp: formatInstant(startedAtMs), dialect }, writer);
    const path = newLogPath(this.#home, { threadId: id, startedAtMs });
    return this.#underLock(id, async (lock) => {
      const recorder = RolloutRecorder.create({ ...this.#recording, path, meta: first, dialect });
      return this.#liveThread({ id, dialect, recorder, parts: [{ path, endByteOffset: null }], lock });
    });
  }

  async resume(id: ThreadId, { signal }: ReadOptions = {}): Promise<LiveThread> {
    // Found before the lock is asked for, so that an id that is none leaves no lock behind.
    await (await this.#open(id, signal)).close();
    return this.#underLock(id, async (lock) => {
      // Somebody may have moved it until the lock was ours.
      await using thread = await this.#open(id, signal);
      const recorder = await RolloutRecorder.resume({ ...this.#recording, path: thread.path, threadId: id });
      const parts = thread.parts.map((part) => (part.path === thread.path ? { ...part, path: recorder.path } : part));
      return this.#liveThread({ id, dialect: recorder.dialect, recorder, parts, lock });
    });
  }

  async read(
    id: ThreadId,
    { history, signal }: ReadOptions & { readonly history?: boolean } = {},
  ): Promise<ReadThread> {
    await using thread = await this.#open(id, signal);
    const stored = await this.#row(id, thread);
    return history === true ? { thread: stored, history: await thread.history(signalled(signal)) } : { thread: stored };
  }

  async list({ limit, ...query }: StoredThreadQuery = {}): Promise<StoredThreadPage> {
    const most = checkedLimit(limit);
    const page = await this.#options.reader.list({
      ...query,
      limit: most,
      indexBudgetMs: Number.POSITIVE_INFINITY,
    });
    return {
      threads: page.threads.flatMap((row) => (row.id === null ? [] : [storedThread(row, row.id)])),
      nextCursor: page.nextCursor,
      total: page.total,
    };
  }

  async patch(id: ThreadId, patch: ThreadPatch, { signal }: ReadOptions = {}): Promise<StoredThread> {
    const name = patch.name === undefined ? undefined : checkedName(patch.name);
    const before = (await this.read(id, signalled(signal))).thread;
    const { lifecycle } = this.#options;
    if (patch.archived === true && !before.archived) await lifecycle.archive(id, signalled(signal));
    if (patch.archived === false && before.archived) await lifecycle.unarchive(id, signalled(signal));
    if (name !== undefined && name !== before.name) await this.#appendName(id, name);
    return (await this.read(id, signalled(signal))).thread;
  }

  async fork(id: ThreadId, { atTurn, meta: overrides, signal }: ForkThread = {}): Promise<LiveThread> {
    checkTurn(atTurn);
    const { files, newId, now, writer } = this.#options;
    await using source = await this.#open(id, signal);
    const meta = await readFirstMeta(source.path, { files, ...signalled(signal) });
    if (meta === undefined) {
      throw new DamagedError(`Cannot fork thread ${id}: its log does not say who it is`, { path: source.path });
    }
    const dialect = dialectOf(meta, source.path);
    const cut =
      atTurn === undefined ? endOf(source.parts) : (await readTurns(source.parts, { files, signal })).cutAfter(atTurn);
    const base = dialect === 'paginated' ? await baseAt(source.parts, cut, { files, signal }) : undefined;
    const { name } = await this.#row(id, source);
    const forkId = newId();
    const startedAtMs = now();
    const timestamp = formatInstant(startedAtMs);
    const first = forkedThreadMeta(meta, { id: forkId, timestamp, dialect, base, overrides }, writer);
    const path = newLogPath(this.#home, { threadId: forkId, startedAtMs });
    return this.#underLock(forkId, async (lock) => {
      await this.#writeFork(path, { first, timestamp, base, source, cut, signal });
      if (name !== null) await this.#appendName(forkId, name);
      const recorder = await RolloutRecorder.resume({ ...this.#recording, path, threadId: forkId });
      const parts = base === undefined ? [] : keptParts(source, cut, base);
      return this.#liveThread({
        id: forkId,
        dialect,
        recorder,
        parts: [...parts, { path, endByteOffset: null }],
        lock,
      });
    });
  }

  async remove(id: ThreadId, { signal }: ReadOptions = {}): Promise<void> {
    await (await this.#open(id, signal)).close();
    await this.#options.lifecycle.remove(id, signalled(signal));
  }

  async close(): Promise<void> {
    for (const live of this.#live) await live.close();
    await this.#options.reader.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #home(): string {
    return this.#options.reader.home.path;
  }

  /** Files of other programs have the permissions that those give them. */
  get #mode(): number | undefined {
    return this.#options.reader.home.own ? 0o600 : undefined;
  }

  get #recording() {
    const { durability, files, now } = this.#options;
    return {
      durability,
      files,
      nowMs: now,
      foreign: !this.#options.reader.home.own,
      decompress: (path: string) => decompressLog(path, { files }),
    };
  }

  #open(id: ThreadId, signal: AbortSignal | undefined): Promise<ThreadReader> {
    return this.#options.reader.open(id, signalled(signal));
  }

  /** As the list shows it once it knows everything. */
  async #row(id: ThreadId, thread: ThreadReader): Promise<StoredThread> {
    await this.#options.reader.indexState();
    return storedThread(await thread.row(), id);
  }

  async #appendName(id: ThreadId, name: string): Promise<void> {
    const { files, now } = this.#options;
    await appendThreadName(
      this.#home,
      { threadId: id, name, updatedAtMs: now() },
      { files, foreign: !this.#options.reader.home.own },
    );
  }

  async #underLock<T>(threadId: ThreadId, work: (lock: WriterLock) => Promise<T>): Promise<T> {
    const lock = await acquireWriterLock({ home: this.#home, threadId, foreign: !this.#options.reader.home.own });
    try {
      return await work(lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  #liveThread(own: Pick<LocalLiveThreadOptions, 'id' | 'dialect' | 'recorder' | 'parts' | 'lock'>): LiveThread {
    const live: LocalLiveThread = new LocalLiveThread({
      ...own,
      files: this.#options.files,
      onClosed: () => this.#live.delete(live),
    });
    this.#live.add(live);
    return live;
  }

  async #writeFork(
    path: string,
    fork: {
      readonly first: SessionMeta;
      readonly timestamp: string;
      readonly base: HistoryBase | undefined;
      readonly source: ThreadReader;
      readonly cut: Cut;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<void> {
    const { first, timestamp, base, source, cut, signal } = fork;
    const line = encodeLine({
      timestamp,
      ordinal: base?.end_ordinal_exclusive,
      item: { type: 'session_meta', payload: first },
      metadata: undefined,
    });
    await writeNewFile(
      path,
      async (sink) => {
        await sink(`${line}\n`);
        if (base !== undefined) return;
        for (const [index, part] of source.parts.slice(0, cut.part + 1).entries()) {
          const end = index === cut.part ? cut.endByteOffset : part.endByteOffset;
          await copyLog(part.path, end, sink, { files: this.#options.files, signal, timestamp });
        }
      },
      { mode: this.#mode, ...signalled(signal) },
    );
  }
}

/** What a fork by reference continues, with the cut as its end. */
function keptParts(source: ThreadReader, cut: Cut, base: HistoryBase): ThreadReader['parts'] {
  return source.parts
    .slice(0, cut.part + 1)
    .map((part, index) => (index === cut.part ? { ...part, endByteOffset: base.end_byte_offset } : part));
}

/** A log without envelopes is copied into one that has them. */
function dialectOf({ history_mode: mode }: SessionMeta, path: string): WrittenDialect {
  if (mode === undefined || mode === null || mode === 'legacy') return 'legacy';
  if (mode === 'paginated') return 'paginated';
  throw new UnsupportedError(`Cannot fork a thread whose history mode is "${mode}"`, {
    path,
    hint: 'A newer program wrote it. Reading it works; forking and going on with it do not.',
  });
}

function signalled(signal: AbortSignal | undefined): ReadOptions {
  return signal === undefined ? {} : { signal };
}
