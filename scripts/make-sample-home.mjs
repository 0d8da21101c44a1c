/**
 * Writes sample-home/: a small invented Codex home that ships with the package, so that everything can be tried
 * without one's own sessions. Deterministic: the same bytes on every machine, except that zstd may pack differently,
 * so a compressed log that still holds the right text is left as it is.
 *
 *   node scripts/make-sample-home.mjs [--out DIR]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';
import { decompress } from 'fzstd';
import { LegacyScribe } from '../bench/lib/legacy-scribe.mjs';
import { PaginatedScribe } from '../bench/lib/paginated-scribe.mjs';
import { makeRandom, token, uuid7 } from '../bench/lib/random.mjs';
import { SAMPLE_THREADS } from './sample-threads.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const HOME = values.out ?? path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'sample-home');

const ORIGINATORS = { exec: 'codex_exec', vscode: 'codex_vscode', cli: 'codex_cli_rs', subagent: 'codex_cli_rs' };
const INSTRUCTIONS =
  'You are a coding agent in a terminal. Read before you change, make small changes, run the tests, and say in plain words what you did.';
const TEXTS = {
  permissions:
    '<permissions instructions>\nCommands run without a sandbox in this project, and nobody is asked before they run.\n</permissions instructions>',
  skills: '<skills_instructions>\nNo skills are installed.\n</skills_instructions>',
};
const INTERRUPTED = '<turn_aborted>\nThe user stopped this turn before it was done.\n</turn_aborted>';

function sourceOf(thread, written) {
  if (thread.source !== 'subagent') return { source: thread.source };
  const parentThreadId = written.get(thread.parent).id;
  const spawned = { parent_thread_id: parentThreadId, depth: 1, agent_nickname: 'finder', agent_role: 'explorer' };
  return { source: { subagent: { thread_spawn: spawned } }, parentThreadId };
}

function patchOf({ file, add, diff }, cwd) {
  const absolute = `${cwd}/${file}`;
  if (add !== undefined) {
    const added = add
      .trimEnd()
      .split('\n')
      .map((line) => `+${line}\n`)
      .join('');
    return {
      patch: `*** Begin Patch\n*** Add File: ${file}\n${added}*** End Patch`,
      report: `Success. Updated the following files:\nA ${file}\n`,
      changes: { [absolute]: { type: 'add', content: add } },
    };
  }
  const hunk = diff.replace(/^@@ .* @@/, '@@');
  return {
    patch: `*** Begin Patch\n*** Update File: ${file}\n${hunk}*** End Patch`,
    report: `Success. Updated the following files:\nM ${file}\n`,
    changes: { [absolute]: { type: 'update', unified_diff: diff, move_path: null } },
  };
}

function writeStep(scribe, random, step, asked) {
  const spend = (text, reasoning = 0) => {
    const before = scribe.windowTokens === 0 ? 4200 : scribe.windowTokens;
    scribe.spend(before + Math.ceil(asked.length / 4), Math.ceil(text.length / 4) + 8, reasoning);
  };
  scribe.wait(random.between(900, 4000));
  if (step.think !== undefined) {
    spend(step.think.join(' '), 40);
    scribe.reasoning(step.think, token(160, random));
  } else if (step.run !== undefined) {
    spend(step.run);
    scribe.command({ cmd: step.run, output: step.out, exitCode: step.exit ?? 0, seconds: step.secs });
  } else if (step.patch !== undefined) {
    spend(step.patch.diff ?? step.patch.add);
    scribe.patch(patchOf(step.patch, scribe.thread.cwd));
  } else if (step.compact !== undefined) {
    spend(step.compact);
    scribe.compaction(step.compact, [asked]);
  } else {
    spend(step.say);
    scribe.agentMessage(step.say);
  }
}

function writeThread(thread, index, written) {
  const random = makeRandom(2026, index);
  const startMs = Date.parse(thread.startedAt);
  const lines = [];
  const base = thread.forkOf === undefined ? undefined : written.get(thread.forkOf);
  const described = {
    id: uuid7(startMs, random),
    startMs,
    cwd: thread.project.cwd,
    originator: ORIGINATORS[thread.source],
    ...sourceOf(thread, written),
    provider: 'openai',
    model: thread.dialect === 'legacy' ? 'gpt-5.4' : 'gpt-6.1-terra',
    effort: 'medium',
    cliVersion: thread.dialect === 'legacy' ? '0.125.0' : '0.171.0',
    instructions: INSTRUCTIONS,
    git: { commit_hash: random.hex(40), branch: 'main', repository_url: thread.project.repository },
    contextWindow: 258_400,
    ...(base === undefined
      ? {}
      : { historyBase: { threadId: base.id, endOrdinal: base.ordinal, endByteOffset: base.bytes } }),
  };
  const Scribe = thread.dialect === 'legacy' ? LegacyScribe : PaginatedScribe;
  const scribe = new Scribe(described, TEXTS, random, (line) => lines.push(line));
  scribe.sessionMeta();
  for (const turn of thread.turns) {
    scribe.beginTurn();
    scribe.userMessage(turn.user);
    for (const step of turn.steps) writeStep(scribe, random, step, turn.user);
    if (turn.aborted) scribe.abortTurn(INTERRUPTED);
    else if (!turn.open) scribe.endTurn();
    scribe.wait(random.between(20_000, 120_000));
  }
  return { scribe, described, text: `${lines.join('\n')}\n` };
}

/** Zstandard without a checksum, as Codex packs; from Node where it can, else from the `zstd` program. */
function pack(bytes) {
  if (typeof zlib.zstdCompressSync === 'function') return zlib.zstdCompressSync(bytes);
  const packed = spawnSync('zstd', ['-q', '-c', '--no-check'], { input: bytes, maxBuffer: 1 << 24 });
  if (packed.status !== 0) throw new Error('Cannot compress: this Node has no zstd and there is no zstd program');
  return packed.stdout;
}

