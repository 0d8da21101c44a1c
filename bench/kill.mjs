/**
 * Kills indexers at random moments and starts several at once, then compares what is listed with a quiet run.
 *
 *   node bench/kill.mjs [--kills 50] [--at-once 5] [--sessions 400] [--mb 120] [--seed S]
 *
 * Half of the kills hit `rebuild`, half hit `list` on a home without an index. After each series the index is
 * finished and its rows must equal those of the quiet run; the logs must be untouched, and each database sound.
 * Prints one JSON line a check; exits 1 when one fails. The seed of the moments is printed and can be given again.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BIN, cachedHome, codicil, environment, stateFolder } from './lib/homes.mjs';
import { run } from './lib/measure.mjs';
import { makeRandom } from './lib/random.mjs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    'at-once': { type: 'string', default: '5' },
    sessions: { type: 'string', default: '400' },
    mb: { type: 'string', default: '120' },
    seed: { type: 'string' },
  },
});
if (!existsSync(BIN)) {
  console.error('dist/bin.js is not there: run `npm run build` first');
  process.exit(2);
}

const seed = Number(values.seed ?? Date.now() % 1_000_000);
const random = makeRandom(seed);
const home = await cachedHome(['--sessions', values.sessions, '--mb', values.mb, '--dialect', 'mixed', '--seed', '9']);
const listArgs = ['list', '--all', '--json', '--limit', '100000', '--home', home.path];
const rebuildArgs = ['rebuild', '--json', '--home', home.path];
let failed = false;

function report(check, ok, detail = {}) {
  if (!ok) failed = true;
  console.log(JSON.stringify({ check, ok, ...detail }));
}

/** The listed rows, in an order of their own; asks again while the index is still being built. */
async function rows(env) {
  for (let asked = 1; asked <= 50; asked++) {
    const page = JSON.parse((await run(codicil(...listArgs), { env })).stdout);
    if (page.index.state === 'complete') {
      return page.threads.map((thread) => JSON.stringify(thread)).sort();
    }
  }
  throw new Error('The index is still building after 50 lists');
}

function sameRows(check, found, wanted, detail = {}) {
  const known = new Set(wanted);
  const strange = found.filter((row) => !known.has(row));
  const missing = wanted.length - (found.length - strange.length);
  report(check, strange.length === 0 && missing === 0, {
    rows: found.length,
    missing,
    strange: strange.length,
    ...(strange.length > 0 ? { example: strange[0].slice(0, 600) } : {}),
    ...detail,
  });
}

/** Every file of the home with size, mode and time: what a reading program must leave alone. */
function fingerprint() {
  const files = readdirSync(home.path, { recursive: true, encoding: 'utf8' }).sort();
  return files
    .map((name) => {
      const { size, mtimeMs, mode } = statSync(path.join(home.path, name));
      return `${name} ${size} ${mtimeMs} ${mode}`;
    })
    .join('\n');
}

/** Starts the program, ends it with SIGKILL after `afterMs`; true when it was still running. */
function killAfter(args, env, afterMs) {
  return new Promise((resolve, reject) => {
    const [program, ...rest] = codicil(...args);
    const child = spawn(program, rest, { env, stdio: 'ignore' });
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
    child.on('error', reject);
    child.on('exit', (_code, signal) => {
      clearTimeout(timer);
      resolve(signal === 'SIGKILL');
    });
  });
}

/** `PRAGMA integrity_check` of each database below a folder; skipped where the driver is not installed. */
async function checkDatabases(check, folder) {
  let Database;
  try {
    ({ default: Database } = await import('better-sqlite3'));
  } catch {
    return report(`${check}: databases`, true, { skipped: 'better-sqlite3 is not installed' });
  }
  const problems = [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sqlite'));
  for (const name of files) {
    const database = new Database(path.join(folder, name));
    const [answer] = database.pragma('integrity_check');
    if (answer.integrity_check !== 'ok') problems.push(`${path.basename(name)}: ${answer.integrity_check}`);
    database.close();
  }
  report(`${check}: databases`, files.length > 0 && problems.length === 0, { files: files.length, problems });
}

const before = fingerprint();
const quietEnv = environment(stateFolder('kill-quiet', { fresh: true }));
const quiet = await run(codicil(...rebuildArgs), { env: quietEnv });
const wanted = await rows(quietEnv);
report('a quiet run', wanted.length > 0, { rows: wanted.length, rebuildMs: Math.round(quiet.ms), seed });

const cold = await run(codicil(...listArgs), {
  env: environment(stateFolder('kill-cold', { fresh: true })),
  capture: false,
});
const series = [
  { check: 'rebuild, killed', args: rebuildArgs, longestMs: quiet.ms, freshEvery: 10 },
  { check: 'list on a cold home, killed', args: listArgs, longestMs: cold.ms, freshEvery: 4 },
];
for (const { check, args, longestMs, freshEvery } of series) {
  const kills = Math.ceil(Number(values.kills) / series.length);
  const name = `kill-${series.findIndex((one) => one.args === args)}`;
  let landed = 0;
  for (let i = 0; i < kills; i++) {
    const env = environment(stateFolder(name, { fresh: i % freshEvery === 0 }));
    if (await killAfter(args, env, random.next() * longestMs * 1.05)) landed += 1;
    const last = i === kills - 1 || (i + 1) % freshEvery === 0;
    if (last) sameRows(check, await rows(env), wanted, { kills: i + 1, landed });
  }
  await run(codicil(...rebuildArgs), { env: environment(stateFolder(name)), capture: false });
  sameRows(`${check}, then rebuilt`, await rows(environment(stateFolder(name))), wanted);
  await checkDatabases(check, stateFolder(name));
}

const together = environment(stateFolder('kill-together', { fresh: true }));
const count = Number(values['at-once']);
const ends = await Promise.all(
  Array.from({ length: count }, (_, i) =>
    run(codicil(...(i % 2 === 0 ? rebuildArgs : listArgs)), { env: together, capture: false, mayFail: true }),
  ),
);
const bad = ends.filter((end) => end.code !== 0).map((end) => end.stderr.slice(-300));
report(`${count} indexers at once end well`, bad.length === 0, { bad });
sameRows(`${count} indexers at once`, await rows(together), wanted);
await checkDatabases(`${count} indexers at once`, stateFolder('kill-together'));
report('the logs are untouched', fingerprint() === before);
process.exit(failed ? 1 : 0);
