/**
 * The base of every error that Codicil throws for reasons other than a wrong argument
 * (`TypeError`, `RangeError`) or an unparsable text (`SyntaxError`).
 * A subclass per folder; `code` is a literal that callers may branch on.
 */

export interface CodicilErrorOptions extends ErrorOptions {
  /** The file that the failure is about. */
  readonly path?: string | undefined;
  /** 1-based line in that file. */
  readonly line?: number | undefined;
  /** What to do next, as a sentence. */
  readonly hint?: string | undefined;
}

/** Carries what a person needs: what failed, on which file and line, and what to do next. */
export class CodicilError extends Error {
  override readonly name: string = 'CodicilError';
  readonly code: string;
  readonly path: string | undefined;
  readonly line: number | undefined;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: CodicilErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.path = options.path;
    this.line = options.line;
    this.hint = options.hint;
  }
}

/** For the end of a closed union: a new variant without its case does not compile. */
export function assertNever(value: never, what: string): never {
  throw new TypeError(`Unexpected ${what}: ${JSON.stringify(value)}`);
}
