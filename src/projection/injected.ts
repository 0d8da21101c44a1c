/**
 * Texts that a client puts into the conversation under the name of the user or the developer: instructions,
 * environment, markers. They are told apart by their own form, since releases before 0.152 wrote nothing else.
 *
 * Never decides what a text may become; never looks at more than its two ends.
 * Source: which messages 0.171.0 passes over when it counts the turns of a rollback, tried one by one.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';

interface Fragment {
  readonly open: string;
  readonly close: string;
}

/** In lower case; matched without regard to case, white space around the text aside. */
const USER_FRAGMENTS: readonly Fragment[] = [
  { open: '<environment_context>', close: '</environment_context>' },
  // Up to 0.77; later releases no longer know it, but their logs are still read.
  { open: '<user_instructions>', close: '</user_instructions>' },
  { open: '# agents.md instructions', close: '</instructions>' },
  { open: '<turn_aborted>', close: '</turn_aborted>' },
  { open: '<skill>', close: '</skill>' },
  { open: '<user_shell_command>', close: '</user_shell_command>' },
  { open: '<subagent_notification>', close: '</subagent_notification>' },
  { open: '<recommended_plugins>', close: '</recommended_plugins>' },
  { open: '<goal_context>', close: '</goal_context>' },
  { open: '<codex_internal_context source=', close: '</codex_internal_context>' },
  { open: '<hook_prompt', close: '</hook_prompt>' },
];

const USER_WARNINGS: readonly string[] = [
  'warning: apply_patch was requested via',
  'warning: the maximum number of unified exec processes',
];

/** Openings are enough here: in the developer's name only the client speaks. */
const DEVELOPER_OPENINGS: readonly string[] = [
  '<permissions instructions>',
  '<model_switch>',
  '<collaboration_mode>',
  '<realtime_conversation>',
  '<personality_spec>',
  '<skills_instructions>',
  '<apps_instructions>',
  '<plugins_instructions>',
  '<environments_instructions>',
  '<multi_agent_role>',
  '<multi_agent_mode>',
  '<token_budget>',
  '<context_window>',
  '<git_attribution>',
  'approved command prefix saved:',
];

const EXTERNAL_FRAGMENT = /^<(external_[a-z0-9_]+)>[\s\S]*<\/\1>$/i;

/** Longer than any opening or closing above. */
const EDGE = 64;

const SUMMARY_OPENING = 'Another language model started to solve this problem and produced a summary';

/** True for the text of a summary that a compaction left in the user's name. */
export function isSummaryText(text: string): boolean {
  return text.startsWith(SUMMARY_OPENING);
}

/** True for a text in the user's name that the client wrote. */
export function isInjectedUserText(text: string): boolean {
  const trimmed = text.trim();
  const first = trimmed.charCodeAt(0);
  // `<`, `#`, `W`, `w`: what the openings begin with.
  if (first !== 60 && first !== 35 && first !== 87 && first !== 119) return false;
  const head = trimmed.slice(0, EDGE).toLowerCase();
  if (USER_WARNINGS.some((warning) => head.startsWith(warning))) return true;
  const fragment = USER_FRAGMENTS.find(({ open }) => head.startsWith(open));
  if (fragment === undefined) return head.startsWith('<external_') && EXTERNAL_FRAGMENT.test(trimmed);
  return trimmed.slice(-EDGE).toLowerCase().endsWith(fragment.close);
}

function isContextualDeveloperText(text: string): boolean {
  const head = text.trimStart().slice(0, EDGE).toLowerCase();
  return DEVELOPER_OPENINGS.some((opening) => head.startsWith(opening));
}

function someText(item: JsonObject, test: (text: string) => boolean): boolean {
  const content = item['content'];
  if (!Array.isArray(content)) return false;
  return (content as readonly JsonValue[]).some(
    (entry) => isJsonObject(entry) && typeof entry['text'] === 'string' && test(entry['text']),
  );
}

/** True for a message in the user's name of which any part was written by the client. */
export function isContextualUserMessage(item: JsonObject): boolean {
  return item['type'] === 'message' && item['role'] === 'user' && someText(item, isInjectedUserText);
}

/** The folder that the environment told to the model names: older releases say it nowhere else. */
export function environmentCwd(item: JsonObject): string | undefined {
  const content = item['content'];
  if (!Array.isArray(content)) return undefined;
  for (const entry of content as readonly JsonValue[]) {
    const text = isJsonObject(entry) ? entry['text'] : undefined;
    if (typeof text !== 'string' || !text.trimStart().startsWith('<environment_context>')) continue;
    const cwd = /<cwd>([^<\n]+)<\/cwd>/.exec(text)?.[1]?.trim();
    if (cwd) return cwd;
  }
  return undefined;
}

/** True for context that belongs to the turn after it, and goes when that turn is rolled back. */
export function isContextUpdate(item: JsonObject): boolean {
  if (item['type'] !== 'message') return false;
  return item['role'] === 'developer' ? someText(item, isContextualDeveloperText) : isContextualUserMessage(item);
}

/** True for a message of the user that is neither context nor a summary: it is kept by a compaction of the old kind. */
export function isUserRequest(item: JsonObject): boolean {
  if (item['type'] !== 'message' || item['role'] !== 'user') return false;
  return !someText(item, (text) => isInjectedUserText(text) || isSummaryText(text));
}

/** True for an item that begins a turn as a rollback counts them: a request of the user or a message between agents. */
export function isTurnBoundary(item: JsonObject): boolean {
  return item['type'] === 'agent_message' || isUserRequest(item) || isAgentEnvelope(item);
}

/** A message between agents as older releases stored it: JSON in an assistant's message. */
function isAgentEnvelope(item: JsonObject): boolean {
  if (item['type'] !== 'message' || item['role'] !== 'assistant') return false;
  const content = item['content'];
  const only: JsonValue | undefined = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  const text = isJsonObject(only) ? only['text'] : undefined;
  if (typeof text !== 'string' || !text.startsWith('{') || !text.includes('"trigger_turn"')) return false;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && typeof value['author'] === 'string' && typeof value['recipient'] === 'string';
  } catch {
    // Not JSON: an answer that only looks like an envelope.
    return false;
  }
}
