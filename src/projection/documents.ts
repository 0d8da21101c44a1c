/**
 * What of a log can be searched: the messages of user and agent, each once although most releases write it twice, as an
 * item for the model and as an event for the screen, in either order.
 *
 * Of two records with the same text, the event is the document; the item only where no event repeats it. What the client
 * put into the conversation is none. Texts of tools are documents only when they are asked for.
 * Pure; memory is the documents of what is folded and a window of records that still lack their twin.
 */
import type { EventMsg } from '../protocol/event-msg.js';
import type { RolloutLine } from '../protocol/rollout-line.js';
import { contentTexts, IMAGE_ONLY, typedText } from './content.js';
import { isInjectedUserText } from './injected.js';
import { originOf } from './origin.js';
import { assistantMark, responseItemText, userMark } from './turn-items.js';

export type DocumentRole = 'user' | 'assistant' | 'tool';

/** How a text was recorded: as an item for the model, as an event, or as the item of a turn in an event. */
export type RecordKind = 'item' | 'event' | 'turn-item';

/** What one record says. */
export interface MessageText {
  readonly role: DocumentRole;
  readonly kind: RecordKind;
  /** Equal in all records of one message. */
  readonly mark: string;
  /** As it stands in the log: not masked. */
  readonly text: string;
}

/** Where a record stands. */
export interface DocumentPlace {
  /** 1-based. */
  readonly lineNumber: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Epoch milliseconds; undefined where the record has no instant. */
  readonly atMs: number | undefined;
}

export interface Document extends DocumentPlace {
  readonly role: DocumentRole;
  readonly text: string;
}

export interface DocumentOptions {
  /** Also what is called and what it answers. */
  readonly tools: boolean;
}

/** The message of a line; undefined for one that is no document. */
export function messageOf(line: RolloutLine, { tools }: DocumentOptions): MessageText | undefined {
  const { item } = line;
  if (item.type === 'event_msg') {
    const said = saidIn(item.payload);
    return said && messageFrom(said);
  }
  if (item.type !== 'response_item') return undefined;
  switch (item.payload.type) {
    case 'message': {
      const { role, content } = item.payload;
      if ((role !== 'user' && role !== 'assistant') || originOf(line) === 'injected') return undefined;
      const text = role === 'user' ? typedText(content) : contentTexts(content).join('');
      return messageFrom({ role, kind: 'item', text });
    }
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call':
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const text = tools ? (responseItemText(item.payload).text ?? '') : '';
      // Items of tools have no twin that says the same, so the mark is never compared.
      return text.trim() === '' ? undefined : { role: 'tool', kind: 'item', mark: '', text };
    }
    default:
      return undefined;
  }
}

/** What somebody said in one record, as it stands there. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly kind: RecordKind;
  readonly text: string;
}

/** What an event says in the name of user or agent; undefined for all others. */
export function saidIn(event: EventMsg): Said | undefined {
  switch (event.type) {
    case 'user_message':
      return { role: 'user', kind: 'event', text: event.message };
    case 'agent_message':
      return { role: 'assistant', kind: 'event', text: event.message };
    case 'item_completed': {
      const { item } = event;
      if (item.type === 'UserMessage') return { role: 'user', kind: 'turn-item', text: typedText(item.content) };
      if (item.type !== 'AgentMessage') return undefined;
      return { role: 'assistant', kind: 'turn-item', text: contentTexts(item.content).join('') };
    }
    default:
      return undefined;
  }
}

/** The message in what was said; undefined when the client said it, or nobody anything. */
export function messageFrom({ role, kind, text }: Said): MessageText | undefined {
  if (role === 'user' && isInjectedUserText(text)) return undefined;
  const mark = role === 'user' ? userMark(text) : assistantMark(text);
  // The mark is what was said, trimmed and without citations, behind the letter that tells who said it.
  return mark.length < 2 || text === IMAGE_ONLY ? undefined : { role, kind, mark, text: mark.slice(1) };
}

/** A record whose twin may stand in what is appended to its file. Holds no text, only a digest of its mark. */
export interface OpenTwin {
  readonly digest: string;
  /** RecordKind bits that were seen. */
  readonly kinds: number;
  /** Number of the document among all that the file has had, 0-based. */
  readonly document: number;
}

/** What a fold hands on to the next one of the same file. */
export interface DocumentsCarry {
  /** How many documents the file has had, those that were taken back included. */
  readonly documents: number;
  readonly open: readonly OpenTwin[];
}

export const NO_DOCUMENTS: DocumentsCarry = Object.freeze({ documents: 0, open: [] });

export interface FoldedDocuments {
  /** In the order of the file; the first one is document `carry.documents` of the fold before. */
  readonly documents: readonly Document[];
  /** Numbers of documents of earlier folds in whose place one of these stands. */
  readonly retracted: readonly number[];
  readonly carry: DocumentsCarry;
}

/** A digest of a mark that does not tell the text. */
export type MarkDigest = (mark: string) => string;

/** A document that may yet be taken back. */
interface Draft extends Document {
  taken: boolean;
}

