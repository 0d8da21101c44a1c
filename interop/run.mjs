/**
 * `npm run interop`: the real Codex and we on the same homes, in both directions.
 *
 * One JSON line a case and release on standard output, words on standard error. Exit code 0: nothing failed, 1: a case
 * failed, 2: wrong usage. What is checked, and how a release is added, is in `docs/interop.md`.
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadLibrary } from './lib/codicil.mjs';
import { Lab, Skip } from './lib/lab.mjs';
import { plainStore } from './lib/plain-store.mjs';
import { ensureInstalled, PINNED, releaseOf } from './lib/releases.mjs';
import { openStore } from './lib/store.mjs';

const USAGE = `npm run interop -- [--only TEXT]… [--versions V,V…] [--store codicil|plain] [--list] [--keep]
  --only TEXT      only cases whose name holds TEXT
  --versions V,V…  releases of @openai/codex (default: ${PINNED.map(({ version }) => version).join(',')})
  --store plain    write with the harness's own plain files in place of our store: shows what a release needs
  --list           print the names of the cases
  --keep           leave the folders of failed cases, and say where they are`;

const OPTIONS = {
  only: { type: 'string', multiple: true, default: [] },
  versions: { type: 'string', default: PINNED.map(({ version }) => version).join(',') },
  store: { type: 'string', default: 'codicil' },
  list: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

async function loadCases() {
  const folder = new URL('./cases/', import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .sort();
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  return modules.flatMap((module) => module.cases);
}

function readUsage() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const stores = { codicil: openStore, plain: plainStore };
    const store = stores[values.store];
    if (store === undefined) throw new TypeError(`No store is called "${values.store}"`);
    const releases = values.versions.split(',').map((version) => releaseOf(version.trim()));
    return { ...values, store, releases };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function runCase({ name, run }, release, program, { store, keep }) {
  const startedAt = performance.now();
  const outcome = { case: name, version: release.version, status: 'pass' };
  const lab = await Lab.open(release, program, { store });
  try {
    const facts = await run(lab);
    if (facts !== undefined) outcome.facts = facts;
  } catch (error) {
    outcome.status = error instanceof Skip ? 'skip' : 'fail';
    outcome.reason =
      error.name === 'Mismatch' || error instanceof Skip ? error.message : (error.stack ?? String(error));
  }
  const kept = keep && outcome.status === 'fail';
  if (kept) outcome.folder = lab.scratch;
  await lab.close({ keep: kept });
  outcome.ms = Math.round(performance.now() - startedAt);
  return outcome;
}

const usage = readUsage();
if (usage.help) {
  console.log(USAGE);
  process.exit(0);
}
const all = await loadCases();
const cases = all.filter(({ name }) => usage.only.length === 0 || usage.only.some((text) => name.includes(text)));
if (cases.length === 0) {
  console.error(`No case is called so. There are:\n${all.map(({ name }) => `  ${name}`).join('\n')}`);
  process.exit(2);
}
if (usage.list) {
  for (const { name, about } of cases) console.log(`${name}: ${about}`);
  process.exit(0);
}
await loadLibrary();
const counts = { pass: 0, fail: 0, skip: 0 };
for (const release of usage.releases) {
  const program = ensureInstalled(release.version);
  for (const each of cases) {
    const outcome = await runCase(each, release, program, usage);
    counts[outcome.status] += 1;
    console.log(JSON.stringify(outcome));
  }
}
console.error(`${counts.pass} passed, ${counts.fail} failed, ${counts.skip} skipped`);
process.exit(counts.fail === 0 ? 0 : 1);
