/**
 * What a reader can find wrong with a rollout. A bad line costs that line; it is reported here, never hidden.
 */

export const DAMAGE_KINDS = [
  'json',
  'utf8',
  'nul',
  'bom',
  'fused',
  'schema',
  'too-deep',
  'zstd',
  'torn-tail',
  'no-session-meta',
  'ordinal',
  'id-mismatch',
  'history-mode',
  'history-base',
  'empty',
  'unreadable',
] as const;

export type DamageKind = (typeof DAMAGE_KINDS)[number];

export interface Damage {
  /** 1-based; 0 when the whole file is meant. */
  readonly line: number;
  /** 0-based offset of the damaged bytes in the (decompressed) file. */
  readonly byteOffset: number;
  readonly kind: DamageKind;
  readonly message: string;
  /** True when bytes of a record are lost with it. */
  readonly lost: boolean;
}

/** Damage with the file that its line and offset are of. */
export type FileDamage = Damage & { readonly path: string };

/** A type that this program does not know: kept or skipped, but no loss of bytes. */
export interface UnknownType {
  readonly line: number;
  readonly type: string;
}

/** More findings than this are counted, not listed: a file of nothing but bad lines must not cost more than itself. */
export const MAX_LISTED_FAULTS = 10_000;

/** Collects damage in file order, in bounded memory. */
export class DamageLog<T extends Damage = Damage> {
  readonly #listed: T[] = [];
  #last: T | undefined;
  #more = 0;
  #lost = false;

  /** True when any of it, listed or not, lost bytes of a record. */
  get lost(): boolean {
    return this.#lost;
  }

  add(fault: T): void {
    this.#lost ||= fault.lost;
    if (this.#listed.length < MAX_LISTED_FAULTS) {
      this.#listed.push(fault);
    } else {
      this.#more += 1;
      this.#last = fault;
    }
  }

  addAll(faults: Iterable<T>): void {
    for (const fault of faults) this.add(fault);
  }

  /** What was collected; when there was too much of it, the last entry says how much more. */
  list(): readonly T[] {
    const last = this.#last;
    if (last === undefined) return this.#listed;
    return [...this.#listed, { ...last, message: `${this.#more} more faults up to here; this one: ${last.message}` }];
  }
}
