/**
 * The reading half of a store of threads. One implementation per kind of home;
 * a reader never changes a byte of the home it reads.
 */
import type { ThreadId } from '../base/ids.js';
import type { JsonObject } from '../base/json.js';
import type { DocumentRole } from '../projection/documents.js';
import type { HiddenReason, ThreadRow } from '../projection/thread-row.js';
import type { TurnView } from '../projection/turn.js';
import type { TokenUsage } from '../projection/usage.js';
import type { UnknownTypePolicy } from '../protocol/policies.js';
import type { Damage, FileDamage } from '../rollout/damage.js';
import type { LineagePart } from '../rollout/lineage.js';
import type { VerifiedFile } from '../rollout/verify.js';

export type HomeKind = 'codicil' | 'codex';

export interface HomeInfo {
  /** Absolute path. */
  readonly path: string;
  readonly kind: HomeKind;
  /** False for a home that another program owns: nothing is ever written there by reading verbs. */
  readonly own: boolean;
}

/** How much of a home the index knows: answers may come while it is still being built. */
export interface IndexState {
  readonly state: 'complete' | 'building';
  readonly indexed: number;
  readonly files: number;
  /** Folders that could not be read: what they hold is not among `files`, and known from earlier only. Absent for none. */
  readonly unreadableFolders?: number;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
}

/** Rows of a page whose query names no limit. */
export const DEFAULT_LIST_LIMIT = 25;

export interface ListQuery extends ReadOptions {
  /** 1 to 100,000; default 25. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  readonly sort?: 'updated' | 'created';
  readonly cwd?: string;
  readonly provider?: string;
  readonly source?: string;
  /** Archived threads instead of active ones. */
  readonly archived?: boolean;
  /** Every file as a row, the hidden ones with their reason. */
  readonly all?: boolean;
  /** Instants in epoch milliseconds, compared with the sort key: since is inclusive, until exclusive. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** How long one call may spend on bringing the index up to date before it answers `building`; default 1,500. */
  readonly indexBudgetMs?: number;
  /** How long ago files may have been compared with the index for the answer to do; default 0: they are compared now. */
  readonly indexMaxAgeMs?: number;
}

export interface ThreadPage {
  readonly threads: readonly ThreadRow[];
  readonly nextCursor: string | null;
  /** All threads that fit the query, on whatever page. */
  readonly total: number;
  /** Files that stand for no row, by reason. Without filters, `total` plus these is the number of files on disk. */
  readonly hidden: Readonly<Partial<Record<HiddenReason, number>>>;
  readonly index: IndexState;
}

/** One file of a thread in reading order. `endByteOffset` cuts a prefix that a fork or a revert refers to. */
export type ThreadPart = LineagePart;

export type { FileDamage } from '../rollout/damage.js';
export type { VerifiedFile } from '../rollout/verify.js';

export interface HistoryResult {
  readonly threadId: ThreadId;
  /** Payloads of response items as they are on disk, in the order a resume would send them. */
  readonly items: readonly JsonObject[];
  readonly damage: readonly Damage[];
}

export interface TurnsQuery extends ReadOptions {
  /** 1-based, inclusive. */
  readonly from?: number;
  readonly to?: number;
  /** Only the last so many turns. */
  readonly last?: number;
  /** Also the records that are no items (token counts, contexts, …). */
  readonly all?: boolean;
  /** Of each turn only its first item and those on these lines (1-based, inclusive) of the thread's own file, or of `path`. */
  readonly lines?: { readonly from: number; readonly to: number; readonly path?: string };
}

export interface TurnsResult {
  readonly thread: ThreadRow;
  readonly turns: readonly TurnView[];
  /** How many turns the thread has in all. */
  readonly totalTurns: number;
  readonly parse: { readonly lines: number; readonly records: number; readonly errors: readonly FileDamage[] };
}

