/**
 * Calls of tools and their outputs, made whole for the model: each call has an output, each output its call.
 *
 * A call without an output (the process died, the turn was interrupted) gets a synthetic one right after it; an output
 * without its call goes. Order is never changed, no item is copied. Synthetic items are the only ones not on disk.
 * Source: what 0.171.0 sends for each kind of call, tried with crafted logs.
 */
import type { JsonObject } from '../base/json.js';

const ABORTED = 'aborted';

interface CallIds {
  /** Answered by `function_call_output`: `function_call` and `local_shell_call`. */
  readonly functions: Set<string>;
  readonly customs: Set<string>;
  readonly searches: Set<string>;
}

function newIds(): CallIds {
  return { functions: new Set(), customs: new Set(), searches: new Set() };
}

/** Pairs calls and outputs of `items` (oldest first). The same array when nothing had to be done. */
export function pairCalls(items: readonly JsonObject[]): readonly JsonObject[] {
  const calls = newIds();
  const outputs = newIds();
  for (const item of items) {
    const id = item['call_id'];
    if (typeof id !== 'string') continue;
    switch (item['type']) {
      case 'function_call':
      case 'local_shell_call':
        calls.functions.add(id);
        break;
      case 'custom_tool_call':
        calls.customs.add(id);
        break;
      case 'tool_search_call':
        calls.searches.add(id);
        break;
      case 'function_call_output':
        outputs.functions.add(id);
        break;
      case 'custom_tool_call_output':
        outputs.customs.add(id);
        break;
      case 'tool_search_output':
        outputs.searches.add(id);
        break;
    }
  }
  const paired: JsonObject[] = [];
  let changed = false;
  for (const item of items) {
    if (isOrphan(item, calls)) {
      changed = true;
      continue;
    }
    paired.push(item);
    const missing = missingOutput(item, outputs);
    if (missing === undefined) continue;
    changed = true;
    paired.push(missing);
  }
  return changed ? paired : items;
}

/** An output without an id answers no call (the objective of a goal comes so): it stays. */
function isOrphan(item: JsonObject, calls: CallIds): boolean {
  const id = item['call_id'];
  if (typeof id !== 'string') return false;
  switch (item['type']) {
    case 'function_call_output':
      return !calls.functions.has(id);
    case 'custom_tool_call_output':
      return !calls.customs.has(id);
    case 'tool_search_output':
      // What the server executed has no call in the log.
      return item['execution'] !== 'server' && !calls.searches.has(id);
    default:
      return false;
  }
}

function missingOutput(item: JsonObject, outputs: CallIds): JsonObject | undefined {
  const id = item['call_id'];
  if (typeof id !== 'string') return undefined;
  switch (item['type']) {
    case 'function_call':
    case 'local_shell_call':
      return outputs.functions.has(id) ? undefined : { type: 'function_call_output', call_id: id, output: ABORTED };
    case 'custom_tool_call':
      return outputs.customs.has(id) ? undefined : { type: 'custom_tool_call_output', call_id: id, output: ABORTED };
    case 'tool_search_call':
      return outputs.searches.has(id)
        ? undefined
        : { type: 'tool_search_output', call_id: id, status: 'completed', execution: 'client', tools: [] };
    default:
      return undefined;
  }
}
