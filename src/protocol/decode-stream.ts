/**
 * One policy applied to a stream of lines: what each line became and why, and whether the whole opens.
 *
 * A line is a rollout line of any dialect, a live event `{id,msg}`, or an event alone. Blank lines count as lines of
 * the input, and as nothing else. Nothing is kept of a line once it has been answered for.
 * The shapes below are the contract of `codicil decode --json`.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js';
import { decodeEventMsg } from './decode-event.js';
import { decodeLine, detectShape, type LineDecode, type LineShape } from './decode-line.js';
import { itemPersistence } from './persistence.js';
import { judgeLine, POLICY_RULES, type PolicyOutcome, type UnknownTypePolicy } from './policies.js';
import type { RolloutItem } from './rollout-line.js';
import { displayName, EVENTS, type KnownName, LINES, RESPONSE_ITEMS } from './wire-lookup.js';
import type { Persistence } from './wire-names.js';

export const STREAM_SHAPES = ['auto', 'rollout', 'event', 'msg'] as const;
export type StreamShape = (typeof STREAM_SHAPES)[number];

export interface PolicyDecoderOptions {
  readonly policy: UnknownTypePolicy;
  /** `auto` when absent: each line is taken for what it looks like. */
  readonly shape?: StreamShape | undefined;
  /** Of the variant that this names, no other name is known: shows what a renaming breaks. */
  readonly onlyName?: string | undefined;
}

export interface DecodedLine {
  /** 1-based line of the input. */
  readonly line: number;
  readonly outcome: PolicyOutcome | 'not-read';
  /** The name that stands in the line: an event's, an item's, else the line's own. Null when none could be read. */
  readonly type: string | null;
  /** Code name; `Other` for an item of unknown type, `Unknown` for what was mapped to unknown. */
  readonly variant: string | null;
  readonly display: string | null;
  readonly persisted: Persistence | null;
  /** Null when there is nothing to say. */
  readonly reason: string | null;
}

export interface DecodeSummary {
  readonly policy: UnknownTypePolicy;
  /** Lines that are not blank. */
  readonly lines: number;
  readonly decoded: number;
  readonly skipped: number;
  readonly refused: number;
  readonly unknown: number;
  readonly failed: number;
  /** Lines skipped or failed as errors: not those that were marked ignorable or that every reader drops. */
  readonly parseErrors: number;
  /** Whether a reader with this policy ends with an open log. */
  readonly opens: boolean;
}

interface Reading {
  readonly decode: LineDecode;
  readonly type: string | null;
  readonly envelope: JsonObject | undefined;
}

export class PolicyDecoder {
  readonly #policy: UnknownTypePolicy;
  readonly #shape: StreamShape;
  readonly #onlyName: string | undefined;
  readonly #hidden: { readonly events: ReadonlySet<string>; readonly items: ReadonlySet<string> };
  readonly #counts = { decoded: 0, skipped: 0, refused: 0, unknown: 0, failed: 0 };
  #line = 0;
  #lines = 0;
  #parseErrors = 0;
  #lineShape: LineShape | undefined;
  #endedAt: number | undefined;
  #closed = false;

  /** Throws a RangeError when `onlyName` names no variant. */
  constructor(options: PolicyDecoderOptions) {
    this.#policy = options.policy;
    this.#shape = options.shape ?? 'auto';
    this.#onlyName = options.onlyName;
    this.#hidden = hiddenNames(options.onlyName);
  }

