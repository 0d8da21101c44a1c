/**
 * The commands of this release, in the order in which help shows them.
 */
import type { UnknownTypePolicy } from '../protocol/policies.js';
import type { ArgumentSpec, CommandSpec, GlobalOption, OptionSpec } from './command-spec.js';

const HOME_VARIABLES = ['CODICIL_HOME', 'CODICIL_SQLITE_HOME', 'CODICIL_LOG', 'CODEX_HOME'] as const;
const VIEW_VARIABLES = ['NO_COLOR', 'TZ'] as const;

const LAST: OptionSpec = { name: 'last', summary: 'Take the newest thread instead of an ID' };
/** Typed, not imported: help and completion need no decoder. A test holds them and the protocol's together. */
const POLICIES: readonly UnknownTypePolicy[] = ['strict', 'skip-line', 'refuse-unless-ignorable', 'map-to-unknown'];
/** Of a command that reads homes and prints a document or a view. */
const READING: readonly GlobalOption[] = ['home', 'json', 'no-color', 'help'];
/** Of a command whose output is one text, for a person or a program. */
const TEXT: readonly GlobalOption[] = ['help'];
const JSONL: OptionSpec = { name: 'jsonl', summary: 'Print one JSON record a line' };
const THREAD: ArgumentSpec = {
  name: 'ID',
  summary: 'A full id, the end of one (4 digits or more), the exact name of a thread, or its file',
  required: false,
};

const FOREIGN: OptionSpec = { name: 'foreign', summary: 'Also in a home that another program owns' };
const YES: OptionSpec = { name: 'yes', summary: 'Do not ask' };
const CHANGED = 'Safe to repeat: it says what it changed, and what was so already.';