export interface RawLine {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly byteOffset: number;
  /** The line's bytes, decoded leniently; undefined when the line is larger than 64 MiB. */
  readonly text: string | undefined;
}

export interface FollowQuery {
  /** Of what is there at first: only the last so many turns, or those from this one on. */
  readonly last?: number;
  readonly from?: number;
  /** Also the records that are no items. */
  readonly all?: boolean;
}

/** A turn with its place in the thread, from 1. `goesOn`: its first items were given before, only new ones are in it. */
export interface FollowedTurn {
  readonly number: number;
  readonly turn: TurnView;
  readonly goesOn: boolean;
}

/**
 * What one look found. `same`: nothing. `gone`: the log is not there, for now. `first`: what is there at the beginning.
 * `rewritten`: the log is another, from its start. `reverted`: the thread goes on in another file, after fewer turns.
 * `grown`: what was appended; `tookBack` when that took turns away.
 */
export type FollowLook =
  | { readonly kind: 'same' | 'gone' }
  | (Omit<TurnsResult, 'turns'> & {
      readonly kind: 'first' | 'rewritten' | 'reverted' | 'grown';
      readonly tookBack?: boolean;
      readonly parts: readonly ThreadPart[];
      readonly turns: readonly FollowedTurn[];
    });

/** Looks at a thread again and again. One look at a time. */
export interface ThreadFollower {
  /** Reads what was appended since the last look, whole lines only. Rejects when the thread cannot be opened at first. */
  look(options?: ReadOptions): Promise<FollowLook>;
}

/** One thread, opened for reading. */
export interface ThreadReader extends AsyncDisposable {
  readonly id: ThreadId;
  /** Absolute path of the file that a resume would append to. */
  readonly path: string;
  /** Oldest first; the last one is the file that a resume would append to. */
  readonly parts: readonly ThreadPart[];
  /** As a list shows it: from the index as it is, else as far as the beginning and the end of the file tell it. */
  row(): Promise<ThreadRow>;
  history(options?: ReadOptions): Promise<HistoryResult>;
  turns(query?: TurnsQuery): Promise<TurnsResult>;
  /** Raw lines `from` to `to` (1-based, inclusive) of the thread's own file, or of `path` when given. */
  lines(
    range: { readonly from: number; readonly to: number; readonly path?: string },
    options?: ReadOptions,
  ): Promise<readonly RawLine[]>;
  /** Follows the thread wherever its files go, also after this reader was closed. */
  follow(query?: FollowQuery): ThreadFollower;
  close(): Promise<void>;
}

/** What a thread tells beside its row: tokens, and how its parent calls it. Null is "not told". */
export interface ThreadLineage {
  /** Spent by this thread in all its files, turns that were taken back included. */
  readonly own: TokenUsage;
  /** Spent by others in the history that it goes on from. */
  readonly inherited: TokenUsage;
  readonly agent: {
    readonly nickname: string | null;
    readonly role: string | null;
    readonly path: string | null;
  } | null;
}

/** What a reference (id, end of an id, exact name) may mean. */
export interface ThreadCandidate {
  readonly id: ThreadId;
  readonly path: string;
  readonly title: string;
  readonly name: string | null;
  readonly updatedAt: string;
  readonly home: string;
}

/** Hits of a search whose query names no limit. */
export const DEFAULT_SEARCH_LIMIT = 20;
export const MAX_SEARCH_LIMIT = 1_000;

export interface SearchQuery extends ReadOptions {
  /** Plain words; `"…"` is a phrase, `-word` excludes, nothing else is an operator. */
  readonly text: string;
  /** The word at the end is still being typed: it also finds words that begin with it. Default false. */
  readonly lastWordIsOpen?: boolean;
  /** `thread`: of each thread its best message only; default `message`. */
  readonly by?: 'message' | 'thread';
  /** 1 to 1,000; default 20. */
  readonly limit?: number;
  readonly cwd?: string;
  readonly role?: DocumentRole;
  /** Instants of messages in epoch milliseconds: since is inclusive, until exclusive. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** How long one call may spend on bringing the index up to date; default: until it is complete. */
  readonly indexBudgetMs?: number;
  /** How long ago files may have been compared with the index for the answer to do; default 0: they are compared now. */
  readonly indexMaxAgeMs?: number;
}

