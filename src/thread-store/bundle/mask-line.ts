/**
 * One line of a log without its secrets, and how many of which kind it had.
 *
 * Parse, mask, serialise: a line is never masked as raw JSON while it can be parsed. A sound line that holds no secret stays
 * byte for byte. What cannot be parsed is masked as the text that it is; where a secret shows in it only once escapes are read,
 * the whole line is taken out. Never puts out a byte that was not looked at.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.js';
import { findSecrets, maskJson, maskSecrets } from '../../redaction/index.js';
import { recoverLine } from '../../rollout/recover.js';

export type SecretCounts = Map<string, number>;

const TAKEN_OUT = '[REDACTED:damaged-line]';
const MARK = /\[REDACTED:([^\]]{1,80})\]/g;

/**
 * Masks the line in `bytes`. `edit` may give another value for a sound one, as for a base that lies elsewhere in masked logs.
 * Counts are added to `counts`. Undefined when the line stays as it is.
 */
export function maskLine(
  bytes: Buffer,
  {
    terminated,
    counts,
    edit,
  }: {
    readonly terminated: boolean;
    readonly counts: SecretCounts;
    readonly edit?: ((value: JsonValue) => JsonValue) | undefined;
  },
): string | undefined {
  const { values, faults } = recoverLine(bytes, 0, bytes.length, terminated);
  const [only, ...more] = values;
  const raw = bytes.toString('utf8');
  if (only === undefined && faults.length === 0) return undefined;
  if (only !== undefined && more.length === 0 && faults.length === 0) {
    const edited = edit?.(only.value) ?? only.value;
    const masked = maskJson(edited);
    // A key that stands twice is parsed once: what the parser dropped is seen in the raw text only.
    const rawMasked = masked === only.value ? maskSecrets(raw) : raw;
    if (masked === only.value && rawMasked === raw) return undefined;
    const text = JSON.stringify(masked);
    countMarks(text, JSON.stringify(edited), counts);
    countMarks(rawMasked, raw, counts);
    return text;
  }
  const found = values.map(({ value }) => ({ value, masked: maskJson(value) }));
  const clean = found.every(({ value, masked }) => value === masked);
  if (found.length > 0 && !clean) {
    // Fragments between the records may hold the other half of what was masked: only the records stay.
    const text = found.map(({ masked }) => JSON.stringify(masked)).join('');
    countMarks(text, found.map(({ value }) => JSON.stringify(value)).join(''), counts);
    return text;
  }
  const text = maskSecrets(raw);
  const hidden = findSecrets(withoutEscapes(text));
  if (hidden.length > 0) {
    for (const { rule } of hidden) counts.set(rule, (counts.get(rule) ?? 0) + 1);
    return TAKEN_OUT;
  }
  countMarks(text, raw, counts);
  // Bytes that are no UTF-8 were not looked at as what they may be.
  return text === raw && Buffer.from(raw).equals(bytes) ? undefined : text;
}

/** The first session_meta with the end of its base moved; any other value as it is. */
export function withBaseEnd(value: JsonValue, endByteOffset: number): JsonValue | undefined {
  if (!isJsonObject(value) || value['type'] !== 'session_meta' || !isJsonObject(value['payload'])) return undefined;
  const { payload } = value as { readonly payload: JsonObject };
  const base = payload['history_base'];
  if (!isJsonObject(base)) return undefined;
  return { ...value, payload: { ...payload, history_base: { ...base, end_byte_offset: endByteOffset } } };
}

function withoutEscapes(text: string): string {
  return text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[nrt]/g, '\n')
    .replace(/\\(["\\/])/g, '$1');
}

/** Adds the marks that `masked` has more than `before`. */
function countMarks(masked: string, before: string, counts: SecretCounts): void {
  const add = (text: string, step: number): void => {
    for (const [, rule = ''] of text.matchAll(MARK)) {
      const count = (counts.get(rule) ?? 0) + step;
      if (count === 0) counts.delete(rule);
      else counts.set(rule, count);
    }
  };
  add(masked, 1);
  add(before, -1);
}
