/**
 * Finds the secrets of a text and masks them. Reads a text once; on text without anchors that is all it does.
 * Takes parsed strings, never raw JSON lines: in those, quotes and escapes would be taken for the text's own.
 */
import { type AnchorTable, anchorTable, visitAnchors, visitRulesAt } from './anchors.js';
import { forgetStretches } from './clean-stretch.js';
import { viewFrom } from './folded-view.js';
import { RULES } from './rules.js';
import type { SecretMatch, SecretRule } from './secret-rule.js';

/** Made with the first text that is looked at: many a run of a program looks at none. */
let table: AnchorTable | undefined;
const NONE: readonly SecretMatch[] = [];

/** The secrets of `text` as it is or as it reads, in order and apart from each other. */
export function findSecrets(text: string): readonly SecretMatch[] {
  const rules = (table ??= anchorTable(RULES));
  const { found, otherwise } = scan(rules, text);
  if (otherwise === text.length) return found === NONE ? NONE : merged(found);
  const view = viewFrom(text, otherwise);
  const folded = scan(rules, view.text).found.map(({ start, end, rule }) => ({ ...view.toOriginal(start, end), rule }));
  return merged([...found, ...folded]);
}

interface Scanned {
  readonly found: readonly SecretMatch[];
  /** Where the text first reads otherwise than it is written. */
  readonly otherwise: number;
}

function scan(rules: AnchorTable, text: string): Scanned {
  let found: SecretMatch[] | undefined;
  forgetStretches();
  const otherwise = visitAnchors(rules, text, (rule, at) => {
    const span = rule.find(text, at);
    if (span === undefined) return 0;
    const match = named(rules, text, rule, { start: span.start, end: span.end, rule: rule.name });
    if (found === undefined) found = [match];
    else found.push(match);
    return match.end;
  });
  return { found: found ?? NONE, otherwise };
}

/** The match under the name of the rule that knows the secret by itself, when one does. */
function named(rules: AnchorTable, text: string, rule: SecretRule, match: SecretMatch): SecretMatch {
  let better = match;
  visitRulesAt(rules, text, match.start, (other) => {
    if (other === rule || better !== match) return;
    const span = other.find(text, match.start);
    if (span?.start === match.start) better = { ...match, end: Math.max(span.end, match.end), rule: other.name };
  });
  return better;
}

/** Matches that overlap become one under the name of the first. */
function merged(found: readonly SecretMatch[]): readonly SecretMatch[] {
  if (found.length < 2) return found;
  if (isApart(found)) return found;
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: SecretMatch[] = [];
  for (const match of sorted) {
    const last = apart.at(-1);
    if (last === undefined || match.start >= last.end) apart.push(match);
    else if (match.end > last.end) apart[apart.length - 1] = { ...last, end: match.end };
  }
  return apart;
}

/** Whether each begins where the one before has ended, as is the rule. */
function isApart(found: readonly SecretMatch[]): boolean {
  for (let i = 1; i < found.length; i++) if (found[i]!.start < found[i - 1]!.end) return false;
  return true;
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
