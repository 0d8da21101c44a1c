/**
 * The whole table of what a writer puts on disk, typed here by hand: L in `legacy`, P in `paginated`, - where it is only
 * delivered. It holds every name that the table of names has, so that a new one must be thought about here, too.
 */
import { describe, expect, test } from 'vitest';
import { isPersisted, type RolloutItem } from '../../src/protocol/index.js';
import { EVENT_NAMES, LINE_NAMES, RESPONSE_ITEM_NAMES, TURN_ITEM_NAMES } from '../../src/protocol/wire-names.js';

type Table = readonly (readonly [where: string, names: string])[];

const LINES: Table = [
  [
    'LP',
    `session_meta dynamic_tools_updated inter_agent_communication inter_agent_communication_metadata compacted
     turn_context token_usage_record world_state retained_context security_risk_score realtime_item`,
  ],
  ['--', 'state'],
];

const RESPONSE_ITEMS: Table = [
  [
    'LP',
    `message agent_message reasoning local_shell_call function_call function_call_output tool_search_call
     tool_search_output custom_tool_call custom_tool_call_output web_search_call image_generation_call compaction
     context_compaction additional_tools configuration_update`,
  ],
  ['--', 'compaction_trigger ghost_snapshot'],
];

const EVENTS: Table = [
  [
    'LP',
    `task_started task_complete turn_aborted thread_rolled_back token_count thread_goal_updated
     thread_settings_applied`,
  ],
  [
    'L-',
    `user_message agent_message agent_reasoning agent_reasoning_raw_content context_compacted entered_review_mode
     exited_review_mode patch_apply_end mcp_tool_call_end web_search_end image_generation_end sub_agent_activity
     thread_name_updated thread_goal_plan_updated`,
  ],
  [
    '--',
    `error guardian_assessment exec_command_end view_image_tool_call collab_agent_spawn_end
     collab_agent_interaction_end collab_waiting_end collab_close_end collab_resume_end dynamic_tool_call_request
     dynamic_tool_call_response

     warning auth_recovery_started auth_recovery_completed guardian_warning realtime_conversation_started
     realtime_conversation_realtime realtime_conversation_closed realtime_conversation_sdp
     realtime_conversation_list_voices_response safety_buffering model_reroute model_verification
     turn_moderation_metadata agent_reasoning_section_break session_configured environment_connected
     environment_disconnected thread_queue_changed mcp_startup_update mcp_startup_complete mcp_tool_call_begin
     web_search_begin image_generation_begin exec_command_begin exec_command_output_delta terminal_interaction
     exec_approval_request request_permissions request_user_input elicitation_request elicitation_abandoned
     apply_patch_approval_request deprecation_notice stream_error patch_apply_begin patch_apply_updated turn_diff
     plan_update shutdown_complete raw_response_item raw_response_completed item_started hook_started hook_completed
     agent_message_content_delta plan_delta reasoning_content_delta reasoning_raw_content_delta
     collab_agent_spawn_begin collab_agent_interaction_begin collab_waiting_begin collab_close_begin
     collab_resume_begin

     agent_message_delta agent_reasoning_delta agent_reasoning_raw_content_delta background_event stream_info
     undo_started undo_completed conversation_path get_history_entry_response mcp_list_tools_response
     list_custom_prompts_response list_skills_response skills_update_available`,
  ],
];

const ITEM_COMPLETED: Table = [
  ['LP', 'Plan Sleep'],
  [
    '-P',
    `UserMessage FunctionCallOutput HookPrompt AgentMessage Reasoning CommandExecution DynamicToolCall
     CollabAgentToolCall SubAgentActivity WebSearch ImageView Extension ImageGeneration EnteredReviewMode
     ExitedReviewMode FileChange McpToolCall ContextCompaction`,
  ],
];

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What the policy says of items that `make` makes of names. */
function judged(all: readonly string[], make: (name: string) => unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    all.map((name) => {
      // The policy looks at types alone; the rest of a record is no matter here.
      const item = make(name) as RolloutItem;
      return [name, `${isPersisted(item, 'legacy') ? 'L' : '-'}${isPersisted(item, 'paginated') ? 'P' : '-'}`];
    }),
  );
}

function expected(table: Table): Readonly<Record<string, string>> {
  return Object.fromEntries(table.flatMap(([where, text]) => names(text).map((name) => [name, where])));
}

describe('isPersisted()', () => {
  test('of every type of line', () => {
    const all = Object.keys(LINE_NAMES).filter((name) => name !== 'response_item' && name !== 'event_msg');
    expect(judged(all, (type) => ({ type, payload: {} }))).toEqual(expected(LINES));
  });

  test('of every item of the conversation, and of one that nobody knows', () => {
    const make = (type: string) => ({ type: 'response_item', payload: { type } });
    expect(judged(Object.keys(RESPONSE_ITEM_NAMES), make)).toEqual(expected(RESPONSE_ITEMS));
    expect(judged(['other', 'of_next_year', 'constructor'], make)).toEqual({
      other: '--',
      of_next_year: '--',
      constructor: '--',
    });
  });

  test('of every event', () => {
    const all = Object.keys(EVENT_NAMES).filter((name) => name !== 'item_completed');
    expect(judged(all, (type) => ({ type: 'event_msg', payload: { type } }))).toEqual(expected(EVENTS));
  });

  test('of item_completed with every item', () => {
    const make = (type: string) => ({ type: 'event_msg', payload: { type: 'item_completed', item: { type } } });
    expect(judged(Object.keys(TURN_ITEM_NAMES), make)).toEqual(expected(ITEM_COMPLETED));
    expect(judged(['OfNextYear'], make)).toEqual({ OfNextYear: '--' });
  });
});