/** One message that was found. Every text in it is masked. */
export interface SearchHit {
  readonly threadId: ThreadId;
  /** `ID:LINE`, or `ID/PART:LINE` for a line of another file of the thread; `show` opens it. */
  readonly address: string;
  /** Absolute. */
  readonly path: string;
  /** Absolute path of the home. */
  readonly home: string;
  /** 1-based. */
  readonly line: number;
  readonly role: DocumentRole;
  /** ISO 8601; null where the log has none. */
  readonly timestamp: string | null;
  /** The part of the text around what was found, in one line. */
  readonly snippet: string;
  /** Ranges of `snippet` in UTF-16 units that stand for words of the query, ascending, `end` exclusive. */
  readonly matches: readonly (readonly [start: number, end: number])[];
  /** Comparable within one answer only; higher is better. */
  readonly score: number;
  /** Of the thread, as a list shows it. */
  readonly title: string;
  readonly name: string | null;
  readonly cwd: string | null;
  readonly updatedAt: string;
}

export interface SearchPage {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Messages (by thread: threads) that match; exact unless `totalIsBound`. */
  readonly total: number;
  /** True when `total` counts at most: words that are found by parts of theirs, or a filter that only reading can apply. */
  readonly totalIsBound: boolean;
  readonly tookMs: number;
  readonly index: IndexState;
}

export interface RebuildResult {
  readonly threads: number;
  readonly messages: number;
  readonly bytes: number;
  readonly tookMs: number;
  /** Undefined unless proof was asked for. */
  readonly equal?: boolean;
  readonly differences?: readonly string[];
}

export interface IndexProgress {
  readonly phase: 'walk' | 'heads' | 'full';
  readonly done: number;
  readonly files: number;
}

export interface SessionReader extends AsyncDisposable {
  readonly home: HomeInfo;
  list(query?: ListQuery): Promise<ThreadPage>;
  /** Threads that `reference` may mean: a full id, the end of one (at least 4 hex digits), or an exact name. */
  candidates(reference: string, options?: ReadOptions): Promise<readonly ThreadCandidate[]>;
  /** The newest active thread, or none. */
  latest(options?: ReadOptions & { readonly cwd?: string }): Promise<ThreadCandidate | undefined>;
  open(id: ThreadId, options?: ReadOptions): Promise<ThreadReader>;
  /** Why a thread or file is (not) listed. */
  why(reference: string, options?: ReadOptions): Promise<readonly ThreadRow[]>;
  verify(
    target: { readonly id: ThreadId } | { readonly path: string } | 'all',
    options?: ReadOptions & { readonly policy?: UnknownTypePolicy },
  ): AsyncIterable<VerifiedFile>;
  /** Messages that a query finds. Throws SearchError `empty-query` for a query without a word. */
  search(query: SearchQuery): Promise<SearchPage>;
  /** Ids of all threads that `list` counts for this query, in no order. */
  listedIds(query?: ListQuery): Promise<readonly ThreadId[]>;
  /**
   * Tokens and agents of these threads, by the index as it is; those that it does not know are left out. Reads the logs
   * of each thread to their end.
   */
  lineageOf(ids: readonly ThreadId[], options?: ReadOptions): Promise<ReadonlyMap<ThreadId, ThreadLineage>>;
  rebuild(
    options?: ReadOptions & { readonly prove?: boolean; readonly onProgress?: (progress: IndexProgress) => void },
  ): Promise<RebuildResult>;
  indexState(options?: ReadOptions): Promise<IndexState & { readonly bytes: number; readonly threads: number }>;
  close(): Promise<void>;
}
