/**
 * A short digest, for telling texts and bytes apart without keeping them.
 */
import { hash } from 'node:crypto';

/** 132 bits of SHA-256, as 22 characters. */
export function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data, 'base64url').slice(0, 22);
}
