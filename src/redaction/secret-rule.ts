/**
 * The shapes that rules and engine share. Owns no rule and no behaviour.
 */

/** One secret in a text: UTF-16 offsets, `end` exclusive; `rule` is the `name` of a `SECRET_RULES` entry. */
export interface SecretMatch {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** A stretch of a text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * One kind of secret. The engine calls `find` only where one of `anchors` stands, so a rule costs nothing on text
 * without them.
 */
export interface SecretRule {
  /** kebab-case; stands in `[REDACTED:<name>]`. */
  readonly name: string;
  /** One line for a person: what the secret opens. */
  readonly description: string;
  /** Literals of at least four characters, or of three with `follow`; lower case where `ignoreCase` is set. */
  readonly anchors: readonly string[];
  readonly ignoreCase?: true;
  /** Characters that may come after an anchor of three; every other one rules the place out. */
  readonly follow?: string;
  /**
   * The secret itself (never its key, separator or quotes) for an anchor that starts at `at`, or undefined.
   * May look back and ahead, by a bounded number of characters unless it returns a span that reaches as far.
   */
  readonly find: (text: string, at: number) => Span | undefined;
}
