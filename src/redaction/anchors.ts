/**
 * The filter before all rules: one pass that tells at which offsets an anchor may stand.
 *
 * A rolling hash of the last four characters (ASCII letters folded to lower case) looks up a table of 64 Ki entries;
 * nearly all text falls through. What the table lets pass is compared with the anchor itself. Anchors in other
 * scripts are found by their last character.
 */
import type { SecretRule } from './secret-rule.js';

interface Anchor {
  readonly literal: string;
  readonly ignoreCase: boolean;
  readonly rule: SecretRule;
}

const GRAM = 4;
const MASK = 0xffff;
/** Odd, so that different characters stay different in eight bits. */
const SPREAD = 157;
/** Folds capitals to small letters, and some signs to others: the comparison that follows tells them apart. */
const FOLD = 0x20;

function spread(code: number): number {
  return ((code | FOLD) * SPREAD) & 0xff;
}

export interface AnchorTable {
  /** For each hash 0, or 1 + the index of its anchors. */
  readonly slots: Uint16Array;
  /** The same for each last character of an anchor that does not end in ASCII. */
  readonly wide: Uint16Array;
  readonly lists: readonly (readonly Anchor[])[];
}

export function anchorTable(rules: readonly SecretRule[]): AnchorTable {
  const bySlot = new Map<number, Set<Anchor>>();
  const byLast = new Map<number, Set<Anchor>>();
  for (const rule of rules) {
    for (const literal of rule.anchors) {
      const anchor: Anchor = { literal, ignoreCase: rule.ignoreCase ?? false, rule };
      const last = literal.charCodeAt(literal.length - 1);
      if (last >= 128) addTo(byLast, last, anchor);
      else for (const gram of gramsOf(literal, rule.follow ?? '')) addTo(bySlot, hashOf(gram), anchor);
    }
  }
  const lists: (readonly Anchor[])[] = [];
  return { slots: tableOf(bySlot, lists), wide: tableOf(byLast, lists), lists };
}

function addTo(sets: Map<number, Set<Anchor>>, at: number, anchor: Anchor): void {
  sets.set(at, (sets.get(at) ?? new Set()).add(anchor));
}

function tableOf(sets: ReadonlyMap<number, ReadonlySet<Anchor>>, lists: (readonly Anchor[])[]): Uint16Array {
  const table = new Uint16Array(MASK + 1);
  for (const [at, anchors] of sets) table[at] = lists.push([...anchors]);
  return table;
}

function gramsOf(literal: string, follow: string): readonly string[] {
  if (literal.length >= GRAM) return [literal.slice(0, GRAM)];
  if (literal.length < GRAM - 1 || follow === '') {
    throw new RangeError(`Anchor "${literal}" is too short: it needs four characters, or three and what follows`);
  }
  return [...follow].map((character) => literal + character);
}

function hashOf(gram: string): number {
  let hash = 0;
  for (let i = 0; i < GRAM; i++) hash = ((hash << 4) ^ spread(gram.charCodeAt(i))) & MASK;
  return hash;
}

type Visit = (rule: SecretRule, at: number) => number;

/**
 * Calls `visit` with every rule and the offset of its anchor, in the order in which the anchors end. `visit` returns
 * the offset before which no further anchor matters.
 */
export function visitAnchors(table: AnchorTable, text: string, visit: Visit): void {
  const { slots, wide } = table;
  const length = text.length;
  let hash = 0;
  let from = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    hash = ((hash << 4) ^ (((code | FOLD) * SPREAD) & 0xff)) & MASK;
    if (slots[hash] !== 0) from = visitList(table.lists[slots[hash]! - 1]!, text, i - (GRAM - 1), from, visit);
    if (code >= 128 && wide[code] !== 0) from = visitWide(table.lists[wide[code]! - 1]!, text, i + 1, from, visit);
  }
}

function visitList(anchors: readonly Anchor[], text: string, at: number, from: number, visit: Visit): number {
  let next = from;
  if (at < from) return next;
  for (const { literal, ignoreCase, rule } of anchors) {
    if (ignoreCase ? !startsWithFolded(text, literal, at) : !text.startsWith(literal, at)) continue;
    next = Math.max(next, visit(rule, at));
  }
  return next;
}

function visitWide(anchors: readonly Anchor[], text: string, end: number, from: number, visit: Visit): number {
  let next = from;
  for (const { literal, rule } of anchors) {
    const at = end - literal.length;
    if (at >= next && startsWithFolded(text, literal, at)) next = Math.max(next, visit(rule, at));
  }
  return next;
}

/** Calls `visit` with every rule that has an anchor at `at`. */
export function visitRulesAt(table: AnchorTable, text: string, at: number, visit: (rule: SecretRule) => void): void {
  if (at + GRAM > text.length) return;
  const slot = table.slots[hashOf(text.slice(at, at + GRAM))]!;
  if (slot === 0) return;
  for (const { literal, ignoreCase, rule } of table.lists[slot - 1]!) {
    if (ignoreCase ? startsWithFolded(text, literal, at) : text.startsWith(literal, at)) visit(rule);
  }
}

/** As `startsWith`; `literal` is lower case, and only ASCII letters are folded. */
function startsWithFolded(text: string, literal: string, at: number): boolean {
  for (let i = 0; i < literal.length; i++) {
    let code = text.charCodeAt(at + i);
    if (code >= 0x41 && code <= 0x5a) code += 0x20;
    if (code !== literal.charCodeAt(i)) return false;
  }
  return true;
}
