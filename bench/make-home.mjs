/**
 * Makes big Codex homes for the bench: deterministic, line by line, never a whole home in memory.
 *
 *   node bench/make-home.mjs --out DIR --sessions 5000 --mb 1500 --seed 1
 *        [--dialect paginated|legacy|mixed] [--days 365] [--instructions-kb 20]
 *   node bench/make-home.mjs --out DIR --one-mb 50 [--dialect paginated|legacy]
 *   node bench/make-home.mjs --out DIR --one-gb 10 [--dialect paginated|legacy]
 *
 * Sizes are log-normal (sigma 1) around the mean, dates are spread over `--days` up to a fixed day.
 * `--one-mb` is one thread without compactions, so that the whole log is history: the worst case of a resume.
 * `--one-gb` is one thread of that size on a sparse file that takes a few megabytes of disk: a genuine head,
 * then a hole, then turns, a compaction with its replacement history, and 6 MB of turns. To a reader the hole
 * is one line of NUL bytes, gigabytes long, that ends in a newline; reading it costs time but no disk.
 *
 * Prints one JSON line: what was made.
 */
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readdirSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { LegacyScribe } from './lib/legacy-scribe.mjs';
import { PaginatedScribe } from './lib/paginated-scribe.mjs';
import { logNormal, makeRandom, uuid7 } from './lib/random.mjs';
import { makeTalk } from './lib/talk.mjs';
import { makeVocabulary } from './lib/vocabulary.mjs';

const END_MS = Date.parse('2026-11-01T00:00:00Z');
const DAY_MS = 86_400_000;
const FLUSH_CHARS = 1 << 20;
const MAX_THREAD_BYTES = 60e6;
const TAIL_BYTES = 6e6;

const PROJECTS =
  'atlas beacon cinder delta ember fathom garnet harbor indigo juniper kestrel lumen maple nectar onyx prism quartz'.split(
    ' ',
  );
const MODELS = {
  legacy: ['gpt-5.4', 'gpt-5.2-codex', 'gpt-5.4-mini'],
  paginated: ['gpt-6.1-terra', 'gpt-5.6-terra', 'gpt-6-luna'],
};
const ROLES = ['explorer', 'worker', 'reviewer'];

/** Collects lines and hands them to the file in large writes. */
class FileSink {
  #file;
  #pending = [];
  #chars = 0;

  constructor(file) {
    mkdirSync(path.dirname(file), { recursive: true });
    this.#file = openSync(file, 'w');
  }

  add = (line) => {
    this.#pending.push(line);
    this.#chars += line.length;
    if (this.#chars >= FLUSH_CHARS) this.flush();
  };

  flush(position = null) {
    if (this.#pending.length === 0) return;
    const bytes = Buffer.from(`${this.#pending.join('\n')}\n`);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, position === null ? null : position + done);
    }
    this.#pending = [];
    this.#chars = 0;
  }

