/**
 * Tokens that a thread has spent, from what the lines of one file say of them; what was copied is told apart.
 *
 * Two sources that must never be added to one another: records (`token_usage_record`, since 0.157), one for each answer
 * of the model, each counted once; and snapshots (`token_count`), whose counters run over the thread, are written again
 * and again, and begin anew at a resume (before 0.80), at a full context, or at a fork, as the release has it. Of a
 * snapshot counts what it adds to the one before, as far as no record has told it.
 * Only figures of the model count: a snapshot that says nothing but a total is an estimate of the client.
 * Invariant: `own` of a file never holds what another file of the same history holds in its `own`.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import type { EventMsg } from '../protocol/event-msg.js';
import type { RolloutLine } from '../protocol/rollout-line.js';
import type { SessionMeta } from '../protocol/session-meta.js';
import { stringOf } from './content.js';
import { parseInstant } from './instant.js';
import type { LineHeader } from './line-header.js';

export interface TokenUsage {
  readonly inputTokens: number;
  /** Part of `inputTokens`. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningOutputTokens: number;
  /** In a sum: input and output. In a snapshot: what the log says. */
  readonly totalTokens: number;
}

export interface ThreadUsage {
  /** The last snapshot; null when there was none. */
  readonly snapshot: TokenUsage | null;
  /** Sum over the records; null when there were none. */
  readonly recorded: TokenUsage | null;
  /** Answers of the model that were recorded. */
  readonly responses: number;
  /** Spent in this file by this thread. */
  readonly own: TokenUsage;
  /** Spent by the thread that the beginning of this file was copied from. */
  readonly copied: TokenUsage;
}

export interface UsageFoldOptions {
  /** The counters at the end of the history that the file continues; null where they are not known. Leave out for a file that continues none. */
  readonly base?: TokenUsage | null | undefined;
  /** What `marksOf` says of the lines of the thread that this one was copied from. */
  readonly source?: readonly string[] | undefined;
}

export const NO_TOKENS: TokenUsage = Object.freeze({
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
  totalTokens: 0,
});

/** A copy is written in one go; whoever goes on with it takes longer than this. */
const COPY_PAUSE_MS = 1_000;
const MARK_CHARS = 200;

const USAGE_EVENTS: ReadonlySet<string> = new Set(['token_count', 'task_started', 'turn_started', 'user_message']);

/** Whether the fold needs the lines with this header. */
export function isUsageLine({ type, payloadType }: LineHeader): boolean {
  if (type === 'event_msg') return payloadType !== undefined && USAGE_EVENTS.has(payloadType);
  return type === 'session_meta' || type === 'token_usage_record';
}

/** Folds lines in the order of the file. */
export class UsageFold {
  readonly #source: readonly string[] | undefined;
  readonly #continues: boolean;
  #threadId: string | undefined;
  #startedMs: number | undefined;
  /** The first meta says that the thread has a source or a parent, or another thread's meta follows. */
  #isDerived = false;
  #holdsForeignMeta = false;
  /** True from the first line on that this thread wrote after what was copied. */
  #isOwn = false;
  #isDated = false;
  #copiedAtMs: number | undefined;
  #matched = 0;
  #counters: TokenUsage | undefined;
  #countersGone = false;
  /** Told by records and not yet by a snapshot. */
  #credit: TokenUsage = NO_TOKENS;
  #snapshot: TokenUsage | null = null;
  #recorded: TokenUsage = NO_TOKENS;
  #own: TokenUsage = NO_TOKENS;
  #copied: TokenUsage = NO_TOKENS;
  readonly #responses = new Set<string>();

  constructor({ base, source }: UsageFoldOptions = {}) {
    this.#source = source;
    this.#continues = base !== undefined;
    this.#counters = base ?? undefined;
  }

  /** Spent so far by this thread in this file. */
  get own(): TokenUsage {
    return this.#own;
  }

  /** The counters as the last snapshot had them. */
  get counters(): TokenUsage | null {
    return this.#counters ?? null;
  }

