/**
 * `codicil doctor`: every check with its repair, on demand secrets in the logs and what takes the room on disk.
 */
import type { DoctorProgress, DoctorReport } from '../../home/index.js';
import { EXIT_DONE, EXIT_FAULT } from '../failure.js';
import type { Verb } from '../run.js';
import { printLines } from './print-lines.js';

const PHASES: Readonly<Record<DoctorProgress['phase'], string>> = {
  checks: 'Checking homes',
  repair: 'Repairing',
  secrets: 'Looking for secrets in logs',
  disk: 'Measuring logs',
};

export const doctor: Verb = async (run) => {
  const { invocation } = run;
  const report = await run.withHomes(({ diagnostics }) =>
    diagnostics.doctor({
      signal: run.signal,
      repair: invocation.has('repair'),
      secrets: invocation.has('secrets'),
      disk: invocation.has('disk'),
      onProgress: ({ phase, done, of }) => run.progress.show(`${PHASES[phase]}: ${done} of ${of}`),
    }),
  );
  const bad = report.checks.filter(({ ok }) => !ok).length;
  if (run.json) await run.printDocument(documentOf(report), 2);
  else {
    const { doctorLines, doctorSummary } = await import('../views/doctor-view.js');
    await printLines(run, doctorLines(report, run.view));
    await run.say(...doctorSummary(report, run.wordsView));
  }
  return bad === 0 ? EXIT_DONE : EXIT_FAULT;
};

/** The keys of the contract, and no others. */
function documentOf({ checks, repaired, secrets, disk }: DoctorReport): Readonly<Record<string, unknown>> {
  return {
    checks: checks.map(({ name, ok, detail, repair, home }) => ({ name, ok, detail, repair, home })),
    repaired,
    secrets: secrets && {
      findings: secrets.findings.map(({ address, path, line, rule, count }) => ({ address, path, line, rule, count })),
      moreFindings: secrets.moreFindings,
      secrets: secrets.secrets,
      files: secrets.files,
      unreadLines: secrets.unreadLines,
      unreadableFiles: secrets.unreadableFiles,
      derived: secrets.derived.map(({ path, rule, count }) => ({ path, rule, count })),
    },
    disk: disk?.homes.map(({ home, logs, databases, derived, databaseBytes, derivedBytes }) => ({
      home,
      ...logs,
      databases,
      databaseBytes,
      derived,
      derivedBytes,
    })),
  };
}
