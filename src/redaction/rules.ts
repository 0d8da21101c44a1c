/**
 * The table of all rules. A rule is added here, and the version (`version.ts`) raised, in one change: what was
 * masked by an older version is masked again from the logs.
 */
import { ASSIGNED_PASSWORD, ASSIGNED_SECRET } from './assignment.js';
import { CONTEXT_PATTERNS } from './context-patterns.js';
import { patternRule } from './pattern-rule.js';
import { ENCODED_PRIVATE_KEY, PRIVATE_KEY } from './private-key.js';
import type { SecretRule } from './secret-rule.js';
import { SERVICE_TOKENS } from './service-tokens.js';
import { tokenRule } from './token-rule.js';
import { URL_PASSWORD } from './url-rules.js';

/** Rules that know a secret by itself, then those that know it by its name; the first to claim a place names it. */
export const RULES: readonly SecretRule[] = [
  PRIVATE_KEY,
  ENCODED_PRIVATE_KEY,
  ...SERVICE_TOKENS.map(tokenRule),
  ...CONTEXT_PATTERNS.map(patternRule),
  URL_PASSWORD,
  ASSIGNED_PASSWORD,
  ASSIGNED_SECRET,
];

/** Every rule by name, with one line on what it finds. */
export const SECRET_RULES: readonly { readonly name: string; readonly description: string }[] = RULES.map(
  ({ name, description }) => ({ name, description }),
);
