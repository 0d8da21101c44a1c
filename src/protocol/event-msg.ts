/**
 * What happened in a turn: `event_msg` payloads and the `msg` of live events.
 *
 * A closed union over the table of names, discriminated by the written name. A new row without its case in an
 * exhaustive switch does not compile. Types promise only what decoding has checked; all else is to be narrowed.
 */
import type { JsonObject, JsonValue } from '../base/json.js';
import type { TurnItem } from './turn-item.js';
import type { EventTag } from './wire-names.js';

export interface TaskStarted extends JsonObject {
  readonly type: 'task_started';
  readonly turn_id: string;
}

export interface TaskComplete extends JsonObject {
  readonly type: 'task_complete';
  readonly turn_id: string;
  readonly last_agent_message?: string | null;
  /** Of a turn that failed: `{message, codex_error_info}`. */
  readonly error?: JsonObject | null;
}

export interface TurnAborted extends JsonObject {
  readonly type: 'turn_aborted';
  readonly turn_id?: string | null;
  /** `interrupted`, `replaced`, `review_ended`, `budget_limited`. */
  readonly reason: string;
}

export interface ThreadRolledBack extends JsonObject {
  readonly type: 'thread_rolled_back';
  readonly num_turns: number;
}

export interface TokenCount extends JsonObject {
  readonly type: 'token_count';
  readonly info?: JsonObject | null;
  readonly rate_limits?: JsonObject | null;
}

export interface ThreadGoalUpdated extends JsonObject {
  readonly type: 'thread_goal_updated';
  readonly threadId: string;
  readonly goal: JsonObject;
}

export interface ThreadSettingsApplied extends JsonObject {
  readonly type: 'thread_settings_applied';
  readonly thread_settings: JsonObject;
}

export interface ThreadNameUpdated extends JsonObject {
  readonly type: 'thread_name_updated';
  readonly thread_id?: string | null;
  readonly thread_name?: string | null;
}

export interface ItemStarted extends JsonObject {
  readonly type: 'item_started';
  readonly thread_id: string;
  readonly turn_id: string;
  readonly item: TurnItem;
}

export interface ItemCompleted extends JsonObject {
  readonly type: 'item_completed';
  readonly thread_id: string;
  readonly turn_id: string;
  readonly item: TurnItem;
}

type MessageTag = 'agent_message' | 'error' | 'warning' | 'guardian_warning' | 'stream_error';
type TextTag = 'agent_reasoning' | 'agent_reasoning_raw_content';
type DeltaTag =
  | 'agent_message_content_delta'
  | 'plan_delta'
  | 'reasoning_content_delta'
  | 'reasoning_raw_content_delta';
type CallTag =
  | 'patch_apply_begin'
  | 'patch_apply_updated'
  | 'patch_apply_end'
  | 'mcp_tool_call_begin'
  | 'mcp_tool_call_end'
  | 'web_search_begin'
  | 'web_search_end'
  | 'image_generation_begin'
  | 'image_generation_end'
  | 'exec_command_begin'
  | 'exec_command_output_delta'
  | 'exec_command_end'
  | 'terminal_interaction'
  | 'exec_approval_request'
  | 'apply_patch_approval_request'
  | 'view_image_tool_call';

/** The user's words, as typed: without what the program puts around them. */
export interface UserMessage extends JsonObject {
  readonly type: 'user_message';
  readonly message: string;
  readonly images?: readonly JsonValue[] | null;
  readonly local_images?: readonly JsonValue[] | null;
}

type MessageEvent = { [T in MessageTag]: JsonObject & { readonly type: T; readonly message: string } }[MessageTag];
type TextEvent = { [T in TextTag]: JsonObject & { readonly type: T; readonly text: string } }[TextTag];
type CallEvent = { [T in CallTag]: JsonObject & { readonly type: T; readonly call_id: string } }[CallTag];
type DeltaEvent = {
  [T in DeltaTag]: JsonObject & {
    readonly type: T;
    readonly thread_id: string;
    readonly turn_id: string;
    readonly item_id: string;
    readonly delta: string;
  };
}[DeltaTag];

type PreciseEvent =
  | TaskStarted
  | TaskComplete
  | TurnAborted
  | ThreadRolledBack
  | TokenCount
  | ThreadGoalUpdated
  | ThreadSettingsApplied
  | ThreadNameUpdated
  | ItemStarted
  | ItemCompleted
  | UserMessage
  | MessageEvent
  | TextEvent
  | CallEvent
  | DeltaEvent;

type OtherTag = Exclude<EventTag, PreciseEvent['type']>;
type OtherEvent = { [T in OtherTag]: JsonObject & { readonly type: T } }[OtherTag];

/** Discriminated by `type`, the written name. */
export type EventMsg = PreciseEvent | OtherEvent;

/** The event of one tag. */
export type EventOf<T extends EventTag> = Extract<EventMsg, { readonly type: T }>;
