/**
 * Makes a rule from a sticky pattern: group 1 is what stays, group 2 is the secret.
 * A pattern matches from its anchor on; its quantifiers are bounded or over disjoint sets, so it cannot backtrack far.
 */
import { type CharacterSet, endOfRun } from './characters.js';
import { continuationAt } from './continuation.js';
import type { SecretRule, Span } from './secret-rule.js';
import { followToken, looksLikeMiddle } from './token-rule.js';

export interface PatternShape {
  readonly name: string;
  readonly description: string;
  readonly anchors: readonly string[];
  readonly follow?: string;
  readonly ignoreCase?: true;
  /** Sticky; look-behind may say what stands before the anchor. */
  readonly pattern: RegExp;
  readonly accept?: (secret: string, text: string, at: number) => boolean;
  /** Of what the secret goes on when it is longer than the pattern needs or is cut by a line break, up to `max`. */
  readonly body?: CharacterSet;
  readonly max?: number;
  /** The beginning of a secret that an interruption cuts; with `body` and `min`, the least length of the whole. */
  readonly cut?: RegExp;
  readonly min?: number;
  /** How many characters before the anchor belong to the secret: those of this set, at most `maxBefore` or 64. */
  readonly before?: CharacterSet;
  readonly maxBefore?: number;
}

export function patternRule(shape: PatternShape): SecretRule {
  return {
    name: shape.name,
    description: shape.description,
    anchors: shape.anchors,
    ...(shape.follow === undefined ? {} : { follow: shape.follow }),
    ...(shape.ignoreCase ? { ignoreCase: true } : {}),
    find: (text, at) => {
      const span = findWhole(shape, text, at) ?? findCut(shape, text, at);
      return span && shape.before
        ? { start: startOfRun(text, span.start, shape.before, shape.maxBefore ?? MAX_BEFORE), end: span.end }
        : span;
    },
  };
}

function findWhole(shape: PatternShape, text: string, at: number): Span | undefined {
  const { pattern, body } = shape;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const secret = match?.[2];
  if (match === null || secret === undefined) return undefined;
  if (shape.accept && !shape.accept(secret, text, at)) return undefined;
  const start = at + (match[1]?.length ?? 0);
  const end = start + secret.length;
  const shapeToFollow = body && { body, max: shape.max ?? secret.length };
  return { start, end: shapeToFollow ? followToken(text, end, shapeToFollow, secret.length) : end };
}

const MAX_BEFORE = 64;

/** A secret of this shape that goes on behind an interruption. */
function findCut(shape: PatternShape, text: string, at: number): Span | undefined {
  const { cut, body, min = 0, max = min } = shape;
  if (cut === undefined || body === undefined) return undefined;
  cut.lastIndex = at;
  if (!cut.test(text)) return undefined;
  const end = cut.lastIndex;
  const next = continuationAt(text, end);
  if (next === undefined) return undefined;
  const runEnd = endOfRun(text, next.at, body, next.at + max);
  const run = text.slice(next.at, runEnd);
  const read = end - at;
  if (!next.omitted && (read + run.length < min || !looksLikeMiddle(text, next.at, runEnd, min - read)))
    return undefined;
  return { start: at, end: followToken(text, runEnd, { body, max }, end - at + run.length) };
}

function startOfRun(text: string, from: number, set: CharacterSet, limit: number): number {
  let at = from;
  while (at > 0 && from - at < limit && endOfRun(text, at - 1, set, at) === at) at -= 1;
  return at;
}
