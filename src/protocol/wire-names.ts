/**
 * The one table of names: for each variant its code name, the name that is written, other names that are read,
 * and the name that is displayed. Wire strings stand here and nowhere else; every other table and type is derived.
 *
 * Also what belongs to a name: which dialects persist it, which fields a line cannot do without, and in which
 * release it was first or last seen. A name that newer releases no longer read is still known here (`removedIn`),
 * because the logs that hold it are still on disk.
 *
 * Never removed: a row. Never changed: a key, once a release has written it.
 * Source: the logs of 34 releases from 0.8.0 to 0.171.0 and the vocabulary of 0.171.0 (84 events, 2 read aliases).
 */

export type FieldKind = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'present';
export type FieldShapes = Readonly<Record<string, FieldKind>>;

/** Which dialects of log hold it. */
export interface Persistence {
  readonly legacy: boolean;
  readonly paginated: boolean;
}

/** A row; its key is the written name. */
export interface WireName {
  /** Code name. */
  readonly variant: string;
  readonly persisted: Persistence;
  /** Read as this variant, never written. */
  readonly aliases?: readonly string[];
  /** In displays and metrics, where it differs from the written name. */
  readonly display?: string;
  /** A line without one of these is malformed. Only what holds for every release that writes the name. */
  readonly required?: FieldShapes;
  /** May be absent or null, but not of another kind. Only what readers rely on. */
  readonly optional?: FieldShapes;
  /** First sampled release whose logs hold it. */
  readonly since?: string;
  /** First sampled release that does not read it. */
  readonly removedIn?: string;
}

const BOTH = { legacy: true, paginated: true } as const;
const LEGACY = { legacy: true, paginated: false } as const;
const PAGINATED = { legacy: false, paginated: true } as const;
/** Delivered, never written by the releases sampled. */
const LIVE = { legacy: false, paginated: false } as const;

const DELTA = { thread_id: 'string', turn_id: 'string', item_id: 'string', delta: 'string' } as const;
const CALL = { call_id: 'string' } as const;
const MESSAGE = { message: 'string' } as const;
const TEXT = { text: 'string' } as const;
const ITEM_EVENT = { thread_id: 'string', turn_id: 'string', item: 'object' } as const;

