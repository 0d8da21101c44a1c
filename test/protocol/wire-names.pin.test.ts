/** The names on disk: literals, so that a change of the table is a change here. */
import { describe, expect, test } from 'vitest';
import {
  displayName,
  EVENT_NAMES,
  EVENTS,
  LINE_NAMES,
  LINES,
  RESPONSE_ITEM_NAMES,
  RESPONSE_ITEMS,
  TURN_ITEM_NAMES,
  type WireName,
} from '../../src/protocol/index.js';

/** The 86 tags that 0.171.0 reads. */
const TAGS_0_171 = [
  'agent_message',
  'agent_message_content_delta',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'apply_patch_approval_request',
  'auth_recovery_completed',
  'auth_recovery_started',
  'collab_agent_interaction_begin',
  'collab_agent_interaction_end',
  'collab_agent_spawn_begin',
  'collab_agent_spawn_end',
  'collab_close_begin',
  'collab_close_end',
  'collab_resume_begin',
  'collab_resume_end',
  'collab_waiting_begin',
  'collab_waiting_end',
  'context_compacted',
  'deprecation_notice',
  'dynamic_tool_call_request',
  'dynamic_tool_call_response',
  'elicitation_abandoned',
  'elicitation_request',
  'entered_review_mode',
  'environment_connected',
  'environment_disconnected',
  'error',
  'exec_approval_request',
  'exec_command_begin',
  'exec_command_end',
  'exec_command_output_delta',
  'exited_review_mode',
  'guardian_assessment',
  'guardian_warning',
  'hook_completed',
  'hook_started',
  'image_generation_begin',
  'image_generation_end',
  'item_completed',
  'item_started',
  'mcp_startup_complete',
  'mcp_startup_update',
  'mcp_tool_call_begin',
  'mcp_tool_call_end',
  'model_reroute',
  'model_verification',
  'patch_apply_begin',
  'patch_apply_end',
  'patch_apply_updated',
  'plan_delta',
  'plan_update',
  'raw_response_completed',
  'raw_response_item',
  'realtime_conversation_closed',
  'realtime_conversation_list_voices_response',
  'realtime_conversation_realtime',
  'realtime_conversation_sdp',
  'realtime_conversation_started',
  'reasoning_content_delta',
  'reasoning_raw_content_delta',
  'request_permissions',
  'request_user_input',
  'safety_buffering',
  'session_configured',
  'shutdown_complete',
  'stream_error',
  'sub_agent_activity',
  'task_complete',
  'task_started',
  'terminal_interaction',
  'thread_goal_updated',
  'thread_queue_changed',
  'thread_rolled_back',
  'thread_settings_applied',
  'token_count',
  'turn_aborted',
  'turn_complete',
  'turn_diff',
  'turn_moderation_metadata',
  'turn_started',
  'user_message',
  'view_image_tool_call',
  'warning',
  'web_search_begin',
  'web_search_end',
];

const REMOVED = [
  'agent_message_delta',
  'agent_reasoning_delta',
  'agent_reasoning_raw_content_delta',
  'background_event',
  'conversation_path',
  'get_history_entry_response',
  'list_custom_prompts_response',
  'list_skills_response',
  'mcp_list_tools_response',
  'skills_update_available',
  'stream_info',
  'thread_goal_plan_updated',
  'thread_name_updated',
  'undo_completed',
  'undo_started',
];

const LEGACY_ONLY = [
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'context_compacted',
  'entered_review_mode',
  'exited_review_mode',
  'image_generation_end',
  'mcp_tool_call_end',
  'patch_apply_end',
  'sub_agent_activity',
  'user_message',
  'web_search_end',
];

const IN_BOTH = [
  'task_complete',
  'task_started',
  'thread_goal_updated',
  'thread_rolled_back',
  'thread_settings_applied',
  'token_count',
  'turn_aborted',
];

const rows = Object.entries(EVENT_NAMES as Readonly<Record<string, WireName>>);

function tagsWhere(keep: (name: WireName) => boolean): string[] {
  return rows.flatMap(([tag, name]) => (keep(name) ? [tag] : [])).sort();
}

