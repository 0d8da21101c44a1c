/**
 * What goes into the submission queue: commands, as plain objects of this process.
 *
 * Commands carry callbacks and are never serialised: no codec takes them, and a Submission throws when it is asked
 * for JSON. Kinds are names for displays and metrics, not a format. The list may grow without breaking a reader:
 * whoever dispatches drops what it does not know.
 * Source: the ops of 0.171, and `thread_rollback` of the releases before it.
 */
import type { JsonObject, JsonValue } from '../base/json.js';

/** Called once with the answer; the caller may have stopped waiting. */
export type Reply<T> = (answer: T) => void;

export type NotSubmittedReason =
  | { readonly kind: 'superseded' }
  | { readonly kind: 'server_draining' }
  | { readonly kind: 'not_idle' }
  | { readonly kind: 'pending_trigger_turn' }
  | { readonly kind: 'plan_mode' }
  | { readonly kind: 'no_active_turn' }
  | { readonly kind: 'expected_turn_mismatch'; readonly expected: string; readonly actual: string | null }
  | { readonly kind: 'active_turn_not_steerable'; readonly turnKind: string }
  | { readonly kind: 'active_turn_output_schema_mismatch' }
  | { readonly kind: 'empty_input' };

/** Whether and how an input was taken. Settings apply in the first two cases, never in the third. */
export type TurnRouting =
  | { readonly kind: 'started'; readonly turnId: string; readonly rootTurnId: string }
  | { readonly kind: 'steered'; readonly turnId: string; readonly rootTurnId: string }
  | { readonly kind: 'not_submitted'; readonly reason: NotSubmittedReason };

export type SuspendOutcome =
  | { readonly kind: 'suspended'; readonly turnId: string }
  | { readonly kind: 'not_active' }
  | { readonly kind: 'has_live_descendants' }
  | { readonly kind: 'unsupported_task' };

export type TurnInputMode =
  | { readonly kind: 'start_or_steer' }
  | { readonly kind: 'start_if_idle' }
  | { readonly kind: 'continue_if_idle'; readonly expectedPreviousTurnId: string }
  | { readonly kind: 'steer'; readonly expectedTurnId: string };

/** What a person gives: text, an image by URL, an image by path. */
export type UserInput =
  | { readonly type: 'text'; readonly text: string; readonly textElements?: readonly JsonObject[] }
  | { readonly type: 'image'; readonly imageUrl: string; readonly detail?: string }
  | { readonly type: 'local_image'; readonly path: string; readonly detail?: string };

export interface TurnInputOp {
  readonly kind: 'turn_input';
  readonly input: readonly UserInput[];
  readonly clientId?: string;
  readonly mode: TurnInputMode;
  readonly threadSettings?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly reply?: Reply<TurnRouting>;
}

export interface RecoverTurnOp {
  readonly kind: 'recover_turn';
  readonly threadSettings?: JsonObject;
  readonly reply?: Reply<TurnRouting>;
}

export interface SuspendOp {
  readonly kind: 'suspend_turn_and_shutdown';
  readonly reply?: Reply<SuspendOutcome>;
}

export interface TurnSettingsOp {
  readonly kind: 'turn_settings';
  readonly turnId: string;
  readonly update: JsonObject;
  readonly reply?: Reply<boolean>;
}

export type ReviewDecision = 'approved' | 'approved_for_session' | 'denied' | 'abort';

type PlainKind =
  | 'interrupt'
  | 'clean_background_terminals'
  | 'refresh_mcp_servers'
  | 'reload_user_config'
  | 'compact'
  | 'shutdown'
  | 'realtime_conversation_close'
  | 'realtime_conversation_list_voices';

type RealtimeKind =
  | 'realtime_conversation_start'
  | 'realtime_conversation_audio'
  | 'realtime_conversation_text'
  | 'realtime_conversation_speech';

type AnswerKind = 'user_input_answer' | 'request_permissions_response' | 'dynamic_tool_response';

/** Every op that a dispatcher of this version knows, discriminated by `kind`. */
export type Op =
  | { readonly [K in PlainKind]: { readonly kind: K } }[PlainKind]
  | { readonly [K in RealtimeKind]: { readonly kind: K; readonly params: JsonObject } }[RealtimeKind]
  | TurnInputOp
  | RecoverTurnOp
  | SuspendOp
  | TurnSettingsOp
  | { readonly kind: 'thread_settings'; readonly overrides: JsonObject }
  | { readonly kind: 'inter_agent_communication'; readonly communication: JsonObject }
  | { readonly kind: 'exec_approval'; readonly id: string; readonly turnId?: string; readonly decision: ReviewDecision }
  | { readonly kind: 'patch_approval'; readonly id: string; readonly decision: ReviewDecision }
  | {
      readonly kind: 'resolve_elicitation';
      readonly serverName: string;
      readonly requestId: string | number;
      readonly decision: 'accept' | 'decline' | 'cancel';
      readonly content?: JsonValue;
      readonly meta?: JsonObject;
    }
  | { readonly [K in AnswerKind]: { readonly kind: K; readonly id: string; readonly response: JsonValue } }[AnswerKind]
  | { readonly kind: 'set_thread_memory_mode'; readonly mode: 'enabled' | 'disabled' }
  | { readonly kind: 'thread_rollback'; readonly numTurns: number }
  | { readonly kind: 'review'; readonly request: JsonObject }
  | { readonly kind: 'approve_guardian_denied_action'; readonly event: JsonObject }
  | { readonly kind: 'run_user_shell_command'; readonly command: string; readonly timeoutMs?: number };

export type OpKind = Op['kind'];

/** An op of another version: a dispatcher drops it and counts it. */
export interface UnknownOp {
  readonly kind: string;
}

export interface SubmissionOptions {
  readonly clientUserMessageId?: string;
  readonly parentTurnId?: string;
  readonly rootTurnId?: string;
  /** W3C trace context. */
  readonly trace?: { readonly traceparent: string; readonly tracestate?: string };
}

/** One entry of the submission queue. Lives in this process only. */
export class Submission {
  /** UUIDv7; the id of the events that answer it. */
  readonly id: string;
  readonly op: Op | UnknownOp;
  readonly options: SubmissionOptions;

  constructor(id: string, op: Op | UnknownOp, options: SubmissionOptions = {}) {
    this.id = id;
    this.op = op;
    this.options = options;
  }

  /** Always throws: a command has callbacks, and what is written of it would not be it. */
  toJSON(): never {
    throw new TypeError('Cannot serialise a submission: commands never leave the process');
  }
}
