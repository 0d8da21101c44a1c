/**
 * A store of threads in memory: for programs that keep none, and the reference that other stores are compared with.
 * Nothing of it outlives the process. Never touches a file, a clock or a source of chance but those it is given.
 */
import type { ThreadId } from '../../base/ids.js';
import { formatInstant } from '../../projection/instant.js';
import { hiddenReasonOf, threadRow } from '../../projection/thread-row.js';
import type { WrittenDialect } from '../../protocol/persistence.js';
import { comparePositions, decodeCursor, encodeCursor, type RowPosition } from '../../state/index.js';
import { checkedLimit, checkedName, checkTurn, storedThread } from '../checked.js';
import { ThreadBusyError, ThreadNotFoundError, UnsupportedError } from '../errors.js';
import { forkedThreadMeta, newThreadMeta, type Writer } from '../first-record.js';
import type { ReadOptions } from '../session-reader.js';
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
import { MemoryLiveThread } from './memory-live-thread.js';
import { baseOf, factsOf, historyOf, MemoryLog, turnsOf } from './memory-log.js';

/** One thread and its logs, oldest first. */
export interface MemoryThread {
  readonly id: ThreadId;
  readonly logs: MemoryLog[];
  name: string | null;
  archivedAtMs: number | null;
  live: MemoryLiveThread | undefined;
}

export interface MemoryThreadStoreOptions {
  /** Of threads for which none is named; default `legacy`. */
  readonly dialect?: WrittenDialect;
  readonly writer: Writer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** UUIDs, each greater than the one before. */
  readonly newId: () => ThreadId;
}

export class MemoryThreadStore implements ThreadStore {
  readonly capabilities = { durable: false };
  readonly #options: MemoryThreadStoreOptions;
  readonly #threads = new Map<ThreadId, MemoryThread>();

  constructor(options: MemoryThreadStoreOptions) {
    this.#options = options;
  }

