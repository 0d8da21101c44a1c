/**
 * Writes a thread in the legacy dialect, with the lines that Codex 0.125.0 writes: `{timestamp, type, payload}`,
 * user and agent texts both as response items and as events.
 */
import { environmentText, Scribe } from './scribe.mjs';

export class LegacyScribe extends Scribe {
  dialect = 'legacy';

  #line(type, payload) {
    this.put({ timestamp: this.now(), type, payload });
  }

  #item(payload) {
    this.#line('response_item', payload);
  }

  #event(payload) {
    this.#line('event_msg', payload);
  }

  sessionMeta() {
    const { thread } = this;
    this.#line('session_meta', {
      id: thread.id,
      ...(thread.forkedFromId === undefined ? {} : { forked_from_id: thread.forkedFromId }),
      timestamp: new Date(thread.startMs).toISOString(),
      cwd: thread.cwd,
      originator: thread.originator,
      cli_version: thread.cliVersion,
      source: thread.source,
      model_provider: thread.provider,
      base_instructions: { text: thread.instructions },
      git: thread.git,
    });
  }

  /** Takes over a line of another thread, as a fork does: the same payload, the time of the fork. */
  copyLine(line) {
    this.putLine(`{"timestamp":"${this.now()}"${line.slice(line.indexOf(',"type"'))}`);
  }

  beginTurn() {
    const first = this.turns === 0;
    this.startTurn();
    this.#event({
      type: 'task_started',
      turn_id: this.turnId,
      started_at: this.seconds(),
      model_context_window: this.thread.contextWindow,
      collaboration_mode_kind: 'default',
    });
    if (first && this.thread.forkedFromId === undefined) for (const item of this.#opening()) this.#item(item);
    this.#turnContext();
  }

  #opening() {
    const { permissions, skills } = this.texts;
    const environment = environmentText(this.thread.cwd, this.now().slice(0, 10));
    return [
      {
        type: 'message',
        role: 'developer',
        content: [permissions, skills].map((text) => ({ type: 'input_text', text })),
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: environment }] },
    ];
  }

  #turnContext() {
    const { thread } = this;
    this.#line('turn_context', {
      turn_id: this.turnId,
      cwd: thread.cwd,
      current_date: this.now().slice(0, 10),
      timezone: 'Etc/UTC',
      approval_policy: 'never',
      sandbox_policy: { type: 'danger-full-access' },
      permission_profile: { type: 'disabled' },
      model: thread.model,
      personality: 'pragmatic',
      collaboration_mode: {
        mode: 'default',
        settings: { model: thread.model, reasoning_effort: thread.effort, developer_instructions: null },
      },
      realtime_active: false,
      summary: 'auto',
      truncation_policy: { mode: 'bytes', limit: 10000 },
    });
  }

  userMessage(text) {
    this.tick();
    this.#item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
    this.tick();
    this.#event({ type: 'user_message', message: text, images: [], local_images: [], text_elements: [] });
  }

  reasoning(summaries, encrypted) {
    this.sawToken();
    for (const text of summaries) this.#event({ type: 'agent_reasoning', text });
    const summary = summaries.map((text) => ({ type: 'summary_text', text }));
    this.#item({ type: 'reasoning', summary, content: null, encrypted_content: encrypted });
  }

  /** One shell command: the call, what it cost, its output. `seconds` is what the command took. */
  command(call) {
    this.sawToken();
    const callId = this.callId();
    this.#item({
      type: 'function_call',
      name: 'exec_command',
      arguments: JSON.stringify({ cmd: call.cmd }),
      call_id: callId,
    });
    this.#tokenCount();
    this.wait(call.seconds * 1000);
    this.#item({ type: 'function_call_output', call_id: callId, output: this.commandOutput(call) });
    this.tick();
    this.#tokenCount();
  }

  /** One patch. `changes` is only written by the other dialect. */
  patch({ patch, report }) {
    this.sawToken();
    const callId = this.callId();
    this.#item({ type: 'custom_tool_call', status: 'completed', call_id: callId, name: 'apply_patch', input: patch });
    this.#tokenCount();
    const output = JSON.stringify({ output: report, metadata: { exit_code: 0, duration_seconds: 0.1 } });
    this.#item({ type: 'custom_tool_call_output', call_id: callId, output });
    this.tick();
    this.#tokenCount();
  }

  agentMessage(text) {
    this.sawToken();
    this.lastAgentMessage = text;
    this.#event({ type: 'agent_message', message: text, phase: null, memory_citation: null });
    this.#item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
    this.#tokenCount();
  }

  #usage(usage) {
    return {
      input_tokens: usage.input,
      cached_input_tokens: usage.cached,
      output_tokens: usage.output,
      reasoning_output_tokens: usage.reasoning,
      total_tokens: usage.input + usage.output,
    };
  }

  #tokenCount() {
    this.#event({
      type: 'token_count',
      info: {
        total_token_usage: this.#usage(this.threadUsage),
        last_token_usage: this.#usage(this.lastUsage),
        model_context_window: this.thread.contextWindow,
      },
      rate_limits: {
        limit_id: 'codex',
        limit_name: null,
        primary: null,
        secondary: null,
        credits: null,
        plan_type: null,
        rate_limit_reached_type: null,
      },
    });
  }

  endTurn() {
    this.tick();
    this.#event({
      type: 'task_complete',
      turn_id: this.turnId,
      last_agent_message: this.lastAgentMessage,
      completed_at: this.seconds(),
      duration_ms: this.clockMs - this.turnStartMs,
      time_to_first_token_ms: this.firstTokenMs ?? 0,
    });
  }

  /** Replaces the history by `kept` user texts and `summary`; written inside a turn. */
  compaction(summary, kept) {
    this.windowTokens = 0;
    const texts = [...kept, summary];
    const replies = texts.map((text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }));
    this.#line('compacted', { message: summary, replacement_history: [...this.#opening(), ...replies] });
    this.#turnContext();
    this.#tokenCount();
    this.#event({ type: 'context_compacted' });
  }
}
