/**
 * The turns of a thread as a person sees them, folded from its lines in order.
 *
 * A turn is opened by the log (`task_started`) or, in releases that wrote no such line, by a message of the user or by
 * a compaction. Context that stands before a turn belongs to it. A rollback takes away the turns that it names.
 * Memory is bounded by the window that is asked for and by the largest turn; all turns are counted.
 * Never reorders what is written, but for twins (see `TurnDraft`).
 */
import type { EventMsg, TaskComplete } from '../protocol/event-msg.js';
import type { ResponseItem } from '../protocol/response-item.js';
import type { RolloutLine } from '../protocol/rollout-line.js';
import { isTurnBoundary } from './injected.js';
import { formatInstant, parseInstant } from './instant.js';
import { externalCallId, originOf, weakerOrigin } from './origin.js';
import type { Origin, TurnItemView, TurnView } from './turn.js';
import { TurnDraft, type TurnEntry } from './turn-draft.js';
import { compactedText, eventItemText, failureText, type ItemText, responseItemText } from './turn-items.js';

/** A decoded line and where it came from. */
export interface TurnRecord {
  readonly line: RolloutLine;
  /** 1-based. */
  readonly lineNumber: number;
  /** 0-based. */
  readonly byteOffset: number;
  /** Absolute. */
  readonly path: string;
  /** The unknown type that the line holds, if any. */
  readonly unknown?: string | undefined;
  /** The line as it is in the file; asked for only where a record is shown raw. */
  readonly rawText?: (() => string) | undefined;
}

/** The place of the first record that belongs to no earlier turn. */
export interface TurnBoundary {
  /** Absolute. */
  readonly path: string;
  /** 1-based. */
  readonly lineNumber: number;
  /** 0-based. */
  readonly byteOffset: number;
  /** Only in `paginated`. */
  readonly ordinal: number | undefined;
}

export interface TurnsWindow {
  /** Only the last so many turns; goes before `from` and `to`. */
  readonly last?: number | undefined;
  /** 1-based, inclusive. */
  readonly from?: number | undefined;
  /** 1-based, inclusive. */
  readonly to?: number | undefined;
  /** A row for every record: those that are no items show as their tag with their raw text. */
  readonly all?: boolean | undefined;
  /** Of each turn only its first item and those on these lines (1-based, inclusive) of this file. */
  readonly lines?: { readonly path: string; readonly from: number; readonly to: number } | undefined;
  /**
   * Where, in the file at a path, what was written in this home begins: what stands before came from elsewhere, and
   * nobody here has typed it. Default: everything was written here.
   */
  readonly importedBytes?: ((path: string) => number) | undefined;
}

/** Turns kept beyond `last`, to be shown again should a rollback take newer ones away. */
const ROLLBACK_RESERVE = 64;

/** How many ids of finished turns are remembered, to tell a late end from the end of the open turn. */
const FINISHED_IDS = 32;

/** Folds records in the order of the thread; `finish` ends it. */
export class TurnsFold {
  readonly #last: number | undefined;
  readonly #from: number;
  readonly #to: number;
  readonly #all: boolean;
  readonly #lines: TurnsWindow['lines'];
  readonly #importedBytes: TurnsWindow['importedBytes'];
  /** Finished turns within the window, by 0-based number, in ascending order. */
  readonly #kept = new Map<number, TurnDraft>();
  /** For each finished turn: whether the user spoke in it. */
  readonly #spoken: boolean[] = [];
  #open: TurnDraft | undefined;
  /** Context that belongs to the turn that comes next. */
  #pending: { entry: TurnEntry; text: ItemText | undefined }[] = [];
  /** Where the context that waits begins. */
  #pendingFrom: TurnRecord | undefined;
  /** For each turn, by 0-based number, where the one after it began, rolled back since or not. */
  readonly #ends: (TurnBoundary | undefined)[] = [];
  /** Where the first turn began. */
  #begin: TurnBoundary | undefined;
  #finishedIds: string[] = [];
  /** Calls to the outside whose outputs are still to come. */
  readonly #externalCalls = new Set<string>();

  constructor(window: TurnsWindow = {}) {
    this.#last = window.last;
    this.#from = window.from ?? 1;
    this.#to = window.to ?? Number.POSITIVE_INFINITY;
    this.#all = window.all ?? false;
    this.#lines = window.lines;
    this.#importedBytes = window.importedBytes;
  }

