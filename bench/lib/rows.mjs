/**
 * The rows of the bench: what each measures, what it must reach and aims at.
 * Times are medians in milliseconds on a hot page cache; memory is the peak of a whole process in megabytes.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { APPEND_ROWS } from './append-rows.mjs';
import { appServerTimes, forgetDatabases, linkedCopy } from './codex.mjs';
import { bytesBelow, CACHE, codicil, environment, stateFolder } from './homes.mjs';
import { median, medianTime, peakMemory, peerOf, repeat, run } from './measure.mjs';
import { SEARCH_ROWS } from './search-rows.mjs';
import { indexed } from './shared-home.mjs';

const MEGABYTE = 1e6;
const IN_PROCESS = fileURLToPath(new URL('./in-process.mjs', import.meta.url));

/** What the real Codex needs on the same home, asked once; undefined where there is none. */
async function codexTimes(context, name) {
  if (context.codex === undefined) return undefined;
  const key = `codex ${name}`;
  if (!context.shared.has(key)) {
    const home = await context.home(name);
    const userHome = path.join(CACHE, 'codex-user');
    mkdirSync(userHome, { recursive: true });
    const copy = linkedCopy(home.path, path.join(CACHE, 'codex', home.name));
    forgetDatabases(copy);
    const cold = await appServerTimes(context.codex, copy, userHome);
    const warm = await appServerTimes(context.codex, copy, userHome);
    context.shared.set(key, { cold, warm, sessions: home.sessions });
  }
  return context.shared.get(key);
}

async function version({ runs }) {
  const env = environment(stateFolder('none'));
  const bare = await medianTime(runs * 3, [process.execPath, '-e', '0'], { env });
  return { value: await medianTime(runs * 3, codicil('--version'), { env }), peer: peerOf('node -e 0', bare) };
}

async function firstPage(context) {
  const { home, env } = await indexed(context, 'listing');
  const { stdout } = await run([process.execPath, IN_PROCESS, 'first-page', home.path, '200'], { env });
  const { ms, p95Ms, total, state } = JSON.parse(stdout);
  const codex = await codexTimes(context, 'many');
  return {
    value: ms,
    detail: { p95Ms, total, state },
    peer:
      codex &&
      peerOf(`Codex app-server, page of 50, warm, at ${codex.sessions.toLocaleString('en')}`, codex.warm.pageMs),
  };
}

async function listProcess(context) {
  const { home, env } = await indexed(context, 'many');
  const argv = codicil('list', '--json', '--limit', '50', '--home', home.path);
  const codex = await codexTimes(context, 'many');
  const peer =
    codex && peerOf('Codex app-server, warm start and first page', codex.warm.readyMs + codex.warm.firstPageMs);
  return { value: await medianTime(context.runs, argv, { env }), peer };
}

async function noChange(context) {
  const { home, env } = await indexed(context, 'many');
  const codex = await codexTimes(context, 'many');
  const argv = codicil('list', '--json', '--limit', '1', '--home', home.path);
  return {
    value: await medianTime(context.runs, argv, { env }),
    peer: codex && peerOf('Codex app-server, warm start', codex.warm.readyMs),
  };
}

async function coldIndex(context) {
  const home = await context.home('many');
  const fresh = () => ({ env: environment(stateFolder(`${home.name}-cold`, { fresh: true })) });
  const argv = codicil('rebuild', '--json', '--home', home.path);
  const value = median(await repeat(context.runs, async () => (await run(argv, { ...fresh(), capture: false })).ms));
  const memory = await peakMemory(argv, fresh());
  const derived = bytesBelow(stateFolder(`${home.name}-cold`));
  const codex = await codexTimes(context, 'many');
  const detail = { sessions: home.sessions, megabytes: Math.round(home.bytes / MEGABYTE) };
  return [
    { value, detail, peer: codex && peerOf('Codex app-server, cold start', codex.cold.readyMs) },
    ...(memory === null
      ? []
      : [
          {
            key: '-memory',
            label: 'the same, peak memory',
            value: memory / MEGABYTE,
            unit: 'MB',
            must: 250,
            aim: undefined,
          },
        ]),
    {
      key: '-derived',
      label: 'derived data beside the logs',
      value: (derived / home.bytes) * 100,
      unit: '%',
      must: 15,
      aim: 5,
    },
  ];
}

