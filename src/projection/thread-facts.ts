/**
 * What a list must know of a thread, folded from the lines of one file.
 *
 * Plain data that can be stored and folded on when the file has grown. A line that changes nothing costs nothing;
 * `FactsFold` folds many lines without a copy for each. Pure: no clock, no file, no path.
 * Law: folding only the lines that `FACT_LINES` names gives the same facts as folding all.
 * Source: the columns that Codex fills from rollout items, with the differences that the list contract asks for
 * (last valid timestamp, titles from logs without events).
 */
import { parseThreadId, type ThreadId } from '../base/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import type { EventMsg } from '../protocol/event-msg.js';
import type { RolloutLine, TurnContext } from '../protocol/rollout-line.js';
import type { HistoryBase, SessionMeta } from '../protocol/session-meta.js';
import { maskSecrets } from '../redaction/index.js';
import { maskedTitle } from './clip-title.js';
import { hasMedia, IMAGE_ONLY, stringOf, typedText } from './content.js';
import { environmentCwd, isContextualUserMessage, isSummaryText } from './injected.js';
import { parseInstant, parseStartInstant } from './instant.js';
import type { GitInfo } from './thread-row.js';

/** Where a line stands in its file. */
export interface LinePlace {
  /** 1-based. */
  readonly lineNumber: number;
  /** 0-based. */
  readonly byteOffset: number;
}

/** JSON-serialisable. Null is "not found". */
export interface ThreadFacts {
  /** Id of the first session_meta. */
  readonly threadId: ThreadId | null;
  /** True once a session_meta was seen, whatever its id. */
  readonly hasMeta: boolean;
  readonly startedAtMs: number | null;
  readonly cwd: string | null;
  /** Of the first turn_context, empty or not; counts when no meta has one. */
  readonly contextCwd: string | null;
  /** A string as it is, anything else as compact JSON. */
  readonly source: string | null;
  readonly threadSource: string | null;
  readonly originator: string | null;
  readonly agentNickname: string | null;
  readonly agentRole: string | null;
  readonly agentPath: string | null;
  readonly modelProvider: string | null;
  readonly cliVersion: string | null;
  readonly git: GitInfo | null;
  readonly memoryMode: string | null;
  readonly forkedFromId: ThreadId | null;
  readonly parentThreadId: ThreadId | null;
  readonly historyMode: string | null;
  readonly historyBase: HistoryBase | null;
  readonly model: string | null;
  readonly reasoningEffort: string | null;
  readonly sandboxPolicy: string | null;
  readonly approvalMode: string | null;
  readonly tokensUsed: number;
  /** The last name that the log gives; empty when it was taken away. */
  readonly name: string | null;
  readonly hasUserEvent: boolean;
  /** First event of the user that says something, at most 400 code points. `[Image]` when it only shows something. */
  readonly firstUserMessage: string | null;
  readonly firstUserAt: LinePlace | null;
  /** First text of the user in an event. */
  readonly title: string | null;
  /** Objective of the first goal, for a thread that began with one. */
  readonly goal: string | null;
  /** True when the goal stood before the first message. */
  readonly goalFirst: boolean;
  /** First text of the user in a response_item, for a log without events. */
  readonly itemTitle: string | null;
  readonly itemAt: LinePlace | null;
  /** Of the last record with a valid timestamp. */
  readonly updatedAtMs: number | null;
  readonly lastOrdinal: number | null;
}

export const NO_FACTS: ThreadFacts = Object.freeze({
  threadId: null,
  hasMeta: false,
  startedAtMs: null,
  cwd: null,
  contextCwd: null,
  source: null,
  threadSource: null,
  originator: null,
  agentNickname: null,
  agentRole: null,
  agentPath: null,
  modelProvider: null,
  cliVersion: null,
  git: null,
  memoryMode: null,
  forkedFromId: null,
  parentThreadId: null,
  historyMode: null,
  historyBase: null,
  model: null,
  reasoningEffort: null,
  sandboxPolicy: null,
  approvalMode: null,
  tokensUsed: 0,
  name: null,
  hasUserEvent: false,
  firstUserMessage: null,
  firstUserAt: null,
  title: null,
  goal: null,
  goalFirst: false,
  itemTitle: null,
  itemAt: null,
  updatedAtMs: null,
  lastOrdinal: null,
});

