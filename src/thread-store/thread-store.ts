/**
 * The writing half of a store of threads: the port that a kernel, a command line and other stores are written against.
 * One implementation per place where threads live; all run the contract in `contract/`.
 *
 * Laws: what `append` resolved for is never lost. One writer at a time has a thread. Every change is safe to repeat.
 * What a caller sees is the same for every store: rows and histories come from the same folds over the same items.
 */
import type { ThreadId } from '../base/ids.js';
import type { ThreadRow } from '../projection/thread-row.js';
import type { WrittenDialect } from '../protocol/persistence.js';
import type { RolloutItem } from '../protocol/rollout-line.js';
import type { SessionMeta } from '../protocol/session-meta.js';
import type { HistoryResult, ReadOptions } from './session-reader.js';

/** What a list shows of a thread, wherever it is kept. Every text in it is masked. */
export type StoredThread = Pick<
  ThreadRow,
  | 'title'
  | 'name'
  | 'preview'
  | 'cwd'
  | 'source'
  | 'modelProvider'
  | 'model'
  | 'cliVersion'
  | 'createdAt'
  | 'updatedAt'
  | 'archived'
  | 'hasUserEvent'
  | 'memoryMode'
  | 'tokensUsed'
  | 'git'
  | 'forkedFromId'
  | 'parentThreadId'
  | 'dialect'
> & { readonly id: ThreadId };

/** The first record of a new thread, without what the store knows better. `cwd` is what other programs cannot do without. */
export type NewThreadMeta = Omit<SessionMeta, 'id' | 'timestamp' | 'cwd' | 'history_mode' | 'history_base'> & {
  readonly cwd: string;
};

export interface CreateThread extends ReadOptions {
  readonly meta: NewThreadMeta;
  /** Default: the store's own choice, `legacy` unless it was told otherwise. */
  readonly dialect?: WrittenDialect;
}

export interface ForkThread extends ReadOptions {
  /** The last turn (1-based, as `turns` counts them) that the fork keeps; default: all. Throws RangeError below 1. */
  readonly atTurn?: number;
  /** Fields that the fork's first record has instead of those of the thread it comes from. */
  readonly meta?: Partial<NewThreadMeta>;
}

/** Where what was appended stands. */
export interface Appended {
  /** Records that were written; those that the policy only delivers are left out. */
  readonly records: number;
}

export interface RolledBack {
  /** Turns that were taken away: fewer than asked for when the thread had fewer. */
  readonly turns: number;
}

/** A thread that this writer, and nobody else, may write to. */
export interface LiveThread extends AsyncDisposable {
  readonly id: ThreadId;
  readonly dialect: WrittenDialect;
  /** Absolute path of the log, which may not exist yet; undefined in a store without files. */
  readonly path: string | undefined;
  /**
   * Writes items in order and resolves when they are as durable as the store promises. Items that the dialect does not
   * keep are left out. Rejects with what the system said; what was not written is written first by the next call.
   */
  append(items: readonly RolloutItem[]): Promise<Appended>;
  /** Makes the thread exist even if nothing was appended. Safe to repeat. */
  persist(): Promise<void>;
  /** Everything that was appended survives a power cut from here on. A thread without an item stays unwritten. */
  flush(): Promise<void>;
  /** What a resume would send now. */
  history(options?: ReadOptions): Promise<HistoryResult>;
  /** Takes away the last turns in which the user spoke. Throws RangeError below 1. */
  rollback(turns: number): Promise<RolledBack>;
  /** Writes what waits and lets others write. When that fails the thread stays open, and may be closed again. */
  close(): Promise<void>;
  /** Lets others write; what was not written yet is given up, what was written stays. Safe to repeat. */
  discard(): Promise<void>;
}

export interface ReadThread {
  readonly thread: StoredThread;
  /** Only when asked for. */
  readonly history?: HistoryResult;
}

export interface StoredThreadQuery extends ReadOptions {
  /** 1 to 1,000; default 25. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  readonly sort?: 'updated' | 'created';
  readonly cwd?: string;
  /** Archived threads instead of active ones. */
  readonly archived?: boolean;
}

export interface StoredThreadPage {
  /** Newest first, by the sort key and then by id. */
  readonly threads: readonly StoredThread[];
  readonly nextCursor: string | null;
  /** All threads that fit the query, on whatever page. */
  readonly total: number;
}

/** What is to change; what is absent stays. */
export interface ThreadPatch {
  /** Not blank; trimmed. */
  readonly name?: string;
  readonly archived?: boolean;
}

/** What a store can do beyond what every store must. */
export interface ThreadStoreCapabilities {
  /** Threads outlive the store that wrote them: another one opened over the same place finds them. */
  readonly durable: boolean;
}

/**
 * Errors: ThreadNotFoundError, ThreadBusyError (another writer has it), UnsupportedError (this store, or this thread,
 * cannot do that), DamagedError (the log cannot be gone on with), and what the system says. A name that is blank is a
 * TypeError; numbers out of bounds are a RangeError.
 */
export interface ThreadStore extends AsyncDisposable {
  readonly capabilities: ThreadStoreCapabilities;
  create(options: CreateThread): Promise<LiveThread>;
  /** Archived threads too: going on with one does not bring it back into the list. */
  resume(id: ThreadId, options?: ReadOptions): Promise<LiveThread>;
  read(id: ThreadId, options?: ReadOptions & { readonly history?: boolean }): Promise<ReadThread>;
  /** Root threads; forks are root threads, threads of subagents are not. */
  list(query?: StoredThreadQuery): Promise<StoredThreadPage>;
  /** An empty patch reads. Resolves with the thread as it is then. */
  patch(id: ThreadId, patch: ThreadPatch, options?: ReadOptions): Promise<StoredThread>;
  /** A new thread that begins with what this one holds. It exists when this resolves, whatever is written to it. */
  fork(id: ThreadId, options?: ForkThread): Promise<LiveThread>;
  /** Takes the thread out of the store. A fork that needs it makes this an UnsupportedError. */
  remove(id: ThreadId, options?: ReadOptions): Promise<void>;
  /** Closes every live thread that is still open. */
  close(): Promise<void>;
}
