/**
 * What the log of the program learns of a command: that it began and ended, how long it took, and the error that ended it.
 * Never the arguments: a name or a query that was typed may say more than its owner wants kept. An error may quote one.
 */
import { parseRolloutName } from '../rollout/paths.js';
import { EXIT_USAGE, exitCodeOf, type FailureDocument } from './failure.js';
import type { Run } from './run.js';

/** Commands that change or build something; the others only look, which is not worth a line to most people. */
const WORKING: ReadonlySet<string> = new Set(['rebuild', 'search', 'audit', 'doctor']);

/** Notes the beginning of a command that builds something, so that one that was killed leaves a trace. */
export async function logStart(run: Run): Promise<void> {
  const { name } = run.invocation.command;
  if (!WORKING.has(name)) return;
  (await run.openLog()).log({ level: 'info', target: targetOf(run), message: `${name} began` });
}

/** Notes the end of a command, where anything of it was logged or could have been. */
export async function logEnd(run: Run, code: number, startedAtMs: number): Promise<void> {
  if (!run.hasLog) return;
  const { name } = run.invocation.command;
  (await run.openLog()).log({
    level: WORKING.has(name) ? 'info' : 'debug',
    target: targetOf(run),
    message: `${name} ended with exit code ${code} after ${run.context.now() - startedAtMs} ms`,
  });
}

/** Notes why a command failed; wrong usage is between it and its user. */
export async function logFailure(run: Run, error: unknown, { error: failure }: FailureDocument): Promise<void> {
  if (exitCodeOf(error) === EXIT_USAGE) return;
  const { code, message, path, line } = failure;
  const at = path === undefined ? '' : ` (${path}${line === undefined ? '' : `:${line}`})`;
  (await run.openLog()).log({
    level: code === 'interrupted' ? 'info' : 'error',
    target: targetOf(run),
    message: `${code}: ${message}${message.includes(path ?? '\0') ? '' : at}`,
    threadId: path === undefined ? undefined : parseRolloutName(path.slice(path.lastIndexOf('/') + 1))?.threadId,
  });
}

function targetOf(run: Run): string {
  return `cli/${run.invocation.command.name}`;
}
