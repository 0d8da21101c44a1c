/**
 * When a request holds a history: item by item, as JSON, nothing left out and nothing added.
 *
 * What the client puts around the history is told apart by its place: instructions before it, context and the new
 * prompt after it. Two fields of an item may differ, and no others: see `sentForm`.
 */
import { textOf } from './mock-responses.mjs';

/** What the client keeps for itself and sends to no provider but its own. */
const KEPT_BACK = 'internal_chat_message_metadata_passthrough';

/** An item as it is sent. Key order does not matter; everything else does. */
export function sentForm(item) {
  const { [KEPT_BACK]: _kept, ...sent } = item;
  return sent;
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** True when `sent` is what a client makes of `stored`. An id that the log does not have may be given by the client. */
export function sameItem(sent, stored) {
  const [left, right] = [sentForm(sent), sentForm(stored)];
  if (right.id === undefined) delete left.id;
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

/** True for what only the client says: instructions and tools. */
export function isInstruction({ type, role }) {
  return type === 'additional_tools' || (type === 'message' && (role === 'developer' || role === 'system'));
}

const CONTEXT = /^\s*<(environment_context|user_instructions|recommended_plugins|skill|turn_aborted)\b|^# AGENTS\.md/i;

/** True for what a client tells the model before a turn, in whatever name. */
export function isContext(item) {
  return isInstruction(item) || (item.type === 'message' && item.role === 'user' && CONTEXT.test(textOf(item)));
}

function brief(item) {
  if (item === undefined) return 'nothing';
  const text = JSON.stringify(sorted(sentForm(item)));
  return text.length > 300 ? `${text.slice(0, 200)}…${text.slice(-90)}` : text;
}

/** How many items of `history` stand in `input` from `start` on, in order. */
function matchedFrom(input, start, history) {
  let count = 0;
  while (count < history.length && start + count < input.length && sameItem(input[start + count], history[count]))
    count += 1;
  return count;
}

/**
 * Why `input` is not instructions, `history`, context and `prompt` in this order; undefined when it is.
 * @param {readonly object[]} input of a request
 * @param {readonly object[]} history as `codicil history` has it
 * @param {string} prompt the text of the new message; undefined when the request carries none
 * @returns {string | undefined}
 */
export function differenceOf(input, history, prompt) {
  let best = { start: 0, matched: -1 };
  for (let start = 0; start <= input.length; start += 1) {
    const matched = matchedFrom(input, start, history);
    if (matched > best.matched) best = { start, matched };
    if (matched === history.length || start === input.length || !isInstruction(input[start])) break;
  }
  const { start, matched } = best;
  if (matched < history.length) {
    const sent = brief(input[start + matched]);
    return `item ${matched} of ${history.length}: sent ${sent}, ours ${brief(history[matched])}`;
  }
  const rest = input.slice(start + matched);
  const last = prompt === undefined ? undefined : rest.pop();
  if (prompt !== undefined && (last?.role !== 'user' || textOf(last) !== prompt))
    return `the last item is not the prompt "${prompt}": ${brief(last)}`;
  const extra = rest.find((item) => !isContext(item));
  if (extra !== undefined) return `sent after our ${history.length} items: ${brief(extra)}`;
  return undefined;
}
