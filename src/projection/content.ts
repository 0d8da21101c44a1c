/**
 * The text in items of the model's conversation: what a person would call "the text" of each.
 * Never changes a text, only picks and joins; narrows defensively, since payloads come from disk.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';

/** Stands for a message that shows something and says nothing. */
export const IMAGE_ONLY = '[Image]';

const NO_TEXTS: readonly string[] = [];

/** The string in `value`; undefined for anything else. */
export function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Texts of the entries of a content array, in order; entries without a text (images, sound) are left out. */
export function contentTexts(content: JsonValue | undefined): readonly string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return NO_TEXTS;
  const texts: string[] = [];
  for (const entry of content as readonly JsonValue[]) {
    if (typeof entry === 'string') texts.push(entry);
    else if (isJsonObject(entry) && typeof entry['text'] === 'string') texts.push(entry['text']);
  }
  return texts;
}

const IMAGE_WRAPPER = /^(?:<image(?:\s[^>]*)?>|<\/image>)$/;

/** True for the tags that a client puts around an image inside a message of the user. */
function isImageWrapper(text: string): boolean {
  return text.charCodeAt(0) === 60 && IMAGE_WRAPPER.test(text);
}

/** What was typed: the texts of a message joined as its event joins them, without the tags around images. */
export function typedText(content: JsonValue | undefined): string {
  const texts = contentTexts(content);
  const only = texts[0];
  if (texts.length === 1 && only !== undefined) return isImageWrapper(only) ? '' : only;
  return texts.filter((text) => !isImageWrapper(text)).join('');
}

/** True when an entry of a content array is no text. */
export function hasMedia(content: JsonValue | undefined): boolean {
  if (!Array.isArray(content)) return false;
  return (content as readonly JsonValue[]).some((entry) => isJsonObject(entry) && typeof entry['text'] !== 'string');
}

/** Command line, arguments or query of a call, after the name of its tool. */
export function callText(item: JsonObject): string {
  switch (item['type']) {
    case 'function_call':
      return named(item, stringOf(item['arguments']) ?? '');
    case 'custom_tool_call':
      return named(item, stringOf(item['input']) ?? '');
    case 'local_shell_call':
      return commandText(isJsonObject(item['action']) ? item['action']['command'] : undefined);
    case 'tool_search_call':
      return item['arguments'] === undefined ? '' : JSON.stringify(item['arguments']);
    case 'web_search_call':
      return queryText(item);
    default:
      return '';
  }
}

function named(item: JsonObject, input: string): string {
  const name = stringOf(item['name']) ?? '';
  return input === '' ? name : `${name} ${input}`;
}

/** An argv as one line; words are joined by blanks, not quoted. */
export function commandText(command: JsonValue | undefined): string {
  if (typeof command === 'string') return command;
  if (!Array.isArray(command)) return '';
  return (command as readonly JsonValue[]).filter((word) => typeof word === 'string').join(' ');
}

/** What a web search looked for, or the page that it opened. */
export function queryText(item: JsonObject): string {
  const action = isJsonObject(item['action']) ? item['action'] : item;
  for (const key of ['query', 'url', 'pattern']) {
    const value = action[key] ?? item[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
