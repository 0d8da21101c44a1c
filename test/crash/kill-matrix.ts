/**
 * The kill matrix: an operation is run in a child process that dies before its first change of a file or database, in another that
 * dies before its second, and so on until it completes; each time what is left is looked at by this process, which shares nothing
 * with the one that died.
 *
 * To add an operation (create, append, fork, import, …): give a bundled program a verb that does it on the folder in its first
 * argument and says `done`, and describe it as a `KillCase`. `setup` makes the folder once; every run has a copy of its own, times
 * and permissions included. `check` is called with what was killed, or with undefined after the run that was not: it repairs as the
 * next start would, then expects that nothing acknowledged is lost, nothing is doubled, and that the operation can be repeated.
 *
 * A kill before an fsync leaves what a kill before the next change leaves (only a power cut tells them apart), so those steps are
 * left out unless KILL_MATRIX=all.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { tempFolder } from '../thread-store/temp-home.js';

export interface Kill {
  /** Before which change, 1-based. */
  readonly step: number;
  /** What it was going to do. */
  readonly what: string;
}

export interface KillCase {
  readonly name: string;
  readonly setup: (folder: string) => void | Promise<void>;
  /** Arguments of the program: a verb, and the folder. */
  readonly run: (folder: string) => readonly string[];
  readonly check: (folder: string, kill: Kill | undefined) => void | Promise<void>;
}

export interface KillMatrixResult {
  readonly steps: readonly string[];
  readonly kills: number;
}

const PRELOAD = fileURLToPath(new URL('./kill-preload.mjs', import.meta.url));
const ALL = process.env['KILL_MATRIX'] === 'all';
/** `program`: path of a program for plain Node. Resolves with how many steps there were; a failed check names the step. */
export async function killMatrix(program: string, killCase: KillCase): Promise<KillMatrixResult> {
  using temp = tempFolder();
  const template = join(temp.path, 'template');
  // Every run has the same place, since a home knows where it is: so one comes after the other.
  const folder = join(temp.path, 'run');
  mkdirSync(folder);
  await killCase.setup(folder);
  renameSync(folder, template);
  const begin = (): void => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(template, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  };
  begin();
  const stepsFile = join(temp.path, 'steps.json');
  const ended = await run(program, killCase.run(folder), { KILL_STEPS: stepsFile });
  expect(ended, `${killCase.name}, not killed`).toEqual({ status: 0, stdout: 'done\n', stderr: '' });
  // The preload wrote it.
  const steps = JSON.parse(readFileSync(stepsFile, 'utf8')) as readonly string[];
  await killCase.check(folder, undefined);
  const kills = steps.flatMap((what, index): Kill[] => (ALL || what !== 'fsync' ? [{ step: index + 1, what }] : []));
  for (const kill of kills) {
    begin();
    const { status, stderr } = await run(program, killCase.run(folder), { KILL_AT: String(kill.step) });
    const at = `${killCase.name}, killed before step ${kill.step} of ${steps.length} (${kill.what})`;
    expect({ status, stderr }, at).toEqual({ status: 'SIGKILL', stderr: '' });
    try {
      await killCase.check(folder, kill);
    } catch (error) {
      if (error instanceof Error) error.message = `${at}: ${error.message}`;
      throw error;
    }
  }
  return { steps, kills: kills.length };
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly status: string | number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, ['--import', PRELOAD, program, ...args], { env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = await once(child, 'close');
  return { status: signal ?? code, stdout, stderr };
}
