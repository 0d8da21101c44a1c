/**
 * What secrets lie in the logs and in what we derive: by address, rule and number. Never holds a secret.
 */
import path from 'node:path';
import { removeDerivedDatabase } from '../../state/audit/index.js';
import { SEARCH_DATABASE_NAME, STATE_DATABASE_NAME } from '../../state/index.js';
import { type SecretScan, scanSecrets } from '../../thread-store/local/inspect/secret-scan.js';
import type { LocatedHome } from '../locate.js';
import { counted, fault, type MendableCheck, REPAIR_COMMAND, sound } from './check.js';
import { derivedFolders } from './derived-files.js';
import { type DerivedSecrets, derivedSecrets } from './derived-secrets.js';
import type { DoctorOptions, DoctorWorld } from './options.js';

/** The scans of all homes together: findings by home, file and line, at most 10,000 a home. */
export interface SecretsReport extends SecretScan {
  /** In files of ours: must be none. */
  readonly derived: readonly DerivedSecrets[];
}

/** Rejects only for an abort. No database of ours may be open in this process. */
export async function secretsReport(
  homes: readonly LocatedHome[],
  { files }: DoctorWorld,
  { signal, onProgress }: DoctorOptions,
): Promise<SecretsReport> {
  const derived = new Map<string, DerivedSecrets>();
  const scans = [];
  for (const home of homes) {
    for (const found of await derivedSecrets(await derivedFolders(home, { files, signal }), { files, signal })) {
      // Homes share a folder of ours.
      derived.set(`${found.path}\n${found.rule}`, found);
    }
    scans.push(
      await scanSecrets(home.path, {
        files,
        signal,
        onProgress: (done, of) => onProgress?.({ phase: 'secrets', done, of }),
      }),
    );
  }
  return {
    findings: scans.flatMap((scan) => scan.findings),
    moreFindings: scans.reduce((sum, scan) => sum + scan.moreFindings, 0),
    secrets: scans.reduce((sum, scan) => sum + scan.secrets, 0),
    files: scans.reduce((sum, scan) => sum + scan.files, 0),
    unreadLines: scans.reduce((sum, scan) => sum + scan.unreadLines, 0),
    unreadableFiles: scans.flatMap((scan) => scan.unreadableFiles),
    derived: [...derived.values()],
  };
}

export function secretChecks(
  report: SecretsReport,
  homes: readonly LocatedHome[],
  { readers }: DoctorWorld,
): readonly MendableCheck[] {
  return [logsCheck(report), derivedCheck(report, homes, readers)];
}

function logsCheck({ findings, moreFindings, secrets, files, unreadLines }: SecretsReport): MendableCheck {
  const unread = unreadLines === 0 ? '' : `; ${counted(unreadLines, 'damaged line')} could not be searched`;
  const lines = findings.length + moreFindings;
  if (lines === 0) return sound('secrets-in-logs', null, `No secret was found in ${counted(files, 'log')}${unread}`);
  return fault('secrets-in-logs', null, {
    detail: `${counted(secrets, 'secret stands', 'secrets stand')} in the logs, at ${counted(lines, 'address', 'addresses')}${unread}. Whoever can read the logs knows them`,
    repair:
      'Withdraw each key where it was issued and use a new one: a key that was written down counts as known. Then delete threads that are not needed; logs are never rewritten.',
  });
}

function derivedCheck(
  { derived }: SecretsReport,
  homes: readonly LocatedHome[],
  readers: DoctorWorld['readers'],
): MendableCheck {
  const [first] = derived;
  if (first === undefined) return sound('secrets-in-derived', null, 'No secret is in what is derived from the logs');
  const paths = [...new Set(derived.map((found) => found.path))];
  const more = paths.length === 1 ? '' : `, and ${paths.length - 1} more`;
  return fault('secrets-in-derived', null, {
    detail: `Secrets are in ${first.path}${more}, as an older version or a rule of today leaves them`,
    repair: REPAIR_COMMAND,
    mend: async () => {
      const databases = new Set(paths.map((file) => file.replace(/-(?:wal|shm)$/, '')));
      for (const { index } of homes) {
        if (index === undefined) continue;
        const pair = [STATE_DATABASE_NAME, SEARCH_DATABASE_NAME].map((name) => path.join(index.folder, name));
        // One copies from the other, and what is made anew has no page that kept older bytes.
        if (pair.some((file) => databases.has(file))) for (const file of pair) databases.add(file);
      }
      for (const reader of readers) await reader.close();
      for (const file of databases) removeDerivedDatabase(file);
      for (const reader of readers) await reader.list({ limit: 1, indexBudgetMs: Number.POSITIVE_INFINITY });
      return `Deleted ${[...databases].join(', ')}, and built the index again from the logs`;
    },
  });
}
