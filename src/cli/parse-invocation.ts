/**
 * From an argument list to a command with its arguments and options.
 * Pure; throws a `UsageError` for anything that is not in the tables, with the nearest spelling.
 */
import { parseArgs } from 'node:util';
import { type ArgumentSpec, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from './command-spec.js';
import { COMMANDS } from './commands.js';
import { UsageError } from './failure.js';
import { nearest } from './nearest.js';

export class Invocation {
  readonly command: CommandSpec;
  /** No command was named: the list of the newest is shown. */
  readonly bare: boolean;
  readonly arguments: readonly string[];
  readonly #options: ReadonlyMap<string, readonly string[]>;

  constructor(
    command: CommandSpec,
    bare: boolean,
    args: readonly string[],
    options: ReadonlyMap<string, readonly string[]>,
  ) {
    this.command = command;
    this.bare = bare;
    this.arguments = args;
    this.#options = options;
  }

  has(option: string): boolean {
    return this.#options.has(option);
  }

  /** The last value given. */
  value(option: string): string | undefined {
    return this.#options.get(option)?.at(-1);
  }

  values(option: string): readonly string[] {
    return this.#options.get(option) ?? [];
  }

  /** A whole number between two bounds; undefined when the option was not given. */
  count(option: string, bounds: { readonly min: number; readonly max: number }): number | undefined {
    const text = this.value(option);
    if (text === undefined) return undefined;
    const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= bounds.min && count <= bounds.max) return count;
    throw new UsageError(
      `Cannot take "${text}" for --${option}: wanted a whole number from ${bounds.min} to ${bounds.max}`,
    );
  }
}

const ALL_OPTIONS = new Map<string, OptionSpec>(
  [...GLOBAL_OPTIONS, ...COMMANDS.flatMap((command) => command.options)].map((option) => [option.name, option]),
);

/** The options that help and completion offer. */
export function optionsOf(command: CommandSpec): readonly OptionSpec[] {
  return [...command.options, ...globalOptionsOf(command)];
}

export function globalOptionsOf({ globals }: CommandSpec): readonly OptionSpec[] {
  return GLOBAL_OPTIONS.filter(({ name }) => globals.some((own) => own === name));
}

/** What the parser takes: a script may give the global options to every command. */
function knownOptions(command: CommandSpec): readonly OptionSpec[] {
  return [...command.options, ...GLOBAL_OPTIONS];
}

export function findCommand(name: string): CommandSpec {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const near = nearest(
    name,
    COMMANDS.map((candidate) => candidate.name),
  );
  throw new UsageError(`Unknown command "${name}"`, {
    hint: near === undefined ? 'codicil help lists the commands.' : `Did you mean "codicil ${near}"?`,
  });
}

export function parseInvocation(argv: readonly string[]): Invocation {
  // A name has the same kind of value in every command, so one pass with all of them finds where the command stands.
  const { tokens } = parseArgs({
    args: [...argv],
    options: {
      ...Object.fromEntries(
        [...ALL_OPTIONS.values()].map((option) => [
          option.name,
          {
            type: option.value === undefined ? ('boolean' as const) : ('string' as const),
            ...(option.short !== undefined && { short: option.short }),
          },
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const bare = positionals.length === 0;
  const command = findCommand(positionals[0] ?? 'list');
  const options = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { spec, value } = optionValue(command, token);
    const values = options.get(spec.name) ?? [];
    if (values.length > 0 && spec.value !== undefined && spec.repeatable === undefined) {
      throw new UsageError(`Cannot take --${spec.name} twice`);
    }
    values.push(value);
    options.set(spec.name, values);
  }
  const invocation = new Invocation(command, bare, positionals.slice(1), options);
  if (!invocation.has('help')) checkArguments(command, invocation.arguments);
  return invocation;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function optionValue(command: CommandSpec, token: OptionToken): { readonly spec: OptionSpec; readonly value: string } {
  const spec = knownOptions(command).find((option) => option.name === token.name);
  if (spec === undefined) throw unknownOption(command, token);
  if (spec.value === undefined) {
    if (token.value !== undefined) throw new UsageError(`Cannot give a value to --${spec.name}: it is a switch`);
    return { spec, value: '' };
  }
  // Without `=`, what follows may be the next option: then the value is missing.
  const looksLikeOption = token.inlineValue !== true && token.value !== undefined && /^--?[a-z]/.test(token.value);
  if (token.value === undefined || token.value === '' || looksLikeOption) {
    throw new UsageError(`--${spec.name} needs a value: ${spec.value}`);
  }
  checkChoice(command, `--${spec.name}`, token.value, spec.choices);
  return { spec, value: token.value };
}

function unknownOption(command: CommandSpec, token: OptionToken): UsageError {
  const near = nearest(
    token.name,
    optionsOf(command).map((option) => option.name),
  );
  const elsewhere = COMMANDS.filter((other) => other.options.some((option) => option.name === token.name));
  let hint = `codicil help ${command.name} lists its options.`;
  if (near !== undefined) hint = `Did you mean "--${near}"?`;
  else if (elsewhere.length > 0) hint = `It is an option of ${elsewhere.map((other) => other.name).join(', ')}.`;
  return new UsageError(`Unknown option "${token.rawName}" for ${command.name}`, { hint });
}

function checkArguments(command: CommandSpec, args: readonly string[]): void {
  const missing = command.arguments.find((argument, index) => argument.required && args[index] === undefined);
  if (missing !== undefined) {
    throw new UsageError(`${command.name} needs ${missing.name}: ${missing.summary}`, {
      hint: `Example: ${command.examples[0].line}`,
    });
  }
  if (args.length > command.arguments.length && command.arguments.at(-1)?.repeatable === undefined) {
    throw new UsageError(`Unexpected argument "${args[command.arguments.length]}" for ${command.name}`, {
      hint: `codicil help ${command.name} shows how to call it.`,
    });
  }
  command.arguments.forEach((argument: ArgumentSpec, index) => {
    const value = args[index];
    if (value !== undefined) checkChoice(command, argument.name, value, argument.choices);
  });
}

function checkChoice(command: CommandSpec, what: string, value: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(value)) return;
  const near = nearest(value, choices);
  throw new UsageError(`Cannot take "${value}" for ${what}: wanted ${choices.join(', ')}`, {
    hint: near === undefined ? `codicil help ${command.name} shows how to call it.` : `Did you mean "${near}"?`,
  });
}
