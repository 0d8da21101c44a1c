/**
 * What stands before a name and alone makes a value of what follows it: a line of `.netrc`, `ENV` of a Dockerfile and its
 * kin. Looks back by a bounded number of characters.
 */

const REACH = 200;
const NETRC = /(?:\bmachine\s+\S{1,120}|\bdefault|\blogin\s+\S{1,120})\s+$/;
const DOCKER_ENV = /(?:^|[\n ])(?:ENV|setx|setenv)[ \t]+$/;
const BACKSLASH = 0x5c;
const WIDE_SPACES: readonly number[] = [
  0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029,
  0x202f, 0x205f, 0x3000,
];

/** The form of the value behind the name that begins at `start`, whose last word begins at `word`. */
export function formBefore(text: string, start: number, word: number): 'flag' | 'env' | undefined {
  const mayBeNetrc = start === word && mayEndLogin(text, start);
  if (!mayBeNetrc && !mayEndCommand(text, start)) return undefined;
  const before = text
    .slice(Math.max(0, start - REACH), start)
    .replace(/\\+[nrt]/g, '\n')
    .replace(/\n[+-]/g, '\n ');
  if (mayBeNetrc && NETRC.test(before)) return 'flag';
  return DOCKER_ENV.test(before) ? 'env' : undefined;
}

/** Whether blanks stand before `start`, and before them what `ENV`, `setx` and `setenv` end with. */
function mayEndCommand(text: string, start: number): boolean {
  const first = Math.max(0, start - REACH);
  let at = start;
  while (at > first && isBlank(text.charCodeAt(at - 1))) at -= 1;
  if (at === start || at === first) return false;
  const last = text.charAt(at - 1);
  return last === 'V' || last === 'x' || last === 'v';
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Whether one of the words that open a line of `.netrc` may stand one or two words before `start`. Signs may be markers
 * of a patch, and count as white space; whether they are, the pattern tells.
 */
function mayEndLogin(text: string, start: number): boolean {
  const first = Math.max(0, start - REACH);
  const end = startOfGap(text, start, first);
  if (end === start) return endsWithEscape(text, end);
  if (endsWithOpener(text, end)) return true;
  let at = end;
  for (; at > first && !isSpace(text.charCodeAt(at - 1)); at--) {
    if (text.charCodeAt(at - 1) === BACKSLASH) return true;
  }
  return at < end && endsWithOpener(text, startOfGap(text, at, first));
}

function startOfGap(text: string, end: number, first: number): number {
  let at = end;
  while (at > first && isSpaceOrSign(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function endsWithOpener(text: string, end: number): boolean {
  switch (end === 0 ? 0 : text.charCodeAt(end - 1)) {
    case 0x6e:
      return text.endsWith('login', end) || endsWithEscape(text, end);
    case 0x65:
      return text.endsWith('machine', end);
    case 0x74:
      return text.endsWith('default', end) || endsWithEscape(text, end);
    case 0x72:
      return endsWithEscape(text, end);
  }
  return false;
}

/** An escaped line break or tab is white space. */
function endsWithEscape(text: string, end: number): boolean {
  return end > 1 && text.charCodeAt(end - 2) === BACKSLASH;
}

function isSpaceOrSign(code: number): boolean {
  return code === 0x2b || code === 0x2d || isSpace(code);
}

/** As `\s`. */
function isSpace(code: number): boolean {
  if (code < 0xa0) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code < 0xac00 ? WIDE_SPACES.includes(code) : code === 0xfeff;
}
