/**
 * What both dialects of a generated rollout share: the clock, the ids, the token counts, the sink.
 * A scribe writes the lines of one thread in the order and with the keys of a genuine log; it invents no field.
 * Lines go to `sink(line)` without their newline; a scribe never holds a thread in memory.
 */
import { token, uuid7 } from './random.mjs';

const NO_USAGE = { input: 0, cached: 0, output: 0, reasoning: 0 };

export class Scribe {
  bytes = 0;
  lines = 0;
  /** Model tokens since the last compaction: what the window holds. */
  windowTokens = 0;

  /**
   * `thread`: `{id, startMs, cwd, source, originator, provider, model, cliVersion, instructions, git, contextWindow, …}`.
   * `texts`: `{permissions, skills}`, the injected texts of the first turn.
   */
  constructor(thread, texts, random, sink) {
    this.thread = thread;
    this.texts = texts;
    this.random = random;
    this.sink = sink;
    this.clockMs = thread.startMs;
    this.threadUsage = { ...NO_USAGE };
    this.turnUsage = { ...NO_USAGE };
    this.turns = 0;
  }

  wait(ms) {
    this.clockMs += Math.max(0, Math.round(ms));
  }

  /** A short pause, as between two lines of one step. */
  tick() {
    this.clockMs += this.random.below(4);
  }

  now() {
    return new Date(this.clockMs).toISOString();
  }

  seconds() {
    return Math.floor(this.clockMs / 1000);
  }

  /** Unix seconds with microseconds, as `create_time`. */
  preciseSeconds() {
    return Number((this.clockMs / 1000 + this.random.below(10_000) / 10_000_000).toFixed(7));
  }

  uuid() {
    return uuid7(this.clockMs, this.random);
  }

  callId() {
    return `call_${token(24, this.random)}`;
  }

  put(object) {
    this.putLine(JSON.stringify(object));
  }

  putLine(line) {
    this.bytes += Buffer.byteLength(line) + 1;
    this.lines += 1;
    this.sink(line);
  }

  /** Counts one answer of the model. */
  spend(inputTokens, outputTokens, reasoningTokens = 0) {
    const last = {
      input: inputTokens,
      cached: this.threadUsage.input === 0 ? 0 : Math.floor(inputTokens * 0.8),
      output: outputTokens,
      reasoning: reasoningTokens,
    };
    for (const sum of [this.threadUsage, this.turnUsage]) for (const key of Object.keys(sum)) sum[key] += last[key];
    this.lastUsage = last;
    this.windowTokens = inputTokens + outputTokens;
  }

  startTurn() {
    this.turnId = this.uuid();
    this.turnStartMs = this.clockMs;
    this.firstTokenMs = undefined;
    this.turnUsage = { ...NO_USAGE };
    this.lastAgentMessage = null;
    this.turns += 1;
  }

  sawToken() {
    this.firstTokenMs ??= this.clockMs - this.turnStartMs;
  }

  commandOutput({ output, exitCode, seconds }) {
    const head = `Chunk ID: ${this.random.hex(6)}\nWall time: ${seconds.toFixed(4)} seconds\nProcess exited with code ${exitCode}\n`;
    return `${head}Original token count: ${Math.ceil(output.length / 4)}\nOutput:\n${output}`;
  }
}

/** The environment block that opens a thread. */
export function environmentText(cwd, date, filesystem) {
  const parts = [
    `<cwd>${cwd}</cwd>`,
    '<shell>bash</shell>',
    `<current_date>${date}</current_date>`,
    '<timezone>Etc/UTC</timezone>',
  ];
  if (filesystem !== undefined) parts.push(filesystem);
  return `<environment_context>\n${parts.map((part) => `  ${part}\n`).join('')}</environment_context>`;
}
