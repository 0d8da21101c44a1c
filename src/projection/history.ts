/**
 * The model's view of a thread: what the real client would send on resume, from the newest line to the oldest.
 *
 * Read backwards, because the newest compaction holds all that came before it: a big log is read from its end only.
 * Payloads go out by reference, as they are on disk, unknown fields included; synthetic are the `aborted` outputs of
 * calls that have none, the summary of an old compaction and messages between agents.
 * Never truncates a text, never changes the order, never reads a timestamp; a later session_meta resets nothing.
 *
 * A rollback counts twice: messages of the user, to find where the items are cut, and turns, to find which compactions
 * are lost with them. A turn in which the user spoke twice makes the two counts differ, as they do in the real client.
 * Source: the requests of 0.80.0, 0.125.0, 0.147.0 and 0.171.0 for genuine and crafted logs; where releases differ,
 * the fullest.
 */
import { isJsonObject, type JsonObject } from '../base/json.js';
import type { EventMsg } from '../protocol/event-msg.js';
import { isOpaqueItem } from '../protocol/response-item.js';
import type { Compacted, RolloutLine } from '../protocol/rollout-line.js';
import { pairCalls } from './call-pairs.js';
import { isContextUpdate, isTurnBoundary, isUserRequest } from './injected.js';
import type { LineHeader } from './line-header.js';

/** Where a line stands; handed through untouched. */
export interface HistoryPosition {
  readonly path?: string;
  /** 0-based. */
  readonly byteOffset: number;
}

export interface ProjectedHistory {
  /** Oldest first. */
  readonly items: readonly JsonObject[];
  /** The compaction whose history is the base; undefined when the whole log is. */
  readonly base: HistoryPosition | undefined;
}

/** Items that are stored but never sent. */
const UNSENT = new Set(['ghost_snapshot', 'compaction_trigger', 'configuration_update']);

/** Lines that can never matter, whatever they hold. What is in no list is worth a parse. */
const NO_HISTORY = new Set([
  'session_meta',
  'turn_context',
  'world_state',
  'token_usage_record',
  'inter_agent_communication_metadata',
  'dynamic_tools_updated',
  'retained_context',
  'security_risk_score',
  'realtime_item',
  'state',
]);

const ROLLBACK = 'thread_rolled_back';

/** Events that bound a turn or count as the user's; only needed while a rollback looks for what it drops. */
const TURN_EVENTS = new Set([
  'task_started',
  'turn_started',
  'task_complete',
  'turn_complete',
  'turn_aborted',
  'user_message',
]);

/** True when a line with this header may change the history; a reader skips the others without parsing them. */
export function lineFilterForHistory(header: LineHeader): boolean {
  if (header.type !== 'event_msg') return !NO_HISTORY.has(header.type);
  return header.payloadType === undefined || header.payloadType === ROLLBACK || TURN_EVENTS.has(header.payloadType);
}

interface PendingRollback {
  /** Messages of the user that it has still to drop. */
  messages: number;
  /** Items seen since its last message, newest first: kept if no message of the user is older. */
  held: JsonObject[];
}

/** A turn while its lines are visited, end first. */
interface Segment {
  id: string | undefined;
  hasUser: boolean;
}

/** Builds the history from lines that are visited newest first. */
export class HistoryFold {
  readonly #newestFirst: JsonObject[] = [];
  /** Indexes in `#newestFirst` of context that goes when an older message of the user is kept. */
  readonly #trimmable = new Set<number>();
  /** Rollbacks that have still messages of the user to drop, newest first. */
  readonly #rollbacks: PendingRollback[] = [];
  /** Turns that rollbacks have still to drop. */
  #turns = 0;
  #segment: Segment | undefined;
  #trimming = false;
  #requestsOnly = false;
  #stopped = false;
  #base: HistoryPosition | undefined;

  /** As `lineFilterForHistory`, but knows what has been visited: most events need no parse. */
  wants(header: LineHeader): boolean {
    if (header.type !== 'event_msg') return !NO_HISTORY.has(header.type);
    if (header.payloadType === undefined || header.payloadType === ROLLBACK) return true;
    return this.#turns > 0 && TURN_EVENTS.has(header.payloadType);
  }

