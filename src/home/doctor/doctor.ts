/**
 * The doctor: every check of the program and the homes, their repairs, and on demand what secrets lie in the logs and what takes
 * the room on disk. Without `repair` nothing is written anywhere; with it, derived data only.
 */
import { walkRollouts } from '../../rollout/walk.js';
import type { SessionReader } from '../../thread-store/session-reader.js';
import type { LocatedHome } from '../locate.js';
import { type DoctorCheck, guarded, type MendableCheck, sound } from './check.js';
import { derivedChecks } from './derived-checks.js';
import { derivedFolders } from './derived-files.js';
import { type DiskReport, diskReport } from './disk-report.js';
import { homeChecks } from './home-checks.js';
import { leftoversCheck } from './leftovers-check.js';
import { messageOf, nextStep } from './next-step.js';
import type { DoctorOptions, DoctorWorld } from './options.js';
import { programChecks } from './program-checks.js';
import { type SecretsReport, secretChecks, secretsReport } from './secrets-report.js';

export interface DoctorReport {
  readonly checks: readonly DoctorCheck[];
  /** What was repaired, a sentence each; undefined unless repairs were asked for. */
  readonly repaired?: readonly string[];
  readonly secrets?: SecretsReport;
  readonly disk?: DiskReport;
}

/** Rejects only for an abort. What a check or a repair throws is told by its check, and the others go on. */
export async function examine(
  homes: readonly LocatedHome[],
  world: DoctorWorld,
  options: DoctorOptions,
): Promise<DoctorReport> {
  const doctor = new Doctor(homes, world, options);
  // Bytes of a database may be read only while no reader has it open.
  await Promise.all(world.readers.map((reader) => reader.close()));
  let secrets = options.secrets
    ? await doctor.lookFor('secrets-in-logs', () => secretsReport(homes, world, options))
    : NOTHING;
  // First, so that what holds a secret is deleted before another repair would keep its bytes.
  let found: readonly MendableCheck[] = [...secretsFound(secrets, homes, world), ...(await doctor.check())];
  let repaired: readonly string[] | undefined;
  if (options.repair) {
    const mended = await doctor.mend(found);
    repaired = mended.done;
    await Promise.all(world.readers.map((reader) => reader.close()));
    if ((secrets.report?.derived.length ?? 0) > 0) {
      secrets = await doctor.lookFor('secrets-in-logs', () => secretsReport(homes, world, options));
    }
    found = withFailures([...secretsFound(secrets, homes, world), ...(await doctor.check())], mended.failures);
  }
  const disk = options.disk ? await doctor.lookFor('disk-usage', () => diskReport(homes, world, options)) : NOTHING;
  found = [...found, ...disk.failed];
  return {
    checks: found.map(({ name, home, ok, detail, repair }) => ({ name, home, ok, detail, repair })),
    ...(repaired !== undefined && { repaired }),
    ...(secrets.report !== undefined && { secrets: secrets.report }),
    ...(disk.report !== undefined && { disk: disk.report }),
  };
}

/** A report, or the check that says why there is none. */
interface Looked<T> {
  readonly report: T | undefined;
  readonly failed: readonly MendableCheck[];
}

/** Not asked for. */
const NOTHING: Looked<never> = { report: undefined, failed: [] };

function secretsFound(
  { report, failed }: Looked<SecretsReport>,
  homes: readonly LocatedHome[],
  world: DoctorWorld,
): readonly MendableCheck[] {
  return report === undefined ? failed : secretChecks(report, homes, world);
}

/** A repair that failed. */
interface Failure {
  readonly check: DoctorCheck;
  readonly error: unknown;
}

/** Checks that are still bad say why their repair failed, and what to do first. */
function withFailures(checks: readonly MendableCheck[], failures: readonly Failure[]): readonly MendableCheck[] {
  return checks.map((check) => {
    const failure = failures.find((one) => one.check.name === check.name && one.check.home === check.home);
    if (failure === undefined || check.ok) return check;
    const detail = `${check.detail}; the repair failed: ${messageOf(failure.error)}`;
    return { ...check, detail, repair: nextStep(failure.error) };
  });
}

class Doctor {
  readonly #homes: readonly LocatedHome[];
  readonly #world: DoctorWorld;
  readonly #options: DoctorOptions;
  /** Databases that were set aside in this run. */
  readonly #kept = new Set<string>();

  constructor(homes: readonly LocatedHome[], world: DoctorWorld, options: DoctorOptions) {
    this.#homes = homes;
    this.#world = world;
    this.#options = options;
  }

  async check(): Promise<readonly MendableCheck[]> {
    const { signal, onProgress } = this.#options;
    const { files, env } = this.#world;
    const found = [...(await programChecks({ files, env, signal }))];
    for (const [index, home] of this.#homes.entries()) {
      signal?.throwIfAborted();
      onProgress?.({ phase: 'checks', done: index, of: this.#homes.length });
      const checked = await this.lookFor('folders', () => this.#checkHome(home, this.#world.readers[index]!), home);
      found.push(...(checked.report ?? checked.failed));
    }
    return found;
  }

  /** Rejects only for an abort. */
  async lookFor<T>(name: string, look: () => Promise<T>, home?: LocatedHome): Promise<Looked<T>> {
    let report: T | undefined;
    const check = await guarded(name, home?.path ?? null, this.#options.signal, async () => {
      report = await look();
      return sound(name, home?.path ?? null, 'It was looked into');
    });
    return { report, failed: check.ok ? [] : [check] };
  }

  async #checkHome(home: LocatedHome, reader: SessionReader): Promise<readonly MendableCheck[]> {
    const { signal } = this.#options;
    const { files, tempRoot, nowMs } = this.#world;
    const walk = await walkRollouts(home.path, { files, ...(signal !== undefined && { signal }) });
    const folders = await derivedFolders(home, { files, signal });
    const onSetAside = (movedTo: string): void => void this.#kept.add(movedTo);
    return [
      ...(await homeChecks(home, walk, { files, signal })),
      ...(await derivedChecks(home, walk, folders, { files, signal, reader, nowMs, onSetAside })),
      await guarded('leftovers', home.path, signal, () =>
        leftoversCheck(home, folders, { files, signal, tempRoot, kept: this.#kept }),
      ),
    ];
  }

  /** In the order of the checks: what stands first may mend what stands after it. */
  async mend(
    checks: readonly MendableCheck[],
  ): Promise<{ readonly done: readonly string[]; readonly failures: readonly Failure[] }> {
    const { signal, onProgress } = this.#options;
    const done: string[] = [];
    const failures: Failure[] = [];
    for (const [index, check] of checks.entries()) {
      const { mend } = check;
      if (mend === undefined) continue;
      signal?.throwIfAborted();
      onProgress?.({ phase: 'repair', done: index, of: checks.length });
      try {
        const sentence = await mend();
        if (sentence !== undefined) done.push(sentence);
      } catch (error) {
        signal?.throwIfAborted();
        failures.push({ check, error });
      }
    }
    return { done, failures };
  }
}
