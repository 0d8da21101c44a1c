/**
 * The doctor: every check of the program and the homes, their repairs, and on demand what secrets lie in the logs and what takes
 * the room on disk. Without `repair` nothing is written anywhere; with it, derived data only.
 */
import { type WalkResult, walkRollouts } from '../../rollout/walk.js';
import type { SessionReader } from '../../thread-store/session-reader.js';
import type { LocatedHome } from '../locate.js';
import type { DoctorCheck, MendableCheck } from './check.js';
import { derivedChecks } from './derived-checks.js';
import { derivedFolders } from './derived-files.js';
import { type DiskReport, diskReport } from './disk-report.js';
import { homeChecks } from './home-checks.js';
import { leftoversCheck } from './leftovers-check.js';
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

/** Rejects only for an abort, or when a repair fails. */
export async function examine(
  homes: readonly LocatedHome[],
  world: DoctorWorld,
  options: DoctorOptions,
): Promise<DoctorReport> {
  const doctor = new Doctor(homes, world, options);
  // Bytes of a database may be read only while no reader has it open.
  await Promise.all(world.readers.map((reader) => reader.close()));
  let secrets = options.secrets ? await secretsReport(homes, world, options) : undefined;
  // First, so that what holds a secret is deleted before another repair would keep its bytes.
  let found = [...(secrets === undefined ? [] : secretChecks(secrets, homes, world)), ...(await doctor.check())];
  let repaired: readonly string[] | undefined;
  if (options.repair) {
    repaired = await doctor.mend(found);
    await Promise.all(world.readers.map((reader) => reader.close()));
    if (secrets !== undefined && secrets.derived.length > 0) secrets = await secretsReport(homes, world, options);
    found = [...(secrets === undefined ? [] : secretChecks(secrets, homes, world)), ...(await doctor.check())];
  }
  const disk = options.disk ? await diskReport(homes, world, options) : undefined;
  return {
    checks: found.map(({ name, home, ok, detail, repair }) => ({ name, home, ok, detail, repair })),
    ...(repaired !== undefined && { repaired }),
    ...(secrets !== undefined && { secrets }),
    ...(disk !== undefined && { disk }),
  };
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
      const walk = await walkRollouts(home.path, { files, ...(signal !== undefined && { signal }) });
      found.push(...(await this.#checkHome(home, this.#world.readers[index]!, walk)));
    }
    return found;
  }

  async #checkHome(home: LocatedHome, reader: SessionReader, walk: WalkResult): Promise<readonly MendableCheck[]> {
    const { signal } = this.#options;
    const { files, tempRoot, nowMs } = this.#world;
    const folders = await derivedFolders(home, { files, signal });
    const onSetAside = (movedTo: string): void => void this.#kept.add(movedTo);
    return [
      ...(await homeChecks(home, walk, { files, signal })),
      ...(await derivedChecks(home, walk, folders, { files, signal, reader, nowMs, onSetAside })),
      await leftoversCheck(home, folders, { files, signal, tempRoot, kept: this.#kept }),
    ];
  }

  /** In the order of the checks: what stands first may mend what stands after it. */
  async mend(checks: readonly MendableCheck[]): Promise<readonly string[]> {
    const { signal, onProgress } = this.#options;
    const done: string[] = [];
    for (const [index, { mend }] of checks.entries()) {
      if (mend === undefined) continue;
      signal?.throwIfAborted();
      onProgress?.({ phase: 'repair', done: index, of: checks.length });
      const sentence = await mend();
      if (sentence !== undefined) done.push(sentence);
    }
    return done;
  }
}