  /** Takes the next older line. `stop`: nothing older can matter. */
  visit(line: RolloutLine, position?: HistoryPosition): 'continue' | 'stop' {
    if (this.#stopped) return 'stop';
    const { item } = line;
    switch (item.type) {
      case 'response_item':
        this.#take(item.payload);
        break;
      case 'inter_agent_communication':
        this.#take(agentMessageOf(item.payload));
        break;
      case 'compacted':
        this.#takeCompaction(item.payload, position);
        break;
      case 'event_msg':
        this.#takeEvent(item.payload);
        break;
    }
    return this.#stopped ? 'stop' : 'continue';
  }

  /** The history of what has been visited. */
  finish(): ProjectedHistory {
    const items = this.#newestFirst;
    // A rollback past the beginning keeps what stood before the first message.
    for (const { held } of this.#rollbacks.splice(0)) for (const item of held) items.push(item);
    const oldestFirst: JsonObject[] = [];
    let afterUser = false;
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const item = items[index];
      if (item === undefined || (afterUser && this.#trimmable.has(index))) continue;
      oldestFirst.push(item);
      if (!afterUser && this.#trimmable.size > 0) afterUser = isTurnBoundary(item);
    }
    return { items: pairCalls(oldestFirst), base: this.#base };
  }

  #take(item: JsonObject): void {
    const { type } = item;
    if (isOpaqueItem(item) || typeof type !== 'string' || UNSENT.has(type)) return;
    if (this.#requestsOnly && !isUserRequest(item)) return;
    const rollback = this.#rollbacks.at(-1);
    const boundary = (rollback !== undefined || this.#turns > 0) && isTurnBoundary(item);
    if (boundary && this.#turns > 0) this.#openSegment().hasUser = true;
    if (rollback !== undefined) {
      if (boundary) this.#dropMessage(rollback);
      else rollback.held.push(item);
      return;
    }
    if (this.#trimming) {
      if (isContextUpdate(item)) this.#trimmable.add(this.#newestFirst.length);
      else this.#trimming = false;
    }
    this.#newestFirst.push(item);
  }

  #dropMessage(rollback: PendingRollback): void {
    rollback.held = [];
    rollback.messages -= 1;
    if (rollback.messages > 0) return;
    this.#rollbacks.pop();
    this.#trimming = this.#rollbacks.length === 0;
  }

  #takeCompaction(compacted: Compacted, position: HistoryPosition | undefined): void {
    const replacement = compacted.replacement_history;
    if (!Array.isArray(replacement)) {
      const text = compacted.message === '' ? '(no summary available)' : compacted.message;
      this.#take({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
      this.#requestsOnly = true;
      return;
    }
    // Its turn was rolled back: what it replaced counts again.
    if (this.#turns > 0) return;
    for (let index = replacement.length - 1; index >= 0; index -= 1) {
      const item: unknown = replacement[index];
      if (isJsonObject(item)) this.#take(item);
    }
    this.#base = position;
    this.#stopped = true;
  }

  #takeEvent(event: EventMsg): void {
    if (event.type === ROLLBACK) {
      this.#rollBack(event.num_turns);
      return;
    }
    if (this.#turns === 0) return;
    switch (event.type) {
      case 'user_message':
        this.#openSegment().hasUser = true;
        break;
      case 'task_complete':
      case 'turn_aborted':
        this.#openSegment().id ??= event.turn_id ?? undefined;
        break;
      case 'task_started':
        this.#closeSegment(event.turn_id);
        break;
    }
  }

  #rollBack(turns: number): void {
    if (!(turns > 0)) return;
    // No rollback happens inside a turn: whatever stands after it is another one.
    if (this.#segment !== undefined) this.#closeSegment(this.#segment.id);
    this.#rollbacks.push({ messages: turns, held: [] });
    this.#turns += turns;
  }

  #openSegment(): Segment {
    this.#segment ??= { id: undefined, hasUser: false };
    return this.#segment;
  }

  #closeSegment(startedId: string | undefined): void {
    const segment = this.#segment;
    if (segment === undefined) return;
    if (segment.id !== undefined && startedId !== undefined && segment.id !== startedId) return;
    this.#segment = undefined;
    // Turns without the user go with those around them and are not counted.
    if (segment.hasUser && this.#turns > 0) this.#turns -= 1;
  }
}

/** A message between agents as the model sees it. */
function agentMessageOf(communication: JsonObject): JsonObject {
  const { author, recipient, content, encrypted_content: encrypted } = communication;
  const text = typeof content === 'string' ? content : '';
  if (typeof encrypted !== 'string') {
    return { type: 'agent_message', author, recipient, content: [{ type: 'input_text', text }] };
  }
  const head = `Message Type: MESSAGE\nTask name: ${String(recipient)}\nSender: ${String(author)}\nPayload:\n`;
  return {
    type: 'agent_message',
    author,
    recipient,
    content: [
      { type: 'input_text', text: head + text },
      { type: 'encrypted_content', encrypted_content: encrypted },
    ],
  };
}

/** The history of a thread whose lines are at hand, oldest first. */
export function projectHistory(lines: readonly RolloutLine[]): ProjectedHistory {
  const fold = new HistoryFold();
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index];
    if (line !== undefined && fold.visit(line) === 'stop') break;
  }
  return fold.finish();
}
