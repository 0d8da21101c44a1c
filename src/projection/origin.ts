/**
 * Who wrote a text: set from the record, never from what the text claims to be.
 *
 * A text can lower its origin, never raise it: what is quoted, fenced or pasted inside a message of the user was not
 * typed by the user. What cannot be told apart is given the weaker origin.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import type { EventMsg } from '../protocol/event-msg.js';
import type { RolloutLine } from '../protocol/rollout-line.js';
import { stringOf } from './content.js';
import { isInjectedUserText, isSummaryText } from './injected.js';
import { ORIGINS, type Origin } from './turn.js';

/** Kinds, in the metadata of a message since 0.152, of content that came from the user. */
const USER_KINDS = new Set(['user.text', 'user.image', 'user.audio', 'user.local_image']);

/** Kind of content of which the client knows nothing. */
const UNKNOWN_KIND = 'unknown';

const EXTERNAL_TOOL = /^(?:mcp__|mcp\.|web[._]|web_search|browser)/;

/** The weaker of two origins: what is known of a text can lower its origin, never raise it. */
export function weakerOrigin(a: Origin, b: Origin): Origin {
  return ORIGINS.indexOf(a) < ORIGINS.indexOf(b) ? a : b;
}

/**
 * Origin of the text of a line. `externalCalls` holds ids of calls that went outside (see `externalCallId`): their
 * outputs do not say so themselves.
 */
export function originOf(line: RolloutLine, externalCalls?: ReadonlySet<string>): Origin {
  const { item } = line;
  switch (item.type) {
    case 'response_item':
      return itemOrigin(item.payload, line.metadata, externalCalls);
    case 'event_msg':
      return eventOrigin(item.payload);
    case 'inter_agent_communication':
      return 'assistant';
    default:
      // Settings, state and summaries: a summary never raises what it sums up.
      return 'injected';
  }
}

/** Origin of an item outside a line, such as one of a replacement history. */
export function itemOrigin(
  item: JsonObject,
  metadata?: JsonObject | undefined,
  externalCalls?: ReadonlySet<string>,
): Origin {
  switch (item['type']) {
    case 'message':
      return messageOrigin(item);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return outputOrigin(item, metadata, externalCalls);
    case 'tool_search_output':
      return 'tool';
    case 'web_search_call':
    case 'image_generation_call':
      return 'external';
    case 'agent_message':
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'tool_search_call':
      return 'assistant';
    default:
      return 'injected';
  }
}

function messageOrigin(message: JsonObject): Origin {
  if (message['role'] === 'assistant') return 'assistant';
  if (message['role'] !== 'user') return 'injected';
  const content = message['content'];
  if (!Array.isArray(content)) return 'injected';
  const kinds = kindsOf(message);
  let typed = content.length === 0;
  for (const [index, part] of (content as readonly JsonValue[]).entries()) {
    const kind = kinds?.[index];
    if (kind !== undefined && kind !== UNKNOWN_KIND && !USER_KINDS.has(kind)) return 'injected';
    const text = isJsonObject(part) ? stringOf(part['text']) : undefined;
    if (text !== undefined && (isInjectedUserText(text) || isSummaryText(text))) return 'injected';
    // Put into the thread by a program: nobody typed it here.
    typed ||= kind !== UNKNOWN_KIND;
  }
  return typed ? 'user' : 'external';
}

function kindsOf(message: JsonObject): readonly (string | undefined)[] | undefined {
  const passthrough = message['internal_chat_message_metadata_passthrough'];
  const kinds = isJsonObject(passthrough) ? passthrough['content_item_kinds'] : undefined;
  return Array.isArray(kinds) ? (kinds as readonly JsonValue[]).map(stringOf) : undefined;
}

function outputOrigin(
  item: JsonObject,
  metadata: JsonObject | undefined,
  externalCalls: ReadonlySet<string> | undefined,
): Origin {
  const callId = item['call_id'];
  // The objective of a goal, handed over as an output that no call asked for.
  if (typeof callId !== 'string') return 'injected';
  if (externalCalls?.has(callId) || isExternalTool(item)) return 'external';
  const attribution = metadata?.['mcp_attribution'];
  if (isJsonObject(attribution) && attribution['status'] !== 'none') return 'external';
  const output = item['output'];
  const showsImage =
    Array.isArray(output) &&
    (output as readonly JsonValue[]).some((part) => isJsonObject(part) && part['type'] === 'input_image');
  return showsImage ? 'external' : 'tool';
}

function isExternalTool(item: JsonObject): boolean {
  const name = stringOf(item['name']);
  const namespace = stringOf(item['namespace']);
  return (name !== undefined && EXTERNAL_TOOL.test(name)) || (namespace !== undefined && EXTERNAL_TOOL.test(namespace));
}

/** The id of a call to something outside (MCP, the web), for the origin of its output; undefined for any other item. */
export function externalCallId(item: JsonObject): string | undefined {
  if (item['type'] !== 'function_call' && item['type'] !== 'custom_tool_call') return undefined;
  return isExternalTool(item) ? stringOf(item['call_id']) : undefined;
}

function eventOrigin(event: EventMsg): Origin {
  switch (event.type) {
    case 'user_message':
      return isInjectedUserText(event.message) ? 'injected' : 'user';
    case 'agent_message':
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      return 'assistant';
    case 'exec_command_end':
    case 'patch_apply_end':
      return 'tool';
    case 'mcp_tool_call_end':
    case 'web_search_end':
    case 'image_generation_end':
    case 'view_image_tool_call':
      return 'external';
    case 'item_completed':
      return turnItemOrigin(event.item);
    default:
      return 'injected';
  }
}

function turnItemOrigin(item: JsonObject): Origin {
  switch (item['type']) {
    case 'UserMessage':
      return 'user';
    case 'AgentMessage':
    case 'Reasoning':
    case 'Plan':
    case 'CollabAgentToolCall':
    case 'SubAgentActivity':
      return 'assistant';
    case 'CommandExecution':
    case 'FileChange':
    case 'FunctionCallOutput':
      return 'tool';
    case 'McpToolCall':
    case 'DynamicToolCall':
    case 'WebSearch':
    case 'ImageView':
    case 'ImageGeneration':
    case 'Extension':
      return 'external';
    default:
      return 'injected';
  }
}
