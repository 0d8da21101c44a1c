/**
 * The logs of one thread that is kept in memory: the same files, bases and segments as on disk, with lines for bytes.
 * An offset into such a log is the index of a line.
 */
import type { SegmentId, ThreadId } from '../../base/ids.js';
import { type ProjectedHistory, projectHistory } from '../../projection/history.js';
import { FactsFold, inheritFacts, type ThreadFacts } from '../../projection/thread-facts.js';
import { TurnsFold } from '../../projection/turns.js';
import { isPersisted, type WrittenDialect } from '../../protocol/persistence.js';
import type { RolloutItem, RolloutLine } from '../../protocol/rollout-line.js';
import type { HistoryBase, SessionMeta } from '../../protocol/session-meta.js';

/** One log. Lines are only ever added at its end. */
export class MemoryLog {
  readonly threadId: ThreadId;
  readonly segmentId: SegmentId | undefined;
  readonly dialect: WrittenDialect;
  readonly meta: SessionMeta;
  readonly lines: RolloutLine[] = [];
  /** What this log continues. */
  readonly base: { readonly log: MemoryLog; readonly lines: number } | undefined;

  constructor(options: {
    readonly threadId: ThreadId;
    readonly dialect: WrittenDialect;
    readonly meta: SessionMeta;
    readonly segmentId?: SegmentId | undefined;
    readonly base?: MemoryLog['base'];
  }) {
    this.threadId = options.threadId;
    this.dialect = options.dialect;
    this.meta = options.meta;
    this.segmentId = options.segmentId;
    this.base = options.base;
  }

  /** Adds what the dialect keeps, first of all the meta; returns how many items that were. */
  append(items: readonly RolloutItem[], timestamp: string): number {
    if (this.lines.length === 0) this.#push({ type: 'session_meta', payload: this.meta }, timestamp);
    const kept = items.filter((item) => isPersisted(item, this.dialect));
    for (const item of kept) this.#push(item, timestamp);
    return kept.length;
  }

  /** Of the record that comes next; only in `paginated`. */
  get nextOrdinal(): number | undefined {
    if (this.dialect !== 'paginated') return undefined;
    return (this.lines.at(-1)?.ordinal ?? (this.meta.history_base?.end_ordinal_exclusive ?? 0) - 1) + 1;
  }

  /** This log and what it continues, oldest first; `lines` says how many of each count. */
  parts(lines: number = this.lines.length): readonly { readonly log: MemoryLog; readonly lines: number }[] {
    const parts = [{ log: this as MemoryLog, lines }];
    for (let base = this.base; base !== undefined; base = base.log.base) parts.unshift(base);
    return parts;
  }

  /** The name that a `history_base` gives this log. */
  get name(): string {
    return this.segmentId ?? this.threadId;
  }

  #push(item: RolloutItem, timestamp: string): void {
    // As a file would give it back: nothing of the caller's objects is kept, and a key without a value is none.
    const copy = JSON.parse(JSON.stringify(item)) as RolloutItem;
    this.lines.push({ timestamp, ordinal: this.nextOrdinal, item: copy, metadata: undefined });
  }
}

/** What a resume would send. */
export function historyOf(head: MemoryLog): ProjectedHistory {
  return projectHistory(head.parts().flatMap(({ log, lines }) => log.lines.slice(0, lines)));
}

export function factsOf(head: MemoryLog): ThreadFacts {
  const folded = head.parts().map(({ log, lines }) => {
    const fold = new FactsFold();
    for (const [index, line] of log.lines.slice(0, lines).entries()) {
      fold.apply(line, { lineNumber: index + 1, byteOffset: index });
    }
    return fold.finish();
  });
  const [oldest, ...later] = folded;
  if (oldest === undefined) throw new TypeError('A thread has at least one log');
  return later.reduce((base, next) => inheritFacts(base, next), oldest);
}

export interface TurnsOf {
  /** How many turns in which the user spoke a rollback of so many takes, and how many of all turns it leaves. */
  rollbackOf(turns: number): { readonly taken: number; readonly left: number };
  /** Where the log is cut so that this turn (1-based) is its last; 0 is before the first turn. */
  cutAfter(turn: number): { readonly log: MemoryLog; readonly lines: number };
}

export function turnsOf(head: MemoryLog): TurnsOf {
  const fold = new TurnsFold({ from: 1, to: 0 });
  const parts = head.parts();
  for (const [part, { log, lines }] of parts.entries()) {
    for (const [index, line] of log.lines.slice(0, lines).entries()) {
      fold.apply({ line, path: String(part), lineNumber: index + 1, byteOffset: index });
    }
  }
  fold.finish();
  return {
    rollbackOf: (turns) => fold.rollbackOf(turns),
    cutAfter(turn) {
      const boundary = fold.endOf(turn);
      const at = parts[Number(boundary?.path ?? parts.length - 1)];
      if (at === undefined) throw new TypeError('A turn ends in a log that is part of the thread');
      return { log: at.log, lines: boundary?.byteOffset ?? at.lines };
    },
  };
}

/** How a later log says what it continues. */
export function baseOf(log: MemoryLog, lines: number): HistoryBase {
  const last = log.lines[lines - 1]?.ordinal;
  const endOrdinal = last === undefined ? (log.meta.history_base?.end_ordinal_exclusive ?? 0) : last + 1;
  return { thread_id: log.name, end_ordinal_exclusive: endOrdinal, end_byte_offset: lines };
}
