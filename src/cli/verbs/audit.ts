/**
 * `codicil audit`: the databases of the homes, and the rows of Codex's compared with the logs.
 */
import type { AuditReport } from '../../home/index.js';
import { EXIT_DONE, EXIT_FAULT } from '../failure.js';
import type { Verb } from '../run.js';
import { printLines } from './print-lines.js';

export const audit: Verb = async (run) => {
  const report = await run.withHomes(({ diagnostics }) =>
    diagnostics.audit({
      signal: run.signal,
      onProgress: (progress) =>
        run.progress.show(
          progress.phase === 'databases'
            ? `Checking databases: ${progress.done} of ${progress.databases}`
            : `Comparing rows: ${progress.done} of ${progress.rows}`,
        ),
    }),
  );
  if (run.json) await run.printDocument(documentOf(report), 1);
  else {
    const { auditLines, auditSummary } = await import('../views/audit-view.js');
    await printLines(run, auditLines(report, run.view));
    await run.say(...auditSummary(report, run.wordsView));
  }
  return report.problems.length === 0 ? EXIT_DONE : EXIT_FAULT;
};

/** The keys of the contract, and no others. */
function documentOf({ databases, rows, problems }: AuditReport): Readonly<Record<string, unknown>> {
  return {
    databases: databases.map(({ file, owner, ok, problem }) => ({ file, owner, ok, problem })),
    rows: rows.map(({ id, rolloutPath, archived, source, modelProvider }) => ({
      id,
      rolloutPath,
      archived,
      source,
      modelProvider,
    })),
    problems: problems.map(({ kind, id, detail, path }) => ({ kind, id, detail, path })),
  };
}