/** A row for `history` of the newest thread of a home: in process with the index made, and the whole program. */
function historyOf(homeName, aim) {
  return async (context) => {
    const { home, env } = await indexed(context, homeName);
    const argv = [process.execPath, IN_PROCESS, 'history', home.path, home.newestId];
    const samples = [];
    for (let i = 0; i < context.runs; i++) samples.push(JSON.parse((await run(argv, { env })).stdout));
    samples.sort((a, b) => a.ms - b.ms);
    const { ms, openMs, historyMs, items, damage } = median(samples);
    const memory = await peakMemory(argv, { env });
    const whole = await medianTime(context.runs, codicil('history', home.newestId, '--json', '--home', home.path), {
      env,
    });
    const detail = { openMs: Math.round(openMs), historyMs: Math.round(historyMs), items, damage };
    return [
      { value: ms, aim, detail },
      ...(memory === null
        ? []
        : [
            {
              key: '-memory',
              label: 'the same, peak memory',
              value: memory / MEGABYTE,
              unit: 'MB',
              must: 120,
              aim: undefined,
            },
          ]),
      {
        key: '-process',
        label: 'the same through `history --json`, whole process',
        value: whole,
        must: undefined,
        aim: undefined,
      },
    ];
  };
}

async function verifyThroughput(context) {
  const { home, env } = await indexed(context, 'many');
  const argv = codicil('verify', '--all', '--json', '--home', home.path);
  const ms = median(await repeat(Math.min(3, context.runs), async () => (await run(argv, { env, capture: false })).ms));
  const rate = (took) => home.bytes / MEGABYTE / (took / 1000);
  let peer;
  if (context.grep !== undefined) {
    const search = context.grep === 'rg' ? ['rg', '--no-config', '-uuu', '-c', '-F'] : ['grep', '-r', '-c', '-F'];
    peer = peerOf(
      `${context.grep}, a word that is not there`,
      rate(await medianTime(2, [...search, 'zqxjkv', home.path], { mayFail: true })),
      'MB/s',
    );
  }
  return { value: rate(ms), peer };
}

export const ROWS = [
  { name: 'version', label: '`codicil --version`', unit: 'ms', must: 110, aim: 80, measure: version },
  {
    name: 'first-page',
    label: 'first page of 50, warm, in process, at 50,000 threads',
    unit: 'ms',
    must: 2,
    aim: 0.3,
    measure: firstPage,
  },
  {
    name: 'list',
    label: '`list --json`, whole process, freshness check included',
    unit: 'ms',
    must: 250,
    aim: 140,
    measure: listProcess,
  },
  {
    name: 'no-change',
    label: 'nothing changed since the last index (5,000 files), whole process',
    unit: 'ms',
    must: 200,
    aim: 130,
    measure: noChange,
  },
  {
    name: 'cold-index',
    label: 'index of 5,000 threads / 1.5 GB from nothing, masked full text included',
    unit: 'ms',
    must: 4000,
    aim: 2800,
    measure: coldIndex,
  },
  ...SEARCH_ROWS,
  {
    name: 'history-paginated',
    label: '50 MB paginated rollout → history ready',
    unit: 'ms',
    must: 400,
    measure: historyOf('onePaginated', 150),
  },
  {
    name: 'history-legacy',
    label: '50 MB legacy rollout → history ready',
    unit: 'ms',
    must: 400,
    measure: historyOf('oneLegacy', 150),
  },
  {
    name: 'history-huge',
    label: '10 GB rollout, compaction near its end → history ready',
    unit: 'ms',
    must: 500,
    measure: historyOf('huge', 100),
  },
  ...APPEND_ROWS,
  { name: 'verify', label: '`verify --all`, whole process', unit: 'MB/s', atLeast: true, measure: verifyThroughput },
];