  async create({ meta, dialect = this.#options.dialect ?? 'legacy', signal }: CreateThread): Promise<LiveThread> {
    signal?.throwIfAborted();
    const { newId, writer } = this.#options;
    const id = newId();
    const first = newThreadMeta(meta, { id, timestamp: this.#timestamp(), dialect }, writer);
    return this.#open(this.#newThread(id, new MemoryLog({ threadId: id, dialect, meta: first })));
  }

  async resume(id: ThreadId, { signal }: ReadOptions = {}): Promise<LiveThread> {
    signal?.throwIfAborted();
    return this.#open(this.#existing(id));
  }

  async read(
    id: ThreadId,
    { history, signal }: ReadOptions & { readonly history?: boolean } = {},
  ): Promise<ReadThread> {
    signal?.throwIfAborted();
    const thread = this.#existing(id);
    if (history !== true) return { thread: this.#row(thread) };
    const { items } = historyOf(headOf(thread));
    return { thread: this.#row(thread), history: { threadId: id, items, damage: [] } };
  }

  async list({
    limit,
    cursor,
    sort = 'updated',
    cwd,
    archived = false,
    signal,
  }: StoredThreadQuery = {}): Promise<StoredThreadPage> {
    signal?.throwIfAborted();
    const most = checkedLimit(limit);
    const order = { sort, files: false } as const;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, order);
    const fitting = [...this.#threads.values()]
      .filter((thread) => exists(thread) && hiddenReasonOf(factsOf(headOf(thread))) === null)
      .map((thread) => this.#row(thread))
      .filter((row) => row.archived === archived && (cwd === undefined || row.cwd === cwd))
      .map((row) => ({ row, position: positionOf(row, sort) }))
      .sort((a, b) => comparePositions(a.position, b.position));
    const rest =
      after === undefined ? fitting : fitting.filter(({ position }) => comparePositions(position, after) > 0);
    const page = rest.slice(0, most);
    const last = page.at(-1);
    return {
      threads: page.map(({ row }) => row),
      nextCursor: last === undefined || rest.length <= most ? null : encodeCursor(last.position),
      total: fitting.length,
    };
  }

  async patch(id: ThreadId, patch: ThreadPatch, { signal }: ReadOptions = {}): Promise<StoredThread> {
    signal?.throwIfAborted();
    const name = patch.name === undefined ? undefined : checkedName(patch.name);
    const thread = this.#existing(id);
    const moves = patch.archived !== undefined && patch.archived !== (thread.archivedAtMs !== null);
    if (moves) this.#mustBeFree(thread);
    if (name !== undefined) thread.name = name;
    if (moves) thread.archivedAtMs = patch.archived ? this.#options.now() : null;
    return this.#row(thread);
  }

  async fork(id: ThreadId, { atTurn, meta: overrides, signal }: ForkThread = {}): Promise<LiveThread> {
    signal?.throwIfAborted();
    checkTurn(atTurn);
    const { newId, writer } = this.#options;
    const source = this.#existing(id);
    const head = headOf(source);
    const cut = atTurn === undefined ? { log: head, lines: head.lines.length } : turnsOf(head).cutAfter(atTurn);
    const forkId = newId();
    const { dialect, meta } = head;
    const byReference = dialect === 'paginated';
    const base = byReference ? baseOf(cut.log, cut.lines) : undefined;
    const timestamp = this.#timestamp();
    const first = forkedThreadMeta(meta, { id: forkId, timestamp, dialect, base, overrides }, writer);
    const log = new MemoryLog({
      threadId: forkId,
      dialect,
      meta: first,
      ...(byReference && { base: { log: cut.log, lines: cut.lines } }),
    });
    log.append([], timestamp);
    if (!byReference) log.lines.push(...cut.log.lines.slice(0, cut.lines));
    const fork = this.#newThread(forkId, log);
    fork.name = source.name;
    return this.#open(fork);
  }

  async remove(id: ThreadId, { signal }: ReadOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const thread = this.#existing(id);
    this.#mustBeFree(thread);
    const needed = [...this.#threads.values()].find(
      (other) =>
        other !== thread && other.logs.some((log) => log.parts().some((part) => thread.logs.includes(part.log))),
    );
    if (needed !== undefined) {
      throw new UnsupportedError(`Cannot remove thread ${id}: its fork ${needed.id} continues its log`, {
        hint: 'Remove the fork first.',
      });
    }
    this.#threads.delete(id);
  }

  async close(): Promise<void> {
    for (const { live } of [...this.#threads.values()]) await live?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(thread: MemoryThread): LiveThread {
    this.#mustBeFree(thread);
    const { now } = this.#options;
    thread.live = new MemoryLiveThread(thread, {
      timestamp: () => this.#timestamp(now()),
      onClosed: () => {
        thread.live = undefined;
        if (!exists(thread)) this.#threads.delete(thread.id);
      },
    });
    return thread.live;
  }

  #mustBeFree(thread: MemoryThread): void {
    if (thread.live !== undefined) throw new ThreadBusyError(thread.id, 'this program');
  }

  #newThread(id: ThreadId, log: MemoryLog): MemoryThread {
    const thread: MemoryThread = { id, logs: [log], name: null, archivedAtMs: null, live: undefined };
    this.#threads.set(id, thread);
    return thread;
  }

  /** A thread that was created and has no item yet is known to its writer only. */
  #existing(id: ThreadId): MemoryThread {
    const thread = this.#threads.get(id);
    if (thread === undefined || !exists(thread)) throw new ThreadNotFoundError(id);
    return thread;
  }

  #row(thread: MemoryThread): StoredThread {
    const head = headOf(thread);
    const facts = factsOf(head);
    const first = thread.logs[0] ?? head;
    const createdAtMs = factsOf(first).startedAtMs;
    const row = threadRow(facts, {
      path: '',
      home: '',
      idFromName: thread.id,
      createdAtMs,
      sizeBytes: 0,
      mtimeMs: 0,
      archived: thread.archivedAtMs !== null,
      archivedAtMs: thread.archivedAtMs,
      dialect: head.dialect,
      name: thread.name,
    });
    const stored = storedThread(row, thread.id);
    return createdAtMs === null ? stored : { ...stored, createdAt: formatInstant(createdAtMs) };
  }

  #timestamp(ms = this.#options.now()): string {
    return formatInstant(ms);
  }
}

function headOf(thread: MemoryThread): MemoryLog {
  const head = thread.logs.at(-1);
  if (head === undefined) throw new TypeError('A thread has at least one log');
  return head;
}

function exists(thread: MemoryThread): boolean {
  return headOf(thread).lines.length > 0;
}

function positionOf(row: StoredThread, sort: 'updated' | 'created'): RowPosition {
  return { sort, files: false, valueMs: Date.parse(sort === 'created' ? row.createdAt : row.updatedAt), key: row.id };
}
