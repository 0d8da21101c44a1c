/**
 * The filter before all rules: one pass that tells where an anchor stands, and where a text first reads otherwise than
 * it is written.
 *
 * Each character has a small number; those of the last three make an index of a table of 128 Ki entries, where nearly all
 * text falls through. What the table lets pass is compared with the anchor itself. Anchors in other scripts are found
 * by their last character. Reads each character once, allocates nothing.
 */
import { startsWithFolded } from './characters.js';
import { ALL_OTHERWISE, mayReadOtherwise, readsOtherwiseAt } from './reads-otherwise.js';
import type { SecretRule } from './secret-rule.js';

interface Anchor {
  readonly literal: string;
  readonly ignoreCase: boolean;
  /** By the folded low byte of the character behind an anchor of three: 1 when it may stand there. */
  readonly follow: Uint8Array | undefined;
  readonly rule: SecretRule;
}

/** Characters of an anchor that the table knows it by. */
const START = 3;
/** Of an anchor and what follows it. */
const LEAST = 4;
const SHIFT = 6;
const MASK = 0x1ffff;
/** Odd, so that the codes of ASCII stay apart in seven bits; of all, the one that spreads what texts are made of best. */
const SPREAD = 89;
const CASE_BIT = 0x20;

/** Of ASCII each has a seed of its own, what no anchor begins with shares one. */
const ORDINARY = 1;
/** From here on a character needs a closer look: */
const SPECIAL = 0x80;
/** it may read otherwise, */
const OTHERWISE = 0x80;
/** it ends an anchor, */
const ENDS_ANCHOR = 0x81;
/** or both. */
const BOTH = 0x82;

export interface AnchorTable {
  /** By code unit. Of a character that proves to read as it is written, the seed becomes `ORDINARY`. */
  readonly seeds: Uint8Array;
  /** By the index of three characters: 1 where an anchor may begin. */
  readonly starts: Uint8Array;
  readonly byStart: ReadonlyMap<number, readonly Anchor[]>;
  /** By the last character, when that is not ASCII. */
  readonly byLast: ReadonlyMap<number, readonly Anchor[]>;
}

export function anchorTable(rules: readonly SecretRule[]): AnchorTable {
  const seeds = new Uint8Array(0x10000).fill(ORDINARY);
  for (let code = 0; code < 128; code++) seeds[code] = (code * SPREAD) & 0x7f;
  for (const [first, last] of ALL_OTHERWISE) seeds.fill(OTHERWISE, first, last + 1);
  const starts = new Uint8Array(MASK + 1);
  const byStart = new Map<number, Anchor[]>();
  const byLast = new Map<number, Anchor[]>();
  for (const rule of rules) {
    const follow = rule.follow === undefined ? undefined : followSet(rule.follow);
    for (const literal of rule.anchors) {
      const anchor: Anchor = {
        literal,
        ignoreCase: rule.ignoreCase ?? false,
        follow: literal.length < LEAST ? follow : undefined,
        rule,
      };
      const last = literal.charCodeAt(literal.length - 1);
      if (last >= 128) {
        addTo(byLast, last, anchor);
        seeds[last] = seeds[last] === OTHERWISE || seeds[last] === BOTH ? BOTH : ENDS_ANCHOR;
        continue;
      }
      if (literal.length < START || (literal.length < LEAST && follow === undefined)) {
        throw new RangeError(`Anchor "${literal}" is too short: it needs four characters, or three and what follows`);
      }
      for (const start of anchor.ignoreCase ? inAnyCase(literal.slice(0, START)) : [literal]) {
        const index = indexOfStart(seeds, start, 0);
        starts[index] = 1;
        addTo(byStart, index, anchor);
      }
    }
  }
  return { seeds, starts, byStart, byLast };
}

function addTo(lists: Map<number, Anchor[]>, at: number, anchor: Anchor): void {
  const list = lists.get(at);
  if (list === undefined) lists.set(at, [anchor]);
  else if (list.at(-1) !== anchor) list.push(anchor);
}

/** What follows is compared by its low byte in any case: what lies beyond ASCII passes with what it resembles. */
function followSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (let i = 0; i < characters.length; i++) set[(characters.charCodeAt(i) | CASE_BIT) & 0xff] = 1;
  return set;
}

function inAnyCase(start: string): readonly string[] {
  let spellings = [''];
  for (const character of start) {
    const upper = character.toUpperCase();
    const next = spellings.map((spelling) => spelling + character);
    spellings = upper === character ? next : [...next, ...spellings.map((spelling) => spelling + upper)];
  }
  return spellings;
}