  /** True when only a comparison with the thread it was copied from tells where the copy ends. */
  get needsSource(): boolean {
    return this.#holdsForeignMeta && !this.#isDated && this.#source === undefined;
  }

  apply(line: RolloutLine): void {
    const { item } = line;
    switch (item.type) {
      case 'session_meta':
        this.#applyMeta(item.payload, line);
        break;
      case 'event_msg':
        this.#applyEvent(item.payload, line);
        break;
      case 'token_usage_record':
        this.#applyRecord(item.payload);
        break;
    }
  }

  finish(): ThreadUsage {
    const responses = this.#responses.size;
    return {
      snapshot: this.#snapshot,
      recorded: responses === 0 ? null : this.#recorded,
      responses,
      own: this.#own,
      copied: this.#copied,
    };
  }

  #applyMeta(meta: SessionMeta, line: RolloutLine): void {
    const id = meta.id.toLowerCase();
    if (this.#threadId === undefined) {
      this.#threadId = id;
      this.#startedMs = instantOfId(id);
      this.#isDerived = meta.forked_from_id != null || meta.parent_thread_id != null || isJsonObject(meta.source);
    } else if (id !== this.#threadId) {
      this.#isDerived = true;
      this.#holdsForeignMeta = true;
      this.#copiedAtMs = parseInstant(line.timestamp);
    }
  }

  #applyEvent(event: EventMsg, line: RolloutLine): void {
    if (event.type === 'task_started') this.#applyTurn(event.turn_id);
    if (this.#isCopying && !this.#isDated && !this.#isPartOfCopy(line)) this.#isOwn = true;
    if (event.type === 'token_count') this.#applySnapshot(event.info);
  }

  get #isCopying(): boolean {
    return !this.#isOwn && this.#holdsForeignMeta;
  }

  /** An id tells when it was made: a turn that is older than the thread was another's. */
  #applyTurn(turnId: string): void {
    const turnMs = instantOfId(turnId);
    if (!this.#isDerived || this.#isOwn || turnMs === undefined || this.#startedMs === undefined) return;
    this.#isDated = true;
    if (turnMs < this.#startedMs) this.#holdsForeignMeta = true;
    else this.#isOwn = true;
  }

  #isPartOfCopy(line: RolloutLine): boolean {
    if (this.#source !== undefined) {
      const mark = markOf(line);
      if (mark === undefined) return true;
      this.#matched += 1;
      return this.#source[this.#matched - 1] === mark;
    }
    const atMs = parseInstant(line.timestamp);
    const before = this.#copiedAtMs;
    this.#copiedAtMs = atMs ?? before;
    return atMs === undefined || before === undefined || Math.abs(atMs - before) <= COPY_PAUSE_MS;
  }

  #applySnapshot(info: JsonValue | undefined): void {
    if (!isJsonObject(info)) {
      this.#countersGone = true;
      return;
    }
    if (!isJsonObject(info['total_token_usage'])) return;
    const total = usageOf(info['total_token_usage']);
    const last = isJsonObject(info['last_token_usage']) ? usageOf(info['last_token_usage']) : undefined;
    const added = this.#added(total, last);
    this.#snapshot = total;
    this.#counters = total;
    this.#countersGone = false;
    const told = least(this.#credit, added);
    this.#credit = difference(this.#credit, told);
    this.#spend(difference(added, told));
  }

  /** What a snapshot adds to the one before it. */
  #added(total: TokenUsage, last: TokenUsage | undefined): TokenUsage {
    const before = this.#counters;
    const beganAnew = last !== undefined && same(total, last);
    if (before === undefined) {
      // Counters may have come along from a history that is not here.
      return last !== undefined && (this.#continues || this.#isDerived) ? last : total;
    }
    if (same(total, before)) return beganAnew && this.#countersGone ? total : NO_TOKENS;
    if (last !== undefined && same(total, sumOf(before, last))) return last;
    return beganAnew || !covers(total, before) ? total : difference(total, before);
  }

  #applyRecord(record: JsonObject): void {
    const { thread_id: threadId, response_id: responseId, usage } = record;
    if (!isJsonObject(usage) || typeof responseId !== 'string' || this.#responses.has(responseId)) return;
    const spent = usageOf(usage);
    const isForeign =
      typeof threadId === 'string' && this.#threadId !== undefined && threadId.toLowerCase() !== this.#threadId;
    if (isForeign) {
      if (!this.#isDerived) return;
      this.#copied = sumOf(this.#copied, spent);
    } else {
      this.#responses.add(responseId);
      this.#recorded = addedWithTotals(this.#recorded, spent);
      this.#own = sumOf(this.#own, spent);
    }
    this.#credit = sumOf(this.#credit, spent);
  }

  #spend(tokens: TokenUsage): void {
    if (this.#isCopying) this.#copied = sumOf(this.#copied, tokens);
    else this.#own = sumOf(this.#own, tokens);
  }
}