/** Goes up when the same lines fold to other facts: an index then reads every file again. */
export const FACTS_VERSION = 2;

type Draft = { -readonly [K in keyof ThreadFacts]: ThreadFacts[K] };

const REQUEST_MARK = '## My request for Codex:';

/** Folds lines in the order of the file, on from facts that were folded before. */
export class FactsFold {
  readonly #draft: Draft;
  #changed = false;
  readonly #from: ThreadFacts;

  constructor(from: ThreadFacts = NO_FACTS) {
    this.#from = from;
    this.#draft = { ...from };
  }

  apply(line: RolloutLine, at: LinePlace): void {
    const { item } = line;
    switch (item.type) {
      case 'session_meta':
        this.#applyMeta(item.payload);
        break;
      case 'turn_context':
        this.#applyContext(item.payload);
        break;
      case 'event_msg':
        this.#applyEvent(item.payload, at);
        break;
      case 'response_item':
        this.#applyItem(item.payload, at);
        break;
    }
    this.touch(line.timestamp, line.ordinal);
  }

  /** What any record tells, whatever its type; enough for those that need no parse of their payload. */
  touch(timestamp: string | undefined, ordinal: number | undefined): void {
    const ms = parseInstant(timestamp);
    if (ms !== undefined) this.#set('updatedAtMs', ms);
    if (ordinal !== undefined) this.#set('lastOrdinal', ordinal);
  }

  /** The facts so far; the object that was folded on from when no line changed anything. */
  finish(): ThreadFacts {
    return this.#changed ? { ...this.#draft } : this.#from;
  }

  /** Whatever text is kept was masked: any field may hold what somebody put into it. */
  #set<K extends keyof ThreadFacts>(key: K, value: ThreadFacts[K]): void {
    if (this.#draft[key] === value) return;
    // Masking gives a string for a string, which is what the field holds.
    this.#draft[key] = typeof value === 'string' ? (maskSecrets(value) as ThreadFacts[K]) : value;
    this.#changed = true;
  }

