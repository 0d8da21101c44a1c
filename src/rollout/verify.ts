/**
 * One pass over a rollout that says everything that is wrong with it, and whether a reader of a given policy opens it.
 *
 * Every fault that any reader here can meet is found by the same code that reads; this file adds what only a whole file shows:
 * ordinals, identity, emptiness. Never repairs, never writes.
 */
import { isJsonObject, type JsonValue } from '../base/json.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import type { LineDecode } from '../protocol/decode-line.js';
import { judgeLine, POLICY_RULES, type UnknownTypePolicy } from '../protocol/policies.js';
import type { Dialect } from '../protocol/rollout-line.js';
import { type Damage, DamageLog, MAX_LISTED_FAULTS, type UnknownType } from './damage.js';
import { type RecordBatch, readRecords } from './forward-reader.js';
import { fileNameOf, parseRolloutName } from './paths.js';
import type { RolloutRecord } from './records.js';

export interface VerifiedFile {
  readonly path: string;
  readonly dialect: Dialect | null;
  /** Physical lines, blank ones included. */
  readonly lines: number;
  readonly records: number;
  readonly unknown: readonly UnknownType[];
  readonly errors: readonly Damage[];
  readonly tornTail: boolean;
  /** False when bytes of a record are lost, or when the policy does not open the log. */
  readonly ok: boolean;
}

export interface VerifyOptions {
  readonly files: FileSystem;
  /** Default `skip-line`, which is how a log is resumed. */
  readonly policy?: UnknownTypePolicy;
  readonly onProgress?: (readBytes: number, sizeBytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Resolves with what was found; a file that cannot be read is a finding too. Rejects only for an abort. */
export async function verifyRollout(path: string, options: VerifyOptions): Promise<VerifiedFile> {
  const check = new FileCheck(path, options.policy ?? 'skip-line');
  try {
    const observe = (decode: LineDecode, value: JsonValue): void => check.observe(decode, value);
    for await (const batch of readRecords(path, { ...options, observe })) {
      check.take(batch);
      if (batch.last) return check.finish(batch);
    }
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === undefined || options.signal?.aborted) throw error;
    return check.unreadable(`The file cannot be read: ${code}`);
  }
  return check.unreadable('The file cannot be read');
}

class FileCheck {
  readonly #path: string;
  readonly #policy: UnknownTypePolicy;
  readonly #errors = new DamageLog();
  readonly #unknown: UnknownType[] = [];
  #unlistedUnknown = 0;
  #lines = 0;
  #records = 0;
  #refused = false;
  /** Any byte of a record, sound or not. */
  #sawContent = false;
  #meta: RolloutRecord | undefined;
  #lastOrdinal: number | undefined;
  #highestOrdinal: number | undefined;
  /** Ordinals that went by without becoming a record: unknown and ignored lines have theirs too. */
  readonly #otherOrdinals = new Set<number>();
  readonly #withoutOrdinal = new DamageLog();

  constructor(path: string, policy: UnknownTypePolicy) {
    this.#path = path;
    this.#policy = policy;
  }

  observe(decode: LineDecode, value: JsonValue): void {
    this.#sawContent = true;
    const envelope = isJsonObject(value) ? value : undefined;
    const { outcome } = judgeLine(this.#policy, decode, envelope);
    if (outcome === 'refused' || outcome === 'failed') this.#refused = true;
    const ordinal = envelope?.['ordinal'];
    if (decode.kind !== 'record' && typeof ordinal === 'number') this.#otherOrdinals.add(ordinal);
  }

  take(batch: RecordBatch): void {
    const { records, damage, unknown } = batch;
    this.#lines = batch.lines;
    for (const fault of damage) {
      this.#errors.add(fault);
      if (fault.kind !== 'bom' && fault.kind !== 'nul') this.#sawContent = true;
    }
    for (const type of unknown) {
      if (this.#unknown.length < MAX_LISTED_FAULTS) this.#unknown.push(type);
      else this.#unlistedUnknown += 1;
    }
    for (const record of records) {
      this.#records += 1;
      if (record.line.item.type === 'session_meta') this.#meta ??= record;
      this.#checkOrdinal(record);
    }
  }

  finish(batch: RecordBatch): VerifiedFile {
    // Only a paginated file promises ordinals; in others a stray one is nothing.
    if (batch.dialect === 'paginated') this.#errors.addAll(this.#withoutOrdinal.list());
    if (!this.#sawContent) {
      this.#fileFault('empty', 'The file holds no record', true);
    } else if (this.#meta === undefined) {
      this.#fileFault('no-session-meta', 'No session_meta says whose log this is', true);
    } else {
      this.#checkIdentity(this.#meta);
    }
    return this.#verified(batch.dialect ?? null, batch.tornTail);
  }

  unreadable(message: string): VerifiedFile {
    this.#fileFault('unreadable', message, true);
    return this.#verified(null, false);
  }

  #checkOrdinal(record: RolloutRecord): void {
    const { ordinal } = record.line;
    const fault = (message: string): Damage => ({
      line: record.lineNumber,
      byteOffset: record.byteOffset,
      kind: 'ordinal',
      message,
      lost: false,
    });
    if (ordinal === undefined) {
      this.#withoutOrdinal.add(fault('The record has no ordinal'));
      return;
    }
    const last = this.#lastOrdinal;
    this.#lastOrdinal = ordinal;
    // What was seen before an ordinal that went back is not missing behind it.
    const highest = this.#highestOrdinal ?? -1;
    this.#highestOrdinal = Math.max(highest, ordinal);
    if (last === undefined || ordinal === last + 1) return;
    if (ordinal === last) this.#errors.add(fault(`Ordinal ${ordinal} is there twice`));
    else if (ordinal < last) this.#errors.add(fault(`Ordinal ${ordinal} comes after ${last}`));
    else if (ordinal > highest && !this.#accountedFor(highest + 1, ordinal)) {
      this.#errors.add(fault(`Ordinals ${highest + 1} to ${ordinal - 1} are missing`));
    }
  }

  #accountedFor(from: number, to: number): boolean {
    // More numbers than lines that were left out cannot all be among them.
    if (to - from > this.#otherOrdinals.size) return false;
    for (let ordinal = from; ordinal < to; ordinal += 1) if (!this.#otherOrdinals.has(ordinal)) return false;
    return true;
  }

  #checkIdentity(meta: RolloutRecord): void {
    const name = parseRolloutName(fileNameOf(this.#path));
    if (name === undefined || meta.line.item.type !== 'session_meta') return;
    const { id } = meta.line.item.payload;
    if (id.toLowerCase() === name.threadId) return;
    const message = `The name says ${name.threadId}, the first session_meta ${id}`;
    const { lineNumber: line, byteOffset } = meta;
    this.#errors.add({ line, byteOffset, kind: 'id-mismatch', message, lost: false });
  }

  #fileFault(kind: Damage['kind'], message: string, lost: boolean): void {
    this.#errors.add({ line: 0, byteOffset: 0, kind, message, lost });
  }

  #verified(dialect: Dialect | null, tornTail: boolean): VerifiedFile {
    const { lost } = this.#errors;
    const more = this.#unlistedUnknown;
    const refused = this.#refused && POLICY_RULES[this.#policy].closesLog;
    return {
      path: this.#path,
      dialect,
      lines: this.#lines,
      records: this.#records,
      unknown: more === 0 ? this.#unknown : [...this.#unknown, { line: this.#lines, type: `${more} more` }],
      errors: this.#errors.list().toSorted((a, b) => a.line - b.line || a.byteOffset - b.byteOffset),
      tornTail,
      ok: !lost && !refused,
    };
  }
}
