/**
 * What a person can do about an error that a check or a repair met. Only words.
 */
import { CodicilError } from '../../base/errors.js';
import { fileErrorCode } from '../../platform/files/file-system.js';

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const NO_ROOM = 'Free some disk space, and run codicil doctor again.';
const NOT_ALLOWED =
  'Make the folder writable for this user, or set CODICIL_HOME to a folder that can be written to; reading works without.';

/** A sentence; the innermost cause that has an answer gives it. */
export function nextStep(error: unknown): string {
  const codes = new Set<string>();
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const code = at instanceof CodicilError ? at.code : undefined;
    if (code !== undefined) codes.add(code);
    const fileCode = fileErrorCode(at);
    if (fileCode !== undefined) codes.add(fileCode);
  }
  if (['sqlite-full', 'ENOSPC', 'EDQUOT'].some((code) => codes.has(code))) return NO_ROOM;
  if (error instanceof CodicilError && error.hint !== undefined) return error.hint;
  const closed = ['sqlite-readonly', 'sqlite-cantopen', 'EROFS', 'EACCES', 'EPERM'];
  if (closed.some((code) => codes.has(code))) return NOT_ALLOWED;
  if (codes.has('sqlite-busy') || codes.has('sqlite-locked')) return 'Wait for the other process to end.';
  return 'Run codicil doctor again; codicil logs may tell more.';
}
