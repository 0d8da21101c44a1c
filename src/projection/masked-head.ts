/**
 * The beginning of a text, masked: what is kept of a text that may have megabytes, at the cost of what is kept.
 *
 * Masking comes before cutting, and a cut before masking may leave the beginning of a secret that is no longer known as
 * one. So the end of what was masked is given up, back to a blank.
 */
import { maskSecrets } from '../redaction/index.js';

/** Longer than any secret that is known by its whole length; longer ones are known by their beginning. */
const GIVEN_UP_UNITS = 1024;
/** How far back a blank is looked for: a longer run without one is no secret. */
const RUN_UNITS = 4096;

/** Of a text over `limit` UTF-16 units, the masked beginning of its first `limit` units; a shorter one is masked as a whole. */
export function maskedHead(text: string, limit: number): string {
  if (text.length <= limit) return maskSecrets(text);
  const masked = maskSecrets(text.slice(0, limit));
  const end = Math.max(0, masked.length - GIVEN_UP_UNITS);
  const from = Math.max(0, end - RUN_UNITS);
  for (let at = end; at > from; at -= 1) if (masked.charCodeAt(at - 1) <= 0x20) return masked.slice(0, at - 1);
  return masked.slice(0, from === 0 ? 0 : end);
}
