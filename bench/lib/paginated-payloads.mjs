/**
 * The payloads of the paginated dialect that depend on the thread and the turn alone, keys in the order of Codex 0.171.0.
 */

/** The file system part of the environment block and of the world state. */
export function filesystemText(cwd) {
  const roots = `<workspace_roots><root>${cwd}</root></workspace_roots>`;
  const profile = '<permission_profile type="disabled"><file_system type="unrestricted" /></permission_profile>';
  return `<filesystem>${roots}${profile}</filesystem>`;
}

export function sessionMeta(thread, windowId) {
  const base = thread.historyBase;
  return {
    account_scoped: true,
    session_id: thread.id,
    id: thread.id,
    ...(base === undefined ? {} : { forked_from_id: base.threadId, forked_from_ordinal_exclusive: base.endOrdinal }),
    ...(thread.parentThreadId === undefined ? {} : { parent_thread_id: thread.parentThreadId }),
    timestamp: new Date(thread.startMs).toISOString(),
    cwd: thread.cwd,
    runtime_workspace_roots: [thread.cwd],
    originator: thread.originator,
    cli_version: thread.cliVersion,
    source: thread.source,
    ...(base === undefined ? { thread_source: thread.parentThreadId === undefined ? 'user' : 'subagent' } : {}),
    model_provider: thread.provider,
    base_instructions: { text: thread.instructions, provenance: { type: 'model', model: thread.model } },
    history_mode: 'paginated',
    ...(base === undefined
      ? {}
      : {
          history_base: {
            thread_id: base.threadId,
            end_ordinal_exclusive: base.endOrdinal,
            end_byte_offset: base.endByteOffset,
          },
          multi_agent_version: 'v1',
        }),
    context_window: { window_id: windowId },
    git: thread.git,
  };
}

/** `hash()` gives what stands for the digest of a text. */
export function worldState(thread, texts, date, hash) {
  return {
    full: true,
    state: {
      agents_md: {},
      apps_instructions: false,
      collaboration_mode: { mode: 'default', model: thread.model, instructions: hash() },
      context_window_guidance: '',
      environments: {
        environments: { local: { cwd: thread.cwd, status: 'available', shell: 'bash' } },
        current_date: date,
        timezone: 'Etc/UTC',
        filesystem: filesystemText(thread.cwd),
      },
      environments_instructions: false,
      git_attribution: false,
      host_skills: { body: texts.skills, includeInstructions: true },
      managed_developer_instructions: {},
      model: thread.model,
      model_catalog: hash(),
      multi_agent_mode: {},
      permissions: { instructions: hash(), approved_command_prefixes: [] },
      persistent_mode: {},
      plugins_instructions: false,
      realtime: { active: false },
      skills: { includeInstructions: true },
    },
  };
}

function collaborationMode({ model, effort }) {
  return { mode: 'default', settings: { model, reasoning_effort: effort, developer_instructions: null } };
}

export function turnContext(thread, turnId) {
  return {
    turn_id: turnId,
    root_turn_id: turnId,
    disabled_plugin_ids: [],
    cwd: thread.cwd,
    approval_policy: 'never',
    approvals_reviewer: 'user',
    permission_profile: { type: 'disabled' },
    model: thread.model,
    collaboration_mode: collaborationMode(thread),
    multi_agent_version: 'v1',
    realtime_active: false,
    summary: 'none',
    sandbox_policy: { type: 'danger-full-access' },
  };
}

export function threadSettings(thread) {
  return {
    type: 'thread_settings_applied',
    thread_id: thread.id,
    thread_settings: {
      model: thread.model,
      model_provider_id: thread.provider,
      approval_policy: 'never',
      approvals_reviewer: 'user',
      requested_approvals_reviewer: 'user',
      permission_profile: { type: 'disabled' },
      cwd: thread.cwd,
      runtime_workspace_roots: [thread.cwd],
      collaboration_mode: collaborationMode(thread),
      disabled_plugin_ids: [],
    },
  };
}

export function usageOf(usage) {
  return {
    input_tokens: usage.input,
    cached_input_tokens: usage.cached,
    cache_write_input_tokens: 0,
    output_tokens: usage.output,
    reasoning_output_tokens: usage.reasoning,
    total_tokens: usage.input + usage.output,
  };
}

export function tokenCount(total, last, contextWindow) {
  return {
    type: 'token_count',
    info: {
      total_token_usage: usageOf(total),
      last_token_usage: usageOf(last),
      last_usage_includes_reasoning: false,
      model_context_window: contextWindow,
    },
    rate_limits: {
      limit_id: 'codex',
      limit_name: null,
      primary: null,
      secondary: null,
      credits: null,
      individual_limit: null,
      spend_control_reached: null,
      plan_type: null,
      rate_limit_reached_type: null,
    },
  };
}
