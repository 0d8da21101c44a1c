/**
 * Detection and masking of secrets in parsed strings. Runs in a browser.
 */
export { findSecrets, maskSecrets } from './find-secrets.js';
export { maskJson } from './mask-json.js';
export { SECRET_RULES } from './rules.js';
export type { SecretMatch } from './secret-rule.js';
export { REDACTION_VERSION } from './version.js';
