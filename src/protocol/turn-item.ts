/**
 * Items of a turn as a client sees them: the payload of `item_started` and `item_completed`.
 * Their tags are PascalCase, unlike all others. Fields beyond those that decoding has checked are to be narrowed.
 */
import type { JsonObject, JsonValue } from '../base/json.js';
import type { TurnItemType } from './wire-names.js';

interface Identified extends JsonObject {
  readonly id: string;
}

export interface UserMessageTurnItem extends Identified {
  readonly type: 'UserMessage';
  /** Entries in snake_case: `{type:"text",text,text_elements}`, `image`, `local_image`, … */
  readonly content: readonly JsonValue[];
}

export interface AgentMessageTurnItem extends Identified {
  readonly type: 'AgentMessage';
  /** Entries in PascalCase: `{type:"Text",text}`. */
  readonly content: readonly JsonValue[];
}

export interface PlanTurnItem extends Identified {
  readonly type: 'Plan';
  readonly text: string;
}

export interface ReasoningTurnItem extends Identified {
  readonly type: 'Reasoning';
  readonly summary_text: readonly JsonValue[];
}

export interface CommandExecutionTurnItem extends Identified {
  readonly type: 'CommandExecution';
  readonly command: readonly JsonValue[];
}

type IdentifiedType =
  | 'HookPrompt'
  | 'DynamicToolCall'
  | 'CollabAgentToolCall'
  | 'SubAgentActivity'
  | 'WebSearch'
  | 'ImageView'
  | 'ImageGeneration'
  | 'FileChange'
  | 'McpToolCall'
  | 'ContextCompaction'
  | 'Sleep';

type IdentifiedTurnItem = { [T in IdentifiedType]: Identified & { readonly type: T } }[IdentifiedType];

type PreciseTurnItem =
  | UserMessageTurnItem
  | AgentMessageTurnItem
  | PlanTurnItem
  | ReasoningTurnItem
  | CommandExecutionTurnItem
  | IdentifiedTurnItem;

type OtherTurnItemType = Exclude<TurnItemType, PreciseTurnItem['type']>;

type OtherTurnItem = { [T in OtherTurnItemType]: JsonObject & { readonly type: T } }[OtherTurnItemType];

/** Discriminated by `type`. */
export type TurnItem = PreciseTurnItem | OtherTurnItem;
