/**
 * `codicil import`: the threads of a bundle, a log or a folder of logs, placed in a home byte for byte.
 */
import path from 'node:path';
import { visibleLine } from '../../base/visible-text.js';
import type { FolderMapping } from '../../thread-store/local/import/import-ledger.js';
import { EXIT_DONE, EXIT_FAULT, UsageError } from '../failure.js';
import type { Run, Verb } from '../run.js';

export const importPath: Verb = async (run) => {
  const { invocation, context, signal } = run;
  const [home, ...others] = run.homePaths;
  if (others.length > 0) throw new UsageError('Cannot import into several homes: give --home once');
  const from = path.resolve(context.cwd, invocation.arguments[0]!);
  const cwd = invocation.values('map-cwd').map((text) => parseMapping(run, text));
  const exchange = await import('../../home/exchange.js');
  const notices: string[] = [];
  const report = await exchange.importPath(from, {
    home,
    foreign: invocation.has('foreign'),
    cwd,
    env: context.env,
    now: () => new Date(context.now()).toISOString(),
    onNotice: (message) => notices.push(message),
    onProgress: (done, of) => run.progress.show(`Placing threads: ${done} of ${of}`),
    signal,
  });
  run.progress.clear();
  for (const notice of notices) await run.say(visibleLine(notice));
  if (run.json) {
    const { home: into, kind, masked, secrets } = report;
    const threads = report.threads.map(({ id, path: file, outcome, reason, files, bytes }) => ({
      id,
      path: file,
      outcome,
      reason: reason ?? null,
      files,
      bytes,
    }));
    await run.printDocument({ threads, home: into, from: kind, masked, secrets });
  } else {
    const { importedLines, importNotes } = await import('../views/exchange-view.js');
    for (const line of importedLines(report, run.view)) await run.output.line(line);
    await run.say(...importNotes(report, run.wordsView));
  }
  return report.threads.some(({ outcome }) => outcome === 'conflict') ? EXIT_FAULT : EXIT_DONE;
};

/** `FROM=TO`: FROM as the logs spell it, TO a folder here. */
function parseMapping({ context }: Run, text: string): FolderMapping {
  const at = text.indexOf('=');
  const [from, to] = [text.slice(0, at), text.slice(at + 1)];
  if (at > 0 && to !== '') return { from, to: path.resolve(context.cwd, to) };
  throw new UsageError(`Cannot take "${text}" for --map-cwd: wanted FROM=TO`);
}
