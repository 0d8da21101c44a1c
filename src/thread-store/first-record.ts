/**
 * The first record of a log that this program begins: of a new thread, of a fork.
 *
 * Pure. What the real client writes there is kept from the thread that the log continues, unknown fields included; what says
 * which log it is, is set here. Keys keep the order of the source, so that two logs of one thread compare well.
 */
import type { ThreadId } from '../base/ids.js';
import type { WrittenDialect } from '../protocol/persistence.js';
import type { HistoryBase, SessionMeta } from '../protocol/session-meta.js';
import type { NewThreadMeta } from './thread-store.js';

/** Who writes: other programs show it, and some cannot do without. */
export interface Writer {
  readonly originator: string;
  readonly version: string;
  readonly source: string;
}

export interface FirstRecord {
  readonly id: ThreadId;
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly dialect: WrittenDialect;
}

/** Of a thread that begins with nothing. */
export function newThreadMeta(
  meta: NewThreadMeta,
  { id, timestamp, dialect }: FirstRecord,
  writer: Writer,
): SessionMeta {
  return withoutAbsent({
    id,
    timestamp,
    originator: writer.originator,
    cli_version: writer.version,
    source: writer.source,
    ...meta,
    ...modeOf(dialect),
  });
}

export interface ForkedRecord extends FirstRecord {
  /** Only where the fork continues the log of its source instead of a copy. */
  readonly base?: HistoryBase | undefined;
  readonly overrides?: Partial<NewThreadMeta> | undefined;
}

/** Of a thread that begins with what another one holds. */
export function forkedThreadMeta(source: SessionMeta, fork: ForkedRecord, writer: Writer): SessionMeta {
  const { history_base: _base, forked_from_ordinal_exclusive: _ordinal, history_mode: _mode, ...kept } = source;
  return withoutAbsent({
    ...kept,
    id: fork.id,
    ...(typeof source.session_id === 'string' && { session_id: fork.id }),
    forked_from_id: source.id,
    timestamp: fork.timestamp,
    originator: writer.originator,
    cli_version: writer.version,
    source: writer.source,
    ...fork.overrides,
    ...modeOf(fork.dialect),
    ...(fork.base !== undefined && {
      forked_from_ordinal_exclusive: fork.base.end_ordinal_exclusive,
      history_base: fork.base,
    }),
  });
}

function modeOf(dialect: WrittenDialect): { readonly history_mode?: 'paginated' } {
  // Releases that know no modes read a log without one as what it is.
  return dialect === 'paginated' ? { history_mode: 'paginated' } : {};
}

/** A key without a value is none on disk. */
function withoutAbsent(meta: { readonly [key: string]: unknown }): SessionMeta {
  // Only keys with JSON values are left, `id` among them.
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined)) as unknown as SessionMeta;
}
