/**
 * A short digest, for telling texts and bytes apart without keeping them.
 */
import { createHash } from 'node:crypto';

/** 132 bits of SHA-256, as 22 characters. */
export function digestOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('base64url').slice(0, 22);
}