describe('EVENT_NAMES', () => {
  test('with read aliases, is read by exactly the 86 tags of 0.171 and those removed before it', () => {
    expect(TAGS_0_171).toHaveLength(86);
    const current = [...EVENTS].flatMap(([tag, { name }]) => (name.removedIn === undefined ? [tag] : []));
    expect(current.sort()).toEqual(TAGS_0_171);
    expect(tagsWhere((name) => name.removedIn !== undefined)).toEqual(REMOVED);
  });

  test('writes 84 names of 0.171', () => {
    expect(tagsWhere((name) => name.removedIn === undefined)).toEqual(
      TAGS_0_171.filter((tag) => tag !== 'turn_started' && tag !== 'turn_complete'),
    );
  });

  test('keeps apart code name, written name, read alias and display name', () => {
    expect(EVENT_NAMES.task_started).toMatchObject({
      variant: 'TurnStarted',
      aliases: ['turn_started'],
      display: 'turn_started',
    });
    expect(EVENT_NAMES.task_complete).toMatchObject({
      variant: 'TurnComplete',
      aliases: ['turn_complete'],
      display: 'turn_complete',
    });
    expect(EVENTS.get('turn_started')).toBe(EVENTS.get('task_started'));
    expect(EVENTS.get('turn_complete')?.written).toBe('task_complete');
  });

  test('displays every name as its code name in snake case', () => {
    for (const known of EVENTS.values()) {
      const snake = known.name.variant.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase();
      expect(displayName(known)).toBe(snake);
    }
  });

  test('says which dialects persist which event', () => {
    const both = tagsWhere(({ persisted }) => persisted.legacy && persisted.paginated);
    expect(both).toEqual(IN_BOTH);
    expect(tagsWhere(({ persisted }) => !persisted.legacy && persisted.paginated)).toEqual(['item_completed']);
    expect(tagsWhere((name) => name.persisted.legacy && !name.persisted.paginated && !name.removedIn)).toEqual(
      LEGACY_ONLY,
    );
  });

  test('is not found by names of Object.prototype', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) expect(EVENTS.has(name)).toBe(false);
  });
});

describe('other tables', () => {
  test('LINE_NAMES has the 13 line types of 0.171, and the bare state', () => {
    expect(Object.keys(LINE_NAMES).sort()).toEqual([
      'compacted',
      'dynamic_tools_updated',
      'event_msg',
      'inter_agent_communication',
      'inter_agent_communication_metadata',
      'realtime_item',
      'response_item',
      'retained_context',
      'security_risk_score',
      'session_meta',
      'state',
      'token_usage_record',
      'turn_context',
      'world_state',
    ]);
  });

  test('RESPONSE_ITEM_NAMES has the items of 0.171, and the snapshots of old', () => {
    expect(Object.keys(RESPONSE_ITEM_NAMES).sort()).toEqual([
      'additional_tools',
      'agent_message',
      'compaction',
      'compaction_trigger',
      'configuration_update',
      'context_compaction',
      'custom_tool_call',
      'custom_tool_call_output',
      'function_call',
      'function_call_output',
      'ghost_snapshot',
      'image_generation_call',
      'local_shell_call',
      'message',
      'reasoning',
      'tool_search_call',
      'tool_search_output',
      'web_search_call',
    ]);
    expect(RESPONSE_ITEMS.get('compaction_summary')?.written).toBe('compaction');
  });

  test('no response item has the name of a line', () => {
    expect([...RESPONSE_ITEMS.keys()].filter((name) => LINES.has(name))).toEqual([]);
  });

  test('TURN_ITEM_NAMES has the 19 items of 0.171, and Sleep', () => {
    expect(Object.keys(TURN_ITEM_NAMES).sort()).toEqual([
      'AgentMessage',
      'CollabAgentToolCall',
      'CommandExecution',
      'ContextCompaction',
      'DynamicToolCall',
      'EnteredReviewMode',
      'ExitedReviewMode',
      'Extension',
      'FileChange',
      'FunctionCallOutput',
      'HookPrompt',
      'ImageGeneration',
      'ImageView',
      'McpToolCall',
      'Plan',
      'Reasoning',
      'Sleep',
      'SubAgentActivity',
      'UserMessage',
      'WebSearch',
    ]);
  });
});
