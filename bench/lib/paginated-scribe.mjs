/**
 * Writes a thread in the paginated dialect, with the lines that Codex 0.171.0 writes:
 * `{timestamp, ordinal, type, payload[, metadata]}`, user and agent texts as response items and as completed items.
 */
import {
  filesystemText,
  sessionMeta,
  threadSettings,
  tokenCount,
  turnContext,
  usageOf,
  worldState,
} from './paginated-payloads.mjs';
import { token } from './random.mjs';
import { environmentText, Scribe } from './scribe.mjs';

const HARNESS = { provenance: { type: 'harness', hook: false } };
const FROM_USER = { provenance: { type: 'user' } };
const FROM_SKILLS = { provenance: { type: 'skills' } };

export class PaginatedScribe extends Scribe {
  dialect = 'paginated';
  #sequence = 1;
  #order = 0;
  #sampled = 0;
  #windowNumber = 0;

  constructor(thread, texts, random, sink) {
    super(thread, texts, random, sink);
    this.ordinal = thread.historyBase?.endOrdinal ?? 0;
    this.firstWindowId = this.windowId = this.uuid();
  }

  #line(type, payload, metadata) {
    const line = { timestamp: this.now(), ordinal: this.ordinal, type, payload };
    if (metadata !== undefined) line.metadata = metadata;
    this.ordinal += 1;
    this.put(line);
  }

  #event(payload) {
    this.#line('event_msg', payload);
  }

  #itemCompleted(item, startedAtMs = this.clockMs) {
    this.#event({
      type: 'item_completed',
      thread_id: this.thread.id,
      turn_id: this.turnId,
      item,
      started_at_ms: startedAtMs,
      completed_at_ms: this.clockMs,
    });
  }

  #nextSequence() {
    return { history_sequence: this.#sequence++, sampled_through_sequence: this.#sampled };
  }

  #retained(messageId, role) {
    return {
      id: { message_id: messageId, turn_id: this.turnId, role },
      revision: `retained_${this.uuid()}`,
      complete: true,
    };
  }

  sessionMeta() {
    this.#line('session_meta', sessionMeta(this.thread, this.windowId));
    if (this.thread.historyBase !== undefined) this.#settings();
  }

  beginTurn() {
    const first = this.turns === 0;
    this.startTurn();
    this.#event({
      type: 'task_started',
      turn_attribution: this.#attribution(),
      turn_id: this.turnId,
      root_turn_id: this.turnId,
      started_at: this.seconds(),
      model_context_window: this.thread.contextWindow,
      collaboration_mode_kind: 'default',
    });
    const opens = first && this.thread.historyBase === undefined;
    if (opens) {
      const [developer, environment] = this.#opening();
      const sequence = this.#nextSequence();
      const state = { client_authored: false, model_search_state: 'unused' };
      const attributed = { client_authored: false, mcp_attribution: { status: 'none' }, model_search_state: 'unused' };
      this.#line('response_item', developer, { ...sequence, ...attributed });
      this.#line('response_item', environment, { ...this.#nextSequence(), ...state });
      this.#worldState();
    }
    this.#turnContext();
    if (opens) this.#settings();
  }

  #attribution() {
    const trigger = this.thread.source === 'exec' ? 'exec' : null;
    const nobody = { parent_turn_id: null, initiating_agent_path: null };
    return { turn_id: this.turnId, turn_trigger: trigger, ...nobody, root_turn_id: this.turnId };
  }

  /** The injected messages at the head of a thread; a compaction writes them again. */
  #opening(withTime = true) {
    const environment = environmentText(this.thread.cwd, this.now().slice(0, 10), filesystemText(this.thread.cwd));
    const passthrough = (kinds, metadata) => ({
      turn_id: this.turnId,
      ...(withTime ? { create_time: this.preciseSeconds() } : {}),
      content_item_kinds: kinds,
      content_item_metadata: metadata,
    });
    return [
      {
        type: 'message',
        id: `msg_${this.uuid()}`,
        role: 'developer',
        content: [this.texts.skills, this.texts.permissions].map((text) => ({ type: 'input_text', text })),
        internal_chat_message_metadata_passthrough: passthrough(
          ['host_skills.instructions', 'permissions.instructions'],
          [FROM_SKILLS, HARNESS],
        ),
      },
      {
        type: 'message',
        id: `msg_${this.uuid()}`,
        role: 'user',
        content: [{ type: 'input_text', text: environment }],
        internal_chat_message_metadata_passthrough: passthrough(['environments.environment_context'], [HARNESS]),
      },
    ];
  }

  #worldState() {
    const hash = () => this.random.hex(40);
    this.#line('world_state', worldState(this.thread, this.texts, this.now().slice(0, 10), hash));
  }

  #turnContext() {
    this.#line('turn_context', turnContext(this.thread, this.turnId));
  }

  #settings() {
    this.#event(threadSettings(this.thread));
  }

  userMessage(text) {
    this.tick();
    const id = `msg_${this.uuid()}`;
    const sequence = this.#nextSequence();
    const retained = this.#retained(id, 'user');
    this.#line(
      'response_item',
      {
        type: 'message',
        id,
        role: 'user',
        content: [{ type: 'input_text', text }],
        internal_chat_message_metadata_passthrough: {
          turn_id: this.turnId,
          create_time: this.preciseSeconds(),
          content_item_kinds: ['user.text'],
          content_item_metadata: [FROM_USER],
        },
      },
      {
        ...sequence,
        retained_source: retained,
        client_authored: false,
        user_input_order: this.#order++,
        mcp_attribution: { status: 'none' },
        model_search_state: 'unused',
      },
    );
    this.kept = { id, retained, sequence: sequence.history_sequence, text };
    this.tick();
    this.#itemCompleted({ type: 'UserMessage', id: this.uuid(), content: [{ type: 'text', text, text_elements: [] }] });
  }

  reasoning(summaries, encrypted) {
    this.sawToken();
    this.#sampled = this.#sequence - 1;
    const id = `rs_${this.random.hex(40)}`;
    this.#itemCompleted({ type: 'Reasoning', id, summary_text: summaries, raw_content: [] });
    this.#line(
      'response_item',
      {
        type: 'reasoning',
        id,
        summary: summaries.map((text) => ({ type: 'summary_text', text })),
        content: null,
        encrypted_content: encrypted,
        internal_chat_message_metadata_passthrough: { turn_id: this.turnId },
      },
      { ...this.#nextSequence(), client_authored: false, model_search_state: 'unused' },
    );
  }

  #functionCall(cmd, callId) {
    this.sawToken();
    this.#sampled = this.#sequence - 1;
    this.#line(
      'response_item',
      {
        type: 'function_call',
        id: `fc_${this.random.hex(40)}`,
        name: 'exec_command',
        arguments: JSON.stringify({ cmd }),
        call_id: callId,
        internal_chat_message_metadata_passthrough: { turn_id: this.turnId },
      },
      {
        ...this.#nextSequence(),
        client_authored: false,
        user_input_order: this.#order++,
        model_search_state: 'unused',
      },
    );
    this.#tokenUsageRecord();
  }

  #functionCallOutput(callId, output) {
    this.#line(
      'response_item',
      {
        type: 'function_call_output',
        id: `fco_${this.uuid()}`,
        call_id: callId,
        output,
        internal_chat_message_metadata_passthrough: { turn_id: this.turnId, create_time: this.preciseSeconds() },
      },
      {
        ...this.#nextSequence(),
        client_authored: false,
        fallback_token_limit_override: 3000,
        model_search_state: 'unused',
      },
    );
    this.#tokenCount();
  }

  command(call) {
    const callId = this.callId();
    const startedAtMs = this.clockMs;
    this.#functionCall(call.cmd, callId);
    this.wait(call.seconds * 1000);
    this.#itemCompleted(
      {
        type: 'CommandExecution',
        id: callId,
        process_id: String(this.random.between(1000, 99_999)),
        command: ['/bin/bash', '-lc', call.cmd],
        cwd: `file://${this.thread.cwd}`,
        parsed_cmd: [{ type: 'unknown', cmd: call.cmd }],
        source: 'unified_exec_startup',
        status: call.exitCode === 0 ? 'completed' : 'failed',
        aggregated_output: call.output,
        exit_code: call.exitCode,
        duration: { secs: Math.floor(call.seconds), nanos: Math.floor((call.seconds % 1) * 1e9) },
      },
      startedAtMs,
    );
    this.#functionCallOutput(callId, this.commandOutput(call));
  }

  /** One patch through the shell. `changes`: by absolute path, `{type:'add', content}` or `{type:'update', …}`. */
  patch({ patch, report, changes }) {
    const callId = this.callId();
    this.#functionCall(`apply_patch <<'PATCH_EOF'\n${patch}\nPATCH_EOF`, callId);
    this.tick();
    this.#itemCompleted({ type: 'FileChange', id: callId, changes, status: 'completed', stdout: report, stderr: '' });
    const output = `Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\n${report}`;
    this.#functionCallOutput(callId, output);
  }

  #assistant(id, text) {
    return {
      type: 'message',
      status: 'completed',
      id,
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
      internal_chat_message_metadata_passthrough: { turn_id: this.turnId, content_item_kinds: ['unknown'] },
    };
  }

  agentMessage(text) {
    this.sawToken();
    this.#sampled = this.#sequence - 1;
    this.lastAgentMessage = text;
    const id = `msg_${this.random.hex(40)}`;
    this.#itemCompleted({ type: 'AgentMessage', id, content: [{ type: 'Text', text }] });
    this.#line('response_item', this.#assistant(id, text), {
      ...this.#nextSequence(),
      retained_source: this.#retained(id, 'assistant'),
      client_authored: false,
      user_input_order: this.#order++,
      model_search_state: 'unused',
    });
    this.#tokenUsageRecord();
    this.#tokenCount();
  }

  #usageRecord() {
    return {
      thread_id: this.thread.id,
      turn_id: this.turnId,
      session_id: this.thread.id,
      root_turn_id: this.turnId,
      response_id: this.responseId,
      usage: usageOf(this.lastUsage),
      turn_token_usage: usageOf(this.turnUsage),
      thread_token_usage: usageOf(this.threadUsage),
    };
  }

  #tokenUsageRecord() {
    this.responseId = `resp_${token(40, this.random)}`;
    this.#line('token_usage_record', this.#usageRecord());
  }

  #tokenCount() {
    this.#event(tokenCount(this.threadUsage, this.lastUsage, this.thread.contextWindow));
  }

  endTurn() {
    this.tick();
    this.#event({
      type: 'task_complete',
      root_turn_id: this.turnId,
      turn_id: this.turnId,
      last_agent_message: this.lastAgentMessage,
      started_at: Math.floor(this.turnStartMs / 1000),
      completed_at: this.seconds(),
      duration_ms: this.clockMs - this.turnStartMs,
      time_to_first_token_ms: this.firstTokenMs ?? 0,
    });
  }

  /** Ends a turn as the user's interrupt does; `notice` is what the model will read about it. */
  abortTurn(notice) {
    this.tick();
    this.#line(
      'response_item',
      {
        type: 'message',
        id: `msg_${this.uuid()}`,
        role: 'user',
        content: [{ type: 'input_text', text: notice }],
        internal_chat_message_metadata_passthrough: {
          turn_id: this.turnId,
          create_time: this.preciseSeconds(),
          content_item_kinds: ['generic.turn_aborted'],
          content_item_metadata: [HARNESS],
        },
      },
      { ...this.#nextSequence(), client_authored: false, model_search_state: 'unused' },
    );
    this.#event({
      type: 'turn_aborted',
      root_turn_id: this.turnId,
      turn_id: this.turnId,
      reason: 'interrupted',
      started_at: Math.floor(this.turnStartMs / 1000),
      completed_at: this.seconds(),
      duration_ms: this.clockMs - this.turnStartMs,
    });
  }

  /** Replaces the history by the turn's own user text and `summary`; written inside a turn, after its user message. */
  compaction(summary) {
    const startedAtMs = this.clockMs;
    const { kept } = this;
    this.#sampled = this.#sequence - 1;
    const outputId = `msg_${this.random.hex(40)}`;
    this.#line('response_item', this.#assistant(outputId, summary), {
      ...this.#nextSequence(),
      client_authored: false,
      compaction_output: true,
      model_search_state: 'unused',
    });
    this.#tokenUsageRecord();
    this.#tokenCount();
    const previousWindowId = this.windowId;
    this.windowId = this.uuid();
    this.#windowNumber += 1;
    this.windowTokens = 0;
    const message = (id, text, passthrough) => ({
      type: 'message',
      id,
      role: 'user',
      content: [{ type: 'input_text', text }],
      internal_chat_message_metadata_passthrough: passthrough,
    });
    const unused = { client_authored: false, model_search_state: 'unused' };
    const attributed = { client_authored: false, mcp_attribution: { status: 'none' }, model_search_state: 'unused' };
    this.#line('compacted', {
      message: summary,
      replacement_history: [
        ...this.#opening(false),
        message(kept.id, kept.text, {
          turn_id: this.turnId,
          create_time: this.preciseSeconds(),
          content_item_kinds: ['user.text'],
          content_item_metadata: [FROM_USER],
        }),
        message(`msg_${this.uuid()}`, summary, {
          turn_id: this.turnId,
          content_item_kinds: ['compaction.summary'],
          content_item_metadata: [HARNESS],
        }),
      ],
      replacement_history_metadata: [
        { ...this.#nextSequence(), ...unused },
        { ...this.#nextSequence(), ...unused },
        {
          history_sequence: kept.sequence,
          sampled_through_sequence: this.#sampled,
          retained_source: kept.retained,
          client_authored: false,
          user_input_order: 0,
          mcp_attribution: { status: 'none' },
          model_search_state: 'unused',
        },
        { ...this.#nextSequence(), ...attributed },
      ],
      retained_context: {
        verified_answers: [],
        incomplete: false,
        user_messages: [
          {
            revision: kept.retained.revision,
            order: 0,
            turn_id: this.turnId,
            message_id: kept.id,
            text: kept.text,
            complete: true,
          },
        ],
        user_messages_incomplete: false,
        assistant_messages: [],
        assistant_messages_incomplete: false,
        next_order: this.#order,
      },
      window_number: this.#windowNumber,
      first_window_id: this.firstWindowId,
      previous_window_id: previousWindowId,
      window_id: this.windowId,
      compaction_response_id: this.responseId,
      latest_token_usage_record: this.#usageRecord(),
      resume_metadata: {
        dynamic_tools: { thread_id: this.thread.id, tools: [] },
        multi_agent_version: 'v1',
        last_started_turn_id: this.turnId,
        turn_attribution: this.#attribution(),
        previous_turn_settings: { model: this.thread.model, comp_hash: null, realtime_active: false },
      },
    });
    this.#worldState();
    this.#turnContext();
    this.#settings();
    this.#tokenCount();
    this.#itemCompleted({ type: 'ContextCompaction', id: this.uuid() }, startedAtMs);
  }
}