  /** Turns so far, whatever the window. */
  get totalTurns(): number {
    return this.#spoken.length + (this.#open === undefined ? 0 : 1);
  }

  /**
   * How many turns (in which the user spoke, of those that are over) a rollback of so many would take, and how many of
   * all turns it would leave.
   */
  rollbackOf(turns: number): { readonly taken: number; readonly left: number } {
    let left = this.#spoken.length;
    let taken = 0;
    let kept = left;
    while (taken < turns && left > 0) {
      left -= 1;
      if (this.#spoken[left]) {
        taken += 1;
        kept = left;
      }
    }
    return { taken, left: kept };
  }

  /**
   * Where a log would be cut so that this turn (1-based) is its last one: at the first record of the next turn, even if
   * a rollback has taken that away. Undefined when nothing came after it. Turn 0 is what stands before the first one.
   */
  endOf(turn: number): TurnBoundary | undefined {
    return turn === 0 ? this.#begin : this.#ends[turn - 1];
  }

  apply(record: TurnRecord): void {
    const { item } = record.line;
    switch (item.type) {
      case 'response_item':
        this.#applyItem(record, item.payload);
        break;
      case 'event_msg':
        this.#applyEvent(record, item.payload);
        break;
      case 'compacted': {
        const text = compactedText(item.payload);
        this.#actingTurn(record).addItem(this.#entry(record, text, 'injected'), text.marks);
        break;
      }
      case 'inter_agent_communication': {
        const content = item.payload['content'];
        const text = typeof content === 'string' ? content : '';
        this.#placeRequest(record, { type: item.type, role: null, text, marks: [] }, 'assistant');
        break;
      }
      default:
        this.#applyRaw(record);
    }
  }

