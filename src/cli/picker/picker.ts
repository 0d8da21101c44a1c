/**
 * Bare `codicil` on a terminal: threads of all homes, found by what was said in them.
 * Wires the session to the homes, to the pager, and to the program that goes on with a thread.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { HomeSet } from '../../home/index.js';
import { nodeFileSystem } from '../../platform/files/node-file-system.js';
import type { Launch } from '../context.js';
import { EXIT_DONE, EXIT_INTERRUPTED } from '../failure.js';
import type { Run, Verb } from '../run.js';
import { resumeLaunch, shellLine, startProgram } from '../verbs/open.js';
import type { Entry } from './entry.js';
import { type Host, processHost } from './host.js';
import { loadPreview } from './load-preview.js';
import { PickerSession } from './session.js';
import { showLog } from './show-log.js';
import { isTerminalInput } from './wants-picker.js';

export const picker: Verb = (run) => pick(run, processHost);

/** Runs the picker; `host` is the process it runs in. */
export async function pick(run: Run, host: Host): Promise<number> {
  const { context, invocation } = run;
  const { stdin, stdout, env } = context;
  if (!isTerminalInput(stdin)) throw new TypeError('The picker needs a terminal to read from');
  const notices: string[] = [];
  const onNotice = (message: string): void => {
    notices.push(message);
  };
  let homes: HomeSet | undefined;
  const launchOf = (entry: Entry): Launch => resumeLaunch(entry, homes!.readerOf(entry.home).home, env, context.cwd);
  const session = new PickerSession(
    run,
    {
      host,
      openHomes: async (onProgress) => {
        const { log } = await run.openLog({ onNotice });
        homes = await context.openHomes({ homes: run.homePaths, env, log, onNotice, onProgress });
        return homes;
      },
      loadPreview: (entry, query, signal) => loadPreview(entry, { files: nodeFileSystem, query, signal }),
      commandOf: (entry) => shellLine(launchOf(entry)),
      refusalOf: (entry) =>
        homes!.readerOf(entry.home).home.own
          ? 'This version reads threads of its own home and does not run turns: Ctrl-O shows the log'
          : undefined,
      showLog: (entry, size) => showLog(run, entry, size),
    },
    {
      input: stdin,
      output: stdout,
      isColoured: !invocation.has('no-color') && !env['NO_COLOR'],
    },
  );
  try {
    const outcome = await session.run();
    if (outcome.kind !== 'open') return outcome.kind === 'quit' ? EXIT_DONE : EXIT_INTERRUPTED;
    const launch = launchOf(outcome.entry);
    return await startProgram(run, launch);
  } finally {
    await homes?.close();
    for (const notice of notices) await run.say(visibleLine(notice));
  }
}
