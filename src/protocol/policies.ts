/**
 * What a reader does with a type that it does not know. Four answers, each stated once, chosen per reader.
 *
 * `strict`: a live peer of another version; the decode fails.
 * `skip-line`: resume; the line is skipped and counted, the thread opens.
 * `refuse-unless-ignorable`: replay of a log that is the truth; the whole log is refused, unless the envelope of the
 * line has `ignorable: true`, the literal. Any other value of `ignorable` makes the envelope itself malformed.
 * `map-to-unknown`: notifications; the record becomes `unknown`, its own name is kept for diagnosis.
 *
 * Two kinds of unknown are decided apart, because real readers do. An unknown response item has a catch-all in Codex
 * itself (`Other`, never sent): `strict` and `skip-line` decode it without an error. Unknown content inside a message
 * fails a strict reader alone; the replaying and the notified reader look no deeper than the record.
 * Malformed is not unknown: no policy turns damage into an accepted record.
 */
import type { JsonObject } from '../base/json.js';
import type { LineDecode } from './decode-line.js';

export const POLICIES = ['strict', 'skip-line', 'refuse-unless-ignorable', 'map-to-unknown'] as const;
export type UnknownTypePolicy = (typeof POLICIES)[number];

export type PolicyOutcome = 'decoded' | 'skipped' | 'refused' | 'unknown' | 'failed';

export interface PolicyRule {
  /** Unknown line, event, turn item or record type. */
  readonly unknown: PolicyOutcome;
  /** Unknown response item. */
  readonly unknownItem: PolicyOutcome;
  /** Unknown content inside a message. */
  readonly unknownContent: PolicyOutcome;
  /** Malformed: not JSON, no object, a required field missing or of the wrong kind. */
  readonly malformed: PolicyOutcome;
  /** Whether the first line that is neither decoded nor skipped ends the reading of the log. */
  readonly endsLog: boolean;
  /** Whether such a line keeps the log from opening. */
  readonly closesLog: boolean;
}

export const POLICY_RULES: Readonly<Record<UnknownTypePolicy, PolicyRule>> = {
  strict: {
    unknown: 'failed',
    unknownItem: 'decoded',
    unknownContent: 'failed',
    malformed: 'failed',
    endsLog: false,
    closesLog: true,
  },
  'skip-line': {
    unknown: 'skipped',
    unknownItem: 'decoded',
    unknownContent: 'decoded',
    malformed: 'skipped',
    endsLog: false,
    closesLog: false,
  },
  'refuse-unless-ignorable': {
    unknown: 'refused',
    unknownItem: 'refused',
    unknownContent: 'decoded',
    malformed: 'failed',
    endsLog: true,
    closesLog: true,
  },
  'map-to-unknown': {
    unknown: 'unknown',
    unknownItem: 'unknown',
    unknownContent: 'decoded',
    malformed: 'failed',
    endsLog: false,
    closesLog: false,
  },
};

export interface PolicyVerdict {
  readonly outcome: PolicyOutcome;
  /** Null when there is nothing to say. */
  readonly reason: string | null;
  /** Whether it counts as a parse error. */
  readonly parseError: boolean;
}

/** Applies a policy to one decoded line. `envelope` is the parsed line: the place where `ignorable` may stand. */
export function judgeLine(
  policy: UnknownTypePolicy,
  decode: LineDecode,
  envelope: JsonObject | undefined,
): PolicyVerdict {
  const rule = POLICY_RULES[policy];
  if (decode.kind === 'ignored') return { outcome: 'skipped', reason: decode.reason, parseError: false };
  if (decode.kind === 'invalid') return { outcome: rule.malformed, reason: decode.reason, parseError: true };
  if (decode.kind === 'unknown') {
    return judgeUnknown(policy, rule.unknown, decode.reason, envelope);
  }
  if (decode.unknownAt === 'response-item') {
    return judgeUnknown(policy, rule.unknownItem, `unknown response item "${decode.unknown}"`, envelope);
  }
  if (decode.unknownAt === 'content') {
    return judgeUnknown(policy, rule.unknownContent, `unknown content "${decode.unknown}"`, envelope);
  }
  if (policy === 'refuse-unless-ignorable' && hasWrongMark(envelope)) {
    return { outcome: rule.malformed, reason: '"ignorable" may only be true', parseError: true };
  }
  return { outcome: 'decoded', reason: null, parseError: false };
}

function hasWrongMark(envelope: JsonObject | undefined): boolean {
  const mark = envelope?.['ignorable'];
  return mark !== undefined && mark !== true;
}

function judgeUnknown(
  policy: UnknownTypePolicy,
  outcome: PolicyOutcome,
  reason: string,
  envelope: JsonObject | undefined,
): PolicyVerdict {
  if (policy === 'refuse-unless-ignorable' && outcome === 'refused') {
    if (envelope?.['ignorable'] === true) {
      return { outcome: 'skipped', reason: `${reason}, marked ignorable`, parseError: false };
    }
    return { outcome, reason: `${reason}, not marked ignorable`, parseError: false };
  }
  return { outcome, reason, parseError: outcome === 'skipped' || outcome === 'failed' };
}
