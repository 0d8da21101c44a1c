/**
 * Finds the documents of a file among its lines, and parses no record of which another one with the same text is there.
 *
 * Law: what comes out is what folding every record gives. An item is kept by its bytes until its event comes, and an
 * event until its item; equal bytes settle both. An item is added to the fold, if it must be, before anything that came
 * after it. What bytes cannot settle is parsed.
 */
import { type FramedLine, wholeLine } from '../../../base/jsonl.js';
import {
  type DocumentOptions,
  type DocumentPlace,
  type DocumentRole,
  type DocumentsCarry,
  DocumentsFold,
  type FoldedDocuments,
  type MessageText,
  messageFrom,
  messageOf,
  type TwinEntry,
} from '../../../projection/documents.js';
import { isSummaryText } from '../../../projection/injected.js';
import { parseInstant } from '../../../projection/instant.js';
import type { RolloutItem } from '../../../protocol/rollout-line.js';
import { EVENTS } from '../../../protocol/wire-lookup.js';
import { asBuffer } from '../../../rollout/bytes.js';
import type { LineHeader } from '../../../rollout/header.js';
import { headerInstant } from '../../../rollout/header-instant.js';
import { compareTexts, eventTextRange, itemTextRange, type TextRange } from '../../../rollout/message-text.js';
import { emptyContents, FileTraits, type RolloutRecord, readLine } from '../../../rollout/records.js';
import { digestOf } from './digest.js';
import { knownForm, learnForm, textSaid } from './known-forms.js';

/** An item that was not parsed. */
interface RawItem {
  readonly role: string;
  /** The whole line, and where its text is in it. */
  readonly bytes: Buffer;
  readonly text: TextRange;
  readonly lineNumber: number;
  readonly byteOffset: number;
}

/** An event without its item, by the bytes of its text. */
interface RawEvent {
  readonly role: string;
  readonly text: Buffer;
  readonly entry: TwinEntry;
}

/** A longer item is parsed at once: keeping it would cost more. */
const MAX_RAW_BYTES = 64 * 1024;
const MAX_RAW_ITEMS = 16;
const MAX_RAW_EVENTS = 16;
const ARENA_BYTES = 256 * 1024;

export class DocumentScan {
  readonly #fold: DocumentsFold;
  readonly #options: DocumentOptions;
  #items: RawItem[] = [];
  #events: RawEvent[] = [];
  readonly #arena = sharedArena();
  #arenaUsed = 0;

  constructor(carry: DocumentsCarry, options: DocumentOptions) {
    // Marks hold what was said: they leave the process as a digest only.
    this.#fold = new DocumentsFold(carry, digestOf);
    this.#options = options;
  }

  /** Looks at a line of which the header was read; true when its record is needed: parse it and `apply` it. */
  look(line: FramedLine, header: LineHeader): boolean {
    const { type, payloadType, detail } = header;
    if (type === 'event_msg') {
      switch (payloadType) {
        case 'user_message':
          return !this.#takeEvent(line, header, 'user');
        case 'agent_message':
          return !this.#takeEvent(line, header, 'assistant');
        case 'item_completed':
          if (detail === 'UserMessage') return !this.#takeEvent(line, header, 'user');
          if (detail === 'AgentMessage') return !this.#takeEvent(line, header, 'assistant');
          return detail === undefined;
        default:
          return payloadType !== undefined && BOUNDARIES.has(payloadType) && !this.#takeBoundary(line, header);
      }
    }
    if (payloadType === 'message') {
      if (detail === undefined) return true;
      // Bare lines have no events, and so no twins.
      if (type !== 'response_item') return detail === 'user' || detail === 'assistant';
      return (detail === 'user' || detail === 'assistant') && !this.#takeItem(line, header, detail);
    }
    return this.#options.tools && payloadType !== undefined && TOOL_ITEMS.has(payloadType);
  }