  /** Answers for the next line of the input, newline included or not; undefined for a blank one. */
  decodeText(text: string): DecodedLine | undefined {
    this.#line += 1;
    if (text.trim() === '') return undefined;
    this.#lines += 1;
    if (this.#endedAt !== undefined) {
      const reason = `the log ended for this reader at line ${this.#endedAt}`;
      return {
        line: this.#line,
        outcome: 'not-read',
        type: null,
        variant: null,
        display: null,
        persisted: null,
        reason,
      };
    }
    // A byte order mark belongs to the file, not to its first line.
    const reading = this.#read(this.#line === 1 ? text.replace(/^\ufeff/, '') : text);
    const { outcome, reason, parseError } = judgeLine(this.#policy, reading.decode, reading.envelope);
    this.#counts[outcome] += 1;
    if (parseError) this.#parseErrors += 1;
    if (outcome !== 'decoded' && outcome !== 'skipped') {
      const rule = POLICY_RULES[this.#policy];
      if (rule.endsLog) this.#endedAt = this.#line;
      if (rule.closesLog) this.#closed = true;
    }
    return {
      line: this.#line,
      outcome,
      type: reading.type,
      ...describe(reading.decode, outcome),
      reason: outcome === 'refused' ? `line ${this.#line}: ${reason}` : reason,
    };
  }

  summary(): DecodeSummary {
    return {
      policy: this.#policy,
      lines: this.#lines,
      ...this.#counts,
      parseErrors: this.#parseErrors,
      opens: !this.#closed,
    };
  }

  #read(text: string): Reading {
    let value: JsonValue;
    try {
      // The only thing that JSON.parse returns is JSON.
      value = JSON.parse(text) as JsonValue;
    } catch {
      // Any SyntaxError; its message quotes the text, which is not ours to repeat.
      return { decode: { kind: 'invalid', reason: 'line is no JSON' }, type: null, envelope: undefined };
    }
    if (!isJsonObject(value)) {
      return { decode: { kind: 'invalid', reason: 'line is no object' }, type: null, envelope: undefined };
    }
    this.#lineShape ??= detectShape(value);
    switch (this.#shape === 'auto' ? guessShape(value, this.#lineShape) : this.#shape) {
      case 'event':
        return this.#readEvent(value, value['msg'], typeof value['id'] === 'string' ? undefined : 'missing field "id"');
      case 'msg':
        return this.#readEvent(value, value, undefined);
      default:
        return this.#readLine(value, this.#lineShape);
    }
  }

  #readEvent(envelope: JsonObject, msg: JsonValue | undefined, fault: string | undefined): Reading {
    const type = typeOf(msg);
    if (fault !== undefined) return { decode: { kind: 'invalid', reason: fault }, type, envelope };
    if (type !== null && this.#hidden.events.has(type)) return { decode: this.#unknownName(type), type, envelope };
    const decode = decodeEventMsg(msg);
    if (decode.kind !== 'event') return { decode, type: decode.type ?? type, envelope };
    const item: RolloutItem = { type: 'event_msg', payload: decode.msg };
    const line = { timestamp: undefined, ordinal: undefined, item, metadata: undefined };
    return { decode: { kind: 'record', line }, type, envelope };
  }

  #readLine(value: JsonObject, shape: LineShape): Reading {
    const lineType = typeOf(value);
    const inner = lineType === 'event_msg' || lineType === 'response_item' ? typeOf(value['payload']) : null;
    if (inner !== null && lineType === 'event_msg' && this.#hidden.events.has(inner)) {
      return { decode: this.#unknownName(inner), type: inner, envelope: value };
    }
    const itemType = lineType === 'response_item' ? inner : lineType;
    if (itemType !== null && this.#hidden.items.has(itemType)) {
      return { decode: this.#unknownName(itemType), type: itemType, envelope: value };
    }
    const decode = decodeLine(value, shape);
    if (decode.kind === 'record') {
      return { decode, type: inner ?? lineType ?? decode.line.item.type, envelope: value };
    }
    const named = decode.kind === 'ignored' ? undefined : decode.type;
    return { decode, type: named ?? inner ?? lineType, envelope: value };
  }

  #unknownName(type: string): LineDecode {
    return { kind: 'unknown', level: 'event', type, reason: `only "${this.#onlyName}" is known, not "${type}"` };
  }
}

function typeOf(value: JsonValue | undefined): string | null {
  const type = isJsonObject(value) ? value['type'] : undefined;
  return typeof type === 'string' ? type : null;
}

function guessShape(value: JsonObject, shape: LineShape): 'rollout' | 'event' | 'msg' {
  const type = value['type'];
  if ('payload' in value) return 'rollout';
  if (typeof type !== 'string') return isJsonObject(value['msg']) ? 'event' : 'rollout';
  if (LINES.has(type) && type !== 'state') return 'rollout';
  // `agent_message` is both an event and an item; only the item has an author.
  if (EVENTS.has(type)) return RESPONSE_ITEMS.has(type) && 'author' in value ? 'rollout' : 'msg';
  if (RESPONSE_ITEMS.has(type) || shape === 'bare' || 'timestamp' in value) return 'rollout';
  return 'msg';
}

function hiddenNames(onlyName: string | undefined): {
  readonly events: ReadonlySet<string>;
  readonly items: ReadonlySet<string>;
} {
  if (onlyName === undefined) return { events: new Set(), items: new Set() };
  const others = (known: KnownName<string> | undefined): ReadonlySet<string> => {
    const names = known === undefined ? [] : [known.written, ...(known.name.aliases ?? [])];
    return new Set(names.filter((name) => name !== onlyName));
  };
  const event = EVENTS.get(onlyName);
  const item = RESPONSE_ITEMS.get(onlyName);
  if (event === undefined && item === undefined && !LINES.has(onlyName)) {
    throw new RangeError(`Cannot decode by one name only: no variant is named "${onlyName}"`);
  }
  return { events: others(event), items: others(item) };
}

function describe(
  decode: LineDecode,
  outcome: PolicyOutcome,
): { readonly variant: string | null; readonly display: string | null; readonly persisted: Persistence | null } {
  if (outcome === 'unknown') return { variant: 'Unknown', display: 'unknown', persisted: null };
  if (decode.kind !== 'record' || outcome !== 'decoded') return { variant: null, display: null, persisted: null };
  const { item } = decode.line;
  const persisted = itemPersistence(item);
  const known = knownName(item);
  if (known === undefined) return { variant: 'Other', display: 'other', persisted };
  return { variant: known.name.variant, display: displayName(known), persisted };
}

function knownName(item: RolloutItem): KnownName<string> | undefined {
  if (item.type === 'event_msg') return EVENTS.get(item.payload.type);
  if (item.type === 'response_item') return RESPONSE_ITEMS.get(item.payload.type);
  return LINES.get(item.type);
}
