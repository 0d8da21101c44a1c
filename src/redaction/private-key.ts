/**
 * Private keys in armour: PEM, OpenSSH, PGP and SSH2 blocks with real or escaped newlines, indented, quoted, in a
 * patch, cut short or with a middle left out; and the Base64 of such a block. The whole block is the secret.
 */
import { BASE64, beginsWord, endOfRun } from './characters.js';
import { continuationAt } from './continuation.js';
import type { SecretRule, Span } from './secret-rule.js';
import { followToken } from './token-rule.js';

const HEADER = /(?<=-{4,5} ?)BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
/** What stands between the lines of a block: breaks, indentation, markers of patches and quotes, string delimiters. */
const GAP = /(?:[\s+\-|>│"',]|\\{1,4}[nrt"'/]|\\\r?\n){0,80}/y;
const FOOTER = /-{0,5} ?END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{0,5}/y;
/** `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, `Version: …`. */
const ARMOUR_HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject): {0,4}[^\n\\"']{0,200}/y;
const MIN_LINE = 4;

export const PRIVATE_KEY: SecretRule = {
  name: 'private-key',
  description: 'Private key block (PEM, OpenSSH, PGP)',
  anchors: ['BEGIN '],
  find: (text, at) => {
    HEADER.lastIndex = at;
    if (!HEADER.test(text)) return undefined;
    const end = endOfBlock(text, HEADER.lastIndex);
    return end === undefined ? undefined : { start: startOfArmour(text, at), end };
  },
};

function startOfArmour(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 6 && /[- ]/.test(text.charAt(start - 1))) start -= 1;
  // The blank or patch marker before the dashes stays.
  while (text.charAt(start) === ' ') start += 1;
  return text.startsWith('------', start) ? start + 1 : start;
}

/** Where the block ends that has its body at `from`; undefined when no line of a body is there. */
function endOfBlock(text: string, from: number): number | undefined {
  let end: number | undefined;
  let at = from;
  for (;;) {
    GAP.lastIndex = at;
    GAP.test(text);
    const line = GAP.lastIndex;
    const footer = endOfFooter(text, at, line);
    if (footer !== undefined) return end === undefined ? undefined : footer;
    ARMOUR_HEADER.lastIndex = line;
    if (ARMOUR_HEADER.test(text)) {
      at = ARMOUR_HEADER.lastIndex;
      continue;
    }
    const lineEnd = endOfRun(text, line, BASE64);
    const omission = continuationAt(text, at);
    if (omission?.omitted) {
      at = omission.at;
      end = omission.at;
      continue;
    }
    if (lineEnd - line < MIN_LINE || isWord(text, line, lineEnd)) return end;
    at = lineEnd;
    end = lineEnd;
  }
}

/** The gap takes the dashes before `END`; a footer may begin anywhere in it. */
function endOfFooter(text: string, gap: number, line: number): number | undefined {
  FOOTER.lastIndex = line;
  if (line > gap && FOOTER.test(text)) return FOOTER.lastIndex;
  return undefined;
}

/** A line of a body is long, or ends in padding; behind a block that was cut short there may be prose. */
function isWord(text: string, start: number, end: number): boolean {
  return end - start < 24 && /^[A-Z]?[a-z]+$/.test(text.slice(start, end));
}

const MIN_ENCODED = 48;
const ENCODED_STARTS = [
  'LS0tLS1CRUdJTiBQUklWQVRF',
  'LS0tLS1CRUdJTiBSU0Eg',
  'LS0tLS1CRUdJTiBFQyBQ',
  'LS0tLS1CRUdJTiBPUEVOU1NI',
  'LS0tLS1CRUdJTiBFTkNS',
  'LS0tLS1CRUdJTiBEU0Eg',
  'LS0tLS1CRUdJTiBQR1Ag',
];

export const ENCODED_PRIVATE_KEY: SecretRule = {
  name: 'encoded-private-key',
  description: 'Private key block in Base64, as in a kubeconfig',
  anchors: ENCODED_STARTS,
  find: (text, at): Span | undefined => {
    if (!beginsWord(text, at)) return undefined;
    const end = endOfRun(text, at, BASE64);
    const last = followToken(text, end, { body: BASE64, max: 8192 }, end - at);
    // The start alone says no more than that a key follows.
    return last - at < MIN_ENCODED ? undefined : { start: at, end: last };
  },
};
