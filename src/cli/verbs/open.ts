/**
 * `codicil open`: goes on with a thread in the program it belongs to, in its folder, without a shell.
 */
import { CodicilError } from '../../base/errors.js';
import { visibleLine } from '../../base/visible-text.js';
import { codexHomePath } from '../../home/locate.js';
import { fileErrorCode } from '../../platform/files/file-system.js';
import { nodeFileSystem } from '../../platform/files/node-file-system.js';
import type { ThreadRow } from '../../projection/thread-row.js';
import type { HomeInfo } from '../../thread-store/session-reader.js';
import type { Environment, Launch } from '../context.js';
import { EXIT_DONE, EXIT_FAULT } from '../failure.js';
import { resolveThread } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { shellQuote } from '../shell-quote.js';

/** A folder on a dead mount answers late or never. */
const FOLDER_PATIENCE_MS = 1_000;

export const open: Verb = async (run) => {
  const { context, invocation } = run;
  const { home, row } = await run.withHomes(async (homes) => {
    const candidate = await resolveThread(run, homes);
    const reader = await homes.open(candidate, { signal: run.signal });
    try {
      return { home: homes.readerOf(candidate.home).home, row: await reader.row() };
    } finally {
      await reader.close();
    }
  });
  const launch = resumeLaunch(row, home, context.env, context.cwd);
  if (run.json) {
    await run.printDocument({ threadId: row.id, home: home.path, argv: launch.argv, cwd: launch.cwd, env: launch.env });
    return EXIT_DONE;
  }
  if (invocation.has('print')) {
    await run.output.line(shellLine(launch));
    return EXIT_DONE;
  }
  if (home.own) {
    throw new CodicilError(
      'resume-not-supported',
      `Cannot go on with thread ${row.id}: this version of Codicil reads threads and does not run turns`,
      {
        hint: `codicil show ${row.id} and codicil history ${row.id} read it. Codex can resume it with: ${shellLine(launch)}`,
      },
    );
  }
  return startProgram(run, launch);
};

/** Shows the command and runs it; resolves with the exit code of this program. */
export async function startProgram(run: Run, launch: Launch): Promise<number> {
  const { context } = run;
  const there = await folderState(launch.cwd);
  const where = there === 'there' ? launch.cwd : context.cwd;
  if (there !== 'there') {
    await run.say(
      visibleLine(
        `The folder ${launch.cwd} ${there === 'gone' ? 'is not there any more' : 'does not answer'}; starting in ${where}.`,
      ),
    );
  }
  await run.say(shellLine({ ...launch, cwd: where }));
  const code = await context.launch({ ...launch, cwd: where });
  return code === 0 ? EXIT_DONE : EXIT_FAULT;
}

/** What resumes a thread of `home`; `cwd` is taken for a thread that names no folder. */
export function resumeLaunch(
  row: Pick<ThreadRow, 'id' | 'cwd'>,
  home: HomeInfo,
  env: Environment,
  cwd: string,
): Launch {
  const usual = codexHomePath({ ...env, CODEX_HOME: undefined });
  // The command may be pasted into another shell, so what this shell has set does not count as known there;
  // and a variable that points elsewhere must be overruled.
  const found = home.path === usual && codexHomePath(env) === usual;
  return {
    argv: ['codex', 'resume', String(row.id)],
    cwd: row.cwd ?? cwd,
    env: found ? {} : { CODEX_HOME: home.path },
  };
}

async function folderState(folder: string): Promise<'there' | 'gone' | 'silent'> {
  try {
    const { kind } = await nodeFileSystem.stat(folder, { timeLimitMs: FOLDER_PATIENCE_MS });
    return kind === 'directory' ? 'there' : 'gone';
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === undefined) throw error;
    return code === 'time-limit' ? 'silent' : 'gone';
  }
}

/** The launch as a line that can be pasted into a POSIX shell. */
export function shellLine({ argv, cwd, env }: Launch): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)}`);
  return ['cd', shellQuote(cwd), '&&', ...variables, ...argv.map(shellQuote)].join(' ');
}
