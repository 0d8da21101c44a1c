/**
 * Runs programs to their end. Only processes started here are ever stopped.
 */
import { spawn } from 'node:child_process';

/** How long a program may take: a guard against one that hangs, never a wait. */
const GUARD_MS = 120_000;

/**
 * @returns {Promise<{code: number | null, signal: string | null, stdout: string, stderr: string}>}
 *   once the program has ended; rejects when it cannot be started or does not end
 */
export function run(program, args, { cwd, env, guardMs = GUARD_MS } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let late = false;
    const guard = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, guardMs);
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', (error) => {
      clearTimeout(guard);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(guard);
      if (late) reject(new Error(`${program} ${args.join(' ')} did not end in ${guardMs} ms: ${stderr.slice(-500)}`));
      else resolve({ code, signal, stdout, stderr });
    });
  });
}
