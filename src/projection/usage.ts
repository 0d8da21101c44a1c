/**
 * Tokens that a thread has used, from what the log says of them.
 *
 * Two sources that must never be mixed: snapshots (`token_count`), of which the last one holds the whole sum, and
 * records (`token_usage_record`, since 0.157), one for each answer of the model, which are added, each answer once.
 * Records of other threads (those of a parent that was copied) are not of this one.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import type { RolloutLine } from '../protocol/rollout-line.js';

export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
  readonly totalTokens: number;
}

export interface ThreadUsage {
  /** The last snapshot; null when there was none. */
  readonly snapshot: TokenUsage | null;
  /** Sum over the records; null when there were none. */
  readonly recorded: TokenUsage | null;
  /** Answers of the model that were recorded. */
  readonly responses: number;
}

const NONE: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
  totalTokens: 0,
};

/** Folds lines in the order of the file. */
export class UsageFold {
  #threadId: string | undefined;
  #snapshot: TokenUsage | null = null;
  #recorded: TokenUsage = NONE;
  readonly #responses = new Set<string>();

  apply(line: RolloutLine): void {
    const { item } = line;
    switch (item.type) {
      case 'session_meta':
        this.#threadId ??= item.payload.id.toLowerCase();
        break;
      case 'event_msg':
        if (item.payload.type === 'token_count') this.#applySnapshot(item.payload.info);
        break;
      case 'token_usage_record':
        this.#applyRecord(item.payload);
        break;
    }
  }

  finish(): ThreadUsage {
    const responses = this.#responses.size;
    return { snapshot: this.#snapshot, recorded: responses === 0 ? null : this.#recorded, responses };
  }

  #applySnapshot(info: JsonValue | undefined): void {
    if (!isJsonObject(info) || !isJsonObject(info['total_token_usage'])) return;
    this.#snapshot = usageOf(info['total_token_usage']);
  }

  #applyRecord(record: JsonObject): void {
    const { thread_id: threadId, response_id: responseId, usage } = record;
    if (!isJsonObject(usage) || typeof responseId !== 'string' || this.#responses.has(responseId)) return;
    const foreign =
      typeof threadId === 'string' && this.#threadId !== undefined && threadId.toLowerCase() !== this.#threadId;
    if (foreign) return;
    this.#responses.add(responseId);
    this.#recorded = sumOf(this.#recorded, usageOf(usage));
  }
}

function usageOf(usage: JsonObject): TokenUsage {
  return {
    inputTokens: countOf(usage['input_tokens']),
    cachedInputTokens: countOf(usage['cached_input_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    reasoningOutputTokens: countOf(usage['reasoning_output_tokens']),
    totalTokens: countOf(usage['total_tokens']),
  };
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0;
}

function sumOf(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningOutputTokens: a.reasoningOutputTokens + b.reasoningOutputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
}