/** What tells a line of a copy from one that was written later; undefined for a line that tells nothing. */
export function markOf({ item }: RolloutLine): string | undefined {
  if (item.type !== 'event_msg') return undefined;
  const event = item.payload;
  if (event.type === 'user_message') return `${event.message.length}:${event.message.slice(0, MARK_CHARS)}`;
  if (event.type !== 'token_count' || !isJsonObject(event.info)) return undefined;
  return JSON.stringify(event.info['total_token_usage'] ?? null);
}

/** Component by component; the total is input and output. */
export function sumOf(a: TokenUsage, b: TokenUsage): TokenUsage {
  return usage(
    a.inputTokens + b.inputTokens,
    a.cachedInputTokens + b.cachedInputTokens,
    a.outputTokens + b.outputTokens,
    a.reasoningOutputTokens + b.reasoningOutputTokens,
  );
}

function usage(input: number, cached: number, output: number, reasoning: number): TokenUsage {
  return {
    inputTokens: input,
    cachedInputTokens: cached,
    outputTokens: output,
    reasoningOutputTokens: reasoning,
    totalTokens: input + output,
  };
}

function least(a: TokenUsage, b: TokenUsage): TokenUsage {
  return usage(
    Math.min(a.inputTokens, b.inputTokens),
    Math.min(a.cachedInputTokens, b.cachedInputTokens),
    Math.min(a.outputTokens, b.outputTokens),
    Math.min(a.reasoningOutputTokens, b.reasoningOutputTokens),
  );
}

/** Never below zero. */
function difference(a: TokenUsage, b: TokenUsage): TokenUsage {
  return usage(
    Math.max(0, a.inputTokens - b.inputTokens),
    Math.max(0, a.cachedInputTokens - b.cachedInputTokens),
    Math.max(0, a.outputTokens - b.outputTokens),
    Math.max(0, a.reasoningOutputTokens - b.reasoningOutputTokens),
  );
}

function same(a: TokenUsage, b: TokenUsage): boolean {
  return covers(a, b) && covers(b, a);
}

function covers(a: TokenUsage, b: TokenUsage): boolean {
  return (
    a.inputTokens >= b.inputTokens &&
    a.cachedInputTokens >= b.cachedInputTokens &&
    a.outputTokens >= b.outputTokens &&
    a.reasoningOutputTokens >= b.reasoningOutputTokens
  );
}

function addedWithTotals(a: TokenUsage, b: TokenUsage): TokenUsage {
  return { ...sumOf(a, b), totalTokens: a.totalTokens + b.totalTokens };
}

function usageOf(tokens: JsonObject): TokenUsage {
  return {
    inputTokens: countOf(tokens['input_tokens']),
    cachedInputTokens: countOf(tokens['cached_input_tokens']),
    outputTokens: countOf(tokens['output_tokens']),
    reasoningOutputTokens: countOf(tokens['reasoning_output_tokens']),
    totalTokens: countOf(tokens['total_tokens']),
  };
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0;
}

/** When a UUIDv7 was made; undefined for any other id. */
function instantOfId(id: string | null | undefined): number | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(stringOf(id ?? undefined) ?? '');
  return match === null ? undefined : Number.parseInt(`${match[1]}${match[2]}`, 16);
}
