/**
 * Secrets that only their name gives away: settings of environments, JSON and YAML fields, code, flags, markup,
 * sentences. Finds the name, its separator and the form; `secret-value` judges the value.
 */

import { formBefore } from './before-name.js';
import { characterSet, endOfRun, isIn, NAME, UPPER_NAME } from './characters.js';
import { beginsSetting, type Extent, endOfBare, type ReadValue, readBare, readQuoted } from './read-value.js';
import { kindOfName, type NameKind, nameWordAt, PASSWORD_WORDS, SECRET_WORDS } from './secret-names.js';
import type { SecretRule, Span } from './secret-rule.js';
import { isSecretValue, type ValueForm } from './secret-value.js';
import { type Separator, separatorAt } from './separator.js';

/** What may come after `key` or `pwd`, the two words of three letters, where a value follows. */
const AFTER_WORD = 's_-0123456789"\'`\\ \t=:>])*|,%<：＝\u3000은는이가を';
const MAX_NAME = 64;

const ARGUMENT = /\\{0,8}["'`][ \t]{0,4},[ \t]{0,4}(?=\\{0,8}["'`])/y;
/** `name: DB_PASSWORD, value: …` of manifests and `<add key="…" value="…"/>`. */
const NAME_VALUE =
  /\\{0,8}["']?(?:\s|\\{1,4}n|,|[+-](?=[ \t])){0,60}\\{0,8}["']?value\\{0,8}["']?[ \t]{0,8}[:=][ \t]{0,8}/iy;
const FIRST_ARGUMENT = /\([ \t]?\\{0,8}["'`]$/;
const MARKUP = /(?:&gt;|>)(?=[^<\s])/y;
const TABLE = /[ \t]{0,40}\|[ \t]{1,40}/y;
const PROSE = /(?:[ \t](?:is|was|are|=|:)[ \t]|[은는이가] ?:?[ \t]?|は[ \t]?|是[ \t]?):?[ \t]{0,4}/y;
const BLANKS = /[ \t]{1,40}/y;
/** A value on the line below its name: in quotes, or as a YAML block. */
const LINE_BELOW = /(?:[|>][+-]?[ \t]{0,4})?(?:\r?\n|\\{1,4}n)[ \t]{1,40}(?=\\{0,8}["'`]|\S{8})/y;
/** How what stands between a name and its value begins. */
const BEHIND_NAME = characterSet('\\"\'`])* \t\r\n\v\f:=-%&>|,+');
/** How what joins a name to its value begins behind blanks; of words, their first letter. */
const BEHIND_BLANK = characterSet('\n\r\v\f:=-%\\,+"\'vVawi');
const BLANK = characterSet(' \t');
const QUOTE = characterSet('\\"\'`');
/** How the patterns begin that are tried where no separator stands. */
const BEHIND_SHORT_NAME = characterSet('\\"\'` \t\r\n\v\f>&,+-');
/** More than any pattern takes. */
const MAX_BLANKS = 64;
const BELOW = characterSet('|>\r\n\\');
const COLOUR_TAIL = /(?<=\[)\d{1,3}m(?=\w)/y;

export const ASSIGNED_PASSWORD: SecretRule = {
  name: 'password',
  description: 'Value of a setting, field, flag or sentence that names a password',
  anchors: PASSWORD_WORDS,
  follow: AFTER_WORD,
  ignoreCase: true,
  find: findAssigned,
};

export const ASSIGNED_SECRET: SecretRule = {
  name: 'secret',
  description: 'Value of a setting, field or flag that names a token, secret, key or credential',
  anchors: SECRET_WORDS,
  follow: AFTER_WORD,
  ignoreCase: true,
  find: findAssigned,
};

function findAssigned(text: string, at: number): Span | undefined {
  const found = nameWordAt(text, at);
  if (found === undefined) return undefined;
  const nameStart = startOfName(text, at);
  const place = placeOfValue(text, nameStart, at, found.end);
  if (place === undefined) return undefined;
  const kind = kindOfName(text.slice(nameStart, at), found.word);
  return kind === undefined ? undefined : findValue(text, place, kind);
}

function startOfName(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_NAME && isIn(NAME, text.charCodeAt(start - 1))) start -= 1;
  if (start > 0 && text.charCodeAt(start - 1) === 0x5b) start = behindColour(text, start);
  // The letter of an escape is none of the name.
  if (start > 0 && start < at && text.charCodeAt(start - 1) === 0x5c && /[nrt]/.test(text.charAt(start))) start += 1;
  return start;
}

/** The name begins behind the `32m` of a colour code. */
function behindColour(text: string, start: number): number {
  COLOUR_TAIL.lastIndex = start;
  return COLOUR_TAIL.test(text) ? COLOUR_TAIL.lastIndex : start;
}

interface Place {
  readonly at: number;
  readonly form: ValueForm;
  readonly extent: Extent;
  readonly quotedOnly: boolean;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Where the value stands and in which form, for a name from `start` whose last word is `[word, after)`. */
function placeOfValue(text: string, start: number, word: number, after: number): Place | undefined {
  if (after === text.length) return undefined;
  const code = text.charCodeAt(after);
  // Most names stand in the middle of something else; patterns cost more than a look.
  if (code < 128 && !isIn(BEHIND_NAME, code)) return undefined;
  if ((code === 0x20 || code === 0x09) && !mayNameBehindBlank(text, after)) return afterBlank(text, start, word, after);
  const separator = separatorAt(text, after);
  if (separator !== undefined) return afterSeparator(text, start, after, separator);
  if (code === 0x20 || code === 0x09) {
    const spaced = afterBlank(text, start, word, after);
    if (spaced !== undefined) return spaced;
  }
  return isIn(BEHIND_SHORT_NAME, code) || code >= 0x80 ? placeByPattern(text, start, after, code) : undefined;
}

/** Where it takes a pattern to tell. What each begins with is looked at first. */
function placeByPattern(text: string, start: number, after: number, code: number): Place | undefined {
  const argument = isIn(QUOTE, code) ? matchEnd(ARGUMENT, text, after) : undefined;
  if (argument !== undefined && FIRST_ARGUMENT.test(text.slice(Math.max(0, start - 10), start)))
    return { at: argument, form: 'quoted', extent: 'part', quotedOnly: true };
  const markup = code === 0x3e || code === 0x26 ? matchEnd(MARKUP, text, after) : undefined;
  if (markup !== undefined && isElement(text, start))
    return { at: markup, form: 'quoted', extent: 'part', quotedOnly: false };
  const value = matchEnd(NAME_VALUE, text, after);
  if (value !== undefined) return { at: value, form: 'quoted', extent: 'part', quotedOnly: false };
  const prose = code >= 0x80 || isIn(BLANK, code) ? matchEnd(PROSE, text, after) : undefined;
  return prose === undefined ? undefined : { at: prose, form: 'prose', extent: 'part', quotedOnly: false };
}

function isElement(text: string, start: number): boolean {
  return (
    (text.charAt(start - 1) === '<' && text.charAt(start - 2) !== '?') ||
    text.startsWith('&lt;', start - 4) ||
    text.charAt(start - 1) === ':'
  );
}

function afterSeparator(text: string, start: number, after: number, separator: Separator): Place {
  const { end, sign, isTyped, isTight, isBare } = separator;
  const below = end < text.length && isIn(BELOW, text.charCodeAt(end)) ? matchEnd(LINE_BELOW, text, end) : undefined;
  if (below !== undefined) return { at: below, form: 'colon', extent: 'part', quotedOnly: false };
  if (sign === 'equals' && isTight && isBare) {
    if (beginsSetting(text, start)) return { at: end, form: 'env', extent: 'line', quotedOnly: false };
    const isUpper = endOfRun(text, start, UPPER_NAME, after) === after;
    return { at: end, form: isUpper ? 'env' : 'tight', extent: isUpper ? 'word' : 'part', quotedOnly: false };
  }
  const flag = text.charAt(start) === '-' && isTight;
  if (flag) return { at: end, form: 'flag', extent: 'part', quotedOnly: false };
  return { at: end, form: sign === 'colon' ? 'colon' : 'code', extent: 'part', quotedOnly: isTyped };
}

/** Whether behind the blanks at `after` stands what can join a name to its value: a sign, a break, `is`, `value`. */
function mayNameBehindBlank(text: string, after: number): boolean {
  const at = endOfRun(text, after, BLANK, after + MAX_BLANKS);
  if (at === text.length) return false;
  const code = text.charCodeAt(at);
  if (code >= 0x80) return code < 0xac00 || code > 0xd7a3;
  if (!isIn(BEHIND_BLANK, code)) return false;
  if (code < 0x40) return true;
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) | 0x20 : 0;
  switch (code | 0x20) {
    case 0x61:
      return next === 0x72;
    case 0x69:
      return next === 0x73;
    case 0x76:
    case 0x77:
      return next === 0x61;
  }
  return true;
}

function afterBlank(text: string, start: number, word: number, after: number): Place | undefined {
  const blanks = matchEnd(BLANKS, text, after);
  if (blanks === undefined) return undefined;
  if (text.charAt(start) === '-' && !/\w/.test(text.charAt(start - 1))) {
    return { at: blanks, form: 'flag', extent: 'part', quotedOnly: false };
  }
  const command = formBefore(text, start, word);
  if (command !== undefined) return { at: blanks, form: command, extent: 'line', quotedOnly: false };
  const table = text.charAt(blanks) === '|' ? matchEnd(TABLE, text, after) : undefined;
  return table === undefined ? undefined : { at: table, form: 'prose', extent: 'part', quotedOnly: false };
}

function findValue(text: string, place: Place, kind: NameKind): Span | undefined {
  const quoted = isIn(BEFORE_QUOTE, text.charCodeAt(place.at)) ? readQuoted(text, place.at) : undefined;
  if (quoted !== undefined) {
    const form: ValueForm = place.form === 'prose' ? 'prose' : 'quoted';
    return isSecretValue(kind, form, quoted.text) ? { start: quoted.start, end: quoted.end } : undefined;
  }
  if (place.quotedOnly) return undefined;
  const from = endOfRun(text, place.at, OPENERS, place.at + 9);
  const bare = readBare(text, from, place.extent === 'line' && from !== place.at ? 'part' : place.extent);
  if (bare === undefined) return undefined;
  return bareSecret(text, place, kind, bare);
}

/** How a quoted value begins: its quote, or the letters of a kind of string. */
const BEFORE_QUOTE = characterSet('"\'`\\bBrRuUfF@');
/** A quote that never closes, as in output that was cut. */
const OPENERS = characterSet('"\'\\`');

const SENTENCE_END = characterSet('.,;:)]}');

function withoutSentenceEnd(value: string): string {
  let end = value.length;
  while (end > 0 && isIn(SENTENCE_END, value.charCodeAt(end - 1))) end -= 1;
  return value.slice(0, end);
}

function bareSecret(text: string, place: Place, kind: NameKind, bare: ReadValue): Span | undefined {
  if (place.form === 'code' || place.form === 'tight' || place.form === 'colon') {
    // A call, an index or a member makes an expression of what looks like a value.
    if (/^[([]/.test(text.charAt(bare.end)) && !/^\s/.test(text.charAt(bare.end))) return undefined;
  }
  const whole = place.extent === 'line';
  const trimmed = whole ? bare.text : withoutSentenceEnd(bare.text);
  if (!isSecretValue(kind, place.form, trimmed)) return undefined;
  const end = endOfBare(text, bare.end, place.extent);
  const cut = end === bare.end && !whole ? bare.text.length - trimmed.length : 0;
  return { start: bare.start, end: end - cut };
}
