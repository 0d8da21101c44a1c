/**
 * From one physical line to records, damage and unknown types.
 *
 * Joins what `recover` finds in the bytes with what `decodeLine` makes of the values, and keeps what a file has shown about
 * itself so far: the shape of its lines and its dialect. Never reads a file, never drops damage.
 */
import type { JsonValue } from '../base/json.js';
import { type FramedLine, isBlank } from '../base/jsonl.js';
import { decodeLine, detectShape, type LineDecode, type LineShape } from '../protocol/decode-line.js';
import type { Dialect, RolloutLine } from '../protocol/rollout-line.js';
import { asBuffer } from './bytes.js';
import type { Damage, UnknownType } from './damage.js';
import { type RecoveredValue, recoverLine } from './recover.js';

/** One record and where it stands. */
export interface RolloutRecord {
  /** 1-based, of the physical line; 0 where lines were not counted (read backwards). */
  readonly lineNumber: number;
  /** Of the record itself, not of its line: records on one line have their own. */
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly line: RolloutLine;
  /** The type that this program does not know, when the record was kept in spite of it. */
  readonly unknown?: string;
}

/** A line over this is reported, not parsed: its text would come near the longest string that there can be. */
export const MAX_PARSED_BYTES = 256 * 1024 * 1024;

/** What is said of a line over `MAX_PARSED_BYTES`. */
export function tooLong({ lineNumber, byteOffset, byteLength }: FramedLine): Damage {
  const message = `The line has ${byteLength} bytes, more than can be parsed`;
  return { line: lineNumber, byteOffset, kind: 'json', message, lost: true };
}

/** What lines were read into; filled in file order. */
export interface LineContents {
  readonly records: RolloutRecord[];
  readonly damage: Damage[];
  readonly unknown: UnknownType[];
}

/** Sees every value that could be parsed, whatever was made of it. */
export type ValueObserver = (decode: LineDecode, value: JsonValue, line: FramedLine) => void;

export function emptyContents(): LineContents {
  return { records: [], damage: [], unknown: [] };
}

/** What the lines read so far say about their file. */
export class FileTraits {
  #shape: LineShape | undefined;
  #dialect: Dialect | undefined;
  #sawMeta = false;

  constructor(known: { readonly dialect?: Dialect } = {}) {
    this.#dialect = known.dialect;
    this.#shape = known.dialect && shapeOf(known.dialect);
  }

  /** Undefined until a value was seen. */
  get shape(): LineShape | undefined {
    return this.#shape;
  }

  /** Undefined until a record was seen; a later first session_meta may still correct it. */
  get dialect(): Dialect | undefined {
    return this.#dialect;
  }

  noteValue(value: JsonValue): LineShape {
    this.#shape ??= detectShape(value);
    return this.#shape;
  }

  /** Returns the name of a history mode that no reader knows. */
  noteRecord(line: RolloutLine): string | undefined {
    if (this.#shape === 'bare') {
      this.#dialect ??= 'bare';
      return undefined;
    }
    const byOrdinal = line.ordinal === undefined ? 'legacy' : 'paginated';
    if (line.item.type !== 'session_meta' || this.#sawMeta) {
      this.#dialect ??= byOrdinal;
      return undefined;
    }
    this.#sawMeta = true;
    const mode = line.item.payload.history_mode;
    this.#dialect = mode === 'legacy' || mode === 'paginated' ? mode : byOrdinal;
    return mode === this.#dialect || mode === undefined || mode === null ? undefined : mode;
  }
}

function shapeOf(dialect: Dialect): LineShape {
  return dialect === 'bare' ? 'bare' : 'envelope';
}

/** Reads one line into `contents`. The line must hold its whole content (not `oversize`). */
export function readLine(line: FramedLine, traits: FileTraits, contents: LineContents, observe?: ValueObserver): void {
  notePadding(line, contents);
  if (isBlank(line.bytes, line.start, line.end)) return;
  const { values, faults } = recoverLine(asBuffer(line.bytes), line.start, line.end, line.terminated);
  for (const fault of faults) {
    const { kind, message, lost } = fault;
    const byteOffset = line.byteOffset + fault.at - line.start;
    contents.damage.push({ line: line.lineNumber, byteOffset, kind, message, lost });
  }
  for (const found of values) noteValue(found, line, traits, contents, observe);
}

/** The faults that framing alone shows. */
export function notePadding(line: FramedLine, contents: LineContents): void {
  if (line.bom) {
    const message = 'The file begins with a byte order mark';
    contents.damage.push({ line: line.lineNumber, byteOffset: 0, kind: 'bom', message, lost: false });
  }
  if (line.nulBytes > 0) {
    const message = `${line.nulBytes} NUL bytes stand around the line`;
    contents.damage.push({ line: line.lineNumber, byteOffset: line.lineOffset, kind: 'nul', message, lost: false });
  }
}

function noteValue(
  found: RecoveredValue,
  line: FramedLine,
  traits: FileTraits,
  contents: LineContents,
  observe: ValueObserver | undefined,
): void {
  const decode = decodeLine(found.value, traits.noteValue(found.value));
  observe?.(decode, found.value, line);
  const byteOffset = line.byteOffset + found.start - line.start;
  if (decode.kind === 'invalid') {
    contents.damage.push({ line: line.lineNumber, byteOffset, kind: 'schema', message: decode.reason, lost: true });
    return;
  }
  if (decode.kind === 'ignored') return;
  if (decode.kind === 'unknown') {
    contents.unknown.push({ line: line.lineNumber, type: decode.type });
    return;
  }
  if (decode.unknown !== undefined) contents.unknown.push({ line: line.lineNumber, type: decode.unknown });
  if (decode.ignoredFields?.includes('history_base')) {
    const message = 'The history_base names no place in another log: what came before is lost';
    contents.damage.push({ line: line.lineNumber, byteOffset, kind: 'history-base', message, lost: true });
  }
  const mode = traits.noteRecord(decode.line);
  if (mode !== undefined) {
    const message = `No reader knows the history mode ${JSON.stringify(mode)}`;
    contents.damage.push({ line: line.lineNumber, byteOffset, kind: 'history-mode', message, lost: false });
  }
  contents.records.push({
    lineNumber: line.lineNumber,
    byteOffset,
    byteLength: found.end - found.start,
    line: decode.line,
    ...(decode.unknown !== undefined && { unknown: decode.unknown }),
  });
}
