/**
 * Writes bench/RESULTS.md: the machine, the table of costs, what search finds, and a section of words that a person
 * fills and that is kept. Each bench writes its own section and keeps the others. Names no path and no host.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, platform, totalmem } from 'node:os';
import path from 'node:path';
import { ROOT } from './homes.mjs';

const FILE = path.join(ROOT, 'bench', 'RESULTS.md');
const NOTES = /<!-- notes -->[\s\S]*<!-- end of notes -->/;
const EMPTY_NOTES = '<!-- notes -->\n\n<!-- end of notes -->';

const FOUND_TITLE = '## What search finds';
const FOUND = /<!-- search -->[\s\S]*<!-- end of search -->/;
const EMPTY_FOUND = '<!-- search -->\n\n<!-- end of search -->';

function commit() {
  const git = (...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const head = git('rev-parse', '--short=12', 'HEAD');
  if (head.status !== 0) return 'no commit yet';
  return (
    `commit ${head.stdout.trim()}` +
    (git('status', '--porcelain', '--', 'src', 'bench', 'package.json').stdout.trim() === '' ? '' : ' with changes')
  );
}

function show(value, unit) {
  if (value === undefined) return '–';
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${value.toFixed(digits).replace(/\.0+$/, '')} ${unit}`;
}

function verdict({ value, aim, ok, error }) {
  if (error !== undefined) return 'failed';
  if (ok === null) return '–';
  if (!ok) return '**missed**';
  return aim === undefined ? 'met' : value <= aim ? 'met, aim too' : 'met, aim missed';
}

function tableRow(result) {
  const { label, value, unit, must, aim, peer, error } = result;
  const measured = error === undefined ? show(value, unit) : error.split('\n')[0].replaceAll('|', '/').slice(0, 120);
  const beside = peer === undefined ? '' : `${peer.what}: ${show(peer.value, peer.unit)}`;
  return `| ${label} | ${show(must, unit)} | ${show(aim, unit)} | ${measured} | ${verdict(result)} | ${beside} |`;
}

export function writeResults(results, { runs, codex, grep }) {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const [cpu] = cpus();
  const machine = [
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    platform(),
    `Node ${process.versions.node}`,
    commit(),
  ];
  const peers = [codex ?? 'no Codex found', grep ?? 'neither rg nor grep found'];
  const text = `# What it costs

Made by \`npm run bench\`. Medians of ${runs} runs, page cache hot, generated homes (\`bench/make-home.mjs\`).
Machine: ${machine.join(', ')}. Beside it: ${peers.join(', ')}.

| work | must | aim | measured | verdict | beside |
|---|---|---|---|---|---|
${results.map(tableRow).join('\n')}

## Which aims were missed, and why

${NOTES.exec(before)?.[0] ?? EMPTY_NOTES}

${FOUND_TITLE}

${FOUND.exec(before)?.[0] ?? EMPTY_FOUND}
`;
  writeFileSync(FILE, text);
}

const FOUND_HEAD = `| questions | number | sessions R@1 | R@5 | R@10 | R@25 | hit@1 | MRR | turns R@5 | R@10 | R@25 | bars | of |
|---|---|---|---|---|---|---|---|---|---|---|---|---|`;

/** `name` first, so that a later run finds the lines of its sets again. */
function foundRow(name, { questions, sessions, turns }, bars = '–') {
  const figures = [1, 5, 10, 25].map((depth) => sessions.recall[depth]);
  const cells = [...figures, sessions.hit[1], sessions.mrr, ...[5, 10, 25].map((depth) => turns.recall[depth])];
  return `| ${name} | ${questions} | ${cells.join(' | ')} | ${bars} | ${commit()} |`;
}

function foundRows({ set, ok, plain, ...summary }) {
  const { byCategory, byLanguage, byHalf } = summary;
  const languages = Object.keys(byLanguage).length > 1 ? Object.entries(byLanguage) : [];
  return [
    foundRow(set, summary, ok ? 'met' : '**missed**'),
    ...[...Object.entries(byCategory), ...languages].map(([name, part]) => foundRow(`${set}, ${name}`, part)),
    ...Object.entries(byHalf).map(([name, part]) => foundRow(`${set}, ${name} half`, part)),
    foundRow(`${set}, plain keyword match`, plain),
  ];
}

/** The file's text with the lines of these sets; those of other sets stay. */
export function withSearchResults(before, results) {
  const names = results.map(({ set }) => set);
  const kept = (FOUND.exec(before)?.[0] ?? '')
    .split('\n')
    .filter((line) => /^\| \w/.test(line) && !line.startsWith('| questions'))
    .filter((line) => !names.includes(/^\| (\w+)/.exec(line)[1]));
  const rows = [...kept, ...results.flatMap(foundRows)].join('\n');
  const section = `<!-- search -->
Made by \`npm run bench:search\`: R is recall in percent, turns are messages; "plain keyword match" is BM25 over the words as written.

${FOUND_HEAD}
${rows}
<!-- end of search -->`;
  return FOUND.test(before)
    ? before.replace(FOUND, () => section)
    : `${before.trimEnd()}\n\n${FOUND_TITLE}\n\n${section}\n`;
}

export function writeSearchResults(results) {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  writeFileSync(FILE, withSearchResults(before, results));
}
