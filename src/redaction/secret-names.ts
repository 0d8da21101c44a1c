/**
 * Which names promise a secret: `DB_PASSWORD`, `apiKey`, `client-secret`, `비밀번호`. Knows names only, no values.
 */

import { characterSet, isIn, startsWithFolded, WORD } from './characters.js';

/**
 * What a name promises. `password`: chosen by a person, may be short. `secret`: made by a machine.
 * `key`: may be a secret as well as a name in some store, so its value must look like one.
 */
export type NameKind = 'password' | 'secret' | 'key';

/** Words that end a name of a secret, as anchors for the engine; lower case. */
export const PASSWORD_WORDS: readonly string[] = [
  'pass',
  'pwd',
  '비밀번호',
  '비번',
  '암호',
  '패스워드',
  'パスワード',
  '暗証番号',
  '密码',
  '密碼',
  '口令',
];
export const SECRET_WORDS: readonly string[] = [
  'secret',
  'token',
  'credential',
  'key',
  '_auth',
  '토큰',
  '시크릿',
  '비밀키',
  '비밀 키',
  '인증키',
  '인증 키',
  '시크릿키',
  '시크릿 키',
  '접근키',
  'api 키',
  'api키',
  'トークン',
  '令牌',
  '密钥',
  '密鑰',
];

/** Words in scripts without capitals and, mostly, without blanks between words; the longest first. */
const OTHER_SCRIPTS: readonly string[] = [...PASSWORD_WORDS, ...SECRET_WORDS]
  .filter((word) => /[^ -~]/.test(word))
  .sort((a, b) => b.length - a.length);

const CASE_BIT = 0x20;
/** By their first character with the bit of small letters. */
const BY_FIRST = new Map<number, string[]>();
for (const word of OTHER_SCRIPTS) {
  const first = word.charCodeAt(0) | CASE_BIT;
  BY_FIRST.set(first, [...(BY_FIRST.get(first) ?? []), word]);
}

/** A word of ASCII (group 1), with plural and what else ends a name; no more of a name may follow. */
const WORD_AT =
  /(pass(?:wor[dt]|wd|phrase|code)?|pwd|secret|token|credential|key|_auth)s?(?:[_-]?(?:\d{1,3}|prod|production|dev|development|staging|live|test|base64|b64|value|base|plain|plaintext|raw|string|str))?(?![A-Za-z0-9_])/iy;
/** How what else ends a name begins; with another letter a longer word goes on. */
const ENDS_NAME = characterSet('0123456789_-pdsltbvrPDSLTBVR');
const PASS_ENDINGS: readonly string[] = ['word', 'wort', 'wd', 'phrase', 'code'];
const S = 0x73;

export interface NameWord {
  /** Without its plural and what else ends the name. */
  readonly word: string;
  /** Offset behind all of it. */
  readonly end: number;
}

/** The word that begins with the anchor at `at`; undefined when a longer word goes on. Bounded. */
export function nameWordAt(text: string, at: number): NameWord | undefined {
  const base = endOfBase(text, at);
  if (base === undefined) return otherScriptAt(text, at);
  if (!goesOn(text, base)) return { word: text.slice(at, base), end: base };
  if (lowered(text, base) === S && !goesOn(text, base + 1)) return { word: text.slice(at, base), end: base + 1 };
  const code = text.charCodeAt(base);
  if (!isIn(ENDS_NAME, code)) return undefined;
  if ((code === 0x2d || code === 0x5f) && !isIn(ENDS_NAME, lowered(text, base + 1))) {
    return code === 0x2d ? { word: text.slice(at, base), end: base } : undefined;
  }
  WORD_AT.lastIndex = at;
  const word = WORD_AT.exec(text)?.[1];
  return word === undefined ? undefined : { word, end: WORD_AT.lastIndex };
}

/** Where the word of ASCII ends whose anchor is at `at`. */
function endOfBase(text: string, at: number): number | undefined {
  switch (lowered(text, at)) {
    case 0x70: {
      if (lowered(text, at + 1) === 0x77) return at + 3;
      const end = at + 4;
      const ending = goesOn(text, end)
        ? PASS_ENDINGS.find((letters) => startsWithFolded(text, letters, end))
        : undefined;
      return end + (ending?.length ?? 0);
    }
    case 0x73:
      return at + 6;
    case 0x74:
      return at + 5;
    case 0x63:
      return at + 10;
    case 0x6b:
      return at + 3;
    // What `_` becomes.
    case 0x7f:
      return at + 5;
  }
  return undefined;
}

function otherScriptAt(text: string, at: number): NameWord | undefined {
  for (const word of BY_FIRST.get(lowered(text, at)) ?? []) {
    if (startsWithFolded(text, word, at)) return { word, end: at + word.length };
  }
  return undefined;
}

/** The code unit at `at` with the bit of small letters; 0 behind the end. */
function lowered(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) | CASE_BIT : 0;
}

