/**
 * Finds the secrets of a text and masks them. Reads a text once; on text without anchors that is all it does.
 * Takes parsed strings, never raw JSON lines: in those, quotes and escapes would be taken for the text's own.
 */
import { anchorTable, visitAnchors, visitRulesAt } from './anchors.js';
import { foldedView } from './folded-view.js';
import { RULES } from './rules.js';
import type { SecretMatch, SecretRule } from './secret-rule.js';

const TABLE = anchorTable(RULES);
const NONE: readonly SecretMatch[] = [];

/** The secrets of `text` as it is or as it reads, in order and apart from each other. */
export function findSecrets(text: string): readonly SecretMatch[] {
  const found = scan(text);
  const view = foldedView(text);
  if (view === undefined) return found === NONE ? NONE : merged(found);
  const folded = scan(view.text).map(({ start, end, rule }) => ({ ...view.toOriginal(start, end), rule }));
  return merged([...found, ...folded]);
}

function scan(text: string): readonly SecretMatch[] {
  let found: SecretMatch[] | undefined;
  visitAnchors(TABLE, text, (rule, at) => {
    const span = rule.find(text, at);
    if (span === undefined) return 0;
    const match = named(text, rule, { ...span, rule: rule.name });
    if (found === undefined) found = [match];
    else found.push(match);
    return match.end;
  });
  return found ?? NONE;
}

/** The match under the name of the rule that knows the secret by itself, when one does. */
function named(text: string, rule: SecretRule, match: SecretMatch): SecretMatch {
  let better = match;
  visitRulesAt(TABLE, text, match.start, (other) => {
    if (other === rule || better !== match) return;
    const span = other.find(text, match.start);
    if (span?.start === match.start) better = { ...match, end: Math.max(span.end, match.end), rule: other.name };
  });
  return better;
}

/** Matches that overlap become one under the name of the first. */
function merged(found: readonly SecretMatch[]): readonly SecretMatch[] {
  if (found.length < 2) return found;
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: SecretMatch[] = [];
  for (const match of sorted) {
    const last = apart.at(-1);
    if (last === undefined || match.start >= last.end) apart.push(match);
    else if (match.end > last.end) apart[apart.length - 1] = { ...last, end: match.end };
  }
  return apart;
}

/**
 * `text` with `[REDACTED:<rule>]` in the place of each secret; what is around it stays. Without secrets it is the
 * same string. A masked text holds nothing more to mask.
 */
export function maskSecrets(text: string): string {
  const found = findSecrets(text);
  if (found.length === 0) return text;
  let masked = '';
  let from = 0;
  for (const { start, end, rule } of found) {
    masked += `${text.slice(from, start)}[REDACTED:${rule}]`;
    from = end;
  }
  return masked + text.slice(from);
}
