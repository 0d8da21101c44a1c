/**
 * Makes a rule from a token that is known by how it begins: a prefix, then so many characters of one set.
 * Follows a token over line breaks and omissions. Never looks at the name the token is assigned to.
 *
 * A place is judged by a bounded number of characters; only a token that was accepted is followed as far as it goes,
 * and the engine goes on behind it. So the whole text is read a bounded number of times.
 */
import { beginsWord, type CharacterSet, endOfRun, runBefore } from './characters.js';
import { CleanStretch } from './clean-stretch.js';
import { continuationAt } from './continuation.js';
import { hasDigit, isFiller } from './innocent-value.js';
import { isNameLike } from './name-like.js';
import type { SecretRule, Span } from './secret-rule.js';

export interface TokenShape {
  readonly name: string;
  readonly description: string;
  /** At least four characters, or three with `follow`. */
  readonly prefixes: readonly string[];
  readonly follow?: string;
  /** What may follow the prefix, and how many of it at least and usually at most. */
  readonly body: CharacterSet;
  readonly min: number;
  readonly max: number;
  /** A character that no body lacks. */
  readonly needs?: string;
  /** Says whether a body, without interruptions, is one after all; by default it must not read like a name. */
  readonly accept?: (body: string) => boolean;
  /**
   * Says whether a body is one although its prefix goes on a word before it (`my_ghp_…`); by default none is.
   * For prefixes that chance and names do not make.
   */
  readonly glued?: (body: string) => boolean;
  /** Sticky: how the body of such a token begins, for prefixes that end words or are short. */
  readonly gluedStart?: RegExp;
}

/** Lines that one body may need to reach its least length. */
const MAX_JOINS = 5;
/** A token of 8 KB, wrapped at 80 columns, has a hundred lines. */
const MAX_MORE_JOINS = 128;
/** Of a body whose middle was left out, so much must be there. */
const MIN_BEFORE_OMISSION = 4;
const FAR = 4096;
/** Within a longer run of letters and digits, as an image in Base64 is, a prefix is chance. */
const MAX_GLUED_RUN = 32;

export function tokenRule(shape: TokenShape): SecretRule {
  return {
    name: shape.name,
    description: shape.description,
    anchors: shape.prefixes,
    ...(shape.follow === undefined ? {} : { follow: shape.follow }),
    find: (text, at) => findToken(shape, text, at),
  };
}

function findToken(shape: TokenShape, text: string, at: number): Span | undefined {
  const from = at + longestPrefix(shape.prefixes, text, at).length;
  const isGlued = !beginsWord(text, at);
  if (isGlued && !mayBeGlued(shape, text, at, from)) return undefined;
  const head = readHead(shape, text, from);
  if (head === undefined || isFiller(head.body)) return undefined;
  if (isGlued && !shape.glued?.(head.body)) return undefined;
  const accepted = shape.accept ? shape.accept(head.body) : hasDigit(head.body) || !isNameLike(head.body);
  if (!accepted) return undefined;
  const end = followToken(text, head.end, shape, head.body.length);
  // The full stop of a sentence is no part of what it ends with.
  return { start: at, end: text.charCodeAt(end - 1) === 0x2e ? end - 1 : end };
}

function mayBeGlued(shape: TokenShape, text: string, at: number, from: number): boolean {
  if (shape.glued === undefined || runBefore(text, at, MAX_GLUED_RUN) === MAX_GLUED_RUN) return false;
  if (shape.gluedStart === undefined) return true;
  shape.gluedStart.lastIndex = from;
  return shape.gluedStart.test(text);
}

function longestPrefix(prefixes: readonly string[], text: string, at: number): string {
  let longest = '';
  for (const prefix of prefixes) {
    if (prefix.length > longest.length && text.startsWith(prefix, at)) longest = prefix;
  }
  return longest;
}

interface Head {
  readonly body: string;
  readonly end: number;
}

/** The first characters of the body at `from`, joined until they are as many as the shape asks. */
function readHead(shape: TokenShape, text: string, from: number): Head | undefined {
  const { body: set, min, max } = shape;
  let end = endOfHead(text, from, set, from + max + 1);
  let body = text.slice(from, end);
  for (let joins = 0; joins < MAX_JOINS && !isEnough(shape, body); joins++) {
    const next = continuationAt(text, end);
    if (next === undefined) return undefined;
    const runEnd = endOfRun(text, next.at, set, next.at + max + 1);
    if (next.omitted && body.length >= MIN_BEFORE_OMISSION)
      return { body: body + text.slice(next.at, runEnd), end: runEnd };
    if (runEnd === next.at) return undefined;
    body += text.slice(next.at, runEnd);
    end = runEnd;
  }
  return body.length >= min && isEnough(shape, body) ? { body, end } : undefined;
}

/** Where prefixes stand in one another's bodies, a run is not read for each of them. */
const heads = new CleanStretch<CharacterSet>();

/** As `endOfRun`. */
function endOfHead(text: string, from: number, set: CharacterSet, limit: number): number {
  const end = endOfRun(text, Math.min(heads.endOf(set, from), limit), set, limit);
  heads.keep(set, from, end);
  return end;
}

function isEnough(shape: TokenShape, body: string): boolean {
  return body.length >= shape.min && (shape.needs === undefined || body.includes(shape.needs));
}

/**
 * Where an accepted token ends, of which `length` characters were read up to `from`: behind its run, and behind
 * every following line that begins like the middle of a token while it is shorter than it usually is.
 */
export function followToken(
  text: string,
  from: number,
  shape: Pick<TokenShape, 'body' | 'max'>,
  length: number,
): number {
  let end = endOfRun(text, from, shape.body);
  let read = length + end - from;
  for (let joins = 0; joins < MAX_MORE_JOINS && read < shape.max; joins++) {
    const next = continuationAt(text, end);
    if (next === undefined) break;
    const runEnd = endOfRun(text, next.at, shape.body, next.at + FAR);
    if (runEnd === next.at) break;
    if (!next.omitted && !looksLikeMiddle(text, next.at, runEnd, shape.max - read)) break;
    end = runEnd;
    read += runEnd - next.at;
  }
  return end;
}

/**
 * Whether a line that begins with this run goes on with a token, of which `missing` characters are awaited, instead of
 * beginning something of its own.
 */
export function looksLikeMiddle(text: string, start: number, end: number, missing: number): boolean {
  const after = text.charCodeAt(end);
  // A name before `=`, `:` or `(`.
  if (after === 0x3d || after === 0x3a || after === 0x28) return false;
  const run = text.slice(start, end);
  return run.length === missing || !isNameLike(run) || (run.length >= 8 && hasDigit(run) && !/[-_. ]/.test(run));
}
