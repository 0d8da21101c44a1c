/**
 * Whether a value is a secret, by what its name promises and the form it stands in. The forms differ in what else
 * stands there: after `password=` in an environment dump a value, in code an expression, in prose a word.
 */
import { hasDigit, hasLetter, isExpression, isPlaceholder, isProse, isScrambled } from './innocent-value.js';
import { isNameLike } from './name-like.js';
import type { NameKind } from './secret-names.js';

/**
 * `quoted`: in quotes or markup. `env`: `NAME=value` of an environment. `tight`: `name=value` elsewhere.
 * `colon`: `name: value`. `code`: `name = value`. `flag`: `--name value`. `prose`: in a sentence or table.
 */
export type ValueForm = 'quoted' | 'env' | 'tight' | 'colon' | 'code' | 'flag' | 'prose';

const MIN_PASSWORD = 4;
const MIN_SECRET = 8;
const MIN_KEY = 16;
const MIN_WORD_PASSWORD = 8;
const MIN_WORD_SECRET = 12;
const NUMERIC = /^[\d.,_kKmM%/+:x -]+$/;
const DIGITS = /^\d+$/;
const LETTERS = /^[A-Za-z]+$/;
const LOWER_LETTERS = /^[a-z]+$/;
const SELF_NAMED = /pass|pwd|secret|token|key|credential|field|input|prompt|login|auth/i;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const DOTTED_NAME = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;
const ALGORITHM =
  /^(?:sha|md|base|utf|u?int|float|varchar|n?char|bcrypt|argon|scrypt|pbkdf|aes|rsa|hs|rs|es|ed|x|v|latin|iso|oauth|http|win)[-_]?\d+\w{0,8}$/i;
/** `crypto.randomBytes(`, `Optional[`: a call or an index, cut where its bracket opens a quote. */
const CALL = /^[A-Za-z_$]{1,40}\d{0,4}(?:\.[A-Za-z_$]{1,40}\d{0,4}){0,8}(?:[([]|[?!]\.)|^[/([]/;
const METHOD_CALL = /^[A-Za-z_$]{2,40}\d{0,4}(?:\.[A-Za-z_$]{2,40}\d{0,4}){1,8}\([^)]{0,100}\)/;
const BRACKETS = /[()[\]{}|<>!?\\]/;
const UNUSUAL = /[^A-Za-z0-9_.-]/;
const HEX_OR_UUID = /^(?:[0-9a-fA-F]{16,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;
const NOT_ASCII = /[^\u0020-\u007e]/;

/** The last value that was judged: in a text that repeats itself, the next one is the same. */
let last: { readonly kind: NameKind; readonly form: ValueForm; readonly value: string; readonly verdict: boolean } = {
  kind: 'key',
  form: 'prose',
  value: '',
  verdict: false,
};

export function isSecretValue(kind: NameKind, form: ValueForm, value: string): boolean {
  if (value.length < MIN_PASSWORD) return false;
  if (last.value === value && last.kind === kind && last.form === form) return last.verdict;
  const verdict = judge(kind, form, value);
  last = { kind, form, value, verdict };
  return verdict;
}

function judge(kind: NameKind, form: ValueForm, value: string): boolean {
  // The cheapest test first: text in other scripts is prose.
  if (NOT_ASCII.test(value) && !(kind === 'password' && (form === 'quoted' || form === 'env') && isMixedWord(value))) {
    return false;
  }
  if (isPlaceholder(value) || ALGORITHM.test(value)) return false;
  if (isExpression(form === 'quoted' ? value.replace(/[([{!&|@<`]/g, '') || '-' : value)) return false;
  if (NOT_ASCII.test(value)) return true;
  if (isCall(form, value)) return false;
  switch (kind) {
    case 'password':
      return isPassword(form, value);
    case 'secret':
      return isSecret(form, value);
    case 'key':
      return isKey(form, value);
  }
}

function isCall(form: ValueForm, value: string): boolean {
  if (form === 'env') return METHOD_CALL.test(value);
  return (form === 'code' || form === 'tight' || form === 'colon') && CALL.test(value);
}

/** Hangul or kana with digits, in one word. */
function isMixedWord(value: string): boolean {
  return hasDigit(value) && value.length >= MIN_WORD_PASSWORD && !/\s/.test(value);
}

function isPassword(form: ValueForm, value: string): boolean {
  if (/\s/.test(value)) return form === 'quoted' && value.length >= MIN_WORD_PASSWORD && !isProse(value);
  if (DIGITS.test(value)) return value.length >= 6 && form !== 'prose' && form !== 'code';
  if (LETTERS.test(value)) return isWordPassword(form, value);
  if (DOTTED_NAME.test(value) && isNameLike(value)) return false;
  if (!hasDigit(value) && !UNUSUAL.test(value)) {
    // Words with separators: a pass phrase where only values stand, a name elsewhere.
    return (form === 'quoted' || form === 'env') && value.length >= MIN_WORD_PASSWORD && !SELF_NAMED.test(value);
  }
  switch (form) {
    case 'quoted':
    case 'env':
    case 'flag':
      return true;
    case 'tight':
    case 'colon':
    case 'code':
      return value.length >= 6 && !(IDENTIFIER.test(value) && SELF_NAMED.test(value) && isNameLike(value));
    case 'prose':
      return value.length >= 8 && hasDigit(value) && hasLetter(value) && isScrambled(value);
  }
}

function isWordPassword(form: ValueForm, value: string): boolean {
  const scrambled = isScrambled(value) && value.length >= MIN_WORD_PASSWORD;
  if (form === 'env') return scrambled || (LOWER_LETTERS.test(value) && value.length >= 6 && !SELF_NAMED.test(value));
  if (form === 'quoted') {
    return scrambled || (LOWER_LETTERS.test(value) && value.length >= MIN_WORD_PASSWORD && !SELF_NAMED.test(value));
  }
  if (form === 'flag') return scrambled || (LOWER_LETTERS.test(value) && value.length >= 10);
  return form !== 'prose' && ((scrambled && form === 'colon') || (LOWER_LETTERS.test(value) && value.length >= 20));
}

function isSecret(form: ValueForm, value: string): boolean {
  if (value.length < MIN_SECRET || /\s/.test(value) || NUMERIC.test(value)) return false;
  if (LETTERS.test(value) && !isScrambled(value)) {
    return form === 'env' && LOWER_LETTERS.test(value) && value.length >= MIN_WORD_SECRET && !SELF_NAMED.test(value);
  }
  if (!isScrambled(value)) return form === 'env' && UNUSUAL.test(value) && hasDigit(value);
  if (form === 'code' || form === 'tight' || form === 'prose' || form === 'colon') {
    // Machines make neither brackets nor operators, and digits by and by.
    if (BRACKETS.test(value) || (!hasDigit(value) && value.length < 32)) return false;
    if (IDENTIFIER.test(value) && (!hasDigit(value) || (SELF_NAMED.test(value) && value.length < 24))) return false;
    if (DOTTED_NAME.test(value) && value.length < 40 && !hasDigit(value)) return false;
  }
  return true;
}

function isKey(form: ValueForm, value: string): boolean {
  if (form !== 'env' && form !== 'quoted') return false;
  if (value.length < MIN_KEY || /[\s.:]/.test(value) || !hasDigit(value) || !isScrambled(value)) return false;
  if (value.includes('/') && value.split('/').every((part) => part.length < 16)) return false;
  return form === 'env' || !HEX_OR_UUID.test(value);
}
