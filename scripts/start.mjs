/**
 * `npm start`: builds, then shows the sessions of the homes on this machine,
 * or those of the sample home that ships with the project when there are none.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

const built = run(path.join(root, 'scripts', 'build.mjs'), '--if-stale');
if (built !== 0) process.exit(built);

const homes = [
  process.env['CODICIL_HOME'],
  process.env['CODEX_HOME'],
  path.join(homedir(), '.codicil'),
  path.join(homedir(), '.codex'),
];
const found = homes.some(
  (home) => home && (existsSync(path.join(home, 'sessions')) || existsSync(path.join(home, 'archived_sessions'))),
);
const bin = path.join(root, 'dist', 'bin.js');
const sample = path.join(root, 'sample-home');

if (found) process.exit(run(bin));
console.error(
  'No Codex or Codicil home with sessions was found; this is the sample home that ships with the project.\n',
);
const status = run(bin, 'list', '--home', sample);
console.error(`
Try next (from this folder):
  node dist/bin.js show --last --home sample-home       the newest thread, turn by turn
  node dist/bin.js search CSV --home sample-home        every message with a word
  node dist/bin.js --home sample-home                   the picker: type to search, Enter goes on with a thread
  node dist/bin.js verify --all --home sample-home      what is damaged, line by line
  node dist/bin.js history --last --home sample-home    what a resume would send to the model
  node dist/bin.js --help                               every command`);
process.exit(status);
