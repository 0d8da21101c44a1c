/**
 * The generated homes that the benches share, cached below `bench/.cache` under a key of what made them,
 * and the environment in which the program is run: nothing of this machine's user is read.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './measure.mjs';

const BENCH = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const ROOT = path.dirname(BENCH);
export const CACHE = path.join(BENCH, '.cache');
export const BIN = path.join(ROOT, 'dist', 'bin.js');
const GENERATOR = [
  'make-home.mjs',
  'lib/random.mjs',
  'lib/vocabulary.mjs',
  'lib/talk.mjs',
  'lib/scribe.mjs',
  'lib/legacy-scribe.mjs',
  'lib/paginated-scribe.mjs',
  'lib/paginated-payloads.mjs',
];

function generatorKey() {
  const hash = createHash('sha256');
  for (const file of GENERATOR) hash.update(readFileSync(path.join(BENCH, file)));
  return hash.digest('hex').slice(0, 8);
}

/** Makes the home that `args` describe, or finds it in the cache; `{path, sessions, bytes, newestId, …}`. */
export async function cachedHome(args) {
  const name = `${args.join('').replaceAll('--', '-').replace(/^-/, '')}-${generatorKey()}`;
  const folder = path.join(CACHE, 'homes', name);
  const note = path.join(folder, 'made.json');
  if (!existsSync(note)) {
    const draft = `${folder}.part`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    console.error(`making ${name}`);
    const { stdout } = await run([
      process.execPath,
      path.join(BENCH, 'make-home.mjs'),
      '--out',
      path.join(draft, 'home'),
      ...args,
    ]);
    writeFileSync(path.join(draft, 'made.json'), stdout);
    renameSync(draft, folder);
  }
  return { path: path.join(folder, 'home'), name, ...JSON.parse(readFileSync(note, 'utf8')) };
}

/** A place for what the program derives; empty when `fresh`. */
export function stateFolder(name, { fresh = false } = {}) {
  const folder = path.join(CACHE, 'state', name);
  if (fresh) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** An environment with no home but the given one for what is derived. */
export function environment(codicilHome) {
  const userHome = path.join(CACHE, 'user');
  mkdirSync(userHome, { recursive: true });
  const { PATH, SystemRoot, LANG } = process.env;
  return {
    PATH,
    ...(SystemRoot ? { SystemRoot } : {}),
    LANG: LANG ?? 'C.UTF-8',
    HOME: userHome,
    USERPROFILE: userHome,
    CODICIL_HOME: codicilHome,
  };
}

/** The command line of the program. */
export const codicil = (...args) => [process.execPath, BIN, ...args];

/** All bytes below a folder. */
export function bytesBelow(folder) {
  let sum = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) sum += statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size;
  }
  return sum;
}
