/**
 * Images and sound in items as a person sees them: `[image]` and `[audio]` in their place, never their bytes.
 * Pure; costs one pass over the text, whatever it holds.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import { stringOf } from './content.js';

export const SHOWN_IMAGE = '[image]';
const SHOWN_AUDIO = '[audio]';

/** Types of content entries: in messages and outputs, in turn items, in results of MCP tools. */
const MEDIA: ReadonlyMap<string, string> = new Map([
  ['input_image', SHOWN_IMAGE],
  ['output_image', SHOWN_IMAGE],
  ['image', SHOWN_IMAGE],
  ['local_image', SHOWN_IMAGE],
  ['localImage', SHOWN_IMAGE],
  ['input_audio', SHOWN_AUDIO],
  ['output_audio', SHOWN_AUDIO],
  ['audio', SHOWN_AUDIO],
]);

/** Short ones may be an example that somebody typed. */
const DATA_URL = /data:(image|audio)\/[\w.+-]{1,100}(?:;[\w.+=-]{1,100}){0,4};base64,[A-Za-z0-9+/_=-]{64,}/g;
/** The entry of an MCP result, in an output that is JSON as text. */
const DATA_FIELD = /("data"\s{0,8}:\s{0,8}")[A-Za-z0-9+/_=-]{64,}(?=")/g;

/** Texts of the entries of a content array, in order, images and sound by their stand-in. */
export function shownTexts(content: JsonValue | undefined): readonly string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  const texts: string[] = [];
  for (const entry of content as readonly JsonValue[]) {
    const text = typeof entry === 'string' ? entry : isJsonObject(entry) ? entryText(entry) : undefined;
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

function entryText(entry: JsonObject): string | undefined {
  if (typeof entry['text'] === 'string') return entry['text'];
  return MEDIA.get(stringOf(entry['type']) ?? '') ?? (entry['image_url'] === undefined ? undefined : SHOWN_IMAGE);
}

/** One stand-in for each image that an event lists beside its text. */
export function shownImages(...lists: readonly (JsonValue | undefined)[]): readonly string[] {
  return lists.flatMap((list) => (Array.isArray(list) ? list.map(() => SHOWN_IMAGE) : []));
}

/** `text` with the data of images and sound replaced by their stand-in. */
export function withoutMediaData(text: string): string {
  // Most texts hold neither; looking for five letters is cheaper than both patterns.
  const hasUrl = text.includes(';base64,');
  const hasField = text.includes('"data"') && /"(?:image|audio)["/]/.test(text);
  if (!hasUrl && !hasField) return text;
  const urls = hasUrl ? text.replace(DATA_URL, (_url, kind: string) => `[${kind}]`) : text;
  return hasField ? urls.replace(DATA_FIELD, `$1${SHOWN_IMAGE}`) : urls;
}

/** The output of a tool as text: a string as it is, content entries joined, anything else as compact JSON. */
export function shownOutput(output: JsonValue | undefined): string {
  if (Array.isArray(output)) return withoutMediaData(shownTexts(output).join('\n'));
  if (typeof output === 'string') return withoutMediaData(output);
  if (!isJsonObject(output)) return output === undefined || output === null ? '' : JSON.stringify(output);
  const { content } = output;
  return withoutMediaData(typeof content === 'string' ? content : JSON.stringify(output));
}
