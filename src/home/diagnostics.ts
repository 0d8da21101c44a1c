/**
 * What can be found out about the homes beyond their threads. Looks on its own, beside the readers of the set; what looks
 * is loaded when it is asked.
 */
import { tmpdir } from 'node:os';
import type { FileSystem } from '../platform/files/file-system.js';
import type { SessionReader } from '../thread-store/session-reader.js';
import type { AuditOptions, AuditReport } from './audit-homes.js';
import type { DoctorReport } from './doctor/doctor.js';
import type { DoctorOptions } from './doctor/options.js';
import type { LocatedHome } from './locate.js';

export interface Diagnostics {
  /** Every database of the homes, and the rows of Codex's compared with the logs. Writes nothing in any home. */
  audit(options?: AuditOptions): Promise<AuditReport>;
  /** Everything that may be wrong, each with its repair. Only `repair` writes, and derived data only. */
  doctor(options?: DoctorOptions): Promise<DoctorReport>;
}

export interface HomeDiagnosticsOptions {
  readonly files: FileSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of each home, in the same order. */
  readonly readers: readonly SessionReader[];
}

export class HomeDiagnostics implements Diagnostics {
  readonly #homes: readonly LocatedHome[];
  readonly #options: HomeDiagnosticsOptions;

  constructor(homes: readonly LocatedHome[], options: HomeDiagnosticsOptions) {
    this.#homes = homes;
    this.#options = options;
  }

  async audit(options: AuditOptions = {}): Promise<AuditReport> {
    const { files, env } = this.#options;
    const { auditHomes } = await import('./audit-homes.js');
    return auditHomes(this.#homes, { ...options, files, env, tempRoot: this.#tempRoot });
  }

  async doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
    const { examine } = await import('./doctor/doctor.js');
    const world = { ...this.#options, tempRoot: this.#tempRoot, nowMs: () => Date.now() };
    return examine(this.#homes, world, options);
  }

  get #tempRoot(): string {
    return this.#options.env['TMPDIR'] || tmpdir();
  }
}