/** `event_msg` payloads, by the written name of their `type`. */
export const EVENT_NAMES = {
  task_started: {
    variant: 'TurnStarted',
    aliases: ['turn_started'],
    display: 'turn_started',
    persisted: BOTH,
    required: { turn_id: 'string' },
    since: '0.104',
  },
  task_complete: {
    variant: 'TurnComplete',
    aliases: ['turn_complete'],
    display: 'turn_complete',
    persisted: BOTH,
    required: { turn_id: 'string' },
    optional: { last_agent_message: 'string', error: 'object' },
    since: '0.104',
  },
  turn_aborted: {
    variant: 'TurnAborted',
    persisted: BOTH,
    required: { reason: 'string' },
    optional: { turn_id: 'string' },
    since: '0.136',
  },
  thread_rolled_back: {
    variant: 'ThreadRolledBack',
    persisted: BOTH,
    required: { num_turns: 'number' },
    since: '0.80',
  },
  token_count: {
    variant: 'TokenCount',
    persisted: BOTH,
    optional: { info: 'object', rate_limits: 'object' },
    since: '0.34',
  },
  thread_goal_updated: {
    variant: 'ThreadGoalUpdated',
    persisted: BOTH,
    required: { threadId: 'string', goal: 'object' },
    since: '0.136',
  },
  thread_settings_applied: {
    variant: 'ThreadSettingsApplied',
    persisted: BOTH,
    required: { thread_settings: 'object' },
    since: '0.147',
  },
  // In `legacy` only for items that have no legacy twin: see `eventPersistence`.
  item_completed: { variant: 'ItemCompleted', persisted: PAGINATED, required: ITEM_EVENT, since: '0.148' },
  user_message: {
    variant: 'UserMessage',
    persisted: LEGACY,
    required: MESSAGE,
    optional: { images: 'array', local_images: 'array' },
    since: '0.34',
  },
  agent_message: { variant: 'AgentMessage', persisted: LEGACY, required: MESSAGE, since: '0.34' },
  agent_reasoning: { variant: 'AgentReasoning', persisted: LEGACY, required: TEXT, since: '0.36' },
  agent_reasoning_raw_content: { variant: 'AgentReasoningRawContent', persisted: LEGACY, required: TEXT },
  context_compacted: { variant: 'ContextCompacted', persisted: LEGACY, since: '0.66' },
  entered_review_mode: { variant: 'EnteredReviewMode', persisted: LEGACY },
  exited_review_mode: { variant: 'ExitedReviewMode', persisted: LEGACY },
  patch_apply_end: { variant: 'PatchApplyEnd', persisted: LEGACY, required: CALL, since: '0.130' },
  mcp_tool_call_end: { variant: 'McpToolCallEnd', persisted: LEGACY, required: CALL },
  web_search_end: { variant: 'WebSearchEnd', persisted: LEGACY, required: CALL, since: '0.130' },
  image_generation_end: { variant: 'ImageGenerationEnd', persisted: LEGACY, required: CALL },
  sub_agent_activity: { variant: 'SubAgentActivity', persisted: LEGACY, required: { event_id: 'string' } },

  // Written only by the extended mode of releases before mid-2026.
  error: { variant: 'Error', persisted: LIVE, required: MESSAGE },
  guardian_assessment: { variant: 'GuardianAssessment', persisted: LIVE },
  exec_command_end: { variant: 'ExecCommandEnd', persisted: LIVE, required: CALL },
  view_image_tool_call: { variant: 'ViewImageToolCall', persisted: LIVE, required: CALL },
  collab_agent_spawn_end: { variant: 'CollabAgentSpawnEnd', persisted: LIVE, required: CALL },
  collab_agent_interaction_end: { variant: 'CollabAgentInteractionEnd', persisted: LIVE, required: CALL },
  collab_waiting_end: { variant: 'CollabWaitingEnd', persisted: LIVE, required: CALL },
  collab_close_end: { variant: 'CollabCloseEnd', persisted: LIVE, required: CALL },
  collab_resume_end: { variant: 'CollabResumeEnd', persisted: LIVE, required: CALL },
  dynamic_tool_call_request: { variant: 'DynamicToolCallRequest', persisted: LIVE },
  dynamic_tool_call_response: { variant: 'DynamicToolCallResponse', persisted: LIVE },

  warning: { variant: 'Warning', persisted: LIVE, required: MESSAGE },
  auth_recovery_started: { variant: 'AuthRecoveryStarted', persisted: LIVE },
  auth_recovery_completed: { variant: 'AuthRecoveryCompleted', persisted: LIVE },
  guardian_warning: { variant: 'GuardianWarning', persisted: LIVE, required: MESSAGE },
  realtime_conversation_started: { variant: 'RealtimeConversationStarted', persisted: LIVE },
  realtime_conversation_realtime: { variant: 'RealtimeConversationRealtime', persisted: LIVE },
  realtime_conversation_closed: { variant: 'RealtimeConversationClosed', persisted: LIVE },
  realtime_conversation_sdp: { variant: 'RealtimeConversationSdp', persisted: LIVE },
  realtime_conversation_list_voices_response: {
    variant: 'RealtimeConversationListVoicesResponse',
    persisted: LIVE,
  },
  safety_buffering: { variant: 'SafetyBuffering', persisted: LIVE },
  model_reroute: { variant: 'ModelReroute', persisted: LIVE },
  model_verification: { variant: 'ModelVerification', persisted: LIVE },
  turn_moderation_metadata: { variant: 'TurnModerationMetadata', persisted: LIVE },
  agent_reasoning_section_break: { variant: 'AgentReasoningSectionBreak', persisted: LIVE },
  session_configured: { variant: 'SessionConfigured', persisted: LIVE },
  environment_connected: { variant: 'EnvironmentConnected', persisted: LIVE },
  environment_disconnected: { variant: 'EnvironmentDisconnected', persisted: LIVE },
  thread_queue_changed: { variant: 'ThreadQueueChanged', persisted: LIVE },
  mcp_startup_update: { variant: 'McpStartupUpdate', persisted: LIVE, required: { server: 'string' } },
  mcp_startup_complete: { variant: 'McpStartupComplete', persisted: LIVE },
  mcp_tool_call_begin: { variant: 'McpToolCallBegin', persisted: LIVE, required: CALL },
  web_search_begin: { variant: 'WebSearchBegin', persisted: LIVE, required: CALL },
  image_generation_begin: { variant: 'ImageGenerationBegin', persisted: LIVE, required: CALL },
  exec_command_begin: { variant: 'ExecCommandBegin', persisted: LIVE, required: CALL },
  exec_command_output_delta: { variant: 'ExecCommandOutputDelta', persisted: LIVE, required: CALL },
  terminal_interaction: { variant: 'TerminalInteraction', persisted: LIVE, required: CALL },
  exec_approval_request: { variant: 'ExecApprovalRequest', persisted: LIVE, required: CALL },
  request_permissions: { variant: 'RequestPermissions', persisted: LIVE },
  request_user_input: { variant: 'RequestUserInput', persisted: LIVE },
  elicitation_request: { variant: 'ElicitationRequest', persisted: LIVE },
  elicitation_abandoned: { variant: 'ElicitationAbandoned', persisted: LIVE },
  apply_patch_approval_request: { variant: 'ApplyPatchApprovalRequest', persisted: LIVE, required: CALL },
  deprecation_notice: { variant: 'DeprecationNotice', persisted: LIVE, required: { summary: 'string' } },
  stream_error: { variant: 'StreamError', persisted: LIVE, required: MESSAGE },
  patch_apply_begin: { variant: 'PatchApplyBegin', persisted: LIVE, required: CALL },
  patch_apply_updated: { variant: 'PatchApplyUpdated', persisted: LIVE, required: CALL },
  turn_diff: { variant: 'TurnDiff', persisted: LIVE, required: { unified_diff: 'string' } },
  plan_update: { variant: 'PlanUpdate', persisted: LIVE, required: { plan: 'array' } },
  shutdown_complete: { variant: 'ShutdownComplete', persisted: LIVE },
  raw_response_item: { variant: 'RawResponseItem', persisted: LIVE, required: { item: 'object' } },
  raw_response_completed: { variant: 'RawResponseCompleted', persisted: LIVE },
  item_started: { variant: 'ItemStarted', persisted: LIVE, required: ITEM_EVENT },
  hook_started: { variant: 'HookStarted', persisted: LIVE },
  hook_completed: { variant: 'HookCompleted', persisted: LIVE },
  agent_message_content_delta: { variant: 'AgentMessageContentDelta', persisted: LIVE, required: DELTA },
  plan_delta: { variant: 'PlanDelta', persisted: LIVE, required: DELTA },
  reasoning_content_delta: { variant: 'ReasoningContentDelta', persisted: LIVE, required: DELTA },
  reasoning_raw_content_delta: { variant: 'ReasoningRawContentDelta', persisted: LIVE, required: DELTA },
  collab_agent_spawn_begin: { variant: 'CollabAgentSpawnBegin', persisted: LIVE, required: CALL },
  collab_agent_interaction_begin: { variant: 'CollabAgentInteractionBegin', persisted: LIVE, required: CALL },
  collab_waiting_begin: { variant: 'CollabWaitingBegin', persisted: LIVE, required: CALL },
  collab_close_begin: { variant: 'CollabCloseBegin', persisted: LIVE, required: CALL },
  collab_resume_begin: { variant: 'CollabResumeBegin', persisted: LIVE, required: CALL },

  // Of older releases, or of a fork: a reader of today's vocabulary alone would lose these lines.
  thread_name_updated: {
    variant: 'ThreadNameUpdated',
    persisted: LEGACY,
    optional: { thread_id: 'string', thread_name: 'string' },
    since: '0.125',
    removedIn: '0.171',
  },
  thread_goal_plan_updated: { variant: 'ThreadGoalPlanUpdated', persisted: LEGACY, removedIn: '0.171' },
  agent_message_delta: { variant: 'AgentMessageDelta', persisted: LIVE, removedIn: '0.171' },
  agent_reasoning_delta: { variant: 'AgentReasoningDelta', persisted: LIVE, removedIn: '0.171' },
  agent_reasoning_raw_content_delta: {
    variant: 'AgentReasoningRawContentDelta',
    persisted: LIVE,
    removedIn: '0.171',
  },
  background_event: { variant: 'BackgroundEvent', persisted: LIVE, removedIn: '0.171' },
  stream_info: { variant: 'StreamInfo', persisted: LIVE, removedIn: '0.171' },
  undo_started: { variant: 'UndoStarted', persisted: LIVE, removedIn: '0.171' },
  undo_completed: { variant: 'UndoCompleted', persisted: LIVE, removedIn: '0.171' },
  conversation_path: { variant: 'ConversationPath', persisted: LIVE, removedIn: '0.171' },
  get_history_entry_response: { variant: 'GetHistoryEntryResponse', persisted: LIVE, removedIn: '0.171' },
  mcp_list_tools_response: { variant: 'McpListToolsResponse', persisted: LIVE, removedIn: '0.171' },
  list_custom_prompts_response: { variant: 'ListCustomPromptsResponse', persisted: LIVE, removedIn: '0.171' },
  list_skills_response: { variant: 'ListSkillsResponse', persisted: LIVE, removedIn: '0.171' },
  skills_update_available: { variant: 'SkillsUpdateAvailable', persisted: LIVE, removedIn: '0.171' },
} as const satisfies Readonly<Record<string, WireName>>;

