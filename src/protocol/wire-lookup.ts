/**
 * The tables of wire-names.ts, prepared for lookup by a name that came from outside: written names and read aliases
 * alike, in maps (a name such as `constructor` finds nothing), with the field checks flattened.
 */
import type { JsonObject, JsonValue } from '../base/json.js';
import {
  CONTENT_ITEM_NAMES,
  type ContentItemType,
  EVENT_NAMES,
  type EventTag,
  type FieldKind,
  LINE_NAMES,
  type LineType,
  RESPONSE_ITEM_NAMES,
  type ResponseItemType,
  TURN_ITEM_NAMES,
  type TurnItemType,
  type WireName,
} from './wire-names.js';

interface FieldCheck {
  readonly field: string;
  readonly kind: FieldKind;
  readonly optional: boolean;
}

/** A variant as found by one of its names. */
export interface KnownName<W extends string> {
  /** The name that is written, whichever name it was found by. */
  readonly written: W;
  readonly name: WireName;
  readonly checks: readonly FieldCheck[];
}

type Lookup<W extends string> = ReadonlyMap<string, KnownName<W>>;

function buildLookup<W extends string>(table: Readonly<Record<W, WireName>>): Lookup<W> {
  const lookup = new Map<string, KnownName<W>>();
  // The tables are literals of this folder: their keys are exactly W.
  for (const [written, name] of Object.entries(table) as [W, WireName][]) {
    const checks: FieldCheck[] = [];
    for (const [field, kind] of Object.entries(name.required ?? {})) checks.push({ field, kind, optional: false });
    for (const [field, kind] of Object.entries(name.optional ?? {})) checks.push({ field, kind, optional: true });
    const known: KnownName<W> = { written, name, checks };
    for (const key of [written, ...(name.aliases ?? [])]) lookup.set(key, known);
  }
  return lookup;
}

export const EVENTS: Lookup<EventTag> = buildLookup(EVENT_NAMES);
export const RESPONSE_ITEMS: Lookup<ResponseItemType> = buildLookup(RESPONSE_ITEM_NAMES);
export const CONTENT_ITEMS: Lookup<ContentItemType> = buildLookup(CONTENT_ITEM_NAMES);
export const LINES: Lookup<LineType> = buildLookup(LINE_NAMES);
export const TURN_ITEMS: Lookup<TurnItemType> = buildLookup(TURN_ITEM_NAMES);

/** The name in displays and metrics. */
export function displayName(known: KnownName<string>): string {
  return known.name.display ?? known.written;
}

/** True for a value of this kind. */
export function isOfKind(value: JsonValue, kind: FieldKind): boolean {
  switch (kind) {
    case 'present':
      return true;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

/** What is wrong with the fields of `payload`; undefined when nothing is. */
export function findFieldFault(payload: JsonObject, checks: readonly FieldCheck[]): string | undefined {
  for (const { field, kind, optional } of checks) {
    const value = payload[field];
    if (value === undefined) {
      if (!optional) return `missing field "${field}"`;
    } else if (!isOfKind(value, kind) && !(optional && value === null)) {
      return `field "${field}" is no ${kind}`;
    }
  }
  return undefined;
}
