/**
 * Packs the project, installs the tarball in an empty folder as a user would, and uses what was installed:
 * the program, its worker thread, and each entry of the library.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const work = mkdtempSync(path.join(tmpdir(), 'codicil-pack-'));
const run = (command, args, cwd = work) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CODICIL_HOME: path.join(work, 'own') },
  });
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

function expect(holds, what) {
  if (!holds) throw new Error(`The packed tarball is wrong: ${what}`);
  console.log(`ok  ${what}`);
}

try {
  run(process.execPath, [path.join(root, 'scripts', 'build.mjs')], root);
  run(process.execPath, [path.join(root, 'node_modules', 'publint', 'src', 'cli.js'), '--strict'], root);
  console.log('ok  publint');
  const [{ filename, files }] = JSON.parse(run(npm, ['pack', '--json', '--pack-destination', work], root));
  const names = files.map((file) => file.path);
  for (const name of ['dist/bin.js', 'dist/scan-worker.js', 'dist/index.d.ts', 'README.md', 'LICENSE']) {
    expect(names.includes(name), `holds ${name}`);
  }
  expect(!names.some((name) => /^(src|test|fixtures|bench)\//.test(name)), 'holds no source, test or fixture');

  writeFileSync(path.join(work, 'package.json'), '{"private":true,"type":"module"}\n');
  run(npm, ['install', path.join(work, filename)]);
  const installed = path.join(work, 'node_modules', 'codicil');
  const bin = path.join(work, 'node_modules', '.bin', 'codicil');
  const home = path.join(installed, 'sample-home');
  expect(/^\d+\.\d+\.\d+/.test(run(bin, ['--version'])), 'codicil --version');
  const list = JSON.parse(run(bin, ['list', '--home', home, '--json']));
  expect(list.threads.length > 0 && list.index.state === 'complete', 'codicil list on the sample home');
  const built = JSON.parse(run(bin, ['rebuild', '--prove', '--home', home, '--json']));
  expect(built.equal === true, 'codicil rebuild --prove');

  const rollout = list.threads[0].path;
  const outcomes = await new Promise((resolve, reject) => {
    const worker = new Worker(pathToFileURL(path.join(installed, 'dist', 'scan-worker.js')));
    worker.once('message', (message) => worker.terminate().then(() => resolve(message)));
    worker.once('error', reject);
    worker.postMessage([{ path: rollout, facts: {}, documents: { tools: false } }]);
  });
  const [{ facts, documents }] = outcomes;
  expect(facts?.facts.hasRecords && documents?.ends.length > 0, 'the worker thread scans a file');
  const found = JSON.parse(run(bin, ['search', 'CSV', '--home', home, '--json']));
  expect(found.hits.length > 0, 'codicil search on the sample home');

  for (const entry of ['codicil', 'codicil/protocol', 'codicil/projection', 'codicil/store']) {
    const script = `import * as entry from '${entry}'; process.stdout.write(String(Object.keys(entry).length));`;
    expect(Number(run(process.execPath, ['--input-type=module', '-e', script])) > 0, `import '${entry}'`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