function holds(file, bytes) {
  return existsSync(file) && Buffer.from(decompress(readFileSync(file))).equals(bytes);
}

/** Cuts the log in the middle of its last command output, as when the power goes during a write. */
function tear(text) {
  const start = text.lastIndexOf('\n', text.lastIndexOf('"type":"function_call_output"')) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(0, start + Math.floor((end - start) / 2));
}

const written = new Map();
const names = [];
const wanted = new Set(['README.md']);
for (const [index, thread] of SAMPLE_THREADS.entries()) {
  const { scribe, described, text } = writeThread(thread, index, written);
  written.set(thread, { id: described.id, ordinal: scribe.ordinal, bytes: scribe.bytes });
  const stamp = thread.startedAt.slice(0, 19);
  const folder = thread.archived ? 'archived_sessions' : path.join('sessions', ...stamp.slice(0, 10).split('-'));
  const name = path.join(
    folder,
    `rollout-${stamp.replaceAll(':', '-')}-${described.id}.jsonl${thread.compressed ? '.zst' : ''}`,
  );
  const file = path.join(HOME, name);
  mkdirSync(path.dirname(file), { recursive: true });
  if (!thread.compressed) writeFileSync(file, thread.tornTail ? tear(text) : text);
  else if (!holds(file, Buffer.from(text))) writeFileSync(file, pack(Buffer.from(text)));
  wanted.add(name);
  const endedAt = new Date(scribe.clockMs);
  utimesSync(file, endedAt, endedAt);
  if (thread.name !== undefined) {
    const updatedAt = `${endedAt.toISOString().slice(0, -1)}420117Z`;
    names.push(`${JSON.stringify({ id: described.id, thread_name: thread.name, updated_at: updatedAt })}\n`);
  }
}
writeFileSync(path.join(HOME, 'session_index.jsonl'), names.join(''));
wanted.add('session_index.jsonl');

// What an earlier version of the conversations left behind.
for (const entry of readdirSync(HOME, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath ?? entry.path, entry.name);
  if (entry.isFile() && !wanted.has(path.relative(HOME, file))) rmSync(file);
}
console.log(`${SAMPLE_THREADS.length} threads in ${path.basename(HOME)}`);