  /** The turns within the window, oldest first. */
  finish(): readonly TurnView[] {
    if (this.#pending.length > 0) {
      // What stands after the last turn is shown with it.
      const last = this.#open ?? this.#kept.get(this.#spoken.length - 1);
      if (last !== undefined) this.#flushPending(last);
      else if (this.#spoken.length === 0) this.#openImplicit(undefined);
    }
    this.#close();
    this.#pending = [];
    const views = [...this.#kept.values()].map((draft) => draft.view());
    if (this.#last === undefined) return views;
    return this.#last > 0 ? views.slice(-this.#last) : [];
  }

  /** The turns within the window from `from` (1-based) on, as they are so far; folding may go on. */
  views(from = 1): readonly { readonly number: number; readonly turn: TurnView }[] {
    const drafts = [...this.#kept].map(([index, draft]) => ({ number: index + 1, draft }));
    const open = this.#open;
    const number = this.#spoken.length + 1;
    if (open !== undefined && (this.#last !== undefined || (number >= this.#from && number <= this.#to)))
      drafts.push({ number, draft: open });
    return drafts.filter((entry) => entry.number >= from).map(({ number, draft }) => ({ number, turn: draft.view() }));
  }

  /** Lets go of finished turns before this one (1-based). */
  forgetBefore(number: number): void {
    for (const index of this.#kept.keys()) if (index + 1 < number) this.#kept.delete(index);
  }

  #applyItem(record: TurnRecord, payload: ResponseItem): void {
    const origin = originOf(record.line, this.#externalCalls);
    this.#noteCall(payload, origin);
    const text = responseItemText(payload);
    if (this.#open?.awaitsItem(text.marks)) {
      this.#open.addItem(this.#entry(record, text, origin), text.marks);
      return;
    }
    if (isTurnBoundary(payload)) this.#placeRequest(record, text, origin);
    else if (origin === 'injected') this.#placeContext(record, text);
    else this.#actingTurn(record).addItem(this.#entry(record, text, origin), text.marks);
  }

  #noteCall(payload: ResponseItem, origin: Origin): void {
    const external = externalCallId(payload);
    if (external !== undefined) this.#externalCalls.add(external);
    else if (origin === 'external' && typeof payload['call_id'] === 'string') {
      this.#externalCalls.delete(payload['call_id']);
    }
  }

  #applyEvent(record: TurnRecord, event: EventMsg): void {
    switch (event.type) {
      case 'task_started':
        this.#start(record, event.turn_id);
        break;
      case 'task_complete':
        this.#complete(record, event);
        return;
      case 'turn_aborted':
        this.#applyRaw(record);
        this.#abort(record, event.turn_id);
        return;
      case 'thread_rolled_back':
        this.#close();
        this.#rollBack(event.num_turns);
        break;
    }
    const text = eventItemText(event);
    if (text === undefined) this.#applyRaw(record);
    else this.#applyItemEvent(record, event, text);
  }

  #applyItemEvent(record: TurnRecord, event: EventMsg, text: ItemText): void {
    const origin = originOf(record.line);
    const entry: TurnEntry = {
      view: this.#view(record, text, origin),
      raw: this.#all ? this.#rawView(record) : undefined,
    };
    const open = this.#open;
    const fromUser = text.role === 'user' && origin !== 'injected';
    if (fromUser && open?.awaitsEvent(text.marks)) open.confirmed = true;
    const draft = fromUser ? this.#turnForRequest(record, text, 'event') : this.#actingTurn(record);
    draft.addEvent(entry, text.marks);
    if (fromUser) draft.confirmed = true;
    if (event.type === 'error') {
      draft.status = 'failed';
      draft.errors.add(event.message.trim());
    }
  }

  #applyRaw(record: TurnRecord): void {
    if (!this.#all) return;
    const entry = { view: this.#rawView(record) };
    if (this.#open === undefined) this.#pending.push({ entry, text: undefined });
    else this.#open.add(entry);
  }

  #placeRequest(record: TurnRecord, text: ItemText, origin: Origin): void {
    const draft = this.#turnForRequest(record, text, 'item');
    draft.addItem(this.#entry(record, text, origin), text.marks);
  }

  /** The turn that a message of the user belongs to: the open one, or a new one that it opens. */
  #turnForRequest(record: TurnRecord, text: ItemText, kind: 'item' | 'event'): TurnDraft {
    const open = this.#open;
    const isTwin = kind === 'event' && open?.awaitsEvent(text.marks) === true;
    // A bare log has no events to confirm a message: each one is a turn.
    const isOver = open === undefined || open.answered || open.confirmed || record.line.timestamp === undefined;
    const goesOn = open !== undefined && (open.explicit || isTwin || !isOver);
    const draft = goesOn ? open : this.#openImplicit(record);
    draft.hasUser = true;
    return draft;
  }

  #placeContext(record: TurnRecord, text: ItemText): void {
    const entry = this.#entry(record, text, 'injected');
    if (this.#open === undefined || (!this.#open.explicit && (this.#open.answered || this.#open.confirmed))) {
      this.#pendingFrom ??= record;
      this.#pending.push({ entry, text });
    } else this.#open.addItem(entry, text.marks);
  }

  /** The turn in which the agent acts; context that was held back turns out to be part of it. */
  #actingTurn(record: TurnRecord): TurnDraft {
    const draft = this.#open ?? this.#openImplicit(record);
    this.#flushPending(draft);
    draft.answered = true;
    return draft;
  }

  #flushPending(draft: TurnDraft): void {
    for (const { entry, text } of this.#pending) {
      if (text === undefined) draft.add(entry);
      else draft.addItem(entry, text.marks);
    }
    this.#pending = [];
    this.#pendingFrom = undefined;
  }

  /** The turn before the one that begins here is over. */
  #noteStart(record: TurnRecord): void {
    const before = this.#spoken.length - 1;
    const first = this.#pendingFrom ?? record;
    if (before >= 0) this.#ends[before] ??= boundaryAt(first);
    else this.#begin ??= boundaryAt(first);
  }

  #openImplicit(record: TurnRecord | undefined): TurnDraft {
    this.#close();
    if (record !== undefined) this.#noteStart(record);
    const startedAt = record === undefined ? null : instantOf(record.line);
    const draft = new TurnDraft({ id: null, explicit: false, startedAt });
    this.#open = draft;
    this.#flushPending(draft);
    return draft;
  }