function indexOfStart(seeds: Uint8Array, text: string, at: number): number {
  let index = 0;
  for (let i = at; i < at + START; i++) index = ((index << SHIFT) ^ seeds[text.charCodeAt(i)]!) & MASK;
  return index;
}

type Visit = (rule: SecretRule, at: number) => number;

/**
 * Calls `visit` with every rule and the offset of its anchor. `visit` returns the offset before which no further anchor
 * matters. Returns where the text first reads otherwise than it is written; its length when it nowhere does.
 */
export function visitAnchors(table: AnchorTable, text: string, visit: Visit): number {
  const { seeds, starts } = table;
  const length = text.length;
  let otherwise = length;
  let from = 0;
  let special = SPECIAL;
  for (let i = nextNotable(table, text, 0, special); i < length; i = nextNotable(table, text, i + 1, special)) {
    const code = text.charCodeAt(i);
    const seed = seeds[code]!;
    if (seed >= SPECIAL) {
      if (seed !== ENDS_ANCHOR && otherwise === length && isOtherwise(seeds, text, i, code)) {
        otherwise = i;
        // Once is enough.
        special = ENDS_ANCHOR;
      }
      if (seed !== OTHERWISE) from = visitEnds(table.byLast.get(code)!, text, i + 1, from, visit);
    }
    const at = i + 1 - START;
    if (at < from) continue;
    const index = indexOfStart(seeds, text, at);
    if (starts[index] !== 0) from = visitStarts(table.byStart.get(index)!, text, at, from, visit);
  }
  return otherwise;
}

/**
 * The first offset from `from` on where a character has a seed of `special` or more or the start of an anchor ends;
 * else the length.
 */
function nextNotable({ seeds, starts }: AnchorTable, text: string, from: number, special: number): number {
  const length = text.length;
  let index = from === 0 ? 0 : seeds[text.charCodeAt(from - 1)]!;
  if (from > 1) index ^= seeds[text.charCodeAt(from - 2)]! << SHIFT;
  // Small, and nothing but this: what is compiled for each text costs as much as a thousand texts.
  for (let i = from; i < length; i++) {
    const seed = seeds[text.charCodeAt(i)]!;
    index = ((index << SHIFT) ^ seed) & MASK;
    if (seed >= special || starts[index] !== 0) return i;
  }
  return length;
}

function isOtherwise(seeds: Uint8Array, text: string, at: number, code: number): boolean {
  if (readsOtherwiseAt(text, at, code)) return true;
  if (!mayReadOtherwise(code)) seeds[code] = seeds[code] === BOTH ? ENDS_ANCHOR : ORDINARY;
  return false;
}

function visitStarts(anchors: readonly Anchor[], text: string, at: number, from: number, visit: Visit): number {
  let next = from;
  for (const anchor of anchors) if (standsAt(anchor, text, at)) next = Math.max(next, visit(anchor.rule, at));
  return next;
}

function visitEnds(anchors: readonly Anchor[], text: string, end: number, from: number, visit: Visit): number {
  let next = from;
  for (const { literal, rule } of anchors) {
    const at = end - literal.length;
    if (at >= next && startsWithFolded(text, literal, at)) next = Math.max(next, visit(rule, at));
  }
  return next;
}

/** Calls `visit` with every rule that has an anchor at `at`. */
export function visitRulesAt(table: AnchorTable, text: string, at: number, visit: (rule: SecretRule) => void): void {
  if (at + LEAST > text.length) return;
  const anchors = table.byStart.get(indexOfStart(table.seeds, text, at));
  if (anchors === undefined) return;
  for (const anchor of anchors) if (standsAt(anchor, text, at)) visit(anchor.rule);
}

function standsAt({ literal, ignoreCase, follow }: Anchor, text: string, at: number): boolean {
  if (ignoreCase ? !startsWithFolded(text, literal, at) : !startsWith(text, literal, at)) return false;
  if (follow === undefined) return true;
  const behind = at + literal.length;
  return behind < text.length && follow[(text.charCodeAt(behind) | CASE_BIT) & 0xff] === 1;
}

/** As the method of strings, which is slower where nearly all places differ early. */
function startsWith(text: string, literal: string, at: number): boolean {
  if (at + literal.length > text.length) return false;
  for (let i = 0; i < literal.length; i++) if (text.charCodeAt(at + i) !== literal.charCodeAt(i)) return false;
  return true;
}
