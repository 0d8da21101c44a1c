/**
 * One line of a rollout in memory, the same for all dialects.
 *
 * `bare` (Codex 0.8 to 0.29): the line is the item itself, without an envelope.
 * `legacy` (0.34 to 0.147): `{timestamp, type, payload}`.
 * `paginated` (0.148 on): `legacy` plus `ordinal`, and `metadata` beside a response item.
 *
 * Payloads are the parsed objects themselves, so unknown fields survive a round trip.
 */
import type { JsonObject, JsonValue } from '../base/json.js';
import type { EventMsg } from './event-msg.js';
import type { ResponseItem } from './response-item.js';
import type { SessionMeta } from './session-meta.js';

export type Dialect = 'bare' | 'legacy' | 'paginated';

export interface RolloutLine {
  /** As written (ISO 8601, or whatever stands there); undefined in `bare`. */
  readonly timestamp: string | undefined;
  /** Position in the thread, from 0; only in `paginated`. */
  readonly ordinal: number | undefined;
  readonly item: RolloutItem;
  /** The sibling `metadata` object of a response item, passed through untouched. */
  readonly metadata: JsonObject | undefined;
  /** Keys of the envelope that no release sampled has written. Absent when there are none. */
  readonly extra?: JsonObject;
}

/** The thirteen top-level types of 0.171, and the `record_type` state lines of `bare`. `type` is the written wire name. */
export type RolloutItem =
  | { readonly type: 'session_meta'; readonly payload: SessionMeta }
  | { readonly type: 'response_item'; readonly payload: ResponseItem }
  | { readonly type: 'event_msg'; readonly payload: EventMsg }
  | { readonly type: 'compacted'; readonly payload: Compacted }
  | { readonly type: 'turn_context'; readonly payload: TurnContext }
  | { readonly type: 'world_state'; readonly payload: JsonObject }
  | { readonly type: 'token_usage_record'; readonly payload: JsonObject }
  | { readonly type: 'inter_agent_communication'; readonly payload: JsonObject }
  | { readonly type: 'inter_agent_communication_metadata'; readonly payload: JsonObject }
  | { readonly type: 'dynamic_tools_updated'; readonly payload: JsonObject }
  | { readonly type: 'retained_context'; readonly payload: JsonObject }
  | { readonly type: 'security_risk_score'; readonly payload: JsonObject }
  | { readonly type: 'realtime_item'; readonly payload: JsonObject }
  | { readonly type: 'state'; readonly payload: JsonObject };

export type RolloutItemType = RolloutItem['type'];

/** `compacted`: the summary, and since 0.107 the history that replaces everything before it. */
export interface Compacted extends JsonObject {
  readonly message: string;
  readonly replacement_history?: readonly JsonObject[] | null;
}

/** `turn_context`: the settings in force from here on. Older releases lack most fields. */
export interface TurnContext extends JsonObject {
  readonly cwd: string;
  /** `untrusted`, `on-failure`, `on-request`, `never`, or an object that says more. */
  readonly approval_policy?: JsonValue;
  readonly model?: string | null;
  readonly effort?: string | null;
  readonly turn_id?: string | null;
}
