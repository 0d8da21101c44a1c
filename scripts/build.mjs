/**
 * Builds `dist/`. `--if-stale` does nothing when no source file is newer than the last build;
 * `--no-types` leaves the declarations out (faster, for tests and the bench).
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The newest mtime (ms) below `folder`, or 0. */
function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(full) : statSync(full).mtimeMs);
  }
  return latest;
}

function builtAt() {
  try {
    return statSync(path.join(root, 'dist', 'bin.js')).mtimeMs;
  } catch {
    return 0; // never built
  }
}

const inputs = ['package.json', 'tsconfig.json', 'tsdown.config.ts'].map(
  (name) => statSync(path.join(root, name)).mtimeMs,
);
const stale = builtAt() < Math.max(newest(path.join(root, 'src')), ...inputs);
if (process.argv.includes('--if-stale') && !stale) process.exit(0);

const result = spawnSync(
  process.execPath,
  [path.join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs'), '--logLevel', 'error'],
  {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...(process.argv.includes('--no-types') ? { CODICIL_BUILD_TYPES: '0' } : {}) },
  },
);
// The bundler talks about itself; only when it fails is that worth reading.
if (result.status !== 0) console.error(`${result.stdout}${result.stderr}\nThe build failed: dist/ may be incomplete.`);
process.exit(result.status ?? 1);
