/**
 * What a command is: its words, arguments and options as data. Parsing, help, completion and `docs/cli.md`
 * are all derived from it, so that none of them can say something else than the others.
 */

export interface ArgumentSpec {
  /** In capitals, as help shows it. */
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
  /** Whatever follows belongs to it, too. Only of the last one. */
  readonly repeatable?: true;
}

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  /** The name of its value; without one the option is a switch. */
  readonly value?: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly repeatable?: true;
  /** One letter that stands for it, the same in every command. */
  readonly short?: string;
}

export interface Example {
  readonly line: string;
  readonly says: string;
}

export interface CommandSpec {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** What the sentence leaves open, in paragraphs. */
  readonly details: readonly string[];
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  readonly examples: readonly [Example, Example];
  /** Names of those `GLOBAL_OPTIONS` that do something here; the others are taken and change nothing. */
  readonly globals: readonly GlobalOption[];
  /** Names of `ENVIRONMENT` that matter here. */
  readonly environment: readonly string[];
}

export type GlobalOption = 'home' | 'json' | 'no-color' | 'help';

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { name: 'home', value: 'DIR', summary: 'Read only this home; may be given more than once', repeatable: true },
  { name: 'json', summary: 'Print exactly one JSON document on stdout' },
  { name: 'no-color', summary: 'Print without colour' },
  { name: 'help', summary: 'Show this help' },
];

/** Every environment variable that the command line reads. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  CODICIL_HOME: 'The home of Codicil (default ~/.codicil)',
  CODICIL_LOG: 'The level of the log: off, error, warn, info (default), debug or trace',
  CODICIL_SQLITE_HOME: 'Where the databases of that home lie (default its db folder)',
  CODEX_HOME: 'The home of Codex (default ~/.codex)',
  CODEX_SQLITE_HOME: 'Where the databases of Codex lie (default its home)',
  NO_COLOR: 'When set to anything, no colour',
  PAGER: 'The program that shows long output on a terminal (default less -R)',
  TMPDIR: 'Where copies of databases are made (default the folder of the system)',
  TZ: 'The time zone in which times are shown',
};
