/**
 * Tells a value that is no secret although its name promises one: placeholders, references to where the secret is
 * kept, types, code, names, paths, dates. Knows values only, never the name or form they stand in.
 * Every test is linear in its input; callers pass at most some thousand characters.
 */

import { isNameLike } from './name-like.js';

const PLACEHOLDER_WORDS: ReadonlySet<string> = new Set(
  `password passwd passphrase passcode pass pwd secret secrets token tokens key keys apikey api_key api-key credential
  credentials user username login admin root test tests testing dummy fake sample example examples demo changeme
  change_me change-me changeit redacted hidden masked removed secure none null nil undefined empty unset blank todo fixme
  tbd na n/a foo bar baz foobar value values string str text varchar char boolean bool int integer number float bytes byte
  true false yes no on off required optional any object unknown void never date array list map record enum json hash
  hashed encrypted encoded plain plaintext default auto inherit enabled disabled invalid expired missing valid wrong
  incorrect here asdf qwerty abc abcd 1234 process self this ctx config env local public private basic bearer oauth jwt
  function return await async new const let var if else for in is not and or the a an password123 incorrectpassword
  current-password new-password off-password`.split(/\s+/),
);

const MAX_PLACEHOLDER_WORD = 24;

/** Prose does without none of these for long. */
const PROSE_WORDS: ReadonlySet<string> = new Set(
  `the a an is are was were be been to of for from in on at by with and or not no must should can cannot could will would
  may your you our their its it this that these those please enter forgot reset required invalid incorrect wrong expired
  missing least characters character if when has have used use using field value new old current confirm`.split(/\s+/),
);

const PLACEHOLDER_PARTS =
  /your[-_ ]?|change[-_ ]?(?:me|this|it)|example|placeholder|replace[-_ ]?(?:me|with|this)|insert[-_ ]|put[-_ ]?your|redacted|xxxx|\*\*\*\*|\.\.\.|…|enter[-_ ]|todo|not[-_ ]?set|dummy/i;
/** A value that only points at the secret: a variable, a template, a vault address, a tag. */
const REFERENCE =
  /^(?:\$(?:[A-Za-z_{(]|\d$)|\{\{|\$\{\{|%[A-Za-z_]\w*%|<[^>]*>?$|#\{|@\{|\{[A-Za-z_.]*\}|\[(?:REDACTED|redacted|hidden|masked|secret|filtered|FILTERED)|ENC\[|op:\/\/|vault:|ssm:|arn:|secret:\/\/|secretref:|env\(|env:|file:|keyring:|!(?:Ref|Sub|vault|secret|env|GetAtt)|&[A-Za-z]|\*[A-Za-z]|projects\/)/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]|$)/;
const CODE =
  /^(?:[A-Za-z_$][\w$]*(?:\(|\[|\?\.|->|::|\.(?=[A-Za-z_$])[\w$.]*(?:\(|\[|$))|[A-Za-z_$][\w$]*(?:\[\])?[|<]|[([{!&@]|`|=>|function\b|async\b|await\b|new\b|lambda\b)/;
const PATH = /^(?:~?\.{0,2}\/|[A-Za-z]:[\\/]|\\\\)/;
const HEX_NUMBER = /^0x[0-9a-fA-F]{1,16}$/;
const VERSION = /^[~^<>=v]{0,3}\d{1,5}(?:\.(?:\d{1,8}|x|\*)){1,3}(?:[-+][\w.+-]{1,40})?$/;
const URL_START = /^[a-z][a-z0-9+.-]{1,15}:\/\//i;

/** Few different characters: `xxxxxxxx`, `************`, `--------`, `0000-0000`. */
export function isFiller(value: string): boolean {
  let [first, second, third, fourth, seen] = [-1, -1, -1, -1, 0];
  for (let i = 0; i < value.length; ) {
    const code = value.codePointAt(i)!;
    i += code > 0xffff ? 2 : 1;
    if (code === first || code === second || code === third || code === fourth) continue;
    seen += 1;
    if (seen > 4) return false;
    [first, second, third, fourth] = [code, first, second, third];
  }
  return seen <= 2 || value.length >= seen * 5;
}

/** A stand-in for a secret, or an address of one. */
export function isPlaceholder(value: string): boolean {
  if (REFERENCE.test(value) || isFiller(value)) return true;
  if (isKnownWord(value)) return true;
  // A long random value may hold such letters by chance or by the humour of its maker.
  return PLACEHOLDER_PARTS.test(value) && !(isScrambled(value) && value.length >= 24);
}

/** An expression, a type, a path, a URL or a date. */
export function isExpression(value: string): boolean {
  if (ISO_DATE.test(value) || VERSION.test(value) || HEX_NUMBER.test(value) || URL_START.test(value)) return true;
  if (PATH.test(value)) return value.split(/[\\/]/).every((part) => part.length < 20 || isNameLike(part));
  return CODE.test(value) && !isScrambled(value);
}

/** Several words of which one belongs to prose, or the first is a capitalised word. */
export function isProse(value: string): boolean {
  const words = value.trim().split(/\s+/);
  if (words.length < 2) return false;
  if (/^[A-Z][a-z]+[,:]?$/.test(words[0] ?? '') && words.every((word) => /^[A-Za-z'’(),.!?:;-]+$/.test(word)))
    return true;
  return words.some((word) => PROSE_WORDS.has(word.toLowerCase().replace(/[^a-z]/g, '')));
}

/** Mixes what words do not mix: digits among letters, or capitals within, so that chance made it, not a person. */
export function isScrambled(value: string): boolean {
  let digits = 0;
  let letters = 0;
  let rises = 0;
  let afterLower = false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    const isLower = code >= 0x61 && code <= 0x7a;
    const isUpper = code >= 0x41 && code <= 0x5a;
    if (code >= 0x30 && code <= 0x39) digits += 1;
    if (isLower || isUpper) letters += 1;
    if (isUpper && afterLower) rises += 1;
    afterLower = isLower;
  }
  // Names have a capital every seven letters or so, chance has one rise in four.
  return letters > 0 && (digits > 0 || rises * 5 >= value.length) && !isNameLike(value);
}

export function hasDigit(value: string): boolean {
  return /\d/.test(value);
}

export function hasLetter(value: string): boolean {
  return /[A-Za-z]/.test(value);
}

/** One word that stands in for a value: a type, a state, a label. */
export function isKnownWord(value: string): boolean {
  return value.length <= MAX_PLACEHOLDER_WORD && PLACEHOLDER_WORDS.has(value.toLowerCase());
}