  #setText(key: 'cwd' | 'modelProvider' | 'cliVersion' | 'originator' | 'memoryMode', value: unknown): void {
    if (typeof value === 'string' && value !== '') this.#set(key, value);
  }

  #applyMeta(meta: SessionMeta): void {
    const id = parseThreadId(meta.id);
    if (!this.#draft.hasMeta) this.#applyFirstMeta(meta, id);
    else if (id === undefined || id !== this.#draft.threadId) {
      // A fork holds the meta of the thread it was copied from; older releases say it nowhere else.
      if (id !== undefined && this.#draft.forkedFromId === null) this.#set('forkedFromId', id);
      return;
    }
    this.#set('source', compactText(meta.source));
    this.#set('threadSource', meta.thread_source ?? null);
    const spawn = spawnOf(meta.source);
    const spawned = (name: string): string | null => stringOf(spawn?.[name]) ?? null;
    this.#set('agentNickname', meta.agent_nickname ?? spawned('agent_nickname'));
    this.#set('agentRole', meta.agent_role ?? stringOf(meta['agent_type']) ?? spawned('agent_role'));
    this.#set('agentPath', meta.agent_path ?? spawned('agent_path'));
    this.#setText('originator', meta.originator);
    this.#setText('modelProvider', meta.model_provider);
    this.#setText('cliVersion', meta.cli_version);
    this.#setText('cwd', meta.cwd);
    this.#setText('memoryMode', meta.memory_mode);
    const parent = parseThreadId(meta.parent_thread_id) ?? parseThreadId(spawn?.['parent_thread_id']);
    if (parent !== undefined && parent !== id) this.#set('parentThreadId', parent);
    if (isJsonObject(meta.git)) this.#setGit(gitOf(meta.git));
  }

  #applyFirstMeta(meta: SessionMeta, id: ThreadId | undefined): void {
    this.#set('hasMeta', true);
    this.#set('threadId', id ?? null);
    this.#set('startedAtMs', parseStartInstant(stringOf(meta.timestamp ?? undefined)) ?? null);
    this.#set('forkedFromId', parseThreadId(meta.forked_from_id) ?? null);
    this.#set('historyMode', meta.history_mode ?? null);
    if (isJsonObject(meta.history_base)) {
      const { thread_id, end_ordinal_exclusive, end_byte_offset } = meta.history_base;
      this.#set('historyBase', { thread_id, end_ordinal_exclusive, end_byte_offset });
    }
  }

  #setGit(git: GitInfo | null): void {
    const old = this.#draft.git;
    const same =
      old === git ||
      (old !== null &&
        git !== null &&
        old.sha === git.sha &&
        old.branch === git.branch &&
        old.originUrl === git.originUrl);
    if (!same) this.#set('git', git);
  }

  #applyContext(context: TurnContext): void {
    if (this.#draft.contextCwd === null) this.#set('contextCwd', context.cwd);
    // The last one decides alone, so that a scanner needs no other.
    this.#set('model', stringOf(context.model) ?? null);
    this.#set('reasoningEffort', stringOf(context.effort) ?? collaborationEffort(context));
    this.#set('approvalMode', compactText(context.approval_policy));
    this.#set('sandboxPolicy', compactText(context['sandbox_policy']));
  }

  #applyEvent(event: EventMsg, at: LinePlace): void {
    switch (event.type) {
      case 'user_message':
        this.#applyUser(event.message, !isEmptyArray(event.images) || !isEmptyArray(event.local_images), at);
        break;
      case 'item_completed': {
        const { item } = event;
        if (item.type !== 'UserMessage') break;
        const media = item.content.some((entry) => isJsonObject(entry) && entry['type'] !== 'text');
        this.#applyUser(typedText(item.content), media, at);
        break;
      }
      case 'token_count': {
        const total = totalTokens(event.info);
        if (total !== undefined) this.#set('tokensUsed', total);
        break;
      }
      case 'thread_name_updated':
        this.#set('name', stringOf(event.thread_name) ?? '');
        break;
      case 'thread_goal_updated': {
        const objective = stringOf(event.goal['objective'])?.trim();
        if (this.#draft.goal !== null || objective === undefined || objective === '') break;
        this.#set('goal', maskedTitle(objective));
        this.#set('goalFirst', this.#draft.firstUserMessage === null);
        break;
      }
    }
  }

  #applyUser(message: string, media: boolean, at: LinePlace): void {
    this.#set('hasUserEvent', true);
    if (this.#draft.firstUserMessage !== null && this.#draft.title !== null) return;
    const text = requestText(message);
    if (text === '' && !media) return;
    if (this.#draft.firstUserMessage === null) {
      this.#set('firstUserMessage', text === '' ? IMAGE_ONLY : maskedTitle(text));
      this.#set('firstUserAt', { lineNumber: at.lineNumber, byteOffset: at.byteOffset });
    }
    if (text !== '' && this.#draft.title === null) this.#set('title', maskedTitle(text));
  }

  #applyItem(item: JsonObject, at: LinePlace): void {
    if (this.#draft.itemTitle !== null || this.#draft.title !== null) return;
    if (item['type'] !== 'message' || item['role'] !== 'user') return;
    if (isContextualUserMessage(item)) {
      if (this.#draft.contextCwd === null) this.#set('contextCwd', environmentCwd(item) ?? null);
      return;
    }
    const typed = typedText(item['content']);
    const text = requestText(typed);
    if (isSummaryText(typed) || (text === '' && !hasMedia(item['content']))) return;
    this.#set('itemTitle', text === '' ? IMAGE_ONLY : maskedTitle(text));
    this.#set('itemAt', { lineNumber: at.lineNumber, byteOffset: at.byteOffset });
  }
}

/** Folds one line. The same object when it changes nothing; for many lines use `FactsFold`. */
export function applyLine(facts: ThreadFacts, line: RolloutLine, at: LinePlace): ThreadFacts {
  const fold = new FactsFold(facts);
  fold.apply(line, at);
  return fold.finish();
}

/**
 * The facts of a file that goes on where `base`, the facts of a prefix, ends: who the thread is comes from its own
 * meta, how it began from the base, what holds now from its own lines where they say so.
 */
export function inheritFacts(base: ThreadFacts, own: ThreadFacts): ThreadFacts {
  const began = base.firstUserMessage !== null;
  const beganInItem = base.itemTitle !== null;
  const ownContext = own.model !== null || own.approvalMode !== null || own.sandboxPolicy !== null;
  const context = ownContext ? own : base;
  return {
    ...own,
    cwd: own.cwd ?? base.cwd,
    contextCwd: base.contextCwd ?? own.contextCwd,
    model: context.model,
    reasoningEffort: context.reasoningEffort,
    approvalMode: context.approvalMode,
    sandboxPolicy: context.sandboxPolicy,
    tokensUsed: own.tokensUsed > 0 ? own.tokensUsed : base.tokensUsed,
    name: own.name ?? (own.threadId === base.threadId ? base.name : null),
    hasUserEvent: base.hasUserEvent || own.hasUserEvent,
    firstUserMessage: began ? base.firstUserMessage : own.firstUserMessage,
    firstUserAt: began ? base.firstUserAt : own.firstUserAt,
    title: base.title ?? own.title,
    goal: base.goal ?? own.goal,
    goalFirst: base.goal === null ? own.goalFirst && !began : base.goalFirst,
    itemTitle: beganInItem ? base.itemTitle : own.itemTitle,
    itemAt: beganInItem ? base.itemAt : own.itemAt,
    updatedAtMs: own.updatedAtMs ?? base.updatedAtMs,
    lastOrdinal: own.lastOrdinal ?? base.lastOrdinal,
  };
}

/** What the user asked, without what an editor puts before it. */
function requestText(message: string): string {
  const mark = message.indexOf(REQUEST_MARK);
  return (mark < 0 ? message : message.slice(mark + REQUEST_MARK.length)).trim();
}

function compactText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isEmptyArray(value: JsonValue | undefined): boolean {
  return !Array.isArray(value) || value.length === 0;
}

function gitOf(git: JsonObject): GitInfo | null {
  const masked = (value: JsonValue | undefined): string | null => {
    const text = stringOf(value);
    return text === undefined ? null : maskSecrets(text);
  };
  const sha = masked(git['commit_hash']);
  const branch = masked(git['branch']);
  const originUrl = masked(git['repository_url']);
  return sha === null && branch === null && originUrl === null ? null : { sha, branch, originUrl };
}

/** How a thread was started by another one, as its source says it. */
function spawnOf(source: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(source) || !isJsonObject(source['subagent'])) return undefined;
  const spawn = source['subagent']['thread_spawn'];
  return isJsonObject(spawn) ? spawn : undefined;
}

/** From 0.90 on the effort stands in the settings of the collaboration mode, beside or instead of `effort`. */
function collaborationEffort(context: TurnContext): string | null {
  if (context.effort !== undefined) return null;
  const mode = context['collaboration_mode'];
  const settings = isJsonObject(mode) ? mode['settings'] : undefined;
  return isJsonObject(settings) ? (stringOf(settings['reasoning_effort']) ?? null) : null;
}

/** Tokens of the whole thread in a snapshot; undefined for one without. */
export function totalTokens(info: JsonValue | undefined): number | undefined {
  if (!isJsonObject(info) || !isJsonObject(info['total_token_usage'])) return undefined;
  const total = info['total_token_usage']['total_tokens'];
  return typeof total === 'number' && Number.isFinite(total) ? Math.max(total, 0) : undefined;
}