  /** True for the header of a line that may hold a document, or end what belongs together. */
  mayHoldOne({ type, payloadType, detail }: LineHeader): boolean {
    if (payloadType === undefined) return false;
    if (type === 'event_msg') {
      if (payloadType === 'item_completed') return detail !== 'CommandExecution';
      return payloadType === 'user_message' || payloadType === 'agent_message' || BOUNDARIES.has(payloadType);
    }
    return payloadType === 'message' || (this.#options.tools && TOOL_ITEMS.has(payloadType));
  }

  /** Takes a record; `line` when it is all that its line, which has this header, holds. */
  apply(record: RolloutRecord, line?: FramedLine, header?: LineHeader): void {
    const { item } = record.line;
    if (isBoundary(item)) {
      if (line !== undefined && header !== undefined) learned(item, line, header);
      this.#boundary();
      return;
    }
    const message = messageOf(record.line, this.#options);
    if (message === undefined) return;
    const range = line && header && learned(item, line, header);
    const place = placeOf(record);
    if (message.kind !== 'item') {
      this.#addEvent(message, place, range && line && { bytes: asBuffer(line.bytes), range });
      return;
    }
    this.#settleItems();
    this.#fold.add(message, place);
  }

  finish(): FoldedDocuments {
    this.#settleItems();
    return this.#fold.finish();
  }

  /** True when an event was taken without being parsed, because it has the form of one that was. */
  #takeEvent(line: FramedLine, header: LineHeader, role: 'user' | 'assistant'): boolean {
    const { start, end, lineNumber, byteOffset, byteLength } = line;
    const bytes = asBuffer(line.bytes);
    const kind = header.payloadType === 'item_completed' ? 'turn-item' : 'event';
    const range = header.timestampEnd === 0 ? undefined : knownForm(kindOf(header), bytes, start, end)?.text;
    if (range === undefined) return false;
    const text = textAt(bytes, range);
    // What looks like a tag around an image is no text of an item.
    if (text === undefined || (kind === 'turn-item' && role === 'user' && text.startsWith('<'))) return false;
    const message = messageFrom({ role, kind, text });
    if (message === undefined) return true;
    const atMs = headerInstant(bytes, header);
    this.#addEvent(message, { lineNumber, byteOffset, byteLength, atMs }, { bytes, range });
    return true;
  }

  #takeBoundary({ bytes, start, end }: FramedLine, header: LineHeader): boolean {
    if (this.#items.length === 0 && !this.#fold.isWaiting) {
      // Nothing waits for a twin: whether the line is sound makes no difference.
      this.#events = [];
      return true;
    }
    if (knownForm(kindOf(header), asBuffer(bytes), start, end) === undefined) return false;
    this.#boundary();
    return true;
  }

  #addEvent(
    message: MessageText,
    place: DocumentPlace,
    raw: { readonly bytes: Buffer; readonly range: TextRange } | undefined,
  ): void {
    if (this.#items.length > 0 && !this.#fold.hasTwin(message.mark, message.kind)) {
      if (raw !== undefined && this.#settleItem(message, raw)) {
        this.#fold.addSettled(message, place);
        return;
      }
      this.#settleItems();
    }
    const entry = this.#fold.add(message, place);
    if (entry === undefined || raw === undefined) return;
    if (this.#events.length >= MAX_RAW_EVENTS) this.#events.shift();
    const { bytes, range } = raw;
    this.#events.push({ role: message.role, text: this.#keep(bytes, range.start, range.end), entry });
  }

  /** True when the first item that says the same is known by its bytes. */
  #settleItem(
    { role, mark }: MessageText,
    { bytes, range }: { readonly bytes: Buffer; readonly range: TextRange },
  ): boolean {
    for (const [at, item] of this.#items.entries()) {
      if (item.role !== role) continue;
      const found = compareTexts(bytes, range, item.bytes, item.text);
      if (found === 'other') continue;
      if (found === 'unsure' || !isMessageOfItem(role, mark)) return false;
      this.#items.splice(at, 1);
      return true;
    }
    return false;
  }

  /** True when the item has met its event, or is kept by its bytes until it comes. */
  #takeItem(line: FramedLine, header: LineHeader, role: 'user' | 'assistant'): boolean {
    const { start, end, lineNumber, byteOffset } = line;
    if (end - start > MAX_RAW_BYTES) return false;
    const bytes = asBuffer(line.bytes);
    const range = knownForm(kindOf(header), bytes, start, end)?.text;
    if (range === undefined) return false;
    for (const entry of this.#fold.eventsWithoutItem) {
      const event = this.#events.find((raw) => raw.entry === entry);
      if (event === undefined) return false;
      if (event.role !== role) continue;
      const found = compareTexts(bytes, range, event.text, { start: 0, end: event.text.length });
      if (found === 'other') continue;
      if (found === 'unsure' || entry.mark === undefined || !isMessageOfItem(role, entry.mark)) return false;
      this.#fold.addItemOf(entry.mark);
      this.#events.splice(this.#events.indexOf(event), 1);
      return true;
    }
    // Where the fold has to give one up, it must have all that came before.
    if (this.#items.length >= this.#fold.room) return false;
    if (this.#items.length >= MAX_RAW_ITEMS) this.#settleItems();
    const text = { start: range.start - start, end: range.end - start };
    this.#items.push({ role, bytes: this.#keep(bytes, start, end), text, lineNumber, byteOffset });
    return true;
  }

  #boundary(): void {
    this.#settleItems();
    this.#events = [];
    this.#arenaUsed = 0;
    this.#fold.boundary();
  }

  /** Parses what no event has the same bytes as. */
  #settleItems(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    for (const { bytes, lineNumber, byteOffset } of items) {
      const contents = emptyContents();
      readLine(wholeLine(bytes, lineNumber, byteOffset), new FileTraits({ dialect: 'legacy' }), contents);
      for (const record of contents.records) this.apply(record);
    }
  }

  #keep(bytes: Buffer, start: number, end: number): Buffer {
    const length = end - start;
    if (this.#items.length === 0 && this.#events.length === 0) this.#arenaUsed = 0;
    const at = this.#arenaUsed;
    if (at + length > ARENA_BYTES) return Buffer.from(bytes.subarray(start, end));
    bytes.copy(this.#arena, at, start, end);
    this.#arenaUsed += length;
    return this.#arena.subarray(at, at + length);
  }
}