  #start(record: TurnRecord, id: string): void {
    const open = this.#open;
    if (open?.explicit && open.id === id) return;
    const draft = new TurnDraft({ id, explicit: true, startedAt: instantOf(record.line) });
    if (open !== undefined && !open.explicit && !open.answered && !open.confirmed) {
      // What a program put before the turn is its input.
      draft.takeOver(open);
      this.#open = undefined;
    } else {
      if (open?.explicit && open.status === 'in_progress') open.status = 'interrupted';
      this.#close();
    }
    this.#noteStart(record);
    this.#open = draft;
    this.#flushPending(draft);
  }

  #complete(record: TurnRecord, { turn_id: id, error }: TaskComplete): void {
    const open = this.#open;
    const isItsEnd = open !== undefined && (open.id === id || !this.#finishedIds.includes(id));
    if (!isItsEnd) {
      this.#applyRaw(record);
      return;
    }
    const reason = failureText(error);
    // An event of its own may have told the same error.
    if (reason === undefined || open.errors.has(reason.trim())) this.#applyRaw(record);
    else open.add(this.#entry(record, { type: 'error', role: null, text: reason, marks: [] }, originOf(record.line)));
    if (error != null) open.status = 'failed';
    else if (open.status === 'in_progress') open.status = 'completed';
    open.completedAt = instantOf(record.line);
    this.#close();
  }

  #abort(record: TurnRecord, id: string | null | undefined): void {
    const open = this.#open;
    if (open === undefined || (open.explicit && typeof id === 'string' && open.id !== id)) return;
    open.status = 'interrupted';
    open.completedAt = instantOf(record.line);
    this.#close();
  }

  #close(): void {
    const draft = this.#open;
    if (draft === undefined) return;
    this.#open = undefined;
    this.#externalCalls.clear();
    const lines = this.#lines;
    if (lines !== undefined) {
      draft.narrow(({ path, line }) => path === lines.path && line >= lines.from && line <= lines.to);
    }
    if (draft.id !== null) this.#finishedIds = [...this.#finishedIds.slice(1 - FINISHED_IDS), draft.id];
    const index = this.#spoken.length;
    this.#spoken.push(draft.hasUser);
    if (this.#last !== undefined) {
      this.#kept.set(index, draft);
      this.#kept.delete(index - this.#last - ROLLBACK_RESERVE);
    } else if (index + 1 >= this.#from && index + 1 <= this.#to) this.#kept.set(index, draft);
  }

  /** Turns in which the user did not speak go with those around them and are not counted. */
  #rollBack(turns: number): void {
    for (let left = turns; left > 0 && this.#spoken.length > 0; ) {
      if (this.#spoken.pop()) left -= 1;
      this.#kept.delete(this.#spoken.length);
    }
    if (this.#ends.length > this.#spoken.length) this.#ends.length = this.#spoken.length;
  }

  #entry(record: TurnRecord, text: ItemText, origin: Origin): TurnEntry {
    return { view: this.#view(record, text, origin) };
  }

  #view(record: TurnRecord, text: ItemText, origin: Origin): TurnItemView {
    const { lineNumber: line, path } = record;
    const shown = this.#shownOrigin(record, origin);
    return { type: text.type, role: text.role, text: text.text ?? rawTextOf(record), line, path, origin: shown };
  }

  #rawView(record: TurnRecord): TurnItemView {
    const { item } = record.line;
    const type = record.unknown ?? (item.type === 'event_msg' ? item.payload.type : item.type);
    const { lineNumber: line, path } = record;
    const origin = this.#shownOrigin(record, originOf(record.line));
    return { type, role: null, text: rawTextOf(record), line, path, origin };
  }

  /** How turns are formed does not depend on where a line was written; whose word it is does. */
  #shownOrigin({ path, byteOffset }: TurnRecord, origin: Origin): Origin {
    const isImported = byteOffset < (this.#importedBytes?.(path) ?? 0);
    return isImported ? weakerOrigin(origin, 'imported') : origin;
  }
}

function boundaryAt({ path, lineNumber, byteOffset, line }: TurnRecord): TurnBoundary {
  return { path, lineNumber, byteOffset, ordinal: line.ordinal };
}

function rawTextOf(record: TurnRecord): string {
  return record.rawText?.() ?? JSON.stringify(record.line.item.payload);
}

function instantOf(line: RolloutLine): string | null {
  const ms = parseInstant(line.timestamp);
  return ms === undefined ? null : formatInstant(ms);
}
