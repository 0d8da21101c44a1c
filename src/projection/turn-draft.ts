/**
 * One turn while its lines come in: its items in order, each text once though it may stand in two records.
 *
 * The item for the model stays, its event goes, in whichever order they come; an event that has no twin stays.
 * With `keepTwins` an event that goes leaves its raw record in its place.
 */
import type { TurnItemView, TurnStatus, TurnView } from './turn.js';
import { type ItemText, isCallMark } from './turn-items.js';

/** A row, and what takes its place when its twin comes. */
export interface TurnEntry {
  readonly view: TurnItemView;
  readonly raw?: TurnItemView | undefined;
}

interface WaitingEvent {
  /** In the entries of the draft. */
  readonly place: number;
  readonly marks: ItemText['marks'];
}

export class TurnDraft {
  readonly id: string | null;
  /** Opened by the log, not by a message. */
  readonly explicit: boolean;
  readonly startedAt: string | null;
  completedAt: string | null = null;
  status: TurnStatus;
  hasUser = false;
  /** True once the agent did something: a message of the user then begins another turn. */
  answered = false;
  /** True once an event said that the message that opened the turn was typed. */
  confirmed = false;
  /** Texts of the errors that are shown. */
  readonly errors = new Set<string>();
  #entries: (TurnEntry | undefined)[] = [];
  /** Items whose event has not come, by mark. */
  readonly #items = new Map<string, number>();
  /** Events whose item has not come, by their first mark. */
  readonly #events = new Map<string, WaitingEvent[]>();

  constructor(start: { readonly id: string | null; readonly explicit: boolean; readonly startedAt: string | null }) {
    this.id = start.id;
    this.explicit = start.explicit;
    this.startedAt = start.startedAt;
    this.status = start.explicit ? 'in_progress' : 'completed';
  }

  /** Takes a row that has no twin. */
  add(entry: TurnEntry): void {
    this.#entries.push(entry);
  }

  /** Takes an item for the model; an event with the same text goes. */
  addItem(entry: TurnEntry, marks: ItemText['marks']): void {
    const gone = new Set<string>();
    for (const mark of marks) {
      if (gone.has(mark)) continue;
      const places = this.#events.get(mark);
      if (isCallMark(mark)) {
        for (const { place } of places ?? []) this.#withdraw(place);
        this.#events.delete(mark);
        this.#items.set(mark, Number.POSITIVE_INFINITY);
        continue;
      }
      const event = places?.shift();
      if (event === undefined) this.#items.set(mark, (this.#items.get(mark) ?? 0) + 1);
      else {
        this.#withdraw(event.place);
        for (const other of event.marks) gone.add(other);
      }
    }
    this.#entries.push(entry);
  }

  /** True when an event with one of these marks is here and waits for its item. */
  awaitsItem(marks: ItemText['marks']): boolean {
    return marks.some((mark) => (this.#events.get(mark)?.length ?? 0) > 0);
  }

  /** True when an item with one of these marks is here and waits for its event. */
  awaitsEvent(marks: ItemText['marks']): boolean {
    return marks.some((mark) => (this.#items.get(mark) ?? 0) > 0);
  }

  /** Takes an event; without effect, but for its raw record, when its item is here. */
  addEvent(entry: TurnEntry, marks: ItemText['marks']): void {
    if (this.awaitsEvent(marks)) {
      for (const mark of marks) {
        const count = this.#items.get(mark) ?? 0;
        if (count > 0) this.#items.set(mark, count - 1);
      }
      if (entry.raw !== undefined) this.#entries.push({ view: entry.raw });
      return;
    }
    const mark = marks[0];
    if (mark !== undefined) {
      const places = this.#events.get(mark);
      const event: WaitingEvent = { place: this.#entries.length, marks };
      if (places === undefined) this.#events.set(mark, [event]);
      else places.push(event);
    }
    this.#entries.push(entry);
  }

  /** Rows so far, to be moved to another draft. */
  takeOver(older: TurnDraft): void {
    const offset = this.#entries.length;
    for (const entry of older.#entries) this.#entries.push(entry);
    for (const [mark, count] of older.#items) this.#items.set(mark, (this.#items.get(mark) ?? 0) + count);
    for (const [mark, places] of older.#events) {
      const own = this.#events.get(mark) ?? [];
      this.#events.set(mark, [...own, ...places.map(({ place, marks }) => ({ place: place + offset, marks }))]);
    }
    for (const text of older.errors) this.errors.add(text);
    this.hasUser ||= older.hasUser;
  }

  /** Lets go of all rows but the first and those that fit. Only for a turn to which nothing is added any more. */
  narrow(fits: (view: TurnItemView) => boolean): void {
    const rows = this.#entries.filter((entry) => entry !== undefined);
    this.#entries = rows.filter((entry, index) => index === 0 || fits(entry.view));
    this.#items.clear();
    this.#events.clear();
  }

  view(): TurnView {
    const items = this.#entries.flatMap((entry) => (entry === undefined ? [] : [entry.view]));
    return { id: this.id, status: this.status, startedAt: this.startedAt, completedAt: this.completedAt, items };
  }

  #withdraw(place: number): void {
    const raw = this.#entries[place]?.raw;
    this.#entries[place] = raw === undefined ? undefined : { view: raw };
  }
}
