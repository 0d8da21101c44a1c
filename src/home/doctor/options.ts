/**
 * What the doctor is asked, and what it works with. Types only.
 */
import type { FileSystem } from '../../platform/files/file-system.js';
import type { SessionReader } from '../../thread-store/session-reader.js';

export interface DoctorOptions {
  /** Runs the repairs, then checks again. */
  readonly repair?: boolean;
  /** Looks for secrets in every log and every derived file. */
  readonly secrets?: boolean;
  /** Measures what takes the room on disk. */
  readonly disk?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DoctorProgress) => void;
}

export interface DoctorProgress {
  readonly phase: 'checks' | 'repair' | 'secrets' | 'disk';
  readonly done: number;
  readonly of: number;
}

/** Everything outside of the homes that a check looks at. */
export interface DoctorWorld {
  readonly files: FileSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tempRoot: string;
  /** Of each home, in the same order. */
  readonly readers: readonly SessionReader[];
  readonly nowMs: () => number;
}