/** Records of one message, of which not all kinds were seen. */
export interface TwinEntry {
  /** Undefined for one of an earlier fold, of which the digest is known only. */
  readonly mark: string | undefined;
  readonly digest: string | undefined;
  readonly kinds: number;
  /** Undefined for one of an earlier fold. */
  readonly draft: Draft | undefined;
  readonly earlier: number | undefined;
}

const KIND_BITS: Readonly<Record<RecordKind, number>> = { item: 1, event: 2, 'turn-item': 4 };
const ITEM_ONLY = KIND_BITS.item;

/** How many records wait for their twin: more than any turn has before the twin comes. */
const MAX_OPEN = 64;

/** Folds the messages of one file, in its order. */
export class DocumentsFold {
  readonly #first: number;
  readonly #digest: MarkDigest;
  readonly #drafts: Draft[] = [];
  readonly #retracted: number[] = [];
  #open: TwinEntry[];

  constructor(carry: DocumentsCarry, digest: MarkDigest) {
    this.#first = carry.documents;
    this.#digest = digest;
    this.#open = carry.open.map(({ digest: known, kinds, document }) => ({
      mark: undefined,
      digest: known,
      kinds,
      draft: undefined,
      earlier: document,
    }));
  }

  /** Forgets what still lacks its twin: a turn begins or ends here. */
  boundary(): void {
    this.#open = [];
  }

  /** False when a boundary would change nothing. */
  get isWaiting(): boolean {
    return this.#open.length > 0;
  }

  /** Takes a message; the entry that still waits for another record of it, if it does. */
  add(message: MessageText, place: DocumentPlace): TwinEntry | undefined {
    if (message.role === 'tool') {
      this.#draft(message, place);
      return undefined;
    }
    const bit = KIND_BITS[message.kind];
    const known = this.#twinOf(message.mark, bit);
    if (known === undefined) {
      const entry = {
        mark: message.mark,
        digest: undefined,
        kinds: bit,
        draft: this.#draft(message, place),
        earlier: undefined,
      };
      this.#open.push(entry);
      if (this.#open.length > MAX_OPEN) this.#open.shift();
      return entry;
    }
    if (known.kinds === ITEM_ONLY) {
      this.#takeBack(known);
      this.#draft(message, place);
    }
    // One item and one event are all that most releases write; a third record would be met as a message of its own.
    this.#settle(known);
    return undefined;
  }

  /** Takes an event whose item was met, and found to say the same. */
  addSettled(message: MessageText, place: DocumentPlace): void {
    this.#draft(message, place);
  }

  /** Takes an item that says what an event said. */
  addItemOf(mark: string): void {
    const event = this.#twinOf(mark, KIND_BITS.item);
    if (event !== undefined) this.#settle(event);
  }

  /** True when a record of this kind would meet its twin. */
  hasTwin(mark: string, kind: RecordKind): boolean {
    return this.#twinOf(mark, KIND_BITS[kind]) !== undefined;
  }

  /** Entries that wait for an item, oldest first. */
  get eventsWithoutItem(): readonly TwinEntry[] {
    return this.#open.filter(({ kinds }) => (kinds & KIND_BITS.item) === 0);
  }

  /** How many more records may wait before the oldest is given up. */
  get room(): number {
    return MAX_OPEN - this.#open.length;
  }

  finish(): FoldedDocuments {
    const documents = this.#drafts.filter(({ taken }) => !taken).sort((a, b) => a.byteOffset - b.byteOffset);
    const open = this.#open.flatMap(({ mark, digest, kinds, draft, earlier }) => {
      const document = draft === undefined ? earlier : this.#first + documents.indexOf(draft);
      if (document === undefined) return [];
      return [{ digest: digest ?? this.#digest(mark ?? ''), kinds, document }];
    });
    return {
      documents,
      retracted: this.#retracted,
      carry: { documents: this.#first + documents.length, open },
    };
  }

  #settle(entry: TwinEntry): void {
    this.#open.splice(this.#open.indexOf(entry), 1);
  }

  #twinOf(mark: string, bit: number): TwinEntry | undefined {
    if (this.#open.length === 0) return undefined;
    let digest: string | undefined;
    return this.#open.find((entry) => {
      if ((entry.kinds & bit) !== 0) return false;
      if (entry.mark !== undefined) return entry.mark === mark;
      digest ??= this.#digest(mark);
      return entry.digest === digest;
    });
  }

  #draft({ role, text }: MessageText, place: DocumentPlace): Draft {
    // Field by field: spreading is felt over hundreds of thousands.
    const { lineNumber, byteOffset, byteLength, atMs } = place;
    const draft: Draft = { lineNumber, byteOffset, byteLength, atMs, role, text, taken: false };
    this.#drafts.push(draft);
    return draft;
  }

  #takeBack(entry: TwinEntry): void {
    if (entry.draft !== undefined) entry.draft.taken = true;
    else if (entry.earlier !== undefined) this.#retracted.push(entry.earlier);
  }
}
