/**
 * The legacy pair of a call between agents: which event it is depends on the tool that was called.
 * Every tool but spawn and wait needs a receiver; without one there is no twin.
 * Source: the pairs that releases up to 0.171 deliver.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import type { EventMsg } from './event-msg.js';
import type { TurnItem } from './turn-item.js';

type CollabItem = Extract<TurnItem, { readonly type: 'CollabAgentToolCall' }>;

interface Moment {
  readonly phase: 'begin' | 'end';
  readonly atMs: JsonValue;
}

/** Written `spawn_agent`, `spawnAgent` or `SpawnAgent`, by release. */
function toolOf(item: CollabItem): string {
  const { tool } = item;
  return typeof tool === 'string' ? tool.replaceAll('_', '').toLowerCase() : '';
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function statusOf(item: CollabItem, thread: JsonValue | undefined): JsonValue {
  const states = item['agents_states'];
  // Own keys only: the id comes from the log.
  if (!isJsonObject(states) || typeof thread !== 'string' || !Object.hasOwn(states, thread)) return 'not_found';
  return states[thread] ?? 'not_found';
}

function agentOf(item: CollabItem, thread: JsonValue | undefined): JsonObject {
  const found = arrayOf(item['receiver_agents']).find((agent) => isJsonObject(agent) && agent['thread_id'] === thread);
  return isJsonObject(found) ? found : {};
}

/** Who received the call, under the names that the events use. */
function identity(item: CollabItem, thread: JsonValue | undefined, prefix: 'receiver' | 'new'): JsonObject {
  const { agent_nickname, agent_role } = agentOf(item, thread);
  return {
    ...(agent_nickname != null && { [`${prefix}_agent_nickname`]: agent_nickname }),
    ...(agent_role != null && { [`${prefix}_agent_role`]: agent_role }),
  };
}

/** The twin of a call that begins or ends. */
export function collabTwin(item: CollabItem, moment: Moment): EventMsg | undefined {
  const begin = moment.phase === 'begin';
  const thread = arrayOf(item['receiver_thread_ids'])[0];
  const base = {
    call_id: item.id,
    [begin ? 'started_at_ms' : 'completed_at_ms']: moment.atMs,
    sender_thread_id: item['sender_thread_id'] ?? null,
  };
  const prompt = item['prompt'] ?? '';
  const spawned = { prompt, model: item['model'] ?? '', reasoning_effort: item['reasoning_effort'] ?? null };
  const received = { receiver_thread_id: thread ?? null };
  const status = statusOf(item, thread);
  switch (toolOf(item)) {
    case 'spawnagent':
      if (begin) return { type: 'collab_agent_spawn_begin', ...base, ...spawned };
      return {
        type: 'collab_agent_spawn_end',
        ...base,
        new_thread_id: thread ?? null,
        ...identity(item, thread, 'new'),
        ...spawned,
        status,
      };
    case 'wait':
      if (begin) {
        const threads = arrayOf(item['receiver_thread_ids']);
        const agents = arrayOf(item['receiver_agents']);
        return { type: 'collab_waiting_begin', ...base, receiver_thread_ids: threads, receiver_agents: agents };
      }
      return {
        type: 'collab_waiting_end',
        ...base,
        agent_statuses: arrayOf(item['receiver_agents'])
          .filter(isJsonObject)
          .map((agent) => ({ ...agent, status: statusOf(item, agent['thread_id']) })),
        statuses: item['agents_states'] ?? {},
      };
    case 'sendinput':
      if (thread === undefined) return undefined;
      if (begin) return { type: 'collab_agent_interaction_begin', ...base, ...received, prompt };
      return {
        type: 'collab_agent_interaction_end',
        ...base,
        ...received,
        ...identity(item, thread, 'receiver'),
        prompt,
        status,
      };
    case 'resumeagent':
      if (thread === undefined) return undefined;
      if (begin) {
        return { type: 'collab_resume_begin', ...base, ...received, ...identity(item, thread, 'receiver') };
      }
      return { type: 'collab_resume_end', ...base, ...received, ...identity(item, thread, 'receiver'), status };
    case 'closeagent':
      if (thread === undefined) return undefined;
      if (begin) return { type: 'collab_close_begin', ...base, ...received };
      return { type: 'collab_close_end', ...base, ...received, ...identity(item, thread, 'receiver'), status };
    default:
      return undefined;
  }
}
