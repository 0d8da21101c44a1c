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

/** A type that this program does not know: kept or skipped, but no loss of bytes. */
export interface UnknownType {
  readonly line: number;
  readonly type: string;
}
