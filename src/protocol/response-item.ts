/**
 * Items of the model's conversation, as they are sent to the model and stored in `response_item` lines, in bare lines
 * and in a compaction's `replacement_history`.
 *
 * Known types are typed by the fields that decoding has checked; every other field is a `JsonValue` to be narrowed.
 * A type that is not known, or a message with content that is not known, is an `OpaqueResponseItem`: kept as it is,
 * never sent to the model.
 */
import type { JsonObject, JsonValue } from '../base/json.js';
import { CONTENT_ITEMS, RESPONSE_ITEMS } from './wire-lookup.js';
import type { ContentItemType, ResponseItemType } from './wire-names.js';

export interface InputText extends JsonObject {
  readonly type: 'input_text';
  readonly text: string;
}

export interface InputImage extends JsonObject {
  readonly type: 'input_image';
  readonly image_url: string;
}

export interface InputAudio extends JsonObject {
  readonly type: 'input_audio';
}

export interface OutputText extends JsonObject {
  readonly type: 'output_text';
  readonly text: string;
}

export type ContentItem = InputText | InputImage | InputAudio | OutputText;

export interface MessageItem extends JsonObject {
  readonly type: 'message';
  /** `user`, `assistant`, `developer`, `system`. */
  readonly role: string;
  readonly content: readonly ContentItem[];
}

/** A message between agents, not the assistant's answer. */
export interface AgentMessageItem extends JsonObject {
  readonly type: 'agent_message';
  readonly author: string;
  readonly recipient: string;
  readonly content: readonly JsonValue[];
}

export interface ReasoningItem extends JsonObject {
  readonly type: 'reasoning';
  readonly summary: readonly JsonValue[];
}

export interface LocalShellCall extends JsonObject {
  readonly type: 'local_shell_call';
  readonly call_id?: string | null;
  readonly status: string;
  readonly action: JsonObject;
}

export interface FunctionCall extends JsonObject {
  readonly type: 'function_call';
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  readonly call_id: string;
}

export interface FunctionCallOutput extends JsonObject {
  readonly type: 'function_call_output';
  readonly call_id?: string | null;
  /** A text, or an array of content items. */
  readonly output: JsonValue;
}

export interface ToolSearchCall extends JsonObject {
  readonly type: 'tool_search_call';
  readonly call_id?: string | null;
  readonly execution: string;
  readonly arguments: JsonValue;
}

export interface ToolSearchOutput extends JsonObject {
  readonly type: 'tool_search_output';
  readonly call_id?: string | null;
  readonly status: string;
  readonly execution: string;
  readonly tools: readonly JsonValue[];
}

export interface CustomToolCall extends JsonObject {
  readonly type: 'custom_tool_call';
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
}

export interface CustomToolCallOutput extends JsonObject {
  readonly type: 'custom_tool_call_output';
  readonly call_id: string;
  readonly output: JsonValue;
}

export interface WebSearchCall extends JsonObject {
  readonly type: 'web_search_call';
}

export interface ImageGenerationCall extends JsonObject {
  readonly type: 'image_generation_call';
  readonly status: string;
  readonly result: string;
}

export interface CompactionItem extends JsonObject {
  readonly type: 'compaction';
  readonly encrypted_content: string;
}

export interface ContextCompactionResponseItem extends JsonObject {
  readonly type: 'context_compaction';
}

export interface AdditionalTools extends JsonObject {
  readonly type: 'additional_tools';
  readonly role: string;
  readonly tools: readonly JsonValue[];
}

export interface ConfigurationUpdate extends JsonObject {
  readonly type: 'configuration_update';
  readonly reasoning: JsonValue;
}

export interface CompactionTrigger extends JsonObject {
  readonly type: 'compaction_trigger';
}

/** Only inside an old `replacement_history`: as a line it is dropped when read. */
export interface GhostSnapshot extends JsonObject {
  readonly type: 'ghost_snapshot';
}

export type KnownResponseItem =
  | MessageItem
  | AgentMessageItem
  | ReasoningItem
  | LocalShellCall
  | FunctionCall
  | FunctionCallOutput
  | ToolSearchCall
  | ToolSearchOutput
  | CustomToolCall
  | CustomToolCallOutput
  | WebSearchCall
  | ImageGenerationCall
  | CompactionItem
  | ContextCompactionResponseItem
  | AdditionalTools
  | ConfigurationUpdate
  | CompactionTrigger
  | GhostSnapshot;

declare const opaque: unique symbol;

/** An item that this program does not understand. The brand has no run-time part: `isOpaqueItem` tells. */
export interface OpaqueResponseItem extends JsonObject {
  readonly type: string & { readonly [opaque]: true };
}

export type ResponseItem = KnownResponseItem | OpaqueResponseItem;

type Agree<A, B> = [A, B] extends [B, A] ? true : false;
type Holds<Condition extends true> = Condition;

/** A type without a row in the table, or a row without a type, does not compile. */
export type TypesAgree = Holds<Agree<KnownResponseItem['type'], ResponseItemType>> &
  Holds<Agree<ContentItem['type'], ContentItemType>>;

/** The name of a message's first entry of an unknown type; undefined when it understands all of them. */
export function unknownContentType(item: JsonObject): string | undefined {
  const content = item['content'];
  if (item['type'] !== 'message' || !Array.isArray(content)) return undefined;
  for (const entry of content as readonly JsonValue[]) {
    const type = typeof entry === 'object' && entry !== null && 'type' in entry ? entry.type : undefined;
    if (typeof type === 'string' && !CONTENT_ITEMS.has(type)) return type;
  }
  return undefined;
}

/** True for an item of unknown type and for a message with content of unknown type. */
export function isOpaqueItem(item: JsonObject): item is OpaqueResponseItem {
  const type = item['type'];
  return typeof type !== 'string' || !RESPONSE_ITEMS.has(type) || unknownContentType(item) !== undefined;
}

/** True for the snapshots that 0.58 to 0.73 wrote between the items; no reader shows or sends them. */
export function isGhostSnapshot(item: JsonObject): boolean {
  return item['type'] === 'ghost_snapshot';
}
