/**
 * `codicil completion`: scripts that complete commands, options and their choices, made from the command table.
 * They start no program, so that a completion never waits for an index.
 */
import type { CommandSpec, OptionSpec } from '../command-spec.js';
import { COMMANDS } from '../commands.js';
import { EXIT_DONE } from '../failure.js';
import { optionsOf } from '../parse-invocation.js';
import type { Verb } from '../run.js';

export const completion: Verb = async ({ invocation, output }) => {
  const scripts: Readonly<Record<string, () => readonly string[]>> = {
    bash: bashScript,
    zsh: zshScript,
    fish: fishScript,
  };
  for (const line of scripts[invocation.arguments[0]!]!()) await output.line(line);
  return EXIT_DONE;
};

const NAMES = COMMANDS.map((command) => command.name);

/** Choices of a command's first argument. */
function argumentChoices(command: CommandSpec): readonly string[] {
  return command.name === 'help' ? NAMES : (command.arguments[0]?.choices ?? []);
}

function takesFolder(option: OptionSpec): boolean {
  return option.value === 'DIR';
}

function bashScript(): readonly string[] {
  const valueCases = new Map<string, string>();
  for (const option of COMMANDS.flatMap(optionsOf)) {
    if (option.choices !== undefined)
      valueCases.set(option.name, `COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$word"))`);
    else if (takesFolder(option)) valueCases.set(option.name, 'COMPREPLY=($(compgen -d -- "$word"))');
    else if (option.value !== undefined) valueCases.set(option.name, 'COMPREPLY=()');
  }
  return [
    '_codicil() {',
    `  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" words=""`,
    '  case "$previous" in',
    ...[...valueCases].map(([name, reply]) => `    --${name}) ${reply}; return ;;`),
    '  esac',
    '  for ((at = 1; at < COMP_CWORD; at++)); do',
    `    case "\${COMP_WORDS[at]}" in`,
    `      ${NAMES.join('|')}) command="\${COMP_WORDS[at]}"; break ;;`,
    '    esac',
    '  done',
    '  case "$command" in',
    ...COMMANDS.map(
      (command) =>
        `    ${command.name}) words="${[...argumentChoices(command), ...optionsOf(command).map((option) => `--${option.name}`)].join(' ')}" ;;`,
    ),
    `    *) words="${NAMES.join(' ')} --help --version" ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _codicil codicil',
  ];
}

function zshScript(): readonly string[] {
  const describe = (name: string, summary: string): string => `${name}:${summary}`.replaceAll("'", "'\\''");
  return [
    '#compdef codicil',
    '_codicil() {',
    '  local -a commands',
    '  commands=(',
    ...COMMANDS.map((command) => `    '${describe(command.name, command.summary)}'`),
    '  )',
    "  _arguments -C '1:command:->command' '*::argument:->argument'",
    '  case $state in',
    "    command) _describe 'command' commands ;;",
    '    argument)',
    '      case $words[1] in',
    ...COMMANDS.map(
      (command) =>
        `        ${command.name}) _arguments ${[...optionsOf(command).map(zshOption), zshArgument(command)].join(' ')} ;;`,
    ),
    '      esac ;;',
    '  esac',
    '}',
    // The file may be sourced, or autoloaded by its name.
    'if [ "$funcstack[1]" = "_codicil" ]; then _codicil "$@"; else compdef _codicil codicil; fi',
  ];
}

function zshOption(option: OptionSpec): string {
  const summary = option.summary.replace(/[[\]:]/g, '\\$&').replaceAll("'", "'\\''");
  const values =
    option.choices === undefined ? (takesFolder(option) ? '_files -/' : ' ') : `(${option.choices.join(' ')})`;
  const repeat = option.repeatable === undefined ? '' : '*';
  return `'${repeat}--${option.name}[${summary}]${option.value === undefined ? '' : `:${option.value.replaceAll('|', ' or ')}:${values}`}'`;
}

function zshArgument(command: CommandSpec): string {
  const choices = argumentChoices(command);
  if (choices.length > 0) return `'1:${command.arguments[0]!.name}:(${choices.join(' ')})'`;
  return command.arguments.length === 0 ? "'*: :'" : "'*:argument:_files'";
}

function fishScript(): readonly string[] {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return [
    'complete -c codicil -f',
    ...COMMANDS.map(
      (command) => `complete -c codicil -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    ),
    ...COMMANDS.flatMap((command) => {
      const when = `-n '__fish_seen_subcommand_from ${command.name}'`;
      const options = optionsOf(command).map((option) => {
        const choices = option.choices === undefined ? '' : ` -a ${quoted(option.choices.join(' '))}`;
        const value =
          option.value === undefined
            ? ''
            : takesFolder(option)
              ? " -r -a '(__fish_complete_directories)'"
              : ` -x${choices}`;
        return `complete -c codicil ${when} -l ${option.name}${value} -d ${quoted(option.summary)}`;
      });
      const choices = argumentChoices(command);
      return choices.length === 0
        ? options
        : [...options, `complete -c codicil ${when} -a ${quoted(choices.join(' '))}`];
    }),
  ];
}
