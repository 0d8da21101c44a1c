/**
 * Commands in hints, as they would work for whoever reads them: under the name by which the program was started,
 * and on the homes that were named.
 */
import { COMMANDS } from './commands.js';
import { shellQuote } from './shell-quote.js';

/** How this run was called. */
export interface Calling {
  /** What starts the program: `codicil`, `npx codicil`, `node dist/bin.js`. */
  readonly program: string;
  /** Values of `--home`, as they were typed. */
  readonly homes: readonly string[];
}

const READS_HOMES = new Set(COMMANDS.filter((command) => command.globals.includes('home')).map(({ name }) => name));
const COMMAND = new RegExp(
  `(?<![\\w/.-])codicil (${COMMANDS.map(({ name }) => name).join('|')})(?![\\w-])( --home)?`,
  'g',
);

/** `text` with each `codicil COMMAND` in it as it has to be typed. */
export function asCalled(text: string, { program, homes }: Calling): string {
  const options = homes.map((home) => ` --home ${shellQuote(home)}`).join('');
  return text.replace(COMMAND, (_line, command: string, named: string | undefined) => {
    return `${program} ${command}${named ?? (READS_HOMES.has(command) ? options : '')}`;
  });
}