/** `response_item` payloads and the lines of bare logs. An unknown type is `Other`: kept, never sent. */
export const RESPONSE_ITEM_NAMES = {
  message: { variant: 'Message', persisted: BOTH, required: { role: 'string', content: 'array' } },
  agent_message: {
    variant: 'AgentMessage',
    persisted: BOTH,
    required: { author: 'string', recipient: 'string', content: 'array' },
  },
  reasoning: { variant: 'Reasoning', persisted: BOTH, required: { summary: 'array' } },
  local_shell_call: {
    variant: 'LocalShellCall',
    persisted: BOTH,
    required: { status: 'string', action: 'object' },
    optional: { call_id: 'string' },
  },
  function_call: {
    variant: 'FunctionCall',
    persisted: BOTH,
    required: { name: 'string', arguments: 'string', call_id: 'string' },
  },
  function_call_output: {
    variant: 'FunctionCallOutput',
    persisted: BOTH,
    required: { output: 'present' },
    optional: { call_id: 'string' },
  },
  tool_search_call: {
    variant: 'ToolSearchCall',
    persisted: BOTH,
    required: { execution: 'string', arguments: 'present' },
    optional: { call_id: 'string' },
  },
  tool_search_output: {
    variant: 'ToolSearchOutput',
    persisted: BOTH,
    required: { status: 'string', execution: 'string', tools: 'array' },
    optional: { call_id: 'string' },
  },
  custom_tool_call: {
    variant: 'CustomToolCall',
    persisted: BOTH,
    required: { call_id: 'string', name: 'string', input: 'string' },
  },
  custom_tool_call_output: {
    variant: 'CustomToolCallOutput',
    persisted: BOTH,
    required: { call_id: 'string', output: 'present' },
  },
  web_search_call: { variant: 'WebSearchCall', persisted: BOTH },
  image_generation_call: {
    variant: 'ImageGenerationCall',
    persisted: BOTH,
    required: { status: 'string', result: 'string' },
  },
  compaction: {
    variant: 'Compaction',
    aliases: ['compaction_summary'],
    persisted: BOTH,
    required: { encrypted_content: 'string' },
  },
  context_compaction: { variant: 'ContextCompaction', persisted: BOTH },
  additional_tools: {
    variant: 'AdditionalTools',
    persisted: BOTH,
    required: { role: 'string', tools: 'array' },
    since: '0.171',
  },
  configuration_update: { variant: 'ConfigurationUpdate', persisted: BOTH, required: { reasoning: 'present' } },
  compaction_trigger: { variant: 'CompactionTrigger', persisted: LIVE },
  // Written by 0.58 to 0.73. Readers drop the line without counting an error.
  ghost_snapshot: { variant: 'GhostSnapshot', persisted: LIVE, since: '0.58', removedIn: '0.80' },
} as const satisfies Readonly<Record<string, WireName>>;

