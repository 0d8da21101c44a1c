/**
 * The rows about search: what a query costs on an open home, in a fresh process, and at each key of the picker.
 * The peer is ripgrep or grep counting the same word in the same files.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { codicil } from './homes.mjs';
import { medianTime, peerOf, run } from './measure.mjs';
import { drawQueries } from './queries.mjs';
import { indexed } from './shared-home.mjs';

const IN_PROCESS = fileURLToPath(new URL('./in-process.mjs', import.meta.url));
const PICKER_KEYS = pathToFileURL(fileURLToPath(new URL('./picker-keys.mjs', import.meta.url))).href;
/** With which `many` is made. */
const SEED = 2;
const PICKER_WORDS = 5;

/** All kinds of queries on one open home, asked once for all rows. */
async function searchTimes(context) {
  const key = 'search times';
  if (!context.shared.has(key)) {
    const { home, env } = await indexed(context, 'many');
    const { words, pairs, korean } = drawQueries(SEED);
    const queries = JSON.stringify({ words, pairs, korean });
    const { stdout } = await run([process.execPath, IN_PROCESS, 'search', home.path, queries, String(context.runs)], {
      env,
    });
    context.shared.set(key, { home, env, words, ...JSON.parse(stdout) });
  }
  return context.shared.get(key);
}

/** The slowest query of its kind, each by its median: a promise about searching holds for any word. */
function searchOf(kind) {
  return async (context) => {
    const { home, words, kinds } = await searchTimes(context);
    const { slowest, medianMs, texts } = kinds[kind];
    const detail = { of: texts, medianMs: round(medianMs), query: slowest.text, total: slowest.total };
    return { value: slowest.ms, detail, ...(kind === 'words' ? await grepPeer(context, home, words) : {}) };
  };
}

/** How long ripgrep or grep takes to count one of the words. */
async function grepPeer({ grep, runs }, home, [word]) {
  if (grep === undefined) return {};
  const argv = grep === 'rg' ? ['rg', '--no-config', '-uuu', '-c', '-F', word] : ['grep', '-r', '-c', '-F', word];
  const ms = await medianTime(Math.min(3, runs), [...argv, home.path], { mayFail: true });
  return { peer: peerOf(`${grep} -c, one word`, ms) };
}

/** Nothing is open, and no file has changed since the last search. */
async function firstSearch(context) {
  const { home, env, words, firstMs } = await searchTimes(context);
  const value = await medianTime(context.runs, codicil('search', words[0], '--json', '--home', home.path), { env });
  return { value, detail: { inProcessMs: round(firstMs) } };
}

/** From a letter to the frame with what it found: 19 of 20 keys take at most so long. */
async function pickerKey(context) {
  const { home, env, words } = await searchTimes(context);
  const folder = mkdtempSync(path.join(tmpdir(), 'codicil-keys-'));
  const report = path.join(folder, 'keys.json');
  try {
    const [node, bin] = codicil();
    const typed = JSON.stringify(words.slice(0, PICKER_WORDS));
    const withKeys = { ...env, TERM: 'xterm', CODICIL_BENCH_KEYS: report, CODICIL_BENCH_WORDS: typed };
    const argv = [node, '--import', PICKER_KEYS, bin, '--home', home.path];
    await run(argv, { env: withKeys, capture: false, mayFail: true });
    const { error, keys, ms, p95Ms, worstMs } = JSON.parse(readFileSync(report, 'utf8'));
    if (error !== undefined) throw new Error(error);
    return { value: p95Ms, detail: { keys, medianMs: round(ms), worstMs: round(worstMs) } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const round = (ms) => Number(ms.toPrecision(4));

export const SEARCH_ROWS = [
  {
    name: 'search-word',
    label: 'search a word over 240,000 messages, snippets and total, warm, in process (slowest of 12)',
    unit: 'ms',
    must: 15,
    aim: 4,
    measure: searchOf('words'),
  },
  { name: 'search-two-words', label: 'the same, two words', unit: 'ms', must: 15, measure: searchOf('pairs') },
  { name: 'search-korean', label: 'the same, a Korean word', unit: 'ms', must: 15, measure: searchOf('korean') },
  { name: 'search-phrase', label: 'the same, a phrase', unit: 'ms', must: 15, measure: searchOf('phrases') },
  {
    name: 'search-first',
    label: '`search --json` in a fresh process, freshness check included',
    unit: 'ms',
    measure: firstSearch,
  },
  {
    name: 'picker-key',
    label: 'picker: from a key to the frame with its results, 5,000 threads (95 % of keys)',
    unit: 'ms',
    must: 50,
    measure: pickerKey,
  },
];
