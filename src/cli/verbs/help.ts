/**
 * `codicil help`.
 */
import { EXIT_DONE } from '../failure.js';
import { commandHelp, helpMarkdown, overviewHelp } from '../help.js';
import { findCommand } from '../parse-invocation.js';
import type { Verb } from '../run.js';

export const help: Verb = async ({ invocation, output }) => {
  const [name] = invocation.arguments;
  if (invocation.has('markdown')) await output.write(helpMarkdown());
  else await output.write(name === undefined ? overviewHelp() : commandHelp(findCommand(name)));
  return EXIT_DONE;
};