  /** Leaves a hole up to `offset` and ends the line that it makes. What follows is written behind it. */
  holeTo(offset) {
    this.flush();
    // A write at a position leaves the file's own offset alone, so everything behind the hole must be placed, too.
    writeSync(this.#file, '\n', offset);
    let position = offset + 1;
    this.add = (line) => {
      const bytes = Buffer.from(`${line}\n`);
      writeSync(this.#file, bytes, 0, bytes.length, position);
      position += bytes.length;
    };
  }

  close() {
    this.flush();
    closeSync(this.#file);
  }
}

function makeWorld(options) {
  const shared = makeRandom(options.seed, 0x686f6d65);
  const vocabulary = makeVocabulary(options.seed);
  const talk = makeTalk(vocabulary, shared);
  const instructions = Array.from({ length: 3 }, () => talk.instructions(shared, options.instructionsKb * 1024));
  const skills = Math.min(2200, options.instructionsKb * 110);
  const texts = {
    permissions:
      '<permissions instructions>\nThis run has no sandbox. Nobody is asked before a command runs.\n</permissions instructions>',
    skills: `<skills_instructions>\n${talk.instructions(shared, skills)}</skills_instructions>`,
  };
  return { talk, instructions, texts };
}

function sourceOf(random, dialect, parents) {
  const draw = random.next();
  const parent = parents.at(-1);
  if (draw < 0.05 && dialect === 'paginated' && parent !== undefined) {
    const spawn = {
      parent_thread_id: parent.id,
      depth: 1,
      agent_nickname: random.pick(PROJECTS),
      agent_role: random.pick(ROLES),
    };
    return { source: { subagent: { thread_spawn: spawn } }, originator: 'codex_cli_rs', parentThreadId: parent.id };
  }
  if (draw < 0.05) return { source: { subagent: 'review' }, originator: 'codex_cli_rs' };
  if (draw < 0.4) return { source: 'exec', originator: 'codex_exec' };
  if (draw < 0.75) return { source: 'cli', originator: 'codex_cli_rs' };
  return { source: 'vscode', originator: 'codex_vscode' };
}

function describeThread(world, random, { dialect, startMs, parents }) {
  const project = random.pick(PROJECTS);
  const provider = random.chance(0.8) ? 'openai' : random.pick(['azure', 'ollama', 'mock']);
  return {
    id: uuid7(startMs, random),
    startMs,
    cwd: `/home/dev/${project}`,
    ...sourceOf(random, dialect, parents),
    provider,
    model: random.pick(MODELS[dialect]),
    effort: random.pick([null, 'low', 'medium', 'high']),
    cliVersion: dialect === 'legacy' ? '0.125.0' : '0.171.0',
    instructions: random.pick(world.instructions),
    git: {
      commit_hash: random.hex(40),
      branch: random.chance(0.7) ? 'main' : `fix/${random.pick(PROJECTS)}`,
      repository_url: `https://example.invalid/dev/${project}.git`,
    },
    contextWindow: 258_400,
  };
}

function fileOf(out, thread, archived) {
  const stamp = new Date(thread.startMs).toISOString();
  const name = `rollout-${stamp.slice(0, 19).replaceAll(':', '-')}-${thread.id}.jsonl`;
  if (archived) return path.join(out, 'archived_sessions', name);
  return path.join(out, 'sessions', ...stamp.slice(0, 10).split('-'), name);
}

const scribeFor = (dialect) => (dialect === 'legacy' ? LegacyScribe : PaginatedScribe);

/** Makes a fork of `parent` out of `thread`: by copy in the legacy dialect, by reference in the paginated one. */
async function beginFork(scribe, parent) {
  scribe.sessionMeta();
  if (scribe.dialect === 'paginated') return;
  for await (const line of createInterface({
    input: createReadStream(parent.file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    scribe.copyLine(line);
  }
}

async function makeThread(world, out, plan) {
  const { random, thread, dialect, parent, archived, bytes } = plan;
  if (parent !== undefined) {
    const { parentThreadId: _none, ...own } = { ...thread, cwd: parent.cwd, source: 'cli', originator: 'codex_cli_rs' };
    plan.thread =
      dialect === 'legacy'
        ? { ...own, forkedFromId: parent.id }
        : {
            ...own,
            historyBase: { threadId: parent.id, endOrdinal: parent.endOrdinal, endByteOffset: parent.endByteOffset },
          };
  }
  const file = fileOf(out, plan.thread, archived);
  const sink = new FileSink(file);
  const scribe = new (scribeFor(dialect))(plan.thread, world.texts, random, (line) => sink.add(line));
  if (parent === undefined) scribe.sessionMeta();
  else await beginFork(scribe, parent);
  do world.talk.turn(scribe, random, plan);
  while (scribe.bytes < bytes);
  sink.close();
  const endedAt = new Date(scribe.clockMs);
  utimesSync(file, endedAt, endedAt);
  return { file, scribe };
}

async function makeHome(out, options) {
  const world = makeWorld(options);
  const weights = makeRandom(options.seed, 0x73697a65);
  // A log-normal with sigma 1 has the mean e^0.5 at median 1.
  const sizes = Array.from({ length: options.sessions }, () => logNormal(weights, Math.exp(-0.5), 1));
  const scale = (options.mb * 1e6) / sizes.reduce((sum, size) => sum + size, 0);
  const made = {
    sessions: options.sessions,
    bytes: 0,
    lines: 0,
    turns: 0,
    forks: 0,
    archived: 0,
    named: 0,
    newestId: '',
  };
  const parents = [];
  const names = [];
  for (let index = 0; index < options.sessions; index++) {
    const random = makeRandom(options.seed, index + 1);
    const spanMs = (options.days * DAY_MS) / options.sessions;
    const startMs = Math.round(END_MS - spanMs * (options.sessions - index) + random.next() * spanMs * 0.5);
    const dialect =
      options.dialect !== 'mixed' ? options.dialect : index < options.sessions / 2 ? 'legacy' : 'paginated';
    const wanted = Math.min(MAX_THREAD_BYTES, sizes[index] * scale);
    const thread = describeThread(world, random, { dialect, startMs, parents });
    const candidate = parents.find((one) => one.dialect === dialect);
    const parent = random.chance(0.02) ? candidate : undefined;
    const archived = random.chance(0.02);
    const plan = { random, thread, dialect, parent, archived, bytes: wanted - 8000 };
    const { file, scribe } = await makeThread(world, out, plan);
    made.bytes += scribe.bytes;
    made.lines += scribe.lines;
    made.turns += scribe.turns;
    made.forks += parent === undefined ? 0 : 1;
    made.archived += archived ? 1 : 0;
    if (!archived) made.newestId = thread.id;
    if (random.chance(0.03)) {
      const updatedAt = `${new Date(scribe.clockMs).toISOString().slice(0, -1)}${random.hex(6).replace(/\D/g, '7')}Z`;
      names.push(JSON.stringify({ id: thread.id, thread_name: world.talk.title(random), updated_at: updatedAt }));
    }
    if (parent === undefined && !archived && thread.parentThreadId === undefined && scribe.bytes < 2e6) {
      parents.push({
        id: thread.id,
        file,
        dialect,
        cwd: thread.cwd,
        endOrdinal: scribe.ordinal,
        endByteOffset: scribe.bytes,
      });
      if (parents.length > 20) parents.shift();
    }
  }
  made.named = names.length;
  if (names.length > 0) writeFileSync(path.join(out, 'session_index.jsonl'), `${names.join('\n')}\n`);
  return made;
}

/** One thread of `bytes`; with `hole`, all but its head and its tail is a hole. */
function makeOne(out, options, { bytes, hole }) {
  const world = makeWorld(options);
  const random = makeRandom(options.seed, 1);
  const dialect = options.dialect === 'mixed' ? 'paginated' : options.dialect;
  const thread = {
    ...describeThread(world, random, { dialect, startMs: END_MS - 30 * DAY_MS, parents: [] }),
    source: 'cli',
    originator: 'codex_cli_rs',
  };
  delete thread.parentThreadId;
  const file = fileOf(out, thread, false);
  const sink = new FileSink(file);
  const scribe = new (scribeFor(dialect))(thread, world.texts, random, (line) => sink.add(line));
  scribe.sessionMeta();
  const turnsFor = (amount) => {
    const end = scribe.bytes + amount;
    do world.talk.turn(scribe, random, { compactions: false });
    while (scribe.bytes < end);
  };
  if (hole) {
    turnsFor(200_000);
    sink.holeTo(bytes - TAIL_BYTES - 300_000);
    if (dialect === 'paginated') scribe.ordinal += Math.round(bytes / 1000); // as if the records of the hole were lost
    turnsFor(200_000);
    scribe.beginTurn();
    scribe.userMessage('Please summarise and go on.');
    scribe.spend(200_000, 600);
    scribe.compaction(`Summary so far: ${world.talk.prose(random, 200, 'english')}`, ['Please summarise and go on.']);
    scribe.agentMessage('Going on from the summary.');
    scribe.endTurn();
    turnsFor(TAIL_BYTES);
  } else {
    turnsFor(bytes);
  }
  sink.close();
  const endedAt = new Date(scribe.clockMs);
  utimesSync(file, endedAt, endedAt);
  return {
    sessions: 1,
    bytes: hole ? bytes : scribe.bytes,
    lines: scribe.lines,
    turns: scribe.turns,
    newestId: thread.id,
  };
}

function usage(problem) {
  console.error(
    `${problem}\nUsage: make-home.mjs --out DIR (--sessions N --mb MB | --one-mb MB | --one-gb GB) [--seed S] [--dialect paginated|legacy|mixed] [--days D] [--instructions-kb KB]`,
  );
  process.exit(2);
}

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    sessions: { type: 'string' },
    mb: { type: 'string' },
    seed: { type: 'string', default: '1' },
    dialect: { type: 'string', default: 'mixed' },
    days: { type: 'string', default: '365' },
    'instructions-kb': { type: 'string', default: '20' },
    'one-mb': { type: 'string' },
    'one-gb': { type: 'string' },
  },
});

const number = (name) => {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value <= 0) usage(`--${name} must be a positive number`);
  return value;
};

if (values.out === undefined) usage('--out is missing');
if (!['paginated', 'legacy', 'mixed'].includes(values.dialect)) usage('--dialect must be paginated, legacy or mixed');
const out = path.resolve(values.out);
mkdirSync(out, { recursive: true });
if (readdirSync(out).length > 0) usage('--out must be empty');
const options = {
  seed: number('seed'),
  dialect: values.dialect,
  days: number('days'),
  instructionsKb: number('instructions-kb'),
};
let made;
if (values['one-mb'] !== undefined) made = makeOne(out, options, { bytes: number('one-mb') * 1e6, hole: false });
else if (values['one-gb'] !== undefined) made = makeOne(out, options, { bytes: number('one-gb') * 1e9, hole: true });
else made = await makeHome(out, { ...options, sessions: Math.round(number('sessions')), mb: number('mb') });
console.log(JSON.stringify(made));
