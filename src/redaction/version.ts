/**
 * The version of the rules, apart from them: whether an index fits it is asked by commands that mask nothing, and the
 * tables take longer to load than those to run.
 */

/** Raised with every change of what is found; texts that were masked under another number are to be masked again. */
export const REDACTION_VERSION = 1;
