/**
 * The history of a thread for a person: one line an item, in the order in which the model would get them.
 */
import type { JsonObject, JsonValue } from '../../base/json.js';
import { visibleLine } from '../../base/visible-text.js';
import { shownTexts, withoutMediaData } from '../../projection/shown-media.js';
import type { View } from '../run.js';
import { clipToWidth, displayWidth } from '../width.js';

const UNBOUNDED_COLUMNS = 160;
/** Enough for any terminal; an item may be megabytes. */
const HEAD_CHARS = 2_000;

export function* historyLines(items: readonly JsonObject[], { palette, columns }: View): Generator<string> {
  const numberColumns = String(items.length).length;
  for (const [index, item] of items.entries()) {
    const number = String(index + 1).padStart(numberColumns);
    const kind = visibleLine(
      [wordOf(item['type']), wordOf(item['role']), wordOf(item['name'])].filter((word) => word !== '').join(' '),
    );
    const rest = Math.min(columns, UNBOUNDED_COLUMNS) - numberColumns - displayWidth(kind) - 4;
    yield `${palette.dim(number)}  ${palette.cyan(kind)}  ${clipToWidth(visibleLine(textOf(item)), rest)}`.trimEnd();
  }
}

function wordOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, 60) : '';
}

/** What the item says, else its JSON. */
function textOf(item: JsonObject): string {
  const said =
    item['content'] ?? item['output'] ?? item['arguments'] ?? item['input'] ?? item['summary'] ?? item['action'];
  if (typeof said === 'string') return withoutMediaData(said.slice(0, HEAD_CHARS));
  const parts = Array.isArray(said) ? said : [said];
  const texts = shownTexts(parts.filter((part) => part !== undefined)).map((text) => text.slice(0, HEAD_CHARS));
  if (texts.length > 0) return withoutMediaData(texts.join(' ').slice(0, HEAD_CHARS));
  return said === undefined ? '' : withoutMediaData(JSON.stringify(said)).slice(0, HEAD_CHARS);
}
