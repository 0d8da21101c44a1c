/**
 * Errors of bundles and of imports.
 */
import { CodicilError, type CodicilErrorOptions } from '../../base/errors.js';

export type BundleErrorCode =
  | 'bundle-damaged'
  | 'bundle-invalid'
  | 'bundle-newer'
  | 'bundle-too-large'
  | 'not-a-bundle'
  | 'log-changed';

export interface BundleErrorOptions extends CodicilErrorOptions {
  /** 0-based offset in the bundle at which the fault stands or begins. */
  readonly byteOffset?: number | undefined;
  /** The file inside the bundle that the fault is in. */
  readonly entry?: string | undefined;
}

const NOTHING_PLACED = 'Nothing was imported. Get the file again from where it was made.';

/**
 * Thrown for a bundle that cannot be used: `not-a-bundle`; `bundle-damaged` (changed or cut since it was written);
 * `bundle-invalid` (it says what no bundle may say); `bundle-newer`; `bundle-too-large`. And `log-changed` for a log that was
 * rewritten while it was exported.
 */
export class BundleError extends CodicilError {
  override readonly name = 'BundleError';
  declare readonly code: BundleErrorCode;
  readonly byteOffset: number | undefined;
  readonly entry: string | undefined;

  constructor(code: BundleErrorCode, message: string, options: BundleErrorOptions = {}) {
    super(code, message, { hint: NOTHING_PLACED, ...options });
    this.byteOffset = options.byteOffset;
    this.entry = options.entry;
  }
}