/** Where `--last` would be a trap. */
const NAMED_THREAD: ArgumentSpec = { ...THREAD, required: true };

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'list',
    summary: 'List the threads of every home, newest first.',
    details: [
      'Without options: every active root thread, of whatever folder, provider and source. What is not shown is counted by reason.',
      'A page of --tree is of roots, each with all that stands below it; a filter finds a tree by any thread in it, and children that a list hides are shown. Tokens are counted once however often their history was copied: reading them takes the logs of the page.',
      'A time is 7d (or m, h, w), a local date or an ISO instant; a date given to --until includes that day.',
    ],
    arguments: [],
    options: [
      { name: 'limit', value: 'N', summary: 'Threads a page, 1 to 100000 (default 25)' },
      { name: 'cursor', value: 'C', summary: 'Go on after the page that ended with this cursor' },
      {
        name: 'sort',
        value: 'KEY',
        summary: 'Order by the last record (default) or by the first',
        choices: ['updated', 'created'],
      },
      { name: 'cwd', value: 'DIR', summary: 'Only threads that ran in this folder' },
      { name: 'provider', value: 'P', summary: 'Only threads of this model provider' },
      { name: 'source', value: 'S', summary: 'Only threads of this source: cli, exec, vscode, …' },
      { name: 'since', value: 'TIME', summary: 'Only from this time on' },
      { name: 'until', value: 'TIME', summary: 'Only up to this time' },
      { name: 'archived', summary: 'Archived threads instead of active ones' },
      { name: 'all', summary: 'Every file as a row, the hidden ones with their reason' },
      { name: 'tree', summary: 'Forks and child threads below where they come from, with the tokens of each' },
      { name: 'why', value: 'ID|PATH', summary: 'Say why this thread or file is listed or not' },
      JSONL,
    ],
    examples: [
      { line: 'codicil list --cwd . --since 7d', says: 'what happened in this folder in the last week' },
      { line: 'codicil list --all --json', says: 'every rollout file, with the reason when it is hidden' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, ...VIEW_VARIABLES, 'PAGER'],
  },
  {
    name: 'show',
    summary: 'Show a thread turn by turn, or the log lines at an address.',
    details: [
      'On a terminal: the last 20 turns through the pager, with tool calls, reasoning and injected text folded to one line each.',
      'An address is ID:LINE or ID:LINE-LINE. Where a thread stands in several files, as after a fork or a revert, ID/1:LINE is a line of its oldest file, ID/2:LINE of the next; FILE:LINE is a line of that file. A damaged line is shown with the bytes that are there.',
    ],
    arguments: [
      { ...THREAD, name: 'ID|ADDRESS', summary: `${THREAD.summary}; with :LINE or :LINE-LINE, those lines of its log` },
    ],
    options: [
      {
        name: 'turns',
        value: 'A..B',
        summary: 'Turns A to B, from 1; either end may be left out, and -N.. means the last N',
      },
      { name: 'all', summary: 'Also the records that are no items, such as token counts' },
      { name: 'tools', summary: 'Tool calls, their output, reasoning and injected text in full' },
      { name: 'raw', summary: 'The text of each item is its log line as it stands' },
      { name: 'follow', summary: 'Go on showing what is appended, wherever the log goes, until interrupted' },
      { name: 'context', value: 'N', summary: 'With an address: N lines more on either side' },
      JSONL,
      LAST,
    ],
    examples: [
      { line: 'codicil show --last', says: 'the newest thread' },
      { line: 'codicil show 5b1a90cd:120-140 --context 3', says: 'lines of a log, found by the last digits of its id' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, ...VIEW_VARIABLES, 'PAGER'],
  },
  {
    name: 'search',
    summary: 'Find messages by their words, in every home.',
    details: [
      'Messages with the words as typed come first, then those with all words in some form, then by relevance; what was said around a message counts for it, and among equals the newest comes first. "…" is a phrase, -word leaves out what has it (behind -- when it comes first), and nothing else is an operator.',
      'Searches what users and agents said. Secrets are masked before they reach the index; each hit has an address that show opens.',
    ],
    arguments: [{ name: 'QUERY', summary: 'Words and phrases to look for', required: false, repeatable: true }],
    options: [
      { name: 'limit', value: 'N', summary: 'Hits, 1 to 1000 (default 20)' },
      {
        name: 'by',
        value: 'WHAT',
        summary: 'A hit is a message (default), or the best message of each thread',
        choices: ['message', 'thread'],
      },
      { name: 'cwd', value: 'DIR', summary: 'Only threads that ran in this folder' },
      { name: 'role', value: 'R', summary: 'Only what this one said', choices: ['user', 'assistant', 'tool'] },
      { name: 'since', value: 'TIME', summary: 'Only messages from this time on' },
      { name: 'until', value: 'TIME', summary: 'Only messages up to this time' },
      { name: 'batch', summary: 'Read queries from stdin, a line each, and print one JSON document a line' },
      JSONL,
    ],
    examples: [
      { line: 'codicil search "flaky test" --cwd .', says: 'what was said about it in this folder' },
      {
        line: 'codicil search \'"exact words" -draft\' --by thread --json',
        says: 'threads with a phrase, as a document',
      },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, ...VIEW_VARIABLES, 'PAGER'],
  },
  {
    name: 'history',
    summary: 'Print what a resume of a thread would send to the model.',
    details: [
      'The payloads are those on disk with all their fields; damage that was found on the way is told on stderr.',
    ],
    arguments: [THREAD],
    options: [LAST],
    examples: [
      { line: 'codicil history 5b1a90cd --json', says: 'the whole history as one document' },
      { line: 'codicil history --last', says: 'one line an item, for reading' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'verify',
    summary: 'Check rollout files for damage, changing nothing.',
    details: [
      'Of more than 20 files only the bad ones are shown, and the others counted.',
      'Exits 1 when bytes of a record are lost or the policy refuses a file. What a reader gets over (a byte order mark, padding, fused records, unknown types) is reported with ok.',
    ],
    arguments: [{ name: 'PATH|ID', summary: 'A rollout file, or a thread as in show', required: false }],
    options: [
      { name: 'all', summary: 'Every rollout file of every home' },
      {
        name: 'policy',
        value: 'P',
        summary: 'What a reader does with a type that it does not know (default skip-line)',
        choices: POLICIES,
      },
      LAST,
    ],
    examples: [
      { line: 'codicil verify --all', says: 'check everything' },
      { line: 'codicil verify rollout.jsonl --policy strict --json', says: 'would a strict reader take this file?' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'decode',
    summary: 'Decode protocol lines from stdin under one of the four unknown-type policies.',
    details: [
      'Always prints JSON lines: one object for each line, and a summary last. Exits 1 when the policy refuses to open the log.',
    ],
    arguments: [],
    options: [
      {
        name: 'as',
        value: 'POLICY',
        summary: 'What to do with a type that is not known',
        choices: POLICIES,
      },
      {
        name: 'shape',
        value: 'SHAPE',
        summary: 'What a line is (default auto)',
        choices: ['auto', 'rollout', 'event', 'msg'],
      },
      { name: 'only-name', value: 'N', summary: 'Of the variant that N names, know no other spelling' },
    ],
    examples: [
      { line: 'codicil decode --as skip-line < rollout.jsonl', says: 'what a resume makes of each line' },
      {
        line: 'codicil decode --as strict --only-name turn_started < events.jsonl',
        says: 'what breaks if a name is dropped',
      },
    ],
    globals: TEXT,
    environment: [],
  },
  {
    name: 'open',
    summary: 'Go on with a thread in the program it belongs to.',
    details: ['Shows the command, then runs it in the folder of the thread, without a shell.'],
    arguments: [THREAD],
    options: [{ name: 'print', summary: 'Only print the command' }, LAST],
    examples: [
      { line: 'codicil open --last', says: 'go on where you stopped' },
      { line: 'codicil open 5b1a90cd --print', says: 'the command, to copy' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES],
  },
  {
    name: 'fork',
    summary: 'Begin a new thread with what another one holds.',
    details: [
      'Turns are counted as show counts them. A legacy log is copied up to there; a paginated one is continued by reference, so its source has to stay. In the home of another program, that program can go on with the fork.',
    ],
    arguments: [THREAD],
    options: [{ name: 'at-turn', value: 'T', summary: 'The last turn that the fork keeps (default all)' }, LAST],
    examples: [
      { line: 'codicil fork 5b1a90cd', says: 'try another way without losing this one' },
      { line: 'codicil fork --last --at-turn 3 --json', says: 'go back to the third turn, in a thread of its own' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'rollback',
    summary: 'Take the last turns of a thread away.',
    details: [
      'Nothing is erased: a legacy log gets a marker, a paginated thread goes on in a new file. A turn in which the user said nothing goes with the one before it.',
    ],
    arguments: [THREAD],
    options: [{ name: 'turns', value: 'N', summary: 'How many turns, from the last one back' }, LAST],
    examples: [
      { line: 'codicil rollback --last --turns 1', says: 'unsay the last message, and its answer' },
      { line: 'codicil rollback 5b1a90cd --turns 2 --json', says: 'the same for two, as a document' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'rename',
    summary: 'Give a thread a name.',
    details: ['The name is added to session_index.jsonl, where Codex reads it too; the log stays as it is.', CHANGED],
    arguments: [THREAD, { name: 'NAME', summary: 'The new name; with --last the only argument', required: false }],
    options: [FOREIGN, LAST],
    examples: [
      { line: 'codicil rename 5b1a90cd "The build"', says: 'then open it with that name' },
      { line: 'codicil rename --last "Release notes"', says: 'name what you just did' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'archive',
    summary: 'Move a thread out of the list.',
    details: ['All its files move to archived_sessions, nothing in them changes. Searching still finds it.', CHANGED],
    arguments: [THREAD],
    options: [FOREIGN, LAST],
    examples: [
      { line: 'codicil archive 5b1a90cd', says: 'done with it' },
      { line: 'codicil list --archived', says: 'what was archived' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'unarchive',
    summary: 'Move an archived thread back into the list.',
    details: ['Its files go to the folder of the date in their names.', CHANGED],
    arguments: [NAMED_THREAD],
    options: [FOREIGN],
    examples: [
      { line: 'codicil unarchive 5b1a90cd', says: 'not done after all' },
      { line: 'codicil unarchive "The build" --json', says: 'by name, as a document' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'compress',
    summary: 'Compress the files of a thread with zstd.',
    details: [
      'Every command reads compressed logs as plain ones, and going on with one unpacks it. The compressed file is read back before the plain one goes.',
      CHANGED,
    ],
    arguments: [THREAD],
    options: [FOREIGN, LAST],
    examples: [
      { line: 'codicil compress 5b1a90cd', says: 'to about a fifth of its size' },
      { line: 'codicil doctor --disk', says: 'which threads take the most room' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'delete',
    summary: 'Move a thread to the trash of Codicil.',
    details: [
      'It asks first, or takes --yes. Nothing is erased, and nothing in the trash goes by age. A thread that forks continue stays until they are gone.',
    ],
    arguments: [THREAD],
    options: [YES, FOREIGN, LAST],
    examples: [
      { line: 'codicil delete 5b1a90cd', says: 'asks, then moves it' },
      { line: 'codicil trash --restore 5b1a90cd', says: 'back where it was' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'trash',
    summary: 'Show what was deleted, bring it back, or remove it for good.',
    details: [],
    arguments: [],
    options: [
      { name: 'restore', value: 'ID', summary: 'Put this thread back where it was' },
      { name: 'purge', summary: 'Remove everything in the trash for good; asks first' },
      YES,
    ],
    examples: [
      { line: 'codicil trash', says: 'what can be brought back' },
      { line: 'codicil trash --purge --yes', says: 'empty it without a question' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'purge',
    summary: 'Remove a thread for good: its logs, and every trace of it in what is derived.',
    details: [
      'It asks first, or takes --yes. Logs, segments, copies in the trash, names, entries of the program log, rows and terms of the index go, and it says where something was. Copies elsewhere (backups, other homes) are not touched.',
    ],
    arguments: [NAMED_THREAD],
    options: [YES, FOREIGN, LAST],
    examples: [
      { line: 'codicil purge 5b1a90cd', says: 'asks, then removes it' },
      { line: 'codicil doctor --secrets', says: 'finds what may be worth purging' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'homes',
    summary: 'List the homes that the reading commands cover.',
    details: [],
    arguments: [],
    options: [],
    examples: [
      { line: 'codicil homes', says: 'where threads are read from, and how far the index is' },
      { line: 'codicil homes --home /backup/.codex --json', says: 'the same for one folder' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'rebuild',
    summary: 'Build the index anew from the logs.',
    details: [
      'The old index answers until the new one is whole. With --prove the two are compared; a difference exits 1.',
    ],
    arguments: [],
    options: [{ name: 'prove', summary: 'Show that the new index equals the one before' }],
    examples: [
      { line: 'codicil rebuild', says: 'when the index is in doubt' },
      { line: 'codicil rebuild --prove --json', says: 'the proof, as a document' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES],
  },
  {
    name: 'audit',
    summary: 'Check the databases of the homes, and compare their rows with the logs.',
    details: [
      'Databases of other programs are copied to a private temporary folder and opened there; nothing in a home changes.',
      'Exits 1 when anything was found. Logs are never at fault here: verify checks those.',
    ],
    arguments: [],
    options: [],
    examples: [
      { line: 'codicil audit', says: 'why does Codex not list a thread?' },
      { line: 'codicil audit --home ~/.codex --json', says: 'every row and problem, as a document' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'CODEX_SQLITE_HOME', 'TMPDIR', 'NO_COLOR'],
  },
  {
    name: 'doctor',
    summary: 'Check the program, the homes and what is derived from them, with a repair for each fault.',
    details: [
      'Exits 1 while a fault is left. --repair touches derived data only, never a log and never a home of another program.',
      'With --secrets every text of every log is searched; a secret is told by its address and kind, and never shown.',
    ],
    arguments: [],
    options: [
      { name: 'repair', summary: 'Run the repairs, then check again' },
      { name: 'secrets', summary: 'Look for secrets in the logs, and in what is derived from them' },
      { name: 'disk', summary: 'Show what takes the room on disk: projects, threads, images that are stored twice' },
    ],
    examples: [
      { line: 'codicil doctor', says: 'is all well?' },
      { line: 'codicil doctor --secrets --json', says: 'every address at which a key was written down' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'CODEX_SQLITE_HOME', 'TMPDIR', 'NO_COLOR'],
  },
  {
    name: 'logs',
    summary: 'Show what the program did: its own log, newest last.',
    details: [
      'An entry belongs to a thread, or to the run of the program where it is about none; each such partition keeps its newest 1,000 entries, within 10 MiB and 10 days. Secrets are masked before anything is stored.',
      'The level is set by CODICIL_LOG, or by level in [codicil.log] of config.toml; off keeps no log. Times are those of list.',
    ],
    arguments: [],
    options: [
      { name: 'thread', value: 'ID', summary: 'Only entries about this thread, given as in show' },
      {
        name: 'level',
        value: 'L',
        summary: 'Only entries of this level and graver ones',
        choices: ['trace', 'debug', 'info', 'warn', 'error'],
      },
      { name: 'search', value: 'S', summary: 'Only entries whose message holds this text, capitals as given' },
      { name: 'limit', value: 'N', summary: 'The newest so many, 1 to 100000 (default 200)' },
      { name: 'since', value: 'TIME', summary: 'Only from this time on' },
      { name: 'until', value: 'TIME', summary: 'Only up to this time' },
      JSONL,
    ],
    examples: [
      { line: 'codicil logs --level warn --since 1d', says: 'what went wrong since yesterday' },
      { line: 'codicil logs --thread 5b1a90cd --json', says: 'all that is known about one thread' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, ...VIEW_VARIABLES, 'PAGER'],
  },
  {
    name: 'export',
    summary: 'Write a thread as log lines, Markdown, a page or a bundle that another home can import.',
    details: [
      'A bundle is one file with the whole logs of the threads and of those that they continue, their names and checksums. It says how many secrets it holds, so it needs --raw (every byte as it is) or --mask. The other formats are masked unless --raw is given.',
      'jsonl is every log line of the thread, of all the files that it stands in, oldest first. html is one file that loads nothing from anywhere.',
      'Without -o, or with -o -, it goes to stdout. A file that is there is never replaced without --force.',
    ],
    arguments: [{ ...THREAD, repeatable: true, summary: `${THREAD.summary}; several for a bundle` }],
    options: [
      {
        name: 'format',
        value: 'F',
        summary: 'What to write (default bundle)',
        choices: ['bundle', 'jsonl', 'md', 'html'],
      },
      { name: 'output', value: 'FILE', short: 'o', summary: 'Where to write it' },
      { name: 'mask', summary: 'Put [REDACTED:kind] in the place of each secret' },
      { name: 'raw', summary: 'Leave every byte as it is, secrets too' },
      { name: 'force', summary: 'Replace the file that is there' },
      LAST,
    ],
    examples: [
      { line: 'codicil export 5b1a90cd --raw -o work.codicil', says: 'to go on with a thread on another machine' },
      { line: 'codicil export --last --format html -o thread.html', says: 'a page to read, without secrets' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'import',
    summary: 'Take in the threads of a bundle, a log, or a folder of logs.',
    details: [
      'Everything is checked before anything is placed; logs keep every byte, and nothing is ever replaced. A thread that is there with the same bytes is present; one with other bytes is a conflict, stays out, and exits 1. It is safe to repeat.',
      'Threads go to our own home, or to the one that --home names; into that of another program only with --foreign. What is imported counts as imported, not as typed here.',
    ],
    arguments: [{ name: 'PATH', summary: 'A bundle, a log named rollout-…, or a folder of logs', required: true }],
    options: [
      {
        name: 'map-cwd',
        value: 'FROM=TO',
        summary: 'Threads that ran in FROM, or below it, are at home in TO here; may be given more than once',
        repeatable: true,
      },
      { name: 'foreign', summary: 'Write into the home of another program' },
    ],
    examples: [
      { line: 'codicil import work.codicil --map-cwd /home/me/work=/Users/me/work', says: 'to go on with it here' },
      { line: 'codicil import /backup/.codex/sessions --json', says: 'every thread of a backup' },
    ],
    globals: READING,
    environment: [...HOME_VARIABLES, 'NO_COLOR'],
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell.',
    details: [],
    arguments: [{ name: 'SHELL', summary: 'bash, zsh or fish', required: true, choices: ['bash', 'zsh', 'fish'] }],
    options: [],
    examples: [
      { line: 'source <(codicil completion bash)', says: 'for this shell' },
      { line: 'codicil completion fish > ~/.config/fish/completions/codicil.fish', says: 'for good' },
    ],
    globals: TEXT,
    environment: [],
  },
  {
    name: 'help',
    summary: 'Show help for a command.',
    details: [],
    arguments: [{ name: 'COMMAND', summary: 'A command of this list', required: false }],
    options: [{ name: 'markdown', summary: 'Print the whole reference as Markdown' }],
    examples: [
      { line: 'codicil help show', says: 'the options of show' },
      { line: 'codicil help --markdown', says: 'everything, for a page' },
    ],
    globals: TEXT,
    environment: [],
  },
];