const TOOL_ITEMS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'web_search_call',
  'function_call_output',
  'custom_tool_call_output',
]);

/** Names of the events between which a message is repeated. */
const BOUNDARIES: ReadonlySet<string> = new Set(
  [...EVENTS].filter(([, { written }]) => isBoundaryType(written)).map(([name]) => name),
);

function isBoundaryType(type: string): boolean {
  return type === 'task_started' || type === 'task_complete' || type === 'turn_aborted';
}

function isBoundary(item: RolloutItem): boolean {
  return item.type === 'event_msg' && isBoundaryType(item.payload.type);
}

/** Keeps the form of a line whose record was read; where its text is, if that is where it is looked for. */
function learned(item: RolloutItem, line: FramedLine, header: LineHeader): TextRange | undefined {
  const { bytes: given, start, end } = line;
  const kind = kindOf(header);
  const bytes = asBuffer(given);
  if (isBoundary(item)) {
    learnForm(kind, bytes, start, end, undefined);
    return undefined;
  }
  const said = textSaid(item);
  if (said === undefined) return undefined;
  const range =
    item.type === 'event_msg'
      ? eventTextRange(bytes, start, end, item.payload.type === 'item_completed')
      : itemTextRange(bytes, start, end);
  if (range === undefined || textAt(bytes, range) !== said) return undefined;
  learnForm(kind, bytes, start, end, range);
  return range;
}

/** What all lines of one form have in their headers; a payload without a type is no message. */
function kindOf({ detail, payloadType }: LineHeader): string {
  return detail ?? payloadType ?? '';
}

/** True when an item with the text of this mark is a message, as the event with that mark is. */
function isMessageOfItem(role: DocumentRole, mark: string): boolean {
  // Of a user's items some say what their events do not: tags around images, and summaries.
  return role === 'assistant' || !(mark.startsWith('u<') || isSummaryText(mark.slice(1)));
}

function placeOf({ line, lineNumber, byteOffset, byteLength }: RolloutRecord): DocumentPlace {
  return { lineNumber, byteOffset, byteLength, atMs: parseInstant(line.timestamp) };
}

/** The string at a range; undefined when its bytes are not what an encoder writes. */
function textAt(bytes: Buffer, { start, end }: TextRange): string | undefined {
  const raw = bytes.toString('utf8', start, end);
  // A character that stands for bytes that are none: the reader of records says what becomes of the line.
  if (raw.includes('\ufffd')) return undefined;
  // The quotes and escapes of the range were checked.
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

let arena: Buffer | undefined;

/** One for all scans of a thread: they are synchronous, so that no two are at work. */
function sharedArena(): Buffer {
  arena ??= Buffer.allocUnsafeSlow(ARENA_BYTES);
  return arena;
}
