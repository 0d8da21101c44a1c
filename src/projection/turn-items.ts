/**
 * From a record to what a person sees of it: its text, and the marks by which the same text is known in another record.
 *
 * Releases write most texts twice, as an item for the model and as an event for the screen, in either order. Two
 * records with a mark in common are twins. Records that are no items have no view here. Images and sound are shown by
 * a stand-in; marks know nothing of them.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import type { EventMsg } from '../protocol/event-msg.js';
import { isOpaqueItem } from '../protocol/response-item.js';
import { callText, commandText, contentTexts, hasMedia, queryText, stringOf, typedText } from './content.js';
import { SHOWN_IMAGE, shownImages, shownOutput, shownTexts, withoutMediaData } from './shown-media.js';

export interface ItemText {
  readonly type: string;
  readonly role: string | null;
  /** Undefined: there is no text, the raw record stands for it. */
  readonly text: string | undefined;
  /** First letter: the kind of mark. `c` marks a call, which may have many events; any other has one twin. */
  readonly marks: readonly string[];
}

const NO_MARKS: readonly string[] = [];
const COMPACTION = 'k';
const CITATION = /<oai-mem-citation>[\s\S]*?(?:<\/oai-mem-citation>|$)/g;

/** The view of a response item. */
export function responseItemText(item: JsonObject): ItemText {
  const type = stringOf(item['type']) ?? 'unknown';
  if (isOpaqueItem(item)) return { type, role: stringOf(item['role']) ?? null, text: undefined, marks: NO_MARKS };
  switch (type) {
    case 'message':
      return messageText(item);
    case 'agent_message':
      return view(type, shownTexts(item['content']).join('\n'));
    case 'reasoning': {
      const summary = contentTexts(item['summary']);
      const parts = summary.length > 0 ? summary : contentTexts(item['content']);
      return view(type, parts.join('\n\n'), reasoningMarks([...summary, ...contentTexts(item['content'])]));
    }
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'tool_search_call':
      return view(type, callText(item), callMarks(item['call_id'] ?? item['id']));
    case 'web_search_call':
      return view(type, callText(item), [searchMark(item)]);
    case 'image_generation_call':
      return view(type, generatedImageText(item), callMarks(item['id']));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return view(type, shownOutput(item['output']));
    case 'tool_search_output':
      return view(type, item['tools'] === undefined ? '' : JSON.stringify(item['tools']));
    default:
      return view(type, '');
  }
}

/** The view of a `compacted` line: its summary. */
export function compactedText(payload: JsonObject): ItemText {
  return view('compacted', stringOf(payload['message']) ?? '', [COMPACTION]);
}

/** The view of an event that shows an item; undefined for all others. */
export function eventItemText(event: EventMsg): ItemText | undefined {
  switch (event.type) {
    case 'user_message':
      return { type: event.type, role: 'user', text: userEventText(event), marks: [userMark(event.message)] };
    case 'agent_message':
      return { type: event.type, role: 'assistant', text: event.message, marks: [assistantMark(event.message)] };
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      return view(event.type, event.text, reasoningMarks([event.text]));
    case 'context_compacted':
      return view(event.type, '', [COMPACTION]);
    case 'exec_command_end':
      return view(event.type, executionText(event), callMarks(event.call_id));
    case 'patch_apply_end':
      return view(event.type, changesText(event['changes']), callMarks(event.call_id));
    case 'mcp_tool_call_end':
      return view(event.type, mcpText(event['invocation'], event['result']), callMarks(event.call_id));
    case 'web_search_end':
      return view(event.type, queryText(event), [searchMark(event)]);
    case 'view_image_tool_call':
      return view(event.type, stringOf(event['path']) ?? '', callMarks(event.call_id));
    case 'image_generation_end':
      return view(event.type, generatedImageText(event), callMarks(event.call_id));
    case 'error':
      return view(event.type, event.message);
    case 'item_completed':
      return turnItemText(event.item);
    default:
      return undefined;
  }
}

/** Why a turn failed, as the event that ended it says; undefined when it does not. */
export function failureText(error: JsonValue | undefined): string | undefined {
  const told = isJsonObject(error) ? (error['message'] ?? error['codex_error_info']) : error;
  const text = stringOf(told);
  return text === undefined || text.trim() === '' ? undefined : text;
}

