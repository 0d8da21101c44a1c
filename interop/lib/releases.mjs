/**
 * Releases of the real Codex: which ones are checked, what is known of each, and where its program lies.
 * Installs into a folder of its own (`CODICIL_CODEX_CACHE`, default `~/.cache/codicil/codex`), nowhere else.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * @typedef {object} Release
 * @property {string} version
 * @property {'legacy' | 'paginated'} dialect of the threads that it creates
 * @property {boolean} writerLock whether it locks the thread that it writes
 * @property {'thread/rollback' | 'thread/revert'} undo the request that takes turns back
 * @property {string} like the pinned release that it is taken to be like
 * @property {boolean} zstd whether it knows compressed logs
 * @property {boolean} compress whether it compresses logs on request
 */

/** @type {readonly Release[]} oldest first */
export const PINNED = JSON.parse(readFileSync(new URL('../versions.json', import.meta.url), 'utf8'));

function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let index = 0; index < 3; index += 1) if (left[index] !== right[index]) return left[index] - right[index];
  return 0;
}

/**
 * The pinned release, or, for another version, what is known of the newest pinned one that is not newer.
 * @param {string} version
 * @returns {Release}
 */
export function releaseOf(version) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new TypeError(`Not a version of Codex: "${version}"`);
  const known = PINNED.filter((release) => compareVersions(release.version, version) <= 0).at(-1) ?? PINNED[0];
  return { ...known, version, like: known.version };
}

export function cacheFolder(env = process.env) {
  return path.resolve(env['CODICIL_CODEX_CACHE'] || path.join(homedir(), '.cache', 'codicil', 'codex'));
}

/** The native program inside an installed package; layouts differ by release. Undefined when none fits. */
export function nativeProgram(folder, { platform = process.platform, arch = process.arch } = {}) {
  const machine = arch === 'arm64' ? 'aarch64' : 'x86_64';
  const system = { darwin: 'apple-darwin', win32: 'pc-windows-msvc' }[platform] ?? 'unknown-linux-musl';
  const name = platform === 'win32' ? 'codex.exe' : 'codex';
  const triple = `${machine}-${system}`;
  const scope = path.join(folder, 'node_modules', '@openai');
  const own = path.join(scope, `codex-${platform}-${arch}`, 'vendor', triple);
  return [
    path.join(own, 'bin', name),
    path.join(own, 'codex', name),
    path.join(scope, 'codex', 'vendor', triple, 'codex', name),
  ].find((file) => existsSync(file));
}

/**
 * Path of the release's program; installs it from npm when it is not there.
 * Throws Error when npm fails or the package holds no program for this machine.
 */
export function ensureInstalled(version, cache = cacheFolder()) {
  const folder = path.join(cache, version);
  let program = nativeProgram(folder);
  if (program === undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
    // Nothing of the package is run before it is asked for.
    const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    const npm = spawnSync('npm', ['install', `@openai/codex@${version}`, ...flags], { cwd: folder, encoding: 'utf8' });
    if (npm.status !== 0) throw new Error(`Cannot install Codex ${version}: ${npm.stderr || npm.error}`);
    program = nativeProgram(folder);
  }
  if (program === undefined) throw new Error(`Codex ${version} has no program for this machine in ${folder}`);
  chmodSync(program, 0o755);
  return program;
}