/** Entries of a message's `content`. */
export const CONTENT_ITEM_NAMES = {
  input_text: { variant: 'InputText', persisted: BOTH, required: TEXT },
  input_image: { variant: 'InputImage', persisted: BOTH, required: { image_url: 'string' } },
  input_audio: { variant: 'InputAudio', persisted: BOTH },
  output_text: { variant: 'OutputText', persisted: BOTH, required: TEXT },
} as const satisfies Readonly<Record<string, WireName>>;

/** `type` of a line with an envelope; `state` is the `record_type` of the bare dialect. */
export const LINE_NAMES = {
  // Real clients also ask for timestamp, cwd, originator and cli_version; a thread is worth showing without them.
  session_meta: { variant: 'SessionMeta', persisted: BOTH, required: { id: 'string' }, since: '0.34' },
  response_item: { variant: 'ResponseItem', persisted: BOTH, since: '0.34' },
  event_msg: { variant: 'EventMsg', persisted: BOTH, since: '0.34' },
  compacted: {
    variant: 'Compacted',
    persisted: BOTH,
    required: MESSAGE,
    optional: { replacement_history: 'array' },
    since: '0.36',
  },
  turn_context: {
    variant: 'TurnContext',
    persisted: BOTH,
    required: { cwd: 'string' },
    optional: { model: 'string', effort: 'string', turn_id: 'string' },
    since: '0.36',
  },
  world_state: {
    variant: 'WorldState',
    persisted: BOTH,
    required: { full: 'boolean', state: 'object' },
    since: '0.147',
  },
  token_usage_record: {
    variant: 'TokenUsageRecord',
    persisted: BOTH,
    required: { thread_id: 'string' },
    since: '0.157',
  },
  inter_agent_communication: {
    variant: 'InterAgentCommunication',
    persisted: BOTH,
    required: { author: 'string', recipient: 'string', content: 'present', trigger_turn: 'boolean' },
  },
  inter_agent_communication_metadata: {
    variant: 'InterAgentCommunicationMetadata',
    persisted: BOTH,
    required: { trigger_turn: 'boolean' },
  },
  dynamic_tools_updated: { variant: 'DynamicToolsUpdated', persisted: BOTH },
  retained_context: { variant: 'RetainedContext', persisted: BOTH, required: { type: 'string' } },
  security_risk_score: { variant: 'SecurityRiskScore', persisted: BOTH, required: { scores: 'present' } },
  realtime_item: { variant: 'RealtimeItem', persisted: BOTH, required: { type: 'string', id: 'string' } },
  state: { variant: 'State', persisted: LIVE, since: '0.8', removedIn: '0.34' },
} as const satisfies Readonly<Record<string, WireName>>;