function turnItemText(item: JsonObject): ItemText {
  const type = stringOf(item['type']) ?? 'unknown';
  switch (type) {
    case 'UserMessage': {
      const typed = typedText(item['content']);
      const text = hasMedia(item['content']) ? shownTexts(item['content']).join('\n') : typed;
      return { type, role: 'user', text, marks: [userMark(typed)] };
    }
    case 'AgentMessage': {
      const text = shownTexts(item['content']).join('');
      return { type, role: 'assistant', text, marks: [assistantMark(contentTexts(item['content']).join(''))] };
    }
    case 'Reasoning': {
      const summary = contentTexts(item['summary_text']);
      const raw = contentTexts(item['raw_content']);
      return view(type, (summary.length > 0 ? summary : raw).join('\n\n'), reasoningMarks([...summary, ...raw]));
    }
    case 'CommandExecution':
      return view(type, executionText(item), callMarks(item['id']));
    case 'FileChange':
      return view(type, changesText(item['changes']), callMarks(item['id']));
    case 'McpToolCall':
      return view(type, mcpText(item, item['result'] ?? item['error']), callMarks(item['id']));
    case 'WebSearch':
      return view(type, queryText(item), [searchMark(item)]);
    case 'ImageView':
      return view(type, stringOf(item['path']) ?? '', callMarks(item['id']));
    case 'ContextCompaction':
      return view(type, '', [COMPACTION]);
    default:
      return { ...view(type, '', callMarks(item['id'])), text: stringOf(item['text']) };
  }
}

function view(type: string, text: string, marks: readonly string[] = NO_MARKS): ItemText {
  return { type, role: null, text, marks };
}

function messageText(item: JsonObject): ItemText {
  const role = stringOf(item['role']) ?? null;
  const text = shownTexts(item['content']).join('\n');
  if (role === 'user') return { type: 'message', role, text, marks: [userMark(typedText(item['content']))] };
  const marks = role === 'assistant' ? [assistantMark(contentTexts(item['content']).join(''))] : NO_MARKS;
  return { type: 'message', role, text, marks };
}

/** An event lists its images beside the text; where they stood in it is not told. */
function userEventText(event: JsonObject & { readonly message: string }): string {
  const images = shownImages(event['images'], event['local_images']);
  return event.message === '' ? images.join('\n') : [event.message, ...images].join('\n');
}

function generatedImageText(item: JsonObject): string {
  const prompt = stringOf(item['revised_prompt']) ?? '';
  const isThere = typeof item['result'] === 'string' && item['result'] !== '';
  return [prompt, isThere ? SHOWN_IMAGE : ''].filter((text) => text !== '').join('\n');
}

/** What records of one message of the user have in common. */
export function userMark(text: string): string {
  return `u${text.trim()}`;
}

/** What records of one answer have in common: its event lacks the citations of the item. */
export function assistantMark(text: string): string {
  return `a${(text.includes('<oai-mem-citation>') ? text.replace(CITATION, '') : text).trim()}`;
}

function reasoningMarks(parts: readonly string[]): readonly string[] {
  return parts.map((part) => `r${part.trim()}`);
}

function callMarks(id: JsonValue | undefined): readonly string[] {
  return typeof id === 'string' ? [`c${id}`] : NO_MARKS;
}

/** True for the mark of a call. */
export function isCallMark(mark: string): boolean {
  return mark.startsWith('c');
}

function searchMark(item: JsonObject): string {
  return `w${queryText(item)}`;
}

function executionText(item: JsonObject): string {
  const output = stringOf(item['aggregated_output']) ?? stringOf(item['formatted_output']) ?? '';
  const command = commandText(item['command']);
  return output === '' ? command : `${command}\n${output}`;
}

function changesText(changes: JsonValue | undefined): string {
  if (!isJsonObject(changes)) return '';
  return Object.entries(changes)
    .map(([path, change]) => `${(isJsonObject(change) ? stringOf(change['type']) : undefined) ?? 'change'} ${path}`)
    .join('\n');
}

function mcpText(invocation: JsonValue | undefined, result: JsonValue | undefined): string {
  const call = isJsonObject(invocation) ? invocation : {};
  const name = [call['server'], call['tool']].filter((part) => typeof part === 'string').join('.');
  const input = call['arguments'] === undefined ? '' : ` ${JSON.stringify(call['arguments'])}`;
  const output = result === undefined || result === null ? '' : `\n${withoutMediaData(JSON.stringify(result))}`;
  return `${name}${input}${output}`;
}
