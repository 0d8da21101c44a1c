/**
 * The older events that say the same as a canonical item event, for clients that know no turn items.
 * They follow the canonical event, in this order, with its id.
 *
 * A pure function of the event. An item whose fields are not what a twin needs has none: a twin is never half made up.
 * Source: the pairs that releases 0.147 to 0.171 deliver.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import { utf8Length, utf8Slice } from '../base/text.js';
import { collabTwin } from './collab-twins.js';
import type { EventMsg, ItemCompleted, ItemStarted } from './event-msg.js';
import type { ReasoningTurnItem, TurnItem, UserMessageTurnItem } from './turn-item.js';

export interface LegacyTwinOptions {
  /** Also the raw reasoning, as clients see it that asked for it. */
  readonly rawReasoning?: boolean;
}

const NO_TWINS: readonly EventMsg[] = [];

/** Twins of `item_started` and `item_completed`; every other event, deltas included, has none. */
export function legacyTwins(event: EventMsg, options: LegacyTwinOptions = {}): readonly EventMsg[] {
  if (event.type === 'item_started') return startedTwins(event);
  if (event.type === 'item_completed') return completedTwins(event, options.rawReasoning === true);
  return NO_TWINS;
}

function startedTwins(event: ItemStarted): readonly EventMsg[] {
  const { item, turn_id } = event;
  const started_at_ms = event['started_at_ms'] ?? 0;
  switch (item.type) {
    case 'WebSearch':
      return [{ type: 'web_search_begin', call_id: item.id }];
    case 'ImageGeneration':
      return [{ type: 'image_generation_begin', call_id: item.id }];
    case 'FileChange': {
      const { auto_approved, changes } = item;
      return [
        {
          type: 'patch_apply_begin',
          call_id: item.id,
          turn_id,
          auto_approved: auto_approved ?? false,
          changes: changes ?? {},
        },
      ];
    }
    case 'McpToolCall':
      return [{ type: 'mcp_tool_call_begin', call_id: item.id, ...mcpFields(item) }];
    case 'CommandExecution':
      return [{ type: 'exec_command_begin', call_id: item.id, turn_id, started_at_ms, ...commandFields(item) }];
    case 'DynamicToolCall':
      return [{ type: 'dynamic_tool_call_request', call_id: item.id, turn_id, started_at_ms, ...toolFields(item) }];
    case 'CollabAgentToolCall':
      return listOf(collabTwin(item, { phase: 'begin', atMs: started_at_ms }));
    default:
      return NO_TWINS;
  }
}

function completedTwins(event: ItemCompleted, rawReasoning: boolean): readonly EventMsg[] {
  const { item, turn_id } = event;
  const completed_at_ms = event['completed_at_ms'] ?? 0;
  switch (item.type) {
    case 'UserMessage':
      return [userMessageTwin(item)];
    case 'AgentMessage':
      return item.content.flatMap((entry): EventMsg[] => {
        if (!isJsonObject(entry) || typeof entry['text'] !== 'string') return [];
        const { phase, memory_citation } = item;
        const message = entry['text'];
        return [{ type: 'agent_message', message, phase: phase ?? null, memory_citation: memory_citation ?? null }];
      });
    case 'Reasoning':
      return reasoningTwins(item, rawReasoning);
    case 'WebSearch':
      return [{ type: 'web_search_end', call_id: item.id, ...pick(item, ['query', 'action', 'results']) }];
    case 'ImageGeneration': {
      const fields = pick(item, ['status', 'revised_prompt', 'result', 'saved_path']);
      return [{ type: 'image_generation_end', call_id: item.id, ...fields }];
    }
    case 'ImageView':
      return [{ type: 'view_image_tool_call', call_id: item.id, ...pick(item, ['path']) }];
    case 'ContextCompaction':
      return [{ type: 'context_compacted' }];
    case 'FileChange':
      return fileChangeTwins(item, turn_id);
    case 'McpToolCall':
      return mcpTwins(item);
    case 'CommandExecution':
      return commandTwins(item, turn_id, completed_at_ms);
    case 'DynamicToolCall':
      return dynamicToolTwins(item, turn_id, completed_at_ms);
    case 'CollabAgentToolCall':
      return inProgress(item) ? NO_TWINS : listOf(collabTwin(item, { phase: 'end', atMs: completed_at_ms }));
    case 'SubAgentActivity': {
      const fields = pick(item, ['agent_thread_id', 'agent_path', 'kind']);
      return [{ type: 'sub_agent_activity', event_id: item.id, occurred_at_ms: completed_at_ms, ...fields }];
    }
    default:
      return NO_TWINS;
  }
}

type ItemOf<T extends TurnItem['type']> = Extract<TurnItem, { readonly type: T }>;

function listOf(event: EventMsg | undefined): readonly EventMsg[] {
  return event === undefined ? NO_TWINS : [event];
}

/** Of the fields named, those that are there; a missing one stays missing. */
function pick(item: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.flatMap((field) => (item[field] === undefined ? [] : [[field, item[field]]])));
}

/** Written `in_progress`; in releases before 0.171 also `inProgress`. */
function inProgress(item: JsonObject): boolean {
  return item['status'] === 'in_progress' || item['status'] === 'inProgress';
}

const NO_DURATION = { secs: 0, nanos: 0 } as const;

