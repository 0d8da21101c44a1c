/**
 * Writes bench/RESULTS.md: the machine, the table, and a section of words that a person fills and that is kept.
 * Names no path and no host.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, platform, totalmem } from 'node:os';
import path from 'node:path';
import { ROOT } from './homes.mjs';

const FILE = path.join(ROOT, 'bench', 'RESULTS.md');
const NOTES = /<!-- notes -->[\s\S]*<!-- end of notes -->/;
const EMPTY_NOTES = '<!-- notes -->\n\n<!-- end of notes -->';

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
  const kept = existsSync(FILE) ? NOTES.exec(readFileSync(FILE, 'utf8'))?.[0] : undefined;
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

${kept ?? EMPTY_NOTES}
`;
  writeFileSync(FILE, text);
}