function goesOn(text: string, at: number): boolean {
  return at < text.length && isIn(WORD, text.charCodeAt(at));
}

const CONCATENATED_KEY =
  /(?:api|access|secret|auth|private|priv|encryption|account|master|license|signing|shared|service|client|app|admin|ssh)$/i;
const CONCATENATED_PASS = /(?:db|user|smtp|mail|ftp|admin|root|login|my|pg|redis|mysql|ssh|sudo|http|proxy|ldap)$/i;
const SECRET_QUALIFIER =
  /api|access|secret|auth|priv|encrypt|sign|master|service|account|client|app(?:lication)?[_-]?$|storage|licen[cs]e|jwt|hmac|consumer|subscription|admin|webhook|deploy|crypt|cipher|session|server|shared|stripe|openai|anthropic|gemini|google|azure|aws|github|gitlab|slack|twilio|sendgrid|mailgun|sentry|datadog|algolia|maps|bot|vapid|recaptcha|flask|django|rails|wp/i;
const INNOCENT_KEY =
  /public|primary|foreign|sort|cache|partition|group|row|object|index|unique|hash|map|composite|dedup|idempoten|hkey|i18n|locale|translation|label|lookup|search|storage_?key$|state|query|react|node|json|dict|item|column|field|attr|metric|event|route|routing|hot|short|modifier|arrow|any|press|registry|project_?key|issue|config|setting|env|param|header|meta|data|file|image|path|bucket|s3|redis|kafka|message|fingerprint|turn|thread|prefix/i;
const INNOCENT_TOKEN =
  /(?:next|page|prev|previous|continuation|continue|sync|num|max|min|total|prompt|completion|input|output|cached|cache|reasoning|eos|bos|pad|unk|sep|cls|mask|special|stop|start|end|first|last|current|peek|design|symbol|keyword|operator|lexer|parser|cancellation|cancel|n|per|used|context|resume|change|watch|cursor|budget|estimated|avg|mean)[_-]?$/i;

/**
 * What the name promises that ends in `word`, of which `before` is the rest (its path included); undefined when
 * it promises nothing. `word` is without its plural `s`; of other scripts it is one of the listed.
 */
export function kindOfName(before: string, word: string): NameKind | undefined {
  if (word.charCodeAt(word.length - 1) >= 0x80) return PASSWORD_WORDS.includes(word) ? 'password' : 'secret';
  const lower = word.toLowerCase();
  switch (lower) {
    case 'pass':
      // By itself it is rather the count of tests that passed, or what a person calls a password.
      if (!/[A-Za-z0-9]/.test(before)) return 'secret';
      return joinsWord(before, word) && !CONCATENATED_PASS.test(before) ? undefined : 'password';
    case 'password':
    case 'passwort':
    case 'passwd':
    case 'passphrase':
    case 'passcode':
    case 'pwd':
      return 'password';
    case 'secret':
    case 'credential':
      return 'secret';
    case 'token':
      return INNOCENT_TOKEN.test(before) ? undefined : 'secret';
    case '_auth':
      return 'key';
    case 'key':
      return kindOfKey(before, word);
    default:
      return 'secret';
  }
}

function kindOfKey(before: string, word: string): NameKind | undefined {
  if (joinsWord(before, word)) return CONCATENATED_KEY.test(before) ? 'secret' : undefined;
  const own = before.slice(Math.max(before.lastIndexOf('.'), before.lastIndexOf('$')) + 1);
  if (/public/i.test(own)) return undefined;
  if (SECRET_QUALIFIER.test(own)) return 'secret';
  if (own === '' && word !== 'KEY') return undefined;
  return INNOCENT_KEY.test(own) ? undefined : 'key';
}

/** Whether the word goes on a word before it: `monkey`, `MYKEY`; not `my_key`, `myKey`. */
function joinsWord(before: string, word: string): boolean {
  const last = before.slice(-1);
  if (!/[A-Za-z]/.test(last)) return false;
  return !(/[a-z]/.test(last) && /^[A-Z]/.test(word));
}

/** What a field name of JSON promises for the strings below it. */
export function kindOfField(name: string): NameKind | undefined {
  const trimmed = name.length > 128 ? name.slice(-128) : name;
  const match =
    /^(.*?)(password|passwd|passphrase|passcode|pass|pwd|secret|token|credential|key|_auth)s?(?:[_-]?(?:\d{1,3}|prod|dev|staging|live|test|base64|b64|value|plain|raw))?$/i.exec(
      trimmed,
    );
  if (match) return kindOfName(match[1] ?? '', match[2] ?? '');
  const lower = trimmed.toLowerCase().trim();
  if (OTHER_SCRIPTS.some((word) => PASSWORD_WORDS.includes(word) && lower.endsWith(word))) return 'password';
  return OTHER_SCRIPTS.some((word) => lower.endsWith(word)) ? 'secret' : undefined;
}