/** Items of `item_started` and `item_completed`. The only tags in PascalCase; code name and written name agree. */
export const TURN_ITEM_NAMES = {
  UserMessage: { variant: 'UserMessage', persisted: PAGINATED, required: { id: 'string', content: 'array' } },
  FunctionCallOutput: { variant: 'FunctionCallOutput', persisted: PAGINATED },
  HookPrompt: { variant: 'HookPrompt', persisted: PAGINATED, required: { id: 'string' } },
  AgentMessage: { variant: 'AgentMessage', persisted: PAGINATED, required: { id: 'string', content: 'array' } },
  Plan: { variant: 'Plan', persisted: BOTH, required: { id: 'string', text: 'string' } },
  Reasoning: { variant: 'Reasoning', persisted: PAGINATED, required: { id: 'string', summary_text: 'array' } },
  CommandExecution: { variant: 'CommandExecution', persisted: PAGINATED, required: { id: 'string', command: 'array' } },
  DynamicToolCall: { variant: 'DynamicToolCall', persisted: PAGINATED, required: { id: 'string' } },
  CollabAgentToolCall: { variant: 'CollabAgentToolCall', persisted: PAGINATED, required: { id: 'string' } },
  SubAgentActivity: { variant: 'SubAgentActivity', persisted: PAGINATED, required: { id: 'string' } },
  WebSearch: { variant: 'WebSearch', persisted: PAGINATED, required: { id: 'string' } },
  ImageView: { variant: 'ImageView', persisted: PAGINATED, required: { id: 'string' } },
  Extension: { variant: 'Extension', persisted: PAGINATED },
  ImageGeneration: { variant: 'ImageGeneration', persisted: PAGINATED, required: { id: 'string' } },
  EnteredReviewMode: { variant: 'EnteredReviewMode', persisted: PAGINATED },
  ExitedReviewMode: { variant: 'ExitedReviewMode', persisted: PAGINATED },
  FileChange: { variant: 'FileChange', persisted: PAGINATED, required: { id: 'string' } },
  McpToolCall: { variant: 'McpToolCall', persisted: PAGINATED, required: { id: 'string' } },
  ContextCompaction: { variant: 'ContextCompaction', persisted: PAGINATED, required: { id: 'string' } },
  Sleep: { variant: 'Sleep', persisted: BOTH, required: { id: 'string' }, removedIn: '0.171' },
} as const satisfies Readonly<Record<string, WireName>>;

export type EventTag = keyof typeof EVENT_NAMES;
export type ResponseItemType = keyof typeof RESPONSE_ITEM_NAMES;
export type ContentItemType = keyof typeof CONTENT_ITEM_NAMES;
export type LineType = keyof typeof LINE_NAMES;
export type TurnItemType = keyof typeof TURN_ITEM_NAMES;