/** Texts joined; ranges of text elements moved to where their text now stands. */
function userMessageTwin(item: UserMessageTurnItem): EventMsg {
  let message = '';
  let offsetBytes = 0;
  const images: JsonValue[] = [];
  const imageDetails: JsonValue[] = [];
  const localImages: JsonValue[] = [];
  const localImageDetails: JsonValue[] = [];
  const textElements: JsonValue[] = [];
  for (const entry of item.content) {
    if (!isJsonObject(entry)) continue;
    const { type, text, text_elements, image_url, path, detail } = entry;
    if (type === 'text' && typeof text === 'string') {
      for (const element of Array.isArray(text_elements) ? (text_elements as readonly JsonValue[]) : []) {
        const moved = moveElement(element, text, offsetBytes);
        if (moved !== undefined) textElements.push(moved);
      }
      message += text;
      offsetBytes += utf8Length(text);
    } else if (type === 'image' && typeof image_url === 'string') {
      images.push(image_url);
      imageDetails.push(detail ?? null);
    } else if (type === 'local_image' && typeof path === 'string') {
      localImages.push(path);
      localImageDetails.push(detail ?? null);
    }
  }
  return {
    type: 'user_message',
    ...pick(item, ['client_id']),
    message,
    images,
    ...detailsOf('image_details', imageDetails),
    local_images: localImages,
    ...detailsOf('local_image_details', localImageDetails),
    text_elements: textElements,
  };
}

/** Parallel to the images; trailing defaults, and an empty list, are left out. */
function detailsOf(field: string, details: readonly JsonValue[]): JsonObject {
  const last = details.findLastIndex((detail) => detail !== null);
  return last === -1 ? {} : { [field]: details.slice(0, last + 1) };
}

function moveElement(element: JsonValue, text: string, offsetBytes: number): JsonValue | undefined {
  const range = isJsonObject(element) ? element['byte_range'] : undefined;
  if (!isJsonObject(element) || !isJsonObject(range)) return undefined;
  const { start, end } = range;
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  // Once joined, the element's own text can no longer be found by its range in one entry.
  const placeholder = element['placeholder'] ?? utf8Slice(text, start, end) ?? null;
  return { byte_range: { start: start + offsetBytes, end: end + offsetBytes }, placeholder };
}

function reasoningTwins(item: ReasoningTurnItem, rawReasoning: boolean): readonly EventMsg[] {
  const texts = (value: JsonValue | undefined): readonly string[] =>
    Array.isArray(value) ? (value as readonly JsonValue[]).filter((text) => typeof text === 'string') : [];
  const twins: EventMsg[] = texts(item.summary_text).map((text) => ({ type: 'agent_reasoning', text }));
  if (!rawReasoning) return twins;
  const raw = texts(item['raw_content']).map((text): EventMsg => ({ type: 'agent_reasoning_raw_content', text }));
  return [...twins, ...raw];
}

function fileChangeTwins(item: ItemOf<'FileChange'>, turn_id: string): readonly EventMsg[] {
  const { status, stdout, stderr, changes } = item;
  if (status == null) return NO_TWINS;
  return [
    {
      type: 'patch_apply_end',
      call_id: item.id,
      turn_id,
      stdout: stdout ?? '',
      stderr: stderr ?? '',
      success: status === 'completed',
      changes: changes ?? {},
      status,
    },
  ];
}

const MCP_FIELDS = [
  'connector_id',
  'mcp_app_resource_uri',
  'link_id',
  'app_name',
  'template_id',
  'action_name',
  'plugin_id',
];

function mcpFields(item: ItemOf<'McpToolCall'>): JsonObject {
  const { server, tool } = item;
  return {
    invocation: { ...pick({ server, tool }, ['server', 'tool']), arguments: item['arguments'] ?? null },
    ...pick(item, MCP_FIELDS),
  };
}

function mcpTwins(item: ItemOf<'McpToolCall'>): readonly EventMsg[] {
  const { result, error, duration } = item;
  if (duration == null) return NO_TWINS;
  let outcome: JsonObject;
  if (result != null) outcome = { Ok: result };
  else if (isJsonObject(error)) outcome = { Err: error['message'] ?? '' };
  else return NO_TWINS;
  return [{ type: 'mcp_tool_call_end', call_id: item.id, ...mcpFields(item), duration, result: outcome }];
}

function commandFields(item: ItemOf<'CommandExecution'>): JsonObject {
  return pick(item, ['process_id', 'command', 'cwd', 'parsed_cmd', 'source', 'interaction_input']);
}

function commandTwins(
  item: ItemOf<'CommandExecution'>,
  turn_id: string,
  completed_at_ms: JsonValue,
): readonly EventMsg[] {
  if (inProgress(item)) return NO_TWINS;
  const { stdout, stderr, aggregated_output, exit_code, duration, formatted_output, status } = item;
  return [
    {
      type: 'exec_command_end',
      call_id: item.id,
      turn_id,
      completed_at_ms,
      ...commandFields(item),
      stdout: stdout ?? '',
      stderr: stderr ?? '',
      aggregated_output: aggregated_output ?? '',
      exit_code: exit_code ?? 0,
      duration: duration ?? NO_DURATION,
      formatted_output: formatted_output ?? '',
      status: status ?? 'completed',
    },
  ];
}

function toolFields(item: ItemOf<'DynamicToolCall'>): JsonObject {
  return pick(item, ['namespace', 'tool', 'arguments']);
}

function dynamicToolTwins(
  item: ItemOf<'DynamicToolCall'>,
  turn_id: string,
  completed_at_ms: JsonValue,
): readonly EventMsg[] {
  if (inProgress(item)) return NO_TWINS;
  const { content_items, success, error, duration } = item;
  return [
    {
      type: 'dynamic_tool_call_response',
      call_id: item.id,
      turn_id,
      completed_at_ms,
      ...toolFields(item),
      content_items: content_items ?? [],
      success: success ?? false,
      error: error ?? null,
      duration: duration ?? NO_DURATION,
    },
  ];
}
