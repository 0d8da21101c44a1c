/**
 * Times child processes and reads their peak memory from the operating system.
 * Wall time is taken around a bare spawn; peak memory in a run of its own, so that neither disturbs the other.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const TIME = '/usr/bin/time';
const HOOK = new URL('./usage-hook.mjs', import.meta.url).href;

/** Far beyond what any row may take: a program that hangs fails its row instead of the whole bench. */
const LIMIT_MS = 300_000;

/** Runs `argv` to its end. With `capture: false` the output goes nowhere, as `> /dev/null` does. */
export function run(argv, { env = process.env, cwd, capture = true, mayFail = false } = {}) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(argv[0], argv.slice(1), { env, cwd, stdio: ['ignore', capture ? 'pipe' : 'ignore', 'pipe'] });
    const out = [];
    let errors = '';
    child.stdout?.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    let ms = 0;
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('exit', () => {
      ms = performance.now() - startedAt;
      clearTimeout(limit);
    });
    child.on('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.on('close', (code, signal) => {
      if (code !== 0 && !mayFail)
        reject(new Error(`${argv.slice(1, 4).join(' ')} ended with ${code ?? signal}: ${errors.slice(-400)}`));
      else resolve({ ms, code, signal, stdout: Buffer.concat(out).toString(), stderr: errors });
    });
  });
}

/** Peak resident memory of one run in bytes: from GNU time, else from the process itself at its exit (Node only). */
export async function peakMemory(argv, options = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'codicil-rss-'));
  const report = path.join(folder, 'usage.txt');
  try {
    if (existsSync(TIME)) {
      await run([TIME, '-v', '-o', report, ...argv], { ...options, capture: false });
      const kilobytes = /Maximum resident set size \(kbytes\): (\d+)/.exec(readFileSync(report, 'utf8'))?.[1];
      return kilobytes === undefined ? null : Number(kilobytes) * 1024;
    }
    if (argv[0] !== process.execPath) return null;
    const env = { ...(options.env ?? process.env), CODICIL_BENCH_USAGE: report };
    await run([argv[0], '--import', HOOK, ...argv.slice(1)], { ...options, env, capture: false });
    return Number(readFileSync(report, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `once` so many times and returns the sorted results. */
export async function repeat(times, once) {
  const values = [];
  for (let i = 0; i < times; i++) values.push(await once(i));
  return values.sort((a, b) => a - b);
}

export const median = (sorted) => sorted[Math.floor(sorted.length / 2)];

/** The median wall time of `runs` runs, in milliseconds; one run before them warms the caches. */
export async function medianTime(runs, argv, options = {}) {
  await run(argv, { ...options, capture: false });
  return median(await repeat(runs, async () => (await run(argv, { ...options, capture: false })).ms));
}

/** What another program takes, to stand beside a row. */
export const peerOf = (what, value, unit = 'ms') => ({ what, value: Number(value.toPrecision(4)), unit });
