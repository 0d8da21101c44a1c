/**
 * Who a thread is: the first record of its log, in every dialect.
 *
 * Only `id` is certain. Every other field is optional here, though real clients ask for more, because a thread is
 * worth showing without them. A field of the wrong kind is set aside when the line is decoded, so the types below hold.
 * Source: the session_meta lines of 0.34 to 0.171, the bare first lines of 0.8 to 0.29.
 */
import type { JsonObject, JsonValue } from '../base/json.js';
import { isOfKind } from './wire-lookup.js';
import type { FieldKind } from './wire-names.js';

/** A prefix of another file that this one continues. */
export interface HistoryBase extends JsonObject {
  readonly thread_id: string;
  readonly end_ordinal_exclusive: number;
  readonly end_byte_offset: number;
}

export interface SessionMeta extends JsonObject {
  /** The thread's id; a UUID in every genuine log, not checked here. */
  readonly id: string;
  readonly timestamp?: string | null;
  readonly cwd?: string | null;
  readonly originator?: string | null;
  readonly cli_version?: string | null;
  readonly instructions?: string | null;
  /** `cli`, `exec`, … or an object such as `{"subagent":…}`; absent means `vscode`. */
  readonly source?: JsonValue;
  readonly thread_source?: string | null;
  readonly model_provider?: string | null;
  readonly git?: SessionGit | null;
  readonly base_instructions?: JsonObject | null;
  readonly forked_from_id?: string | null;
  readonly parent_thread_id?: string | null;
  readonly agent_nickname?: string | null;
  /** Also written `agent_type`. */
  readonly agent_role?: string | null;
  readonly agent_path?: string | null;
  readonly memory_mode?: string | null;
  readonly session_id?: string | null;
  /** `legacy` (also when absent) or `paginated`; a log with any other value can be read, not appended to. */
  readonly history_mode?: string | null;
  readonly history_base?: HistoryBase | null;
  readonly forked_from_ordinal_exclusive?: number | null;
}

export interface SessionGit extends JsonObject {
  readonly commit_hash?: string | null;
  readonly branch?: string | null;
  readonly repository_url?: string | null;
}

const META_FIELDS: readonly (readonly [field: string, kind: FieldKind])[] = [
  ['timestamp', 'string'],
  ['cwd', 'string'],
  ['originator', 'string'],
  ['cli_version', 'string'],
  ['instructions', 'string'],
  ['thread_source', 'string'],
  ['model_provider', 'string'],
  ['git', 'object'],
  ['base_instructions', 'object'],
  ['forked_from_id', 'string'],
  ['parent_thread_id', 'string'],
  ['agent_nickname', 'string'],
  ['agent_role', 'string'],
  ['agent_path', 'string'],
  ['memory_mode', 'string'],
  ['session_id', 'string'],
  ['history_mode', 'string'],
  ['history_base', 'object'],
  ['forked_from_ordinal_exclusive', 'number'],
];

const GIT_FIELDS = ['commit_hash', 'branch', 'repository_url'];

function isHistoryBase(value: JsonObject): boolean {
  return (
    typeof value['thread_id'] === 'string' &&
    Number.isSafeInteger(value['end_ordinal_exclusive']) &&
    Number.isSafeInteger(value['end_byte_offset'])
  );
}

function isGit(value: JsonObject): boolean {
  return GIT_FIELDS.every((field) => value[field] == null || typeof value[field] === 'string');
}

/** The meta with wrong fields set aside, and their names. The same object when nothing was wrong. */
export interface ReadSessionMeta {
  readonly meta: SessionMeta;
  readonly ignoredFields: readonly string[];
}

const NOTHING: readonly string[] = [];

/** Reads a payload whose `id` is already known to be a string. */
export function readSessionMeta(payload: JsonObject): ReadSessionMeta {
  let ignored: Set<string> | undefined;
  for (const [field, kind] of META_FIELDS) {
    const value = payload[field];
    if (value == null) continue;
    const right =
      isOfKind(value, kind) &&
      // The kind of both is checked on the line above.
      (field !== 'history_base' || isHistoryBase(value as JsonObject)) &&
      (field !== 'git' || isGit(value as JsonObject));
    if (!right) ignored = (ignored ?? new Set()).add(field);
  }
  // The checks above are what the type says.
  if (ignored === undefined) return { meta: payload as SessionMeta, ignoredFields: NOTHING };
  const set = ignored;
  const kept = Object.entries(payload).filter(([field]) => !set.has(field));
  // An unreadable mode must not pass for `legacy`: its text stays, and no writer knows a mode of that name.
  if (set.has('history_mode')) kept.push(['history_mode', JSON.stringify(payload['history_mode'])]);
  // `fromEntries` makes own properties, `__proto__` included; `id` is kept, since it is none of the fields checked.
  return { meta: Object.fromEntries(kept) as unknown as SessionMeta, ignoredFields: [...set] };
}
