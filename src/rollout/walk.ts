/**
 * Finds every file below `sessions` and `archived_sessions` of a home.
 *
 * Any depth, any folder names; ignore files mean nothing. The two roots may be links to anywhere; below them a linked folder is
 * followed while it stays inside the home, a linked file is never opened. Each folder is visited once, so links in
 * a circle end. A folder that does not answer, or may not be read, is reported and the walk goes on.
 */
import { fileErrorCode, type FileStat, type FileSystem } from '../platform/files/file-system.js';
import { canonicalPath, isInside } from '../platform/files/path-identity.js';
import { ARCHIVED_FOLDER, parseRolloutName, type RolloutName, SESSIONS_FOLDER } from './paths.js';

export type RolloutLocation = 'sessions' | 'archived';

/** Why a file can be no rollout, as far as its place and kind show. */
export type WalkHiddenReason = 'not-a-file' | 'link-outside-home' | 'foreign-name' | 'unreadable';

export interface WalkedFile {
  readonly path: string;
  /** Below the home, with `/` on every system. */
  readonly relativePath: string;
  readonly location: RolloutLocation;
  readonly name: RolloutName | undefined;
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
  readonly device: bigint;
  readonly hidden: WalkHiddenReason | null;
}

/** A folder that could not be read: its files are unknown, not absent. */
export interface WalkProblem {
  readonly path: string;
  readonly relativePath: string;
  /** `EACCES`, `time-limit`, `too-deep`, … */
  readonly code: string;
}

export interface WalkResult {
  /** Everything that is no folder, ordered by `relativePath`. */
  readonly files: readonly WalkedFile[];
  readonly problems: readonly WalkProblem[];
}

export interface WalkOptions {
  readonly files: FileSystem;
  /** How long a folder may take to answer. */
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

/** Folders asked at a time: as many as the runtime has threads for file work. */
const PARALLEL_FOLDERS = 4;
const MAX_DEPTH = 64;
const NO_STAT: FileStat = { kind: 'other', sizeBytes: 0, mtimeNs: 0n, ctimeNs: 0n, inode: 0n, device: 0n };

/** Resolves with all files found; never rejects for what is on disk, only for an abort. */
export async function walkRollouts(home: string, options: WalkOptions): Promise<WalkResult> {
  const walk = new Walk(home, options);
  await walk.run();
  return walk.result();
}

interface Folder {
  readonly path: string;
  readonly relativePath: string;
  readonly location: RolloutLocation;
  readonly depth: number;
}

class Walk {
  readonly #home: string;
  readonly #options: WalkOptions;
  readonly #found: WalkedFile[] = [];
  readonly #problems: WalkProblem[] = [];
  readonly #seen = new Set<string>();
  readonly #folders: Folder[] = [];
  readonly #linked: Folder[] = [];
  /** Real places of the home and its two roots. */
  readonly #insides: string[] = [];

  constructor(home: string, options: WalkOptions) {
    this.#home = home;
    this.#options = options;
  }

  async run(): Promise<void> {
    const home = await this.#realPath({ path: this.#home, relativePath: '', location: 'sessions', depth: 0 });
    if (home === undefined) return;
    this.#insides.push(home);
    for (const [name, location] of [
      [SESSIONS_FOLDER, 'sessions'],
      [ARCHIVED_FOLDER, 'archived'],
    ] as const) {
      await this.#addRoot({ path: this.#options.files.join(this.#home, name), relativePath: name, location, depth: 0 });
    }
    await this.#drain();
    // Linked folders come after all real ones, so that a file is known by its real place when it has both.
    for (let folder = this.#linked.shift(); folder !== undefined; folder = this.#linked.shift()) {
      await this.#follow(folder);
      await this.#drain();
    }
  }

  result(): WalkResult {
    const byPath = (a: { relativePath: string }, b: { relativePath: string }): number =>
      a.relativePath < b.relativePath ? -1 : a.relativePath > b.relativePath ? 1 : 0;
    return { files: this.#found.sort(byPath), problems: this.#problems.sort(byPath) };
  }

  async #addRoot(root: Folder): Promise<void> {
    const real = await this.#realPath(root);
    if (real === undefined) return;
    this.#insides.push(real);
    if (this.#isNew(real)) this.#folders.push({ ...root, path: real === this.#real(root) ? root.path : root.path });
  }

  async #drain(): Promise<void> {
    const running = new Set<Promise<void>>();
    while (this.#folders.length > 0 || running.size > 0) {
      this.#options.signal?.throwIfAborted();
      for (; running.size < PARALLEL_FOLDERS; ) {
        const folder = this.#folders.shift();
        if (folder === undefined) break;
        const task: Promise<void> = this.#visit(folder).finally(() => running.delete(task));
        running.add(task);
      }
      await Promise.race(running);
    }
  }
}
