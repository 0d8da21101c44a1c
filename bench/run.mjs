/**
 * `npm run bench [-- --quick | --full] [--only NAME]`
 *
 * Measures what the design promises, beside bare Node, the real Codex (`CODEX_BIN` or PATH) and ripgrep or grep
 * where they are there. Prints one JSON line a row, `{name, value, unit, must, aim, ok, peer?}`. Medians of 5 runs,
 * 11 with --full; a complete run writes bench/RESULTS.md. --quick takes small homes and 3 runs, judges nothing and
 * writes no file: it only shows that everything runs. Exits 1 when a row failed or missed what it must reach.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { codexVersion, findCodex } from './lib/codex.mjs';
import { BIN, cachedHome } from './lib/homes.mjs';
import { writeResults } from './lib/results.mjs';
import { ROWS } from './lib/rows.mjs';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, full: { type: 'boolean' }, only: { type: 'string', multiple: true } },
});

if (!existsSync(BIN)) {
  console.error('dist/bin.js is not there: run `npm run build` first');
  process.exit(2);
}
const only = values.only?.flatMap((names) => names.split(','));
const unknown = only?.find((name) => !ROWS.some((row) => row.name.startsWith(name)));
if (unknown !== undefined) {
  console.error(`No row "${unknown}". Rows: ${ROWS.map((row) => row.name).join(' ')}`);
  process.exit(2);
}

const quick = values.quick === true;
const size = (full, small) => (quick ? small : full);
const HOMES = {
  many: ['--sessions', size('5000', '400'), '--mb', size('1500', '100'), '--dialect', 'mixed', '--seed', '2'],
  listing: [
    '--sessions',
    size('50000', '2000'),
    '--mb',
    size('500', '20'),
    '--dialect',
    'mixed',
    '--seed',
    '5',
    '--instructions-kb',
    '1',
  ],
  onePaginated: ['--one-mb', size('50', '8'), '--dialect', 'paginated', '--seed', '3'],
  oneLegacy: ['--one-mb', size('50', '8'), '--dialect', 'legacy', '--seed', '4'],
  huge: ['--one-gb', size('10', '1'), '--dialect', 'paginated', '--seed', '6'],
};
const codex = findCodex();
const made = new Map();
const context = {
  runs: quick ? 3 : values.full ? 11 : 5,
  codex,
  grep: ['rg', 'grep'].find((name) => spawnSync(name, ['--version']).status === 0),
  home: async (name) => {
    if (!made.has(name)) made.set(name, await cachedHome(HOMES[name]));
    return made.get(name);
  },
  /** What one row found and another uses: the peers are asked once. */
  shared: new Map(),
};

const results = [];
let failed = false;
for (const row of ROWS) {
  if (only !== undefined && !only.some((name) => row.name.startsWith(name))) continue;
  let measured;
  try {
    measured = await row.measure(context);
  } catch (error) {
    failed = true;
    const result = { name: row.name, error: error.message };
    results.push({ ...row, ...result });
    console.log(JSON.stringify(result));
    continue;
  }
  for (const one of [measured].flat()) {
    const { value, must, aim, unit, label, atLeast, peer, detail } = { ...row, ...one };
    const ok = quick || must === undefined ? null : atLeast ? value >= must : value <= must;
    const result = {
      name: row.name + (one.key ?? ''),
      value: Number(value.toPrecision(4)),
      unit,
      must,
      aim,
      ok,
      ...(peer ? { peer } : {}),
      ...(detail ? { detail } : {}),
    };
    if (ok === false) failed = true;
    results.push({ ...result, label });
    console.log(JSON.stringify(result));
  }
}

if (only === undefined && !quick) {
  writeResults(results, { runs: context.runs, codex: codex && codexVersion(codex), grep: context.grep });
}
process.exit(failed ? 1 : 0);
