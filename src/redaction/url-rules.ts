/**
 * Passwords and tokens in the user part of a URL: web, git remotes, databases, queues, Sentry. What the URL is for
 * plays no part. A password may hold `@`, `:` or `/` that nobody encoded.
 */
import { hasDigit, isPlaceholder, isScrambled } from './innocent-value.js';
import { isNameLike } from './name-like.js';
import type { SecretRule, Span } from './secret-rule.js';

/** Longer user parts are cut-off nonsense. */
const MAX_AUTHORITY = 512;
/** `abc:123` stands in manuals. */
const MIN_PASSWORD = 4;
const MIN_USER_TOKEN = 16;
const ENDS_AUTHORITY = /[\s"'`<>|^…]|\\+["'nrtu]/g;
const HOST = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}))(?::\d{1,5})?(?:[,/?#;)\]}]|$)/;

export const URL_PASSWORD: SecretRule = {
  name: 'url-password',
  description: 'Password or token in a URL (https://, postgres://, mongodb+srv://, redis://, amqp://, …)',
  anchors: ['://'],
  follow: authorityStart(),
  find: (text, at) => findInUrl(text, at + 3),
};

function authorityStart(): string {
  let all = '';
  for (let code = 0x21; code < 0x7f; code++) all += String.fromCharCode(code);
  return all.replace(/["'`/<>\\]/g, '');
}

function findInUrl(text: string, from: number): Span | undefined {
  const at = lastAt(text, from);
  if (at === undefined) return undefined;
  if (text.startsWith('[REDACTED:', from)) return undefined;
  const user = text.slice(from, at);
  const colon = user.indexOf(':');
  if (colon < 0) return isUserToken(user, text.slice(at + 1, at + 80)) ? { start: from, end: at } : undefined;
  const password = user.slice(colon + 1);
  if (
    password.length < MIN_PASSWORD ||
    isPlaceholder(password) ||
    /^[{$<%]/.test(password) ||
    password.startsWith('[')
  ) {
    return undefined;
  }
  return { start: from + colon + 1, end: at };
}

/** The `@` that ends the user part, or undefined when the authority has none. */
function lastAt(text: string, from: number): number | undefined {
  const window = text.slice(from, from + MAX_AUTHORITY);
  if (!window.includes('@')) return undefined;
  ENDS_AUTHORITY.lastIndex = 0;
  const authority = window.slice(0, ENDS_AUTHORITY.exec(window)?.index ?? window.length);
  const path = authority.search(/[/?#]/);
  const plain = authority.lastIndexOf('@', path < 0 ? authority.length : path);
  if (plain >= 0) return from + plain;
  if (path < 0) return undefined;
  // `user:pa/ss@host`: the part before the slash must not be a host with its port.
  const first = authority.slice(0, path);
  if (!/^[^:]*:(?!\d{1,5}$)./.test(first)) return undefined;
  const late = authority.lastIndexOf('@');
  return late > 0 && HOST.test(authority.slice(late + 1)) ? from + late : undefined;
}

function isUserToken(user: string, host: string): boolean {
  if (isPlaceholder(user)) return false;
  if (/^[\w.-]*sentry\b/i.test(host)) return user.length >= MIN_USER_TOKEN;
  return user.length >= MIN_USER_TOKEN && hasDigit(user) && isScrambled(user) && !isNameLike(user);
}
