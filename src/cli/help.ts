/**
 * Help as text and as Markdown, both from the command table.
 */
import { type CommandSpec, ENVIRONMENT, GLOBAL_OPTIONS, type OptionSpec } from './command-spec.js';
import { COMMANDS } from './commands.js';
import { globalOptionsOf } from './parse-invocation.js';

const WIDTH = 80;

/** `codicil --help`. */
export function overviewHelp(): string {
  return [
    'Codicil reads, lists, checks and moves the session logs of Codex and its own.',
    '',
    'Usage: codicil [COMMAND] [OPTIONS]',
    '',
    'Without a command: on a terminal the picker, which finds threads by what was',
    'said in them; else, or with an option of list, the newest threads.',
    '',
    'Commands:',
    ...COMMANDS.flatMap((command) => entry(command.name, command.summary, 14)),
    '',
    'General options:',
    ...optionLines(GLOBAL_OPTIONS),
    ...entry('--version', 'Print the version', 24),
    '',
    'Examples:',
    ...entry('codicil list --cwd . --since 7d', 'what happened here in the last week', 36),
    ...entry('codicil show --last', 'the newest thread', 36),
    '',
    ...environmentLines(Object.keys(ENVIRONMENT)),
    'Exit codes: 0 done, 1 a fault was found or the work failed, 2 wrong usage,',
    '130 interrupted. Data goes to stdout, words to stderr.',
    '',
  ].join('\n');
}

/** `codicil help COMMAND`. */
export function commandHelp(command: CommandSpec): string {
  return [
    ...fill(command.summary, 0),
    '',
    `Usage: ${usageOf(command)}`,
    '',
    ...command.details.flatMap((paragraph) => [...fill(paragraph, 0), '']),
    ...section(
      'Arguments:',
      command.arguments.flatMap((argument) => entry(argument.name, argument.summary, 24)),
    ),
    ...section('Options:', optionLines(command.options)),
    ...section('General options:', optionLines(globalOptionsOf(command))),
    'Examples:',
    ...command.examples.flatMap((example) => [`  ${example.line}`, `      ${example.says}`]),
    '',
    ...environmentLines(command.environment),
  ].join('\n');
}

/** The whole reference: `docs/cli.md`. */
export function helpMarkdown(): string {
  const parts = [
    '# The command line',
    '',
    '<!-- Made by `npm run build && node scripts/cli-docs.mjs` from the help of the program. -->',
    '',
  ];
  parts.push('```text', overviewHelp().trimEnd(), '```', '');
  for (const command of COMMANDS)
    parts.push(`## codicil ${command.name}`, '', '```text', commandHelp(command).trimEnd(), '```', '');
  return parts.join('\n');
}

export function usageOf(command: CommandSpec): string {
  const args = command.arguments.map((argument) => (argument.required ? argument.name : `[${argument.name}]`));
  return ['codicil', command.name, ...args, '[OPTIONS]'].join(' ');
}

function optionLines(options: readonly OptionSpec[]): readonly string[] {
  return options.flatMap((option) => {
    const choices = option.choices === undefined ? '' : `: ${option.choices.join(', ')}`;
    return entry(
      `${option.short === undefined ? '' : `-${option.short}, `}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`,
      option.summary + choices,
      24,
    );
  });
}

function environmentLines(names: readonly string[]): readonly string[] {
  return section(
    'Environment:',
    names.flatMap((name) => entry(name, ENVIRONMENT[name] ?? '', 24)),
  );
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines, ''];
}

function entry(term: string, text: string, column: number): readonly string[] {
  const lines = fill(text, column);
  const head = `  ${term}`;
  if (head.length >= column) return [head, ...lines];
  return [head.padEnd(column) + lines[0]!.trimStart(), ...lines.slice(1)];
}

/** `text` (ASCII words and `…`) in lines of at most 80 columns, each indented. */
function fill(text: string, indent: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(' '.repeat(indent) + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(' '.repeat(indent) + line);
  return lines;
}
